package json

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// A wrapping is the text round the values of an orient.
type wrapping struct {
	head    string   // before the first row, its opening included
	between string   // from the end of a row to the values of the next
	labels  bool     // a row has its number for a name
	names   [][]byte // what is before the value of each column
	rowEnd  string
	tail    string // behind the last row
	empty   string // in place of all, if there is no row
}

// newWrapping returns the text of an orient for a table of schema s.
func newWrapping(orient string, s *colstore.Schema) wrapping {
	w := wrapping{names: make([][]byte, s.Len())}
	object := orient != orientValues && orient != orientSplit
	for i, field := range s.All() {
		switch {
		case orient == orientColumns && i == 0:
			w.names[i] = []byte{'{'}
		case orient == orientColumns:
			w.names[i] = []byte(",\n")
		case object && i == 0:
			w.names[i] = []byte{'{'}
		case i == 0:
			w.names[i] = []byte{'['}
		default:
			w.names[i] = []byte{','}
		}
		if object {
			w.names[i] = append(text.AppendJSONString(w.names[i], field.Name), ':')
		}
	}
	w.rowEnd = "}"
	if !object {
		w.rowEnd = "]"
	}
	w.between = ",\n"
	switch orient {
	case orientLines:
		w.rowEnd, w.between = "}\n", ""
		return w
	case orientColumns:
		w.tail = "}\n"
		return w
	case orientIndex:
		w.head, w.tail, w.labels = "{", "}\n", true
	case orientSplit:
		w.head, w.tail = `{"columns":`+string(listOfNames(s))+`,"data":[`, "]}\n"
	case orientTable:
		w.head, w.tail = `{"schema":`+string(describe(s))+`,"data":[`, "]}\n"
	default:
		w.head, w.tail = "[", "]\n"
	}
	w.empty = w.head + w.tail
	return w
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
