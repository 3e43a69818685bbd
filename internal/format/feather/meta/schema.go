package meta

import (
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
)

// A Schema is the columns of a table.
type Schema struct {
	Fields    []Field
	BigEndian bool
	Values    map[string]string // its metadata
}

// A Field is a column, or a part of a nested one.
type Field struct {
	Name       string
	Type       columnar.Type
	Nullable   bool
	Dictionary int64 // number of the dictionary, if Type.Index is set
	Nest       Nest  // how the parts make up a row, if Type.Kind is columnar.Nested
	Length     int   // of the rows of a FixedList
	Parts      []Field
	// Nodes and Buffers are how many of a record batch's belong to the field and its parts, without the variadic buffers
	// of views; of these there are Views fields.
	Nodes, Buffers, Views int
}

// Nest is how the values of a field's parts make up its rows.
type Nest uint8

// The ways.
const (
	OtherNest     Nest = iota // none of those that columns are made of, or no nesting at all
	Struct                    // a value of each part
	FixedList                 // as many values of its part as the type says
	List                      // any number of values of its part; where they end is told in 32 bits
	LargeList                 // the same, in 64 bits
	ListView                  // any number of values of its part; where they begin and how many they are is told in 32 bits
	LargeListView             // the same, in 64 bits
)

var nests = map[int]Nest{typeStruct: Struct, typeFixedList: FixedList, typeList: List, typeLargeList: LargeList, typeListView: ListView, typeLargeListView: LargeListView}

// maxDepth bounds how deep types are nested.
const maxDepth = 64

func parseSchema(t table, version int) *Schema {
	s := &Schema{BigEndian: t.i16(0, 0) != 0, Values: map[string]string{}}
	t.tables(1, func(c table) { s.Fields = append(s.Fields, parseField(c, version, maxDepth)) })
	t.tables(2, func(c table) { s.Values[c.text(0)] = c.text(1) })
	return s
}

// The types of Arrow, by their numbers in a schema.
const (
	typeNull = iota + 1
	typeInt
	typeFloat
	typeBinary
	typeUtf8
	typeBool
	typeDecimal
	typeDate
	typeTime
	typeTimestamp
	typeInterval
	typeList
	typeStruct
	typeUnion
	typeFixedBinary
	typeFixedList
	typeMap
	typeDuration
	typeLargeBinary
	typeLargeUtf8
	typeLargeList
	typeRunEnd
	typeBinaryView
	typeUtf8View
	typeListView
	typeLargeListView
)

// unionBefore is the version from which on unions have no bitmap.
const unionBefore = 4

// parseField returns a field with what it and its parts take of a record batch.
func parseField(t table, version, depth int) Field {
	f := Field{Name: t.text(0), Nullable: t.bool(1), Nodes: 1}
	if depth == 0 {
		t.b.fail("types are nested more than %d deep", maxDepth)
		return f
	}
	var parts []Field
	t.tables(5, func(c table) {
		if t.b.err == nil {
			parts = append(parts, parseField(c, version, depth-1))
		}
	})
	kind := t.u8(2, 0)
	detail, _ := t.child(3)
	f.Type = parseType(kind, detail)
	if f.Type.Kind == columnar.Nested {
		f.Type.Name = nestedName(f.Type.Name, parts)
	}
	f.Buffers = buffersOf(kind, detail, version)
	if f.Type.IsView() {
		f.Views = 1
	}
	if d, ok := t.child(4); ok {
		f.Dictionary = d.i64(0)
		f.Type.Index = &columnar.Index{Size: 4, Signed: true}
		if index, ok := d.child(1); ok {
			i := parseType(typeInt, index)
			f.Type.Index = &columnar.Index{Size: i.Size, Signed: i.Signed}
		}
		f.Type.Name = "dictionary of " + f.Type.Name
		f.Buffers, f.Views = 2, 0 // of the indices; the parts are in the dictionary
		return f
	}
	f.Parts, f.Nest = parts, nests[kind]
	if f.Nest == FixedList {
		f.Length = detail.i32(0, 0)
	}
	for _, p := range parts {
		f.Nodes, f.Buffers, f.Views = f.Nodes+p.Nodes, f.Buffers+p.Buffers, f.Views+p.Views
	}
	return f
}

// buffersOf returns the buffers of a type, those of its parts and the variadic ones of views excluded.
func buffersOf(kind int, detail table, version int) int {
	switch kind {
	case typeNull, typeRunEnd:
		return 0
	case typeStruct, typeFixedList:
		return 1
	case typeUnion:
		n := 1
		if detail.i16(0, 0) == 1 { // dense
			n = 2
		}
		if version < unionBefore {
			n++
		}
		return n
	case typeBinary, typeUtf8, typeLargeBinary, typeLargeUtf8, typeListView, typeLargeListView:
		return 3
	}
	return 2
}

var unitNames = []string{"s", "ms", "us", "ns"}

// unit returns a unit of time and its name.
func unit(t table, n int) (colstore.Unit, string) {
	if n < 0 || n >= len(columnar.Units) {
		t.b.fail("a unit of time %d, which there is not", n)
		return colstore.NoUnit, ""
	}
	return columnar.Units[n], unitNames[n]
}

