package meta

import (
	"fmt"

	"github.com/colstore/colstore-go"
)

// A File is a footer.
type File struct {
	Version   int32
	Schema    []Element // the tree in depth-first order, the root first
	Rows      int64
	Groups    []Group
	KeyValues []KeyValue
	CreatedBy string
	Encrypted bool // columns or the footer's signature are encrypted
	// TypeOrder tells of each leaf whether its bounds have the order of its logical type; nil if the file says nothing.
	// Append writes that all have.
	TypeOrder []bool
}

// HasTypeOrder reports whether the file says that the bounds of a leaf have the order of its logical type.
func (f *File) HasTypeOrder(leaf int) bool { return leaf < len(f.TypeOrder) && f.TypeOrder[leaf] }

// A KeyValue is one entry of the file's own metadata.
type KeyValue struct{ Key, Value string }

// An Element is a node of the schema.
type Element struct {
	Name       string
	Type       Type  // NoType for a group
	Length     int32 // bytes of a FIXED_LEN_BYTE_ARRAY
	Repetition Repetition
	Children   int32
	Converted  Converted
	Logical    Logical
}

// Logical is a logical type with the parameters it has.
type Logical struct {
	Kind   Kind
	Bits   int8 // of an integer
	Signed bool // of an integer
	UTC    bool // of a time or timestamp: ticks count from a moment, not from a wall clock's reading
	Unit   Unit // of a time or timestamp
}

// A Group is a row group.
type Group struct {
	Columns []Chunk // in the order of the schema's leaves
	Bytes   int64   // uncompressed, of all columns
	Rows    int64
	// Compressed is the size of all columns in the file; 0 if the file does not say.
	Compressed int64
}

// A Chunk is what a row group has of one column.
type Chunk struct {
	Elsewhere  bool // the data are in another file
	Encrypted  bool
	Type       Type
	Path       []string // only for writing: which column it is, its place tells
	Codec      Codec
	Encodings  Encodings
	Values     int64
	Bytes      int64 // uncompressed, headers included
	Compressed int64 // as it lies in the file, headers included
	Data       int64 // offset of the first data page
	Dictionary int64 // offset of the dictionary page, 0 if there is none or the file does not say
	Statistics Statistics
	// Pages tells how the data pages are encoded; KnownPages is false if the file does not say.
	Pages      Encodings
	KnownPages bool
	// PageCounts is only for writing: the number of pages by type and encoding.
	PageCounts []PageCount
	// The page index lies outside the chunk: the bounds of its data pages, and their places.
	Bounds, Places Region
}

// A PageCount tells how many pages of a chunk have a type and encoding.
type PageCount struct {
	Type     PageType
	Encoding Encoding
	Count    int32
}

// Encodings is a set of encodings.
type Encodings uint32

// With returns the set with e in it. An encoding that does not exist is left out.
func (s Encodings) With(e Encoding) Encodings {
	if e < 0 || e > 31 {
		return s
	}
	return s | 1<<e
}

// Has reports whether e is in the set.
func (s Encodings) Has(e Encoding) bool { return e >= 0 && e < 32 && s>>e&1 == 1 }

// Statistics are the bounds and counts of a chunk, as its writer gives them. Nil bounds are unknown, as are counts of -1.
type Statistics struct {
	Min, Max           []byte // in the order of the column's logical type
	OldMin, OldMax     []byte // in signed order, from writers before that was settled
	Nulls              int64
	MinExact, MaxExact bool // the bound is a value, not a cut one
}

// ParseFile reads a footer. The strings and bounds in it share b.
//
// Errors: colstore.ErrFormat.
func ParseFile(b []byte) (*File, error) {
	r := &reader{b: b}
	f := &File{}
	var seen uint64
	r.fields(func(id int16, t wire) {
		seen |= 1 << (id & 63)
		switch id {
		case 1:
			f.Version = r.i32(t)
		case 2:
			r.list(t, wireStruct, func(int) { f.Schema = append(f.Schema, r.element()) })
		case 3:
			f.Rows = r.i64(t)
		case 4:
			r.list(t, wireStruct, func(int) { f.Groups = append(f.Groups, r.group()) })
		case 5:
			r.list(t, wireStruct, func(int) { f.KeyValues = append(f.KeyValues, r.keyValue()) })
		case 6:
			f.CreatedBy = r.string(t)
		case 7:
			r.list(t, wireStruct, func(int) { f.TypeOrder = append(f.TypeOrder, r.typeOrder()) })
		case 8, 9:
			f.Encrypted = true
			r.skip(t)
		default:
			r.skip(t)
		}
	})
	const required = 1<<2 | 1<<3 | 1<<4
	if r.err == nil && seen&required != required {
		r.fail("the footer has no schema, rows or row groups")
	}
	if r.err != nil {
		return nil, r.err
	}
	return f, nil
}

