package source

import (
	"context"
	"fmt"
	"iter"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	results "github.com/colstore/colstore-go/internal/memory"
)

// viewBatchRows is the batch of a scan that does not say.
const viewBatchRows = 1 << 16

// isStretch reports whether the view's rows are rows of the source in its own order, one after the other.
func isStretch(rows rowset) (run, bool) {
	r, ok := rows.(run)
	return r, ok && r.step == 1
}

// Scan yields the view's rows. Rows that follow each other in the source come as its batches; others are copied together,
// but for rows a constant step apart that lie in memory.
func (v *View) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		fail := func(err error) { yield(nil, err) }
		w, err := v.Evaluate(ctx)
		if err != nil {
			fail(err)
			return
		}
		schema := w.columns
		if s.Columns == nil {
			s.Columns = schema.Names()
		} else if schema, err = schema.Select(s.Columns...); err != nil {
			fail(err)
			return
		}
		rows := s.Rows
		if rows.End == 0 {
			rows.End = w.rows.len()
		}
		if rows.Begin < 0 || rows.End > w.rows.len() || rows.Begin > rows.End {
			fail(fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, rows.Begin, rows.End, w.rows.len()))
			return
		}
		if rows.Rows() == 0 {
			return
		}
		if r, ok := isStretch(w.rows); ok {
			s.Rows = colstore.Range{Begin: r.first + rows.Begin, End: r.first + rows.End}
			if w.src.Rows() < 0 {
				s.Skip = nil // it is read from its beginning, beyond the view's rows
			} else if s.Skip != nil {
				s.Skip = shifted{s.Skip, -r.first}
			}
			for b, err := range ranged(ctx, w.src, s) {
				if err != nil {
					fail(err)
					return
				}
				if !yield(b.WithBegin(b.Begin()-r.first), nil) {
					return
				}
			}
			return
		}
		w.gathered(ctx, s, schema, rows, yield)
	}
}

// gathered yields rows of a view that do not follow each other in the source.
func (v *View) gathered(ctx context.Context, s colstore.Scan, schema *colstore.Schema, rows colstore.Range, yield func(*colstore.Batch, error) bool) {
	// Rows that are read once go through scans of the source, which give the pages of a mapping back; a mapping that is
	// read in place would keep all that were touched.
	var memory *memoryRows
	if !s.Once {
		a, ok, err := v.access(schema)
		if err != nil {
			yield(nil, err)
			return
		}
		if ok {
			memory = a.memory
			defer a.close()
		}
	}
	most := int64(s.BatchRows)
	if most <= 0 {
		most = viewBatchRows
	}
	for begin := rows.Begin; begin < rows.End; begin += most {
		end := min(begin+most, rows.End)
		if err := context.Cause(ctx); err != nil {
			yield(nil, err)
			return
		}
		b, err := v.batch(ctx, memory, schema, begin, end, s.Mem, s.Threads)
		if err != nil {
			yield(nil, err)
			return
		}
		if !b.Lend(yield) {
			return
		}
	}
}

// batch returns rows begin to end of a view; memory is nil for a source that must be read in order.
func (v *View) batch(ctx context.Context, memory *memoryRows, schema *colstore.Schema, begin, end int64, mem colstore.Allocator, threads int) (*colstore.Batch, error) {
	if r, ok := v.rows.(run); ok && memory != nil {
		if part, at, ok := memory.within(r.part(begin, end)); ok {
			return memory.slice(schema, part, at, begin)
		}
	}
	dst, release, err := buffers(schema, int(end-begin), mem)
	if err != nil {
		return nil, err
	}
	if err = v.fill(ctx, memory, schema, dst, begin, end, max(1, threads)); err != nil {
		release()
		return nil, err
	}
	cols := make([]colstore.Column, len(dst))
	for i, f := range schema.All() {
		cols[i] = colstore.RawColumn(f.Type, int(end-begin), f.Type.Size(), unsafe.Pointer(unsafe.SliceData(dst[i])))
	}
	b, err := colstore.NewOwnedBatch(schema, colstore.Range{Begin: begin, End: end}, release, cols...)
	if err != nil {
		release()
	}
	return b, err
}

