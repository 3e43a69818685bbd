package feather

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
)

const (
	// stepRows is how many rows of a column are looked at together: a multiple of 8, so that bitmaps begin at a byte.
	stepRows = 4096
	// stepBytes is how much text of those rows is in memory at once, unless one value is longer.
	stepBytes = 256 << 10
)

// A cursor reads one column from some row on, through as many record batches as it takes.
type cursor struct {
	f     *file
	c     *columnar.Column
	dicts *dictionaries

	leaf *leaf
	row  int64 // the next, of the leaf's rows
	next int   // record batch
	b    *batch
	at   int64 // the next row, in b
	have int64 // rows of the leaf in b
	// empty tells that no row of b has a value, so that nothing need be read.
	empty bool

	valid      validity
	bools      *bits
	data       *stream // values, indices, headers of views, or text
	offsets    *stream
	end        int64 // where the text before ends
	dictionary *columnar.Array
	views      viewBuffers

	scratch *scratch // nil until it is needed
	thrifty bool     // its streams are
}

// scratch is memory that is used during one read only, so that the cursors of a scan can share it.
type scratch [3][]byte

// cursor returns a cursor that stands at a row of the leaf that the column's values are in.
func (f *file) cursor(c *columnar.Column, dicts *dictionaries, row int64) *cursor {
	k := &cursor{f: f, c: c, dicts: dicts, leaf: f.leaves[c.Place]}
	k.seek(row)
	return k
}

// seek makes a row the next one, as a new cursor would.
func (k *cursor) seek(row int64) {
	k.close()
	k.row, k.next = row, k.leaf.batchOf(row)
}

// forward makes a row behind the next one, or the next one itself, the next one.
func (k *cursor) forward(row int64) error {
	ahead := row - k.row
	if k.b == nil || ahead < 0 || row >= k.leaf.starts[k.next] {
		if ahead != 0 {
			k.seek(row)
		}
		return nil
	}
	const most = 1 << 20
	for ahead > 0 {
		n := min(ahead, most)
		if err := k.rows(int(n), nil, func(int64) bool { return true }, func(*columnar.Values, int, int) error { return nil }); err != nil {
			return err
		}
		ahead -= n
	}
	return nil
}

// close gives back what the cursor holds.
func (k *cursor) close() {
	for _, s := range []*stream{k.data, k.offsets} {
		s.close()
	}
	k.valid.close()
	if k.bools != nil {
		k.bools.s.close()
	}
	k.data, k.offsets, k.bools, k.b = nil, nil, nil, nil
}

// room returns n bytes of scratch memory.
func (k *cursor) room(which, n int) []byte {
	if k.scratch == nil {
		k.scratch = &scratch{}
	}
	if cap(k.scratch[which]) < n {
		k.scratch[which] = make([]byte, n)
	}
	return k.scratch[which][:n]
}

// enter opens the streams of the record batch that holds the next row, and brings them to it.
func (k *cursor) enter() (err error) {
	k.close()
	b := &k.f.batches[k.next]
	first := k.leaf.starts[k.next]
	k.next++
	k.b, k.at, k.have = b, k.row-first, k.leaf.starts[k.next]-first
	p, t := k.leaf.place, k.c.Type
	buffer := b.buffer(p)
	open := func(i int) (*stream, error) {
		s, err := k.f.stream(&b.body, b.Buffers[buffer+i])
		if err == nil {
			s.thrifty = k.thrifty
		}
		return s, err
	}
	if k.empty, err = k.valid.open(k.f, b, k.have, k.leaf.around()); k.empty || err != nil {
		return err
	}
	for _, m := range k.valid.maps {
		m.s.thrifty = k.thrifty
	}
	if k.empty = t.Kind == columnar.Null; k.empty {
		return nil
	}
	skip := func(i int, bytes int64) (*stream, error) {
		s, err := open(i)
		if err == nil {
			err = s.skip(bytes)
		}
		return s, err
	}
	switch {
	case t.Index != nil:
		if k.dictionary, err = k.dicts.load(k.f, k.c, b); err == nil {
			k.data, err = skip(1, k.at*int64(t.Index.Size))
		}
	case t.Kind == columnar.Bool:
		var s *stream
		s, err = open(1)
		k.bools = &bits{s: s}
	case t.OffsetBytes() > 0:
		if k.offsets, err = skip(1, k.at*int64(t.OffsetBytes())); err == nil {
			k.data, err = open(2)
		}
		if err == nil {
			err = k.firstOffset(t.OffsetBytes())
		}
	case t.IsView():
		n := b.Variadic[p.view]
		k.views.drop(nil)
		k.views = viewBuffers{f: k.f, b: &b.body, which: b.Buffers[buffer+2 : buffer+2+int(n)], held: make([][]byte, n), spare: k.views.spare}
		k.data, err = skip(1, k.at*columnar.ViewBytes)
	default:
		k.data, err = skip(1, k.at*int64(t.ValueBytes()))
	}
	return err
}