// typeOrder reads an order and reports whether it is that of the type, the first of a union.
func (r *reader) typeOrder() (is bool) {
	r.fields(func(id int16, t wire) {
		is = id == 1
		r.skip(t)
	})
	return is
}

func (r *reader) keyValue() (kv KeyValue) {
	r.fields(func(id int16, t wire) {
		switch id {
		case 1:
			kv.Key = r.string(t)
		case 2:
			kv.Value = r.string(t)
		default:
			r.skip(t)
		}
	})
	return kv
}

func (r *reader) element() Element {
	e := Element{Type: NoType, Converted: NoConverted}
	named := false
	r.fields(func(id int16, t wire) {
		switch id {
		case 1:
			e.Type = Type(r.enum(t, len(typeNames)-1, "physical type"))
		case 2:
			e.Length = r.i32(t)
		case 3:
			e.Repetition = Repetition(r.enum(t, int(Repeated), "repetition"))
		case 4:
			e.Name, named = r.string(t), true
		case 5:
			e.Children = r.i32(t)
		case 6:
			if v := r.i32(t); v >= 0 && v <= int32(ConvertedInterval) {
				e.Converted = Converted(v)
			}
		case 10:
			e.Logical = r.logical(t)
		default:
			r.skip(t)
		}
	})
	if r.err == nil && !named {
		r.fail("a field of the schema has no name")
	}
	return e
}

// enum reads a number from 0 to last.
func (r *reader) enum(t wire, last int, what string) int8 {
	v := r.i32(t)
	if r.err == nil && (v < 0 || int(v) > last) {
		r.fail("%s %d does not exist", what, v)
		return 0
	}
	return int8(v)
}

func (r *reader) logical(t wire) (l Logical) {
	r.structure(t, func(id int16, t wire) {
		if id > 0 && id <= int16(KindFloat16) {
			l.Kind = Kind(id)
		}
		switch Kind(id) {
		case KindTime, KindTimestamp:
			r.structure(t, func(id int16, t wire) {
				switch id {
				case 1:
					l.UTC = r.bool(t)
				case 2:
					r.structure(t, func(id int16, t wire) {
						l.Unit = Unit(id)
						r.skip(t)
					})
				default:
					r.skip(t)
				}
			})
		case KindInteger:
			r.structure(t, func(id int16, t wire) {
				switch id {
				case 1:
					l.Bits = r.i8(t)
				case 2:
					l.Signed = r.bool(t)
				default:
					r.skip(t)
				}
			})
		default:
			r.skip(t)
		}
	})
	return l
}

func (r *reader) group() (g Group) {
	var seen uint64
	r.fields(func(id int16, t wire) {
		seen |= 1 << (id & 63)
		switch id {
		case 1:
			r.list(t, wireStruct, func(int) { g.Columns = append(g.Columns, r.chunk()) })
		case 2:
			g.Bytes = r.i64(t)
		case 3:
			g.Rows = r.i64(t)
		case 6:
			g.Compressed = r.i64(t)
		default:
			r.skip(t)
		}
	})
	if r.err == nil && seen&(1<<1|1<<3) != 1<<1|1<<3 {
		r.fail("a row group has no columns or rows")
	}
	return g
}

func (r *reader) chunk() (c Chunk) {
	c.Statistics.Nulls = -1
	has := false
	r.fields(func(id int16, t wire) {
		switch id {
		case 1:
			c.Elsewhere = len(r.binary(t)) > 0
		case 3:
			has = true
			r.chunkMeta(&c, t)
		case 4:
			c.Places.Offset = r.i64(t)
		case 5:
			c.Places.Length = r.i32(t)
		case 6:
			c.Bounds.Offset = r.i64(t)
		case 7:
			c.Bounds.Length = r.i32(t)
		case 8, 9:
			c.Encrypted = true
			r.skip(t)
		default:
			r.skip(t)
		}
	})
	if r.err == nil && !has && !c.Encrypted {
		r.fail("a column of a row group has no metadata")
	}
	return c
}

func (r *reader) chunkMeta(c *Chunk, t wire) {
	var seen uint64
	r.structure(t, func(id int16, t wire) {
		seen |= 1 << (id & 63)
		switch id {
		case 1:
			c.Type = Type(r.enum(t, len(typeNames)-1, "physical type"))
		case 2:
			r.list(t, wireI32, func(int) { c.Encodings = c.Encodings.With(encoding(r.small())) })
		case 4:
			c.Codec = Codec(r.enum(t, len(codecNames)-1, "compression codec"))
		case 5:
			c.Values = r.i64(t)
		case 6:
			c.Bytes = r.i64(t)
		case 7:
			c.Compressed = r.i64(t)
		case 9:
			c.Data = r.i64(t)
		case 11:
			c.Dictionary = r.i64(t)
		case 12:
			c.Statistics = r.statistics(t)
		case 13:
			c.KnownPages = true
			r.list(t, wireStruct, func(int) { r.pageCount(c) })
		default:
			r.skip(t)
		}
	})
	const required = 1<<1 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<9
	if r.err == nil && seen&required != required {
		r.fail("the metadata of a column lack a required field")
	}
}