// plainTypes are those without parameters.
var plainTypes = map[int]columnar.Type{
	typeNull:        {Kind: columnar.Null, Name: "null"},
	typeBool:        {Kind: columnar.Bool, Name: "bool"},
	typeBinary:      {Kind: columnar.Binary, Name: "binary"},
	typeUtf8:        {Kind: columnar.Text, Name: "utf8"},
	typeLargeBinary: {Kind: columnar.LargeBinary, Name: "large_binary"},
	typeLargeUtf8:   {Kind: columnar.LargeText, Name: "large_utf8"},
	typeBinaryView:  {Kind: columnar.BinaryView, Name: "binary_view"},
	typeUtf8View:    {Kind: columnar.TextView, Name: "utf8_view"},

	typeList:          {Kind: columnar.Nested, Name: "list"},
	typeStruct:        {Kind: columnar.Nested, Name: "struct"},
	typeUnion:         {Kind: columnar.Nested, Name: "union"},
	typeFixedList:     {Kind: columnar.Nested, Name: "fixed_size_list"},
	typeMap:           {Kind: columnar.Nested, Name: "map"},
	typeLargeList:     {Kind: columnar.Nested, Name: "large_list"},
	typeRunEnd:        {Kind: columnar.Nested, Name: "run_end_encoded"},
	typeListView:      {Kind: columnar.Nested, Name: "list_view"},
	typeLargeListView: {Kind: columnar.Nested, Name: "large_list_view"},
}

func parseType(kind int, t table) columnar.Type {
	if p, ok := plainTypes[kind]; ok {
		return p
	}
	switch kind {
	case typeInt:
		bits, signed := t.i32(0, 0), t.bool(1)
		name := fmt.Sprintf("int%d", bits)
		if !signed {
			name = "u" + name
		}
		if bits != 8 && bits != 16 && bits != 32 && bits != 64 {
			t.b.fail("a number type %s, which there is not", name)
		}
		return columnar.Type{Kind: columnar.Int, Size: bits / 8, Signed: signed, Name: name}
	case typeFloat:
		precision := t.i16(0, 0)
		if precision < 0 || precision > 2 {
			t.b.fail("a floating point type %d, which there is not", precision)
			return columnar.Type{Kind: columnar.Other}
		}
		return columnar.Type{Kind: columnar.Float, Size: 2 << precision, Name: fmt.Sprintf("float%d", 16<<precision)}
	case typeFixedBinary:
		width := t.i32(0, 0)
		return columnar.Type{Kind: columnar.FixedBinary, Size: width, Name: fmt.Sprintf("fixed_size_binary[%d]", width)}
	case typeDate:
		if t.i16(0, 1) == 0 {
			return columnar.Type{Kind: columnar.Date32, Name: "date32"}
		}
		return columnar.Type{Kind: columnar.Date64, Name: "date64"}
	case typeTimestamp:
		u, name := unit(t, t.i16(0, 0))
		zone := t.text(1)
		if zone != "" {
			name += ", tz=" + zone
		}
		return columnar.Type{Kind: columnar.Timestamp, Unit: u, Zone: zone, Name: "timestamp[" + name + "]"}
	case typeDuration:
		u, name := unit(t, t.i16(0, 1))
		return columnar.Type{Kind: columnar.Duration, Unit: u, Name: "duration[" + name + "]"}
	case typeTime:
		_, name := unit(t, t.i16(0, 1))
		return columnar.Type{Kind: columnar.Other, Name: fmt.Sprintf("time%d[%s]", t.i32(1, 32), name)}
	case typeDecimal:
		return columnar.Type{Kind: columnar.Other, Name: fmt.Sprintf("decimal%d(%d, %d)", t.i32(2, 128), t.i32(0, 0), t.i32(1, 0))}
	case typeInterval:
		return columnar.Type{Kind: columnar.Other, Name: "interval"}
	}
	return columnar.Type{Kind: columnar.Other, Name: fmt.Sprintf("number %d of some newer Arrow", kind)}
}

func nestedName(name string, parts []Field) string {
	for i, p := range parts {
		open := ", "
		if i == 0 {
			open = "<"
		}
		if len(name) > 60 { // a message is no schema
			return name + ", …>"
		}
		name += open + p.Name + ": " + p.Type.Name
	}
	if len(parts) > 0 {
		name += ">"
	}
	return name
}

// A Pair is a key of a schema's metadata with its value.
type Pair struct{ Key, Value string }

// schema writes a schema of flat fields, all of them nullable.
func (w *builder) schema(fields []Field, pairs []Pair) int {
	return w.table(
		slot{},
		w.list(len(fields), func(i int) int {
			f := fields[i]
			kind, detail := w.typ(f.Type)
			return w.table(w.text(f.Name), flag(true), number(1, int64(kind)), ref(detail), slot{}, w.list(0, nil))
		}),
		w.list(len(pairs), func(i int) int { return w.table(w.text(pairs[i].Key), w.text(pairs[i].Value)) }),
	)
}

// typ returns the number of a type that a dtype is written as, and what writes its parameters.
func (w *builder) typ(t columnar.Type) (kind int, detail func() int) {
	table := func(kind int, slots ...slot) (int, func() int) {
		return kind, func() int { return w.table(slots...) }
	}
	timeUnit := func() slot {
		for i, u := range columnar.Units {
			if u == t.Unit {
				return number(2, int64(i))
			}
		}
		return slot{}
	}
	switch t.Kind {
	case columnar.Bool:
		return table(typeBool)
	case columnar.Float:
		return table(typeFloat, number(2, map[int]int64{2: 0, 4: 1, 8: 2}[t.Size]))
	case columnar.Text:
		return table(typeUtf8)
	case columnar.FixedBinary:
		return table(typeFixedBinary, number(4, int64(t.Size)))
	case columnar.Date32:
		return table(typeDate, number(2, 0))
	case columnar.Timestamp:
		return table(typeTimestamp, timeUnit())
	case columnar.Duration:
		return table(typeDuration, timeUnit())
	default:
		return table(typeInt, number(4, int64(8*t.Size)), flag(t.Signed))
	}
}