// firstOffset reads where the text of the next row begins, and brings the text there.
func (k *cursor) firstOffset(size int) error {
	raw := k.room(0, size)
	if err := k.offsets.read(raw); err != nil {
		return err
	}
	k.end = offset(raw, size, 0)
	return k.data.skip(k.end)
}

// offset returns number i of some offsets.
func offset(raw []byte, size, i int) int64 {
	if size == 4 {
		return int64(int32(binary.LittleEndian.Uint32(raw[4*i:])))
	}
	return int64(binary.LittleEndian.Uint64(raw[8*i:]))
}

// A visit is called with some rows of a column. Row 0 of v is row at of those that were asked for.
type visit func(v *columnar.Values, at, rows int) error

// rows reads the next n rows.
//
// direct, if it is not nil, takes n values of fixed width where they are wanted: then v is made of them. skip, if it is not
// nil, says for values of any length whether they need not be read since none is longer than longest; then v has none.
//
// Errors: a *columnar.BadValue whose row counts from the cursor's; colstore.ErrFormat.
func (k *cursor) rows(n int, direct []byte, skip func(longest int64) bool, f visit) error {
	for at := 0; at < n; {
		for k.b == nil || k.at == k.have {
			if k.next == len(k.f.batches) {
				return fmt.Errorf("%w: row %d, behind the last", colstore.ErrFormat, k.row)
			}
			if err := k.enter(); err != nil {
				return err
			}
		}
		rows := int(min(int64(n-at), k.have-k.at))
		if direct == nil || k.empty || !k.valid.all() {
			rows = min(rows, stepRows-int(k.at%8)) // up to where a byte of the bitmaps begins
		}
		begin := at
		err := k.step(rows, direct, begin, skip, func(v *columnar.Values, from, count int) error { return f(v, begin+from, count) })
		if err != nil {
			return shift(err, begin)
		}
		at += rows
		k.at += int64(rows)
		k.row += int64(rows)
	}
	return nil
}

// shift counts the row of a *columnar.BadValue from an earlier one.
func shift(err error, rows int) error {
	if b, ok := errors.AsType[*columnar.BadValue](err); ok {
		return &columnar.BadValue{At: b.At + rows, Err: b.Err}
	}
	return err
}

// step reads rows that lie in one record batch.
func (k *cursor) step(n int, direct []byte, begin int, skip func(longest int64) bool, f visit) error {
	t := k.c.Type
	if k.empty {
		return k.values(&columnar.Array{Rows: n, Buffers: [][]byte{make([]byte, (n+7)/8)}}, 0, f)
	}
	valid, err := k.valid.take(k.at, n)
	if err != nil {
		return err
	}
	a := &columnar.Array{Rows: n, Buffers: [][]byte{valid, nil}, Dictionary: k.dictionary}
	switch {
	case t.Index != nil:
		a.Buffers[1], err = k.take(0, n*t.Index.Size)
	case t.Kind == columnar.Bool:
		a.Buffers[1], err = k.bools.take(k.at, n)
	case t.OffsetBytes() > 0:
		return k.text(a, skip, f)
	case t.IsView():
		a.Buffers[1], err = k.take(0, n*columnar.ViewBytes)
		if err == nil {
			return k.view(a, 0, skip, f)
		}
	default:
		size := t.ValueBytes()
		if direct != nil {
			a.Buffers[1] = direct[begin*size : (begin+n)*size]
			err = k.data.read(a.Buffers[1])
		} else {
			a.Buffers[1], err = k.take(0, n*size)
		}
	}
	if err != nil {
		return err
	}
	return k.values(a, 0, f)
}

// take returns the next n bytes of the values: as they lie in the file, or in scratch memory.
func (k *cursor) take(which, n int) ([]byte, error) {
	if b, ok := k.data.view(n); ok {
		return b, nil
	}
	b := k.room(which, n)
	return b, k.data.read(b)
}

// values calls f for the rows of an array, of which row 0 is row at.
func (k *cursor) values(a *columnar.Array, at int, f visit) error {
	v, err := columnar.NewValues(k.c, a, a.Rows)
	if err == nil {
		err = f(v, at, a.Rows)
	}
	return shift(err, at)
}
