package feather

import (
	"fmt"
	"slices"
	"sort"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
	"github.com/colstore/colstore-go/source/format"
)

// A leaf is a field with values of its own: a column, a part of a structure, the values of a list or an array.
type leaf struct {
	field *meta.Field
	place place
	above []place // the structures around it, or around its list, the outermost first
	list  *nest   // the list or array that its rows are the values of; nil if they are the table's
	// starts are the leaf's rows before each record batch, and all of them.
	starts []int64
	bad    error // why a record batch does not fit it
	kept   int   // values of a row that become columns, of a list or an array
}

// A nest is a list or an array.
type nest struct {
	field  *meta.Field
	place  place
	length int64 // of the rows of an array
}

// isView reports whether each row tells where its values begin, and not only where those of all rows end.
func (n *nest) isView() bool {
	return n.field.Nest == meta.ListView || n.field.Nest == meta.LargeListView
}

// isArray reports whether all rows have the same number of values.
func (n *nest) isArray() bool { return n.field.Nest == meta.FixedList }

// around returns the fields whose bitmaps tell whether a row of the leaf has a value.
func (l *leaf) around() []place {
	if l.list != nil {
		return []place{l.place}
	}
	return append(slices.Clip(l.above), l.place)
}

// batchOf returns the number of the first record batch that has rows behind a row.
func (l *leaf) batchOf(row int64) int {
	return sort.Search(len(l.starts)-1, func(i int) bool { return l.starts[i+1] > row })
}

// readLeaves finds the leaves of the schema: one for each column, then those that columns are made of by the policy for
// lists, arrays and structures.
func (f *file) readLeaves() {
	table := make([]int64, 1, len(f.batches)+1)
	for i := range f.batches {
		table = append(table, f.batches[i].end())
	}
	for i := range f.schema.Fields {
		f.leaves = append(f.leaves, &leaf{field: &f.schema.Fields[i], place: f.places[i], starts: table})
	}
	f.nested = make([]format.Field, len(f.schema.Fields))
	for i := range f.schema.Fields {
		x := &f.schema.Fields[i]
		if f.nested[i] = (format.Field{Name: x.Name, Leaf: i}); x.Type.Kind == columnar.Nested {
			f.nested[i] = f.nestedField(x, f.places[i], nil, i)
		}
	}
}

// nestedField returns a field below structures as the policy sees it; number is its leaf, or -1 for a new one.
func (f *file) nestedField(x *meta.Field, p place, above []place, number int) format.Field {
	out := format.Field{Name: x.Name, Leaf: number}
	add := func(l *leaf) {
		if number < 0 || l.list != nil {
			out.Leaf = len(f.leaves)
			f.count(l)
			f.leaves = append(f.leaves, l)
		}
	}
	child := place{p.node + 1, p.buffer + 1, p.view}
	switch {
	case x.Type.Kind != columnar.Nested:
		add(&leaf{field: x, place: p, above: above})
	case x.Type.Index == nil && x.Nest == meta.Struct && len(x.Parts) > 0:
		out.Kind = format.FieldStruct
		above = append(slices.Clip(above), p)
		for i := range x.Parts {
			part := &x.Parts[i]
			out.Parts = append(out.Parts, f.nestedField(part, child, above, -1))
			child = place{child.node + part.Nodes, child.buffer + part.Buffers, child.view + part.Views}
		}
	case x.Type.Index == nil && x.Nest != meta.OtherNest && x.Nest != meta.Struct && x.Length >= 0 && len(x.Parts) == 1 && x.Parts[0].Type.Kind != columnar.Nested:
		out.Kind = format.FieldList
		n := &nest{field: x, place: p}
		if n.isArray() {
			out.Kind, out.Length, n.length = format.FieldArray, int64(x.Length), int64(x.Length)
		} else if child.buffer++; n.isView() { // behind the offsets
			child.buffer++ // and the lengths
		}
		add(&leaf{field: &x.Parts[0], place: child, above: above, list: n})
	default:
		out.Kind = format.FieldOther
		add(&leaf{field: x, place: p, above: above})
	}
	return out
}

// count finds where the rows of a leaf begin in each record batch.
func (f *file) count(l *leaf) {
	l.starts = make([]int64, 1, len(f.batches)+1)
	for i := range f.batches {
		b := &f.batches[i]
		n := b.Nodes[l.place.node]
		fields := l.above
		if l.list != nil {
			fields = append(slices.Clip(fields), l.list.place)
		} else {
			fields = append(slices.Clip(fields), l.place)
		}
		for _, p := range fields {
			if x := b.Nodes[p.node]; x.Rows != b.Rows || x.Nulls < 0 || x.Nulls > x.Rows {
				l.bad = fmt.Errorf("%w: a part has %d rows, %d of them null, in a batch of %d", colstore.ErrFormat, x.Rows, x.Nulls, b.Rows)
			}
		}
		before := l.starts[i]
		switch {
		case n.Rows < 0 || n.Nulls < 0 || n.Nulls > n.Rows || n.Rows > maxRows-before || f.tooMany(n.Rows):
			l.bad = fmt.Errorf("%w: %d values, %d of them null, in a batch of %d rows", colstore.ErrFormat, n.Rows, n.Nulls, b.Rows)
			n.Rows = 0
		case l.list != nil && l.list.isArray() && (l.list.length < 0 || l.list.length > 0 && n.Rows/l.list.length < b.Rows):
			l.bad = fmt.Errorf("%w: %d values for %d rows of %d", colstore.ErrFormat, n.Rows, b.Rows, l.list.length)
		}
		l.starts = append(l.starts, before+n.Rows)
	}
}

// tooMany reports whether no file of this size can hold so many rows, but for some of Arrow's null type.
func (f *file) tooMany(rows int64) bool { return rows > freeRows && rows/8/densest[meta.Zstd] > f.size }
