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
	end     int64 // where the values before end, in b

	begins []int64
	raw    []byte
}

// A rowsOfLists is where the values of some rows lie.
type rowsOfLists struct {
	n      int
	begins []int64 // of each row among the leaf's, and behind the last one's
	valid  []byte  // a bit a row that is not null; nil if none is
	empty  bool    // all are null
}

// has reports whether a row is not null.
func (r *rowsOfLists) has(i int) bool {
	return !r.empty && (r.valid == nil || r.valid[i/8]>>(i%8)&1 != 0)
}

func (k *lists) close() {
	k.valid.close()
	k.offsets.close()
	k.offsets, k.b = nil, nil
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
	if k.offsets, err = k.f.stream(&b.body, b.Buffers[b.buffer(n.place)+1]); err != nil {
		return err
	}
	size := offsetBytes(n.field.Nest)
	if need := (b.Rows + 1) * int64(size); k.offsets.size < need {
		return fmt.Errorf("%w: a buffer of %d bytes for the ends of %d rows, which take %d", colstore.ErrFormat, k.offsets.size, b.Rows, need)
	}
	if err = k.offsets.skip(k.at * int64(size)); err != nil {
		return err
	}
	k.raw = append(k.raw[:0], make([]byte, size)...)
	err = k.offsets.read(k.raw)
	k.end = offset(k.raw, size, 0)
	return err
}

func offsetBytes(n meta.Nest) int {
	if n == meta.LargeList {
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
	if cap(k.begins) < r.n+1 {
		k.begins = make([]int64, stepRows+1)
	}
	r.begins, r.empty = k.begins[:r.n+1], k.empty
	first := k.leaf.starts[k.number-1]
	have := k.leaf.starts[k.number] - first
	switch size := k.leaf.list.length; {
	case k.leaf.list.isArray():
		for i := range r.begins {
			r.begins[i] = first + (k.at+int64(i))*size
		}
	case k.empty:
		for i := range r.begins {
			r.begins[i] = first
		}
	default:
		err = k.ends(r.begins, first, have)
	}
	if err == nil && !k.empty {
		r.valid, err = k.valid.take(k.at, r.n)
	}
	k.at += int64(r.n)
	k.row += int64(r.n)
	return r, err
}

// ends reads where rows end, behind where the first begins.
func (k *lists) ends(begins []int64, first, have int64) error {
	size := offsetBytes(k.leaf.list.field.Nest)
	n := len(begins) - 1
	if cap(k.raw) < n*size {
		k.raw = make([]byte, n*size)
	}
	raw := k.raw[:n*size]
	if err := k.offsets.read(raw); err != nil {
		return err
	}
	if k.end < 0 || k.end > have {
		return fmt.Errorf("%w: row %d: a list begins at value %d of %d", colstore.ErrFormat, k.row, k.end, have)
	}
	begins[0] = first + k.end
	for i := range n {
		v := offset(raw, size, i)
		if v < k.end || v > have {
			return fmt.Errorf("%w: row %d: a list ends at value %d, which is before its begin or behind the last of %d", colstore.ErrFormat, k.row+int64(i), v, have)
		}
		k.end = v
		begins[i+1] = first + v
	}
	return nil
}
