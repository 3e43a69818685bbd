package csv

import (
	"github.com/colstore/colstore-go/source/format"
)

// Descriptor is the format of comma-separated values.
var Descriptor = describe("csv", "comma-separated values (RFC 4180)", ",", ".csv")

// TSV is the format of tab-separated values: that of [Descriptor] with another delimiter.
var TSV = describe("tsv", "tab-separated values, quoted like csv", "\t", ".tsv", ".tab")

func describe(name, doc, delimiter string, extensions ...string) *format.Descriptor {
	return &format.Descriptor{
		Name:       name,
		Doc:        doc,
		Extensions: extensions,
		Read: &format.Reading{
			Open: open,
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
			Options: []format.Option{
				{Name: "delimiter", Doc: `the character between cells; "\t" is a tab`, Kind: format.OptionText, Default: delimiter, Check: checkOutputDelimiter},
				{Name: "header", Doc: "the first row holds the names", Kind: format.OptionBool, Default: true},
			},
		},
	}
}