// buffers returns room for rows of a schema, a buffer a column, and what gives it back.
func buffers(s *colstore.Schema, rows int, mem colstore.Allocator) (dst [][]byte, release func(), err error) {
	dst = make([][]byte, s.Len())
	release = func() {
		for _, d := range dst {
			if d != nil && mem != nil {
				mem.Put(d)
			}
		}
	}
	for i, f := range s.All() {
		need := rows * f.Type.Size()
		if mem == nil {
			dst[i] = results.Get(need)
		} else if dst[i] = mem.Get(need); dst[i] == nil && need > 0 {
			release()
			return nil, nil, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: %d rows of %s", colstore.ErrBudget, rows, f.Type.Name())}
		}
	}
	return dst, release, nil
}

// fill copies rows begin to end of an evaluated view into buffers, as they are stored.
func (v *View) fill(ctx context.Context, memory *memoryRows, schema *colstore.Schema, dst [][]byte, begin, end int64, threads int) error {
	if memory == nil {
		return v.scanInto(ctx, schema, dst, begin, end)
	}
	c := copyings.Get().(*copying)
	defer c.free()
	c.ctx, c.memory, c.columns = ctx, memory, memory.columnsOf(c.columns[:0], schema)
	c.dst, c.rows, c.begin, c.end = append(c.dst, dst...), v.rows, begin, end
	return c.run(threads)
}

// scanInto is fill for a source that must be read in order.
func (v *View) scanInto(ctx context.Context, schema *colstore.Schema, dst [][]byte, begin, end int64) error {
	switch rows := v.rows.(type) {
	case run:
		return strided(ctx, v.src, schema.Names(), dst, rows.part(begin, end))
	case list:
		if err := (list{rows.rows[begin:end], rows.total}).check(); err != nil {
			return err
		}
	}
	numbers := make([]int64, end-begin)
	v.rows.fill(numbers, begin)
	return scanned(ctx, v.src, schema.Names(), dst, numbers)
}

// Splits returns ranges of at most rows rows, or what the source cannot divide.
func (v *View) Splits(rows int) []colstore.Range {
	if v.Rows() <= 0 {
		return nil
	}
	n := v.rows.len()
	var out []colstore.Range
	r, ok := isStretch(v.rows)
	s, can := v.src.(colstore.Splitter)
	switch {
	case ok && (!can || v.src.Rows() < 0):
		return []colstore.Range{{Begin: 0, End: n}}
	case ok:
		for _, split := range s.Splits(rows) {
			if begin, end := max(0, split.Begin-r.first), min(n, split.End-r.first); begin < end {
				out = append(out, colstore.Range{Begin: begin, End: end})
			}
		}
	default:
		most := int64(max(1, rows))
		for begin := int64(0); begin < n; begin += most {
			out = append(out, colstore.Range{Begin: begin, End: min(begin+most, n)})
		}
	}
	return out
}

// Cost is the source's, and the rows that are copied together.
func (v *View) Cost(columns []string) colstore.Cost {
	if columns == nil {
		columns = v.columns.Names()
	}
	var c colstore.Cost
	if k, ok := v.src.(colstore.Coster); ok {
		c = k.Cost(columns)
	}
	if _, ok := isStretch(v.rows); ok && len(v.pending) == 0 {
		return c
	}
	c.Row += 8 // a row's number
	if s, err := v.columns.Select(columns...); err == nil {
		c.Row += s.RowBytes()
	}
	return c
}

// Map shows the rows as they lie in memory, where each run of them is a constant step apart.
func (v *View) Map(columns []string) ([]*colstore.Batch, error) {
	if v.err != nil {
		return nil, v.err
	}
	if columns == nil {
		columns = v.columns.Names()
	}
	schema, err := v.columns.Select(columns...)
	if err != nil {
		return nil, err
	}
	r, ok := v.rows.(run)
	if !ok || v.IsLazy() {
		return nil, fmt.Errorf("%w: the rows lie scattered", colstore.ErrNotViewable)
	}
	a, ok, err := v.access(schema)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%w: the rows do not lie in memory", colstore.ErrNotViewable)
	}
	defer a.close()
	memory := a.memory
	var out []*colstore.Batch
	for begin := int64(0); begin < r.n; {
		part, at := memory.leading(r.part(begin, r.n))
		b, err := memory.slice(schema, part, at, begin)
		if err != nil {
			for _, b := range out {
				b.Release()
			}
			return nil, err
		}
		out = append(out, b)
		begin += at.n
	}
	return out, nil
}

