package source

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/kernel"
)

// loadAsStored copies a column back to back without changing its byte order, past the caches or not.
func loadAsStored(dst []byte, c colstore.Column, past bool) {
	c = c.As(c.Type().Native())
	if past {
		kernel.LoadPast(dst, c)
	} else {
		kernel.Load(dst, c)
	}
}

// strided copies a run of rows of a source that must be read in order, a buffer a column, as they are stored.
func strided(ctx context.Context, src colstore.Source, columns []string, dst [][]byte, r run) error {
	up := r // the same rows in the source's order
	if r.step < 0 {
		up = run{r.first + (r.n-1)*r.step, -r.step, r.n}
	}
	done := int64(0)
	for b, err := range scannedEach(ctx, src, columns, runStretches(src, up)) {
		if err != nil {
			return err
		}
		// The rows of the run in this batch: from first on, n of them.
		first := up.first + done*up.step - b.Begin()
		if first >= int64(b.Rows()) {
			continue
		}
		n := (int64(b.Rows())-1-first)/up.step + 1
		at, from, to, step := done, first, first+n*up.step, up.step
		if r.step < 0 {
			at, from, to, step = r.n-done-n, first+(n-1)*up.step, first-up.step, -up.step
		}
		if err := fault.Guard(func() error {
			for i, d := range dst {
				size := int64(b.At(i).Type().Size())
				loadAsStored(d[at*size:(at+n)*size], b.At(i).Slice(int(from), int(to), int(step)), false)
			}
			return nil
		}); err != nil {
			return err
		}
		done += n
	}
	if done < r.n {
		return fmt.Errorf("%w: row %d, the source ended before", colstore.ErrRange, up.first+done*up.step)
	}
	return nil
}

// scanned copies rows of a source that must be read in order, a buffer a column, as they are stored: every stretch that
// holds some of them is read once.
func scanned(ctx context.Context, src colstore.Source, columns []string, dst [][]byte, rows []int64) error {
	if len(rows) == 0 {
		return nil
	}
	if slices.IsSorted(rows) {
		return scanSorted(ctx, src, columns, dst, rows)
	}
	order := make([]int64, len(rows))
	for i := range order {
		order[i] = int64(i)
	}
	slices.SortFunc(order, func(a, b int64) int { return cmp.Compare(rows[a], rows[b]) })
	sorted, place := make([]int64, len(rows)), make([]int64, len(rows))
	for i, o := range order {
		sorted[i], place[o] = rows[o], int64(i)
	}
	whole := make([][]byte, len(dst))
	for i := range dst {
		whole[i] = make([]byte, len(dst[i]))
	}
	if err := scanSorted(ctx, src, columns, whole, sorted); err != nil {
		return err
	}
	runs := kernel.NewRuns([]int64{0, int64(len(rows))})
	for i, d := range dst {
		t := typeOf(src, columns[i])
		runs.Gather(d, []colstore.Column{colstore.RawColumn(t, len(rows), t.Size(), unsafe.Pointer(unsafe.SliceData(whole[i])))}, place)
	}
	return nil
}

// scanSorted is scanned for rows in ascending order.
func scanSorted(ctx context.Context, src colstore.Source, columns []string, dst [][]byte, rows []int64) error {
	done := 0
	for b, err := range scannedEach(ctx, src, columns, stretches(src, rows)) {
		if err != nil {
			return err
		}
		n := 0
		for done+n < len(rows) && rows[done+n] < b.Begin()+int64(b.Rows()) {
			n++
		}
		if n == 0 {
			continue
		}
		local := make([]int64, n)
		for i := range local {
			local[i] = rows[done+i] - b.Begin()
		}
		if err := fault.Guard(func() error {
			runs := kernel.NewRuns([]int64{0, int64(b.Rows())})
			for i, d := range dst {
				size := b.At(i).Type().Size()
				runs.Gather(d[done*size:(done+n)*size], []colstore.Column{b.At(i)}, local)
			}
			return nil
		}); err != nil {
			return err
		}
		done += n
	}
	if done < len(rows) {
		return fmt.Errorf("%w: row %d, the source ended before", colstore.ErrRange, rows[done])
	}
	return nil
}

// parted is a source of several parts.
type parted interface {
	// partOf returns the part that a row lies in.
	partOf(row int64) int
	// partEnd returns the row behind the part that a row lies in.
	partEnd(row int64) int64
	// between reports whether all rows of a part lie between two rows.
	between(row, next int64) bool
}

// stretches returns the ranges to read for rows in ascending order: one for every split of the source that holds some, but
// two where a part of it that holds none would be read with the others.
func stretches(src colstore.Source, rows []int64) []colstore.Range {
	all := colstore.Range{Begin: rows[0], End: rows[len(rows)-1] + 1}
	s, ok := src.(colstore.Splitter)
	if !ok || src.Rows() < 0 {
		return []colstore.Range{all}
	}
	var out []colstore.Range
	p, hasParts := src.(parted)
	i := 0
	for _, split := range s.Splits(blockRows) {
		several := hasParts && p.partOf(split.Begin) != p.partOf(split.End-1)
		first := i
		for ; i < len(rows) && rows[i] < split.End; i++ {
			if several && i > first && p.between(rows[i-1], rows[i]) {
				out = append(out, colstore.Range{Begin: rows[first], End: rows[i-1] + 1})
				first = i
			}
		}
		if i > first {
			out = append(out, colstore.Range{Begin: rows[first], End: rows[i-1] + 1})
		}
	}
	return out
}

// runStretches is stretches for a run in ascending order: it is read in one, but for the parts that it steps over.
func runStretches(src colstore.Source, r run) []colstore.Range {
	all := colstore.Range{Begin: r.first, End: r.first + (r.n-1)*r.step + 1}
	p, ok := src.(parted)
	if !ok || r.n == 0 || r.step == 1 || src.Rows() < 0 {
		return []colstore.Range{all}
	}
	var out []colstore.Range
	begin, row := r.first, r.first
	for {
		row += (min(p.partEnd(row), all.End) - 1 - row) / r.step * r.step // the last one in its part
		next := row + r.step
		if next >= all.End || p.between(row, next) {
			out = append(out, colstore.Range{Begin: begin, End: row + 1})
			begin = next
		}
		if next >= all.End {
			return out
		}
		row = next
	}
}

// scannedEach scans one range of rows after the other.
func scannedEach(ctx context.Context, src colstore.Source, columns []string, ranges []colstore.Range) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		for _, rows := range ranges {
			for b, err := range ranged(ctx, src, colstore.Scan{Columns: columns, Rows: rows, Once: true}) {
				if !yield(b, err) {
					return
				}
			}
		}
	}
}

// ranged scans a range of rows, also of a source that does not know how many it has: that one is read from its beginning.
func ranged(ctx context.Context, src colstore.Source, s colstore.Scan) func(yield func(*colstore.Batch, error) bool) {
	if src.Rows() >= 0 || s.Rows.Begin == 0 && s.Rows.End == 0 {
		return src.Scan(ctx, s)
	}
	rows := s.Rows
	s.Rows = colstore.Range{}
	return func(yield func(*colstore.Batch, error) bool) {
		for b, err := range src.Scan(ctx, s) {
			if err != nil {
				yield(nil, err)
				return
			}
			begin, end := b.Begin(), b.Begin()+int64(b.Rows())
			if begin >= rows.End {
				return
			}
			if end <= rows.Begin {
				continue
			}
			if !yield(b.Slice(int(max(0, rows.Begin-begin)), int(min(end, rows.End)-begin)), nil) {
				return
			}
		}
	}
}
