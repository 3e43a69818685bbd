package csv

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// Descriptor is the format of comma-separated values.
var Descriptor = describe("csv", "comma-separated values (RFC 4180)", ",", ".csv")

// TSV is the format of tab-separated values: that of [Descriptor] with another delimiter.
var TSV = describe("tsv", "tab-separated values, quoted like csv", "\t", ".tsv", ".tab")

var readTypes = []format.TypeRow{
	{Foreign: "whole numbers in all cells", DType: "int64, or uint64 if one needs it and none is negative"},
	{Foreign: "numbers; inf, infinity, nan in any case", DType: "float64"},
	{Foreign: "true and false, in any case", DType: "bool"},
	{Foreign: "no cell that is not missing", DType: "float64"},
	{Foreign: "anything else, numbers with leading zeros, numbers beyond 64 bits", DType: "U, as wide as the longest cell"},
	{Foreign: "any text, in a column that is declared", DType: "the declared dtype"},
}

// typeName says what the cells of a dtype are.
func typeName(t colstore.DType) (string, error) {
	switch t.Kind() {
	case colstore.KindBool:
		return "true, false", nil
	case colstore.KindInt, colstore.KindUint:
		return "a whole number", nil
	case colstore.KindFloat:
		return "the shortest decimal that reads back as the number; inf, nan", nil
	case colstore.KindDatetime:
		return "ISO 8601; NaT is an empty cell", nil
	case colstore.KindTimedelta:
		return "a whole number of ticks; NaT is an empty cell", nil
	case colstore.KindBytes:
		return "the text, which must be UTF-8", nil
	default:
		return "the text", nil
	}
}

func describe(name, doc, delimiter string, extensions ...string) *format.Descriptor {
	return &format.Descriptor{
		Name:       name,
		Doc:        doc,
		Extensions: extensions,
		Read: &format.Reading{
			Open:  open,
			Types: readTypes,
			Options: []format.Option{
				{Name: "delimiter", Doc: `the character between cells; "\t" is a tab`, Kind: format.OptionText, Default: delimiter, Check: checkDelimiter},
				{Name: "header", Doc: `the first row holds the names; else columns are named "0", "1", … and the first row tells how many there are`, Kind: format.OptionBool, Default: true},
				{Name: "missing", Doc: "spellings of a missing cell, beside the empty one", Kind: format.OptionList, Default: []string{}},
				{Name: "quote", Doc: "the character around cells that hold delimiters or line breaks; empty if there is none", Kind: format.OptionText, Default: `"`, Check: checkQuote},
				{Name: "skip", Doc: "lines to leave out before the header", Kind: format.OptionCount, Default: int64(0)},
			},
		},
		Write: &format.Writing{
			Create: create,
			Stream: stream,
			Type:   typeName,
			Options: []format.Option{
				{Name: "delimiter", Doc: `the character between cells; "\t" is a tab`, Kind: format.OptionText, Default: delimiter, Check: checkOutputDelimiter},
				{Name: "header", Doc: "the first row holds the names", Kind: format.OptionBool, Default: true},
			},
		},
	}
}