// Warnings are the source's.
func (v *View) Warnings() []string {
	if w, ok := v.src.(colstore.Warner); ok {
		return w.Warnings()
	}
	return nil
}

// Collect reads the view into one batch of the caller's own: dense, in native byte order, on the Go heap.
func (v *View) Collect(ctx context.Context) (*colstore.Batch, error) {
	w, err := v.Evaluate(ctx)
	if err != nil {
		return nil, err
	}
	n := int(w.rows.len())
	dst, _, err := buffers(w.columns, n, nil)
	if err != nil {
		return nil, err
	}
	if err := w.readInto(ctx, w.columns, dst); err != nil {
		return nil, err
	}
	return nativeBatch(w.columns, dst, n)
}

// copyStretch copies rows that follow each other in a source.
func copyStretch(ctx context.Context, src colstore.Source, s *colstore.Schema, dst [][]byte, r run) error {
	for b, err := range ranged(ctx, src, colstore.Scan{Columns: s.Names(), Rows: colstore.Range{Begin: r.first, End: r.first + r.n}, Threads: cores()}) {
		if err != nil {
			return err
		}
		if err := fault.Guard(func() error {
			for i := range dst {
				size := s.Field(i).Type.Size()
				at := int(b.Begin()-r.first) * size
				loadAsStored(dst[i][at:at+b.Rows()*size], b.At(i), false)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// nativeSchema returns a schema in native byte order: the same one, if it is.
func nativeSchema(s *colstore.Schema) (*colstore.Schema, error) {
	fields := make([]colstore.Field, 0, s.Len())
	same := true
	for _, f := range s.All() {
		same = same && !f.Type.BigEndian()
		fields = append(fields, colstore.Field{Name: f.Name, Type: f.Type.Native()})
	}
	if same {
		return s, nil
	}
	return colstore.NewSchema(fields...)
}

// nativeBatch shows buffers of values in native byte order as a batch of a schema's columns.
func nativeBatch(s *colstore.Schema, dst [][]byte, rows int) (*colstore.Batch, error) {
	native, err := nativeSchema(s)
	if err != nil {
		return nil, err
	}
	cols := make([]colstore.Column, s.Len())
	for i, f := range native.All() {
		cols[i] = colstore.RawColumn(f.Type, rows, f.Type.Size(), unsafe.Pointer(unsafe.SliceData(dst[i])))
	}
	return colstore.NewOwnedBatch(native, colstore.Range{Begin: 0, End: int64(rows)}, nil, cols...)
}

// ZeroCopy shows the view's rows in the memory they lie in, read-only, or refuses; it never copies. It is granted for all
// rows, one, or a slice of any step, if they lie in one record of one file and every column is stored in native byte
// order. The batch is the caller's to release, and stays valid when the source is closed.
//
// Errors: colstore.ErrNotViewable with the reason.
func (v *View) ZeroCopy() (*colstore.Batch, error) {
	refuse := func(format string, args ...any) (*colstore.Batch, error) {
		return nil, fmt.Errorf("%w: %s; use Collect", colstore.ErrNotViewable, fmt.Sprintf(format, args...))
	}
	if v.err != nil {
		return nil, v.err
	}
	if v.IsLazy() {
		return refuse("which rows there are is not known before reading")
	}
	r, ok := v.rows.(run)
	if !ok {
		return refuse("the rows of a list, mask or predicate lie scattered")
	}
	for _, f := range v.columns.All() {
		if f.Type.BigEndian() {
			return refuse("column %q is stored big-endian, as %s", f.Name, f.Type)
		}
	}
	if r.n == 0 {
		dst, _, err := buffers(v.columns, 0, nil)
		if err != nil {
			return nil, err
		}
		return nativeBatch(v.columns, dst, 0)
	}
	a, ok, err := v.access(v.columns)
	if err != nil {
		return nil, err
	}
	if !ok {
		return refuse("the source is decoded, not mapped")
	}
	defer a.close()
	part, at, ok := a.memory.within(r)
	if !ok {
		return refuse("the rows lie in more than one of %d records", len(a.memory.parts))
	}
	return a.memory.slice(v.columns, part, at, 0)
}
