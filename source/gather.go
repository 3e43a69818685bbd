package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
)

// gatherRows is how many rows one task of a gather copies: their numbers fit the second-level cache.
const gatherRows = 16 << 10

// memoryRows is a source whose rows lie in memory: where each run of them is, and how to find a row's.
type memoryRows struct {
	parts []*colstore.Batch
	runs  *kernel.Runs
	cols  [][]colstore.Column // by column, then part
}

// mapped returns the rows of a source that lie in memory; ok is false if they do not. The caller closes it.
func mapped(src colstore.Source, columns []string) (_ *memoryRows, ok bool, err error) {
	m, ok := src.(colstore.Mapper)
	if !ok {
		return nil, false, nil
	}
	parts, err := m.Map(columns)
	if errors.Is(err, colstore.ErrNotViewable) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	r := &memoryRows{parts: parts, cols: make([][]colstore.Column, len(columns))}
	starts := []int64{0}
	for _, b := range parts {
		starts = append(starts, starts[len(starts)-1]+int64(b.Rows()))
		for i := range columns {
			r.cols[i] = append(r.cols[i], b.At(i))
		}
	}
	r.runs = kernel.NewRuns(starts)
	return r, true, nil
}

func (m *memoryRows) close() {
	for _, b := range m.parts {
		b.Release()
	}
}

// within returns the part that all rows of a run lie in, and the run in its rows; ok is false if there is none.
func (m *memoryRows) within(r run) (part int, at run, ok bool) {
	if r.n == 0 || len(m.parts) == 0 {
		return 0, run{}, false
	}
	part, first := m.runs.Find(r.first)
	lastPart, _ := m.runs.Find(r.first + (r.n-1)*r.step)
	return part, run{first, r.step, r.n}, part == lastPart
}

// slice returns the rows of a run that lies in one part, without a copy. The batch holds the part.
func (m *memoryRows) slice(s *colstore.Schema, part int, r run, begin int64) (*colstore.Batch, error) {
	cols := make([]colstore.Column, len(m.cols))
	for i := range cols {
		cols[i] = m.cols[i][part].Slice(int(r.first), int(r.first+r.n*r.step), int(r.step))
	}
	b := m.parts[part]
	b.Retain()
	out, err := colstore.NewOwnedBatch(s, colstore.Range{Begin: begin, End: begin + r.n}, b.Release, cols...)
	if err != nil {
		b.Release()
	}
	return out, err
}

// into copies the rows of a view from begin on into dst, a buffer a column, as they are stored.
func (m *memoryRows) into(ctx context.Context, dst [][]byte, rows rowset, begin, end int64, threads int) error {
	tasks := int((end - begin + gatherRows - 1) / gatherRows)
	return parallel.Each(tasks, threads, func(task int) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		from := begin + int64(task)*gatherRows
		n := int(min(gatherRows, end-from))
		off := int(from - begin)
		if r, ok := rows.(run); ok {
			if part, at, ok := m.within(r.part(from, from+int64(n))); ok {
				for i, d := range dst {
					size := m.cols[i][part].Type().Size()
					loadAsStored(d[off*size:(off+n)*size], m.cols[i][part].Slice(int(at.first), int(at.first+at.n*at.step), int(at.step)))
				}
				return nil
			}
		}
		numbers := make([]int64, n)
		rows.fill(numbers, from)
		for i, d := range dst {
			size := m.cols[i][0].Type().Size()
			if bad := m.runs.Gather(d[off*size:(off+n)*size], m.cols[i], numbers); bad >= 0 {
				return fmt.Errorf("%w: row %d of %d", colstore.ErrRange, numbers[bad], m.runs.Rows())
			}
		}
		return nil
	})
}

// loadAsStored copies a column back to back without changing its byte order.
func loadAsStored(dst []byte, c colstore.Column) { kernel.Load(dst, c.As(c.Type().Native())) }

// strided copies a run of rows of a source that must be read in order, a buffer a column, as they are stored.
func strided(ctx context.Context, src colstore.Source, columns []string, dst [][]byte, r run) error {
	up := r // the same rows in the source's order
	if r.step < 0 {
		up = run{r.first + (r.n-1)*r.step, -r.step, r.n}
	}
	rows := colstore.Range{Begin: up.first, End: up.first + (up.n-1)*up.step + 1}
	done := int64(0)
	for b, err := range ranged(ctx, src, colstore.Scan{Columns: columns, Rows: rows, Once: true}) {
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
				loadAsStored(d[at*size:(at+n)*size], b.At(i).Slice(int(from), int(to), int(step)))
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
	for _, r := range stretches(src, rows) {
		for b, err := range ranged(ctx, src, colstore.Scan{Columns: columns, Rows: r, Once: true}) {
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
	}
	if done < len(rows) {
		return fmt.Errorf("%w: row %d, the source ended before", colstore.ErrRange, rows[done])
	}
	return nil
}

// stretches returns the ranges to read for rows in ascending order: one for every split of the source that holds some.
func stretches(src colstore.Source, rows []int64) []colstore.Range {
	all := colstore.Range{Begin: rows[0], End: rows[len(rows)-1] + 1}
	s, ok := src.(colstore.Splitter)
	if !ok || src.Rows() < 0 {
		return []colstore.Range{all}
	}
	var out []colstore.Range
	i := 0
	for _, split := range s.Splits(gatherRows) {
		first := i
		for i < len(rows) && rows[i] < split.End {
			i++
		}
		if i > first {
			out = append(out, colstore.Range{Begin: rows[first], End: rows[i-1] + 1})
		}
	}
	return out
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
