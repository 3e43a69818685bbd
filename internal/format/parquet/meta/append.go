package meta

import "math"

// Append appends the footer to dst. Every column is given the order of its type, so that its bounds are valid.
func (f *File) Append(dst []byte) []byte {
	w := &writer{b: dst}
	w.fields(func() {
		w.i32(1, f.Version)
		w.list(2, wireStruct, len(f.Schema), func(i int) { w.element(i == 0, &f.Schema[i]) })
		w.i64(3, f.Rows)
		w.list(4, wireStruct, len(f.Groups), func(i int) { w.group(i, &f.Groups[i]) })
		if len(f.KeyValues) > 0 {
			w.list(5, wireStruct, len(f.KeyValues), func(i int) {
				w.fields(func() {
					w.string(1, f.KeyValues[i].Key)
					w.string(2, f.KeyValues[i].Value)
				})
			})
		}
		w.string(6, f.CreatedBy)
		w.list(7, wireStruct, len(f.Schema)-1, func(int) {
			w.fields(func() { w.structure(1, func() {}) })
		})
	})
	return w.b
}

func (w *writer) element(root bool, e *Element) {
	w.fields(func() {
		if e.Type != NoType {
			w.i32(1, int32(e.Type))
		}
		if e.Type == FixedLenByteArray {
			w.i32(2, e.Length)
		}
		if !root {
			w.i32(3, int32(e.Repetition))
		}
		w.string(4, e.Name)
		if e.Type == NoType {
			w.i32(5, e.Children)
		}
		if e.Converted != NoConverted {
			w.i32(6, int32(e.Converted))
		}
		if e.Logical.Kind != KindNone {
			w.structure(10, func() { w.logical(e.Logical) })
		}
	})
}

func (w *writer) logical(l Logical) {
	w.structure(int16(l.Kind), func() {
		switch l.Kind {
		case KindInteger:
			w.i8(1, l.Bits)
			w.bool(2, l.Signed)
		case KindTime, KindTimestamp:
			w.bool(1, l.UTC)
			w.structure(2, func() { w.structure(int16(l.Unit), func() {}) })
		}
	})
}

func (w *writer) group(ordinal int, g *Group) {
	w.fields(func() {
		w.list(1, wireStruct, len(g.Columns), func(i int) { w.chunk(&g.Columns[i]) })
		w.i64(2, g.Bytes)
		w.i64(3, g.Rows)
		if len(g.Columns) > 0 {
			w.i64(5, g.Columns[0].Start())
		}
		w.i64(6, g.Compressed)
		if ordinal <= math.MaxInt16 { // optional, and of no use past that
			w.field(7, wireI16)
			w.varint(int64(ordinal))
		}
	})
}

func (w *writer) chunk(c *Chunk) {
	w.fields(func() {
		w.i64(2, 0) // once the place of a copy of the metadata; readers ignore it
		w.structure(3, func() {
			w.i32(1, int32(c.Type))
			w.encodings(c.Encodings)
			w.list(3, wireBinary, len(c.Path), func(i int) { w.text([]byte(c.Path[i])) })
			w.i32(4, int32(c.Codec))
			w.i64(5, c.Values)
			w.i64(6, c.Bytes)
			w.i64(7, c.Compressed)
			w.i64(9, c.Data)
			if c.Dictionary > 0 {
				w.i64(11, c.Dictionary)
			}
			w.structure(12, func() { w.statistics(&c.Statistics) })
			w.list(13, wireStruct, len(c.PageCounts), func(i int) {
				w.fields(func() {
					w.i32(1, int32(c.PageCounts[i].Type))
					w.i32(2, int32(c.PageCounts[i].Encoding))
					w.i32(3, c.PageCounts[i].Count)
				})
			})
		})
		w.region(4, c.Places)
		w.region(6, c.Bounds)
	})
}

func (w *writer) encodings(s Encodings) {
	var in []Encoding
	for e := range Encoding(32) {
		if s.Has(e) {
			in = append(in, e)
		}
	}
	w.list(2, wireI32, len(in), func(i int) { w.varint(int64(in[i])) })
}

func (w *writer) statistics(s *Statistics) {
	if s.OldMax != nil && s.OldMin != nil {
		w.binary(1, s.OldMax)
		w.binary(2, s.OldMin)
	}
	if s.Nulls >= 0 {
		w.i64(3, s.Nulls)
	}
	if s.Max != nil && s.Min != nil {
		w.binary(5, s.Max)
		w.binary(6, s.Min)
		w.bool(7, s.MaxExact)
		w.bool(8, s.MinExact)
	}
}
