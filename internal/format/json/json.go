package json

import (
	"bytes"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// Descriptor is the format of JSON files, in all the ways in which they lay out a table.
var Descriptor = &format.Descriptor{
	Name:       "json",
	Doc:        "JSON: a list of objects, or another layout of pandas",
	Extensions: []string{".json"},
	Magic:      isTable,
	Read: &format.Reading{
		Open:  open,
		Types: readTypes,
		Options: []format.Option{{
			Name: "orient", Doc: "how the table is laid out; auto sees it, but for index; an object a line too", Kind: format.OptionText, Default: orientAuto,
			Choices: []string{orientAuto, orientRecords, orientColumns, orientSplit, orientIndex, orientValues, orientTable},
		}},
	},
	Write: &format.Writing{
		Create: create,
		Type:   typeName,
		Options: []format.Option{
			{
				Name: "orient", Doc: "how the table is laid out; table keeps the dtypes", Kind: format.OptionText, Default: orientRecords,
				Choices: []string{orientRecords, orientColumns, orientSplit, orientIndex, orientValues, orientTable},
			},
			nonfinite,
		},
	},
}

// Lines is the format of files with one JSON object a line.
var Lines = &format.Descriptor{
	Name:       "jsonl",
	Doc:        "JSON lines (NDJSON): an object a line",
	Extensions: []string{".jsonl", ".ndjson"},
	Read:       &format.Reading{Open: openLines, Types: readTypes, Options: []format.Option{orientOfLines}},
	Write:      &format.Writing{Create: createLines, Stream: streamLines, Type: typeName, Options: []format.Option{orientOfLines, nonfinite}},
}

var readTypes = []format.TypeRow{
	{Foreign: "whole numbers", DType: "int64, or uint64 if one needs it and none is negative"},
	{Foreign: "numbers, NaN, Infinity, -Infinity", DType: "float64, the nearest to what is written"},
	{Foreign: "true and false", DType: "bool"},
	{Foreign: "text", DType: "U, as wide as the longest"},
	{Foreign: "null in every row", DType: "float64"},
	{Foreign: "any value, in a column that is declared, or in a table that keeps dtypes", DType: "the declared dtype"},
	{Foreign: "lists, objects", DType: "columns of their values, as --jagged says"},
	{Foreign: "text or true and false beside numbers; whole numbers beyond 64 bits", DType: format.Refused},
}

// typeName says what the values of a dtype are.
func typeName(t colstore.DType) (string, error) {
	switch t.Kind() {
	case colstore.KindBool:
		return "true, false", nil
	case colstore.KindInt, colstore.KindUint:
		return "a whole number", nil
	case colstore.KindFloat:
		return "a number, the shortest that reads back as the same; NaN and infinities are null", nil
	case colstore.KindDatetime:
		return `text, ISO 8601; NaT is "NaT"`, nil
	case colstore.KindTimedelta:
		return "a whole number of ticks; NaT is null", nil
	case colstore.KindBytes:
		return "text, which must be UTF-8", nil
	default:
		return "text", nil
	}
}

// orientOfLines is there for its message: there is one way to lay lines out, which pandas calls records.
var orientOfLines = format.Option{
	Name: "orient", Doc: "records, as pandas calls an object a line; the other layouts are those of json", Kind: format.OptionText, Default: orientRecords,
	Check: func(v any) error {
		if v != orientRecords {
			return fmt.Errorf("JSON lines have an object a line, and no orient %q; leave the option out, or make it a .json file (or name the format json)", v)
		}
		return nil
	},
}

var nonfinite = format.Option{
	Name: "nonfinite", Doc: "NaN and infinities: null, or literal (NaN, Infinity, -Infinity, which not all readers take)", Kind: format.OptionText,
	Default: nonfiniteNull, Choices: []string{nonfiniteNull, nonfiniteLiteral},
}

// isTable reports whether text begins as a list of lists or objects does, or as an object with a member.
func isTable(head []byte) bool {
	const blanks = " \t\r\n"
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), blanks)
	if len(head) == 0 {
		return false
	}
	second := bytes.TrimLeft(head[1:], blanks)
	switch {
	case len(second) == 0:
		return false
	case head[0] == '{':
		return second[0] == '"'
	}
	return head[0] == '[' && (second[0] == '{' || second[0] == '[')
}
