package feather

import (
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
)

// lists reads where the values of the rows of a list or an array lie, from some row on.
type lists struct {
	f    *file
	leaf *leaf
	row  int64 // the next, of the table

	number  int // of the record batch after b
	b       *batch
	at      int64 // the next row, in b
	empty   bool  // every row of b is null
	valid   validity
	offsets *stream
	lengths *stream // of a view
	end     int64   // where the values before end, in b; of a view, where they begin

	begins, ends []int64
	raw          []byte
}

// A rowsOfLists is where the values of some rows lie.
type rowsOfLists struct {
	n      int
	begins []int64 // of each row among the leaf's
	ends   []int64
	valid  []byte // a bit a row that is not null; nil if none is
	empty  bool   // all are null
}

// has reports whether a row is not null.
func (r *rowsOfLists) has(i int) bool {
	return !r.empty && (r.valid == nil || r.valid[i/8]>>(i%8)&1 != 0)
}

// count returns how many values a row has.
func (r *rowsOfLists) count(i int) int64 { return r.ends[i] - r.begins[i] }

func (k *lists) close() {
	k.valid.close()
	k.offsets.close()
	k.lengths.close()
	k.offsets, k.lengths, k.b = nil, nil, nil
}

// enter opens the record batch that holds the next row, and goes to it.
func (k *lists) enter() (err error) {
	k.close()
	for k.number < len(k.f.batches) && k.f.batches[k.number].end() <= k.row {
		k.number++
	}
	if k.number == len(k.f.batches) {
		return fmt.Errorf("%w: row %d, behind the last", colstore.ErrFormat, k.row)
	}
	b := &k.f.batches[k.number]
	k.number++
	n := k.leaf.list
	fields := append(slices.Clip(k.leaf.above), n.place)
	k.b, k.at = b, k.row-b.first
	if k.empty, err = k.valid.open(k.f, b, b.Rows, fields); err != nil || k.empty || n.isArray() {
		return err
	}
	size := offsetBytes(n.field.Nest)
	open := func(which int, rows int64) (*stream, error) {
		s, err := k.f.stream(&b.body, b.Buffers[b.buffer(n.place)+which])
		if err != nil {
			return nil, err
		}
		if need := rows * int64(size); s.size < need {
			return nil, fmt.Errorf("%w: a buffer of %d bytes for the places of %d rows, which take %d", colstore.ErrFormat, s.size, b.Rows, need)
		}
		return s, s.skip(k.at * int64(size))
	}
	if n.isView() {
		if k.offsets, err = open(1, b.Rows); err == nil {
			k.lengths, err = open(2, b.Rows)
		}
		k.end = 0
		return err
	}
	if k.offsets, err = open(1, b.Rows+1); err != nil {
		return err
	}
	k.raw = append(k.raw[:0], make([]byte, size)...)
	err = k.offsets.read(k.raw)
	k.end = offset(k.raw, size, 0)
	return err
}

func offsetBytes(n meta.Nest) int {
	if n == meta.LargeList || n == meta.LargeListView {
		return 8
	}
	return 4
}

// next returns where the values of the next rows lie: of at least one and at most n. It is valid until the next call.
//
// Errors: colstore.ErrFormat for values that the record batch does not have.
func (k *lists) next(n int) (r rowsOfLists, err error) {
	if k.b == nil || k.at == k.b.Rows {
		if err := k.enter(); err != nil {
			return r, err
		}
	}
	r.n = int(min(int64(n), k.b.Rows-k.at, stepRows))
	if k.begins == nil {
		k.begins, k.ends = make([]int64, stepRows), make([]int64, stepRows)
	}
	r.begins, r.ends, r.empty = k.begins[:r.n], k.ends[:r.n], k.empty
	if !k.empty {
		if r.valid, err = k.valid.take(k.at, r.n); err != nil {
			return r, err
		}
	}
	first := k.leaf.starts[k.number-1]
	have := k.leaf.starts[k.number] - first
	switch size := k.leaf.list.length; {
	case k.leaf.list.isArray():
		for i := range r.begins {
			r.begins[i] = first + (k.at+int64(i))*size
			r.ends[i] = r.begins[i] + size
		}
	case k.empty:
		for i := range r.begins {
			r.begins[i], r.ends[i] = first, first
		}
	case k.leaf.list.isView():
		err = k.views(&r, first, have)
	default:
		err = k.listEnds(&r, first, have)
	}
	k.at += int64(r.n)
	k.row += int64(r.n)
	return r, err
}

// read reads the next n offsets or lengths.
func (k *lists) read(s *stream, n int) ([]byte, error) {
	size := n * offsetBytes(k.leaf.list.field.Nest)
	if cap(k.raw) < size {
		k.raw = make([]byte, size)
	}
	k.raw = k.raw[:size]
	return k.raw, s.read(k.raw)
}

// listEnds reads where rows end, behind where the first begins.
func (k *lists) listEnds(r *rowsOfLists, first, have int64) error {
	raw, err := k.read(k.offsets, r.n)
	if err != nil {
		return err
	}
	if k.end < 0 || k.end > have {
		return fmt.Errorf("%w: row %d: a list begins at value %d of %d", colstore.ErrFormat, k.row, k.end, have)
	}
	size := offsetBytes(k.leaf.list.field.Nest)
	for i := range r.n {
		v := offset(raw, size, i)
		if v < k.end || v > have {
			return fmt.Errorf("%w: row %d: a list ends at value %d, which is before its begin or behind the last of %d", colstore.ErrFormat, k.row+int64(i), v, have)
		}
		r.begins[i], r.ends[i] = first+k.end, first+v
		k.end = v
	}
	return nil
}

// views reads where rows begin and how long they are. Values are read from front to back, so that those of a row must not
// begin before those of the rows before.
func (k *lists) views(r *rowsOfLists, first, have int64) error {
	raw, err := k.read(k.offsets, r.n)
	if err != nil {
		return err
	}
	size := offsetBytes(k.leaf.list.field.Nest)
	for i := range r.n {
		r.begins[i] = offset(raw, size, i)
	}
	if raw, err = k.read(k.lengths, r.n); err != nil {
		return err
	}
	for i := range r.n {
		begin, n := r.begins[i], offset(raw, size, i)
		if n == 0 || !r.has(i) {
			r.begins[i], r.ends[i] = first, first
			continue
		}
		switch {
		case begin < 0 || n < 0 || begin > have-n:
			return fmt.Errorf("%w: row %d: a list of %d values from value %d on, of %d", colstore.ErrFormat, k.row+int64(i), n, begin, have)
		case begin < k.end:
			return fmt.Errorf("%w: row %d: the values of a list view do not lie in the order of its rows; write it as a list", colstore.ErrType, k.row+int64(i))
		}
		r.begins[i], r.ends[i] = first+begin, first+begin+n
		k.end = begin + n
	}
	return nil
}
