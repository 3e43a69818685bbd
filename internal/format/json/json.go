package json

import (
	"bytes"
	"fmt"

	"github.com/colstore/colstore-go/source/format"
)

// Descriptor is the format of JSON files, in all the ways in which they lay out a table.
var Descriptor = &format.Descriptor{
	Name:       "json",
	Doc:        "JSON: a list of objects, or another layout of pandas",
	Extensions: []string{".json"},
	Magic:      isTable,
	Read: &format.Reading{
		Open: open,
		Options: []format.Option{{
			Name: "orient", Doc: "how the table is laid out; auto sees it, but for index; an object a line too", Kind: format.OptionText, Default: orientAuto,
			Choices: []string{orientAuto, orientRecords, orientColumns, orientSplit, orientIndex, orientValues, orientTable},
		}},
	},
	Write: &format.Writing{
		Create: create,
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
	Read:       &format.Reading{Open: openLines, Options: []format.Option{orientOfLines}},
	Write:      &format.Writing{Create: createLines, Stream: streamLines, Options: []format.Option{orientOfLines, nonfinite}},
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
