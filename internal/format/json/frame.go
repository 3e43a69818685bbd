package json

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// A frame is the text round the values of an orient.
type frame struct {
	head    string   // before the first row, its opening included
	between string   // from the end of a row to the values of the next
	labels  bool     // a row has its number for a name
	names   [][]byte // what is before the value of each column
	rowEnd  string
	tail    string // behind the last row
	empty   string // in place of all, if there is no row
}

// newFrame returns the text of an orient for a table of schema s.
func newFrame(orient string, s *colstore.Schema) frame {
	f := frame{names: make([][]byte, s.Len())}
	object := orient != orientValues && orient != orientSplit
	for i, field := range s.All() {
		switch {
		case orient == orientColumns && i == 0:
			f.names[i] = []byte{'{'}
		case orient == orientColumns:
			f.names[i] = []byte(",\n")
		case object && i == 0:
			f.names[i] = []byte{'{'}
		case i == 0:
			f.names[i] = []byte{'['}
		default:
			f.names[i] = []byte{','}
		}
		if object {
			f.names[i] = append(text.AppendJSONString(f.names[i], field.Name), ':')
		}
	}
	f.rowEnd = "}"
	if !object {
		f.rowEnd = "]"
	}
	f.between = ",\n"
	switch orient {
	case orientLines:
		f.rowEnd, f.between = "}\n", ""
		return f
	case orientColumns:
		f.tail = "}\n"
		return f
	case orientIndex:
		f.head, f.tail, f.labels = "{", "}\n", true
	case orientSplit:
		f.head, f.tail = `{"columns":`+string(listOfNames(s))+`,"data":[`, "]}\n"
	case orientTable:
		f.head, f.tail = `{"schema":`+string(describe(s))+`,"data":[`, "]}\n"
	default:
		f.head, f.tail = "[", "]\n"
	}
	f.empty = f.head + f.tail
	return f
}

func listOfNames(s *colstore.Schema) []byte {
	out := []byte{'['}
	for i, f := range s.All() {
		if i > 0 {
			out = append(out, ',')
		}
		out = text.AppendJSONString(out, f.Name)
	}
	return append(out, ']')
}

// describe returns the schema of a table: of each column its type in the words of Table Schema, and its dtype.
func describe(s *colstore.Schema) []byte {
	out := []byte(`{"fields":[`)
	for i, f := range s.All() {
		if i > 0 {
			out = append(out, ',')
		}
		word := "string"
		switch f.Type.Kind() {
		case colstore.KindBool:
			word = "boolean"
		case colstore.KindInt, colstore.KindUint, colstore.KindTimedelta:
			word = "integer"
		case colstore.KindFloat:
			word = "number"
		case colstore.KindDatetime:
			word = "datetime"
		}
		out = text.AppendJSONString(append(out, `{"name":`...), f.Name)
		out = append(out, `,"type":"`+word+`","`+dtypeKey+`":"`+f.Type.String()+`"}`...)
	}
	return append(out, `]}`...)
}

// dtypeKey is what the schema of a table has dtypes under.
const dtypeKey = "colstore.dtype"
