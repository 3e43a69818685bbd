package root

import (
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/meta"
)

// A branch is where the rows of some columns are.
type branch struct {
	name    string
	stride  int // bytes of an entry, 0 if entries differ
	baskets []basket
}

// A basket is some rows of a branch.
type basket struct {
	seek, bytes int64
	rows        colstore.Range
	inner       *meta.Inner // if it lies in the tree
}

// newBranch checks the tables of a branch.
//
// Errors: colstore.ErrFormat for tables that contradict themselves, the tree or the file.
func (f *file) newBranch(b *meta.Branch, stride int) (*branch, error) {
	if b.File != "" {
		return nil, fmt.Errorf("%w: its values are in another file, %q, which is not supported; merge the files first", colstore.ErrFormat, b.File)
	}
	out := &branch{name: b.Name, stride: stride}
	var row, bytes int64
	add := func(k basket, end int64) error {
		if k.rows.Begin != row || end < row || end > f.rows {
			return fmt.Errorf("%w: basket %d has entries %d to %d behind entry %d, the tree has %d",
				colstore.ErrFormat, len(out.baskets), k.rows.Begin, end, row, f.rows)
		}
		if stride > 0 && end-row > math.MaxInt32/int64(stride) {
			return fmt.Errorf("%w: basket %d has %d entries of %d bytes", colstore.ErrFormat, len(out.baskets), end-row, stride)
		}
		k.rows.End = end
		if end > row {
			out.baskets = append(out.baskets, k)
		}
		row = end
		return nil
	}
	for i, k := range b.Baskets {
		if err := f.has(k.Seek, k.Bytes); err != nil {
			return nil, fmt.Errorf("basket %d: %w", i, err)
		}
		// A basket that is in the table many times would make a small file endless.
		if bytes += k.Bytes; bytes > f.size {
			return nil, fmt.Errorf("%w: its baskets take more bytes than the file has", colstore.ErrFormat)
		}
		end := b.End
		switch {
		case i+1 < len(b.Baskets):
			end = b.Baskets[i+1].First
		case end < 0:
			end = f.rows
		}
		if err := add(basket{seek: k.Seek, bytes: k.Bytes, rows: colstore.Range{Begin: k.First}}, end); err != nil {
			return nil, err
		}
	}
	for i := range b.Inner {
		if row == f.rows {
			break
		}
		in := &b.Inner[i]
		if stride > 0 && int64(len(in.Values)) != in.Entries*int64(stride) {
			return nil, fmt.Errorf("%w: a basket of %d entries of %d bytes has %d", colstore.ErrFormat, in.Entries, stride, len(in.Values))
		}
		if err := add(basket{rows: colstore.Range{Begin: row}, inner: in}, row+in.Entries); err != nil {
			return nil, err
		}
	}
	if row != f.rows {
		return nil, fmt.Errorf("%w: it has %d entries, the tree has %d", colstore.ErrFormat, row, f.rows)
	}
	return out, nil
}

// at returns the number of the basket that has a row.
func (b *branch) at(row int64) int {
	lo, hi := 0, len(b.baskets)
	for lo < hi {
		if mid := (lo + hi) / 2; b.baskets[mid].rows.End <= row {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