// encoding returns the encoding of that number, or one that no page can have.
func encoding(v int32) Encoding {
	if v < 0 || v > 31 {
		return -1
	}
	return Encoding(v)
}

// pageCount adds one entry of the page statistics to the encodings of the data pages.
func (r *reader) pageCount(c *Chunk) {
	var of PageType
	var how Encoding
	count := int32(1)
	r.fields(func(id int16, t wire) {
		switch id {
		case 1:
			of = PageType(min(r.i32(t), 127))
		case 2:
			how = encoding(r.i32(t))
		case 3:
			count = r.i32(t)
		default:
			r.skip(t)
		}
	})
	if (of == DataPage || of == DataPageV2) && count != 0 {
		c.Pages = c.Pages.With(how)
	}
}

func (r *reader) statistics(t wire) Statistics {
	s := Statistics{Nulls: -1}
	r.structure(t, func(id int16, t wire) {
		switch id {
		case 1:
			s.OldMax = r.binary(t)
		case 2:
			s.OldMin = r.binary(t)
		case 3:
			s.Nulls = r.i64(t)
		case 5:
			s.Max = r.binary(t)
		case 6:
			s.Min = r.binary(t)
		case 7:
			s.MaxExact = r.bool(t)
		case 8:
			s.MinExact = r.bool(t)
		default:
			r.skip(t)
		}
	})
	return s
}

// Check reports a footer that contradicts itself: the tree of the schema, the columns of its row groups, their rows and
// where they lie in the file, whose data end at offset end.
//
// Errors: colstore.ErrFormat, naming row group and column.
func (f *File) Check(end int64) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{colstore.ErrFormat}, args...)...)
	}
	leaves, err := f.leaves()
	if err != nil {
		return err
	}
	rows := int64(0)
	for i, g := range f.Groups {
		switch {
		case len(g.Columns) != len(leaves):
			return bad("row group %d has %d columns, the schema %d", i, len(g.Columns), len(leaves))
		case g.Rows < 0 || rows+g.Rows < rows:
			return bad("row group %d has %d rows", i, g.Rows)
		}
		rows += g.Rows
		for j, c := range g.Columns {
			if c.Elsewhere || c.Encrypted || g.Rows == 0 {
				continue // an error when it is asked for; without rows nothing is
			}
			at := c.Start()
			switch {
			case c.Type != f.Schema[leaves[j]].Type:
				return bad("row group %d: column %q is %s, the schema says %s", i, f.Schema[leaves[j]].Name, c.Type, f.Schema[leaves[j]].Type)
			case c.Values < 0 || c.Bytes < 0 || c.Compressed < 0:
				return bad("row group %d: column %q has a negative size", i, f.Schema[leaves[j]].Name)
			case at < 4 || at > end || c.Compressed > end-at:
				return bad("row group %d: column %q lies outside the file (%d bytes at offset %d of %d)",
					i, f.Schema[leaves[j]].Name, c.Compressed, at, end)
			}
		}
	}
	if rows != f.Rows {
		return bad("the row groups have %d rows, the file says %d", rows, f.Rows)
	}
	return nil
}

// Start returns the offset of the chunk's first page.
func (c *Chunk) Start() int64 {
	if c.Dictionary > 0 && c.Dictionary < c.Data {
		return c.Dictionary
	}
	return c.Data
}

// leaves returns the places of the leaves in the schema, after checking that its tree holds together.
func (f *File) leaves() ([]int, error) {
	if len(f.Schema) == 0 {
		return nil, fmt.Errorf("%w: the schema is empty", colstore.ErrFormat)
	}
	var out []int
	next := 1
	// open holds, for every group around the next element, how many children it still has to have.
	open := []int32{f.Schema[0].Children}
	for {
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			break
		}
		if next == len(f.Schema) || open[len(open)-1] < 0 || len(open) > maxDepth {
			return nil, fmt.Errorf("%w: the tree of the schema does not hold together", colstore.ErrFormat)
		}
		open[len(open)-1]--
		if e := f.Schema[next]; e.Type == NoType {
			open = append(open, e.Children)
		} else {
			out = append(out, next)
		}
		next++
	}
	if next != len(f.Schema) {
		return nil, fmt.Errorf("%w: the schema has %d elements outside its tree", colstore.ErrFormat, len(f.Schema)-next)
	}
	return out, nil
}
