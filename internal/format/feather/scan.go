package feather

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/mmap"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/source/format"
)

const (
	// A batch of a scan that does not say has at most so many rows and bytes.
	defaultBatchRows  = 1 << 17
	defaultBatchBytes = 16 << 20
)

// Scan yields the rows asked for, each batch with as many as were asked for: it may cross record batches, unless a column is
// shown as it lies in the file. The other columns of a batch are decoded by q.Threads goroutines.
func (s *source) Scan(ctx context.Context, q colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		sc, err := s.scanner(q)
		if err != nil {
			yield(nil, s.f.failed("scan", "", err))
			return
		}
		defer sc.close()
		for sc.next < sc.end {
			if err := context.Cause(ctx); err != nil {
				yield(nil, err)
				return
			}
			b, err := sc.batch()
			if err != nil {
				yield(nil, s.f.failed("scan", "", err))
				return
			}
			if !b.Lend(yield) {
				return
			}
		}
		if err := s.f.m.Check(s.f.size); err != nil {
			yield(nil, s.f.failed("scan", "", err))
		}
	}
}

// A scanner is a scan under way.
type scanner struct {
	s         *source
	schema    *colstore.Schema
	columns   []scanned
	spreads   []*spread
	next, end int64
	rows      int // of a batch
	threads   int
	mem       colstore.Allocator

	shown   []shown
	behind  *mmap.Behind // nil unless what was read may be given back
	scratch chan *scratch
}

// maxThreads is the most goroutines that decode a batch, each of which has scratch memory.
const maxThreads = 16

// scanned is an input that a scan reads, and which columns of the batch it gives: -1 is none.
type scanned struct {
	in           *columnar.Input
	cursor       *cursor
	values, mask int
}

func (s *source) scanner(q colstore.Scan) (*scanner, error) {
	if s.f.closed.Load() {
		return nil, colstore.ErrClosed
	}
	sc := &scanner{s: s, schema: s.plan.Schema, next: q.Rows.Begin, end: q.Rows.End, rows: q.BatchRows, threads: max(1, min(q.Threads, maxThreads)), mem: q.Mem}
	if q.Columns != nil {
		var err error
		if sc.schema, err = s.plan.Schema.Select(q.Columns...); err != nil {
			return nil, err
		}
	}
	if sc.end == 0 {
		sc.end = s.f.rows
	}
	if sc.next < 0 || sc.end > s.f.rows || sc.next > sc.end {
		return nil, fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, sc.next, sc.end, s.f.rows)
	}
	if sc.rows <= 0 {
		sc.rows = max(1, min(defaultBatchRows, defaultBatchBytes/max(1, sc.schema.RowBytes())))
	}
	if sc.mem == nil {
		sc.mem = heap{}
	}
	at := map[int]int{} // of inputs in sc.columns
	spreads := map[int]*spread{}
	for i, field := range sc.schema.All() {
		o, _ := s.plan.Schema.Index(field.Name)
		out := s.plan.Outputs[o]
		if s.views[out.Input] && !out.Mask {
			sc.shown = append(sc.shown, shown{s.f.leaves[s.plan.Inputs[out.Input].Place].place, field.Type, i})
			continue
		}
		if in := &s.plan.Inputs[out.Input]; s.at[out.Input] != format.UnfoldedWhole {
			x := spreads[in.Place]
			if x == nil {
				x = s.newSpread(s.f.leaves[in.Place], sc.next)
				spreads[in.Place] = x
				sc.spreads = append(sc.spreads, x)
			}
			if c := x.take(in, s.at[out.Input]); out.Mask {
				c.mask = i
			} else {
				c.values = i
			}
			continue
		}
		j, ok := at[out.Input]
		if !ok {
			j = len(sc.columns)
			at[out.Input] = j
			in := &s.plan.Inputs[out.Input]
			sc.columns = append(sc.columns, scanned{in, s.f.cursor(&in.Column, s.dicts, sc.next), -1, -1})
		}
		if out.Mask {
			sc.columns[j].mask = i
		} else {
			sc.columns[j].values = i
		}
	}
	for _, x := range sc.spreads {
		x.start()
	}
	if s.isThrifty(sc.columns) {
		for i := range sc.columns {
			sc.columns[i].cursor.thrifty = true
		}
	}
	if q.Once || sc.shown == nil {
		sc.behind = mmap.NewBehind(sc.next)
	}
	sc.scratch = make(chan *scratch, sc.threads)
	for range sc.threads {
		sc.scratch <- &scratch{}
	}
	return sc, nil
}

func (sc *scanner) close() {
	for i := range sc.columns {
		sc.columns[i].cursor.close()
	}
	for _, x := range sc.spreads {
		x.close()
	}
}

// batch reads the next rows.
func (sc *scanner) batch() (*colstore.Batch, error) {
	rows := int(min(int64(sc.rows), sc.end-sc.next))
	in := sc.s.f.batchAt(sc.next)
	if sc.shown != nil {
		rows = int(min(int64(rows), in.end()-sc.next))
	}
	at := colstore.Range{Begin: sc.next, End: sc.next + int64(rows)}
	bufs, err := sc.buffers(rows)
	if err != nil {
		return nil, err
	}
	taken := slices.Clone(bufs)
	giveBack := func() {
		for _, b := range taken {
			if b != nil {
				sc.mem.Put(b)
			}
		}
	}
	err = parallel.Each(len(sc.columns)+len(sc.spreads), sc.threads, func(i int) error {
		if i >= len(sc.columns) {
			x := sc.spreads[i-len(sc.columns)]
			if err := guard(func() error { return x.read(rows, bufs, at.Begin) }); err != nil {
				return sc.s.plan.Words.Failed(x.lists.leaf.list.field.Name, at.Begin, err)
			}
			return nil
		}
		c := &sc.columns[i]
		c.cursor.scratch = <-sc.scratch
		defer func() { sc.scratch <- c.cursor.scratch }()
		if err := guard(func() error { return c.read(rows, bufs) }); err != nil {
			return sc.s.plan.Words.Failed(c.in.Name, at.Begin, err)
		}
		return nil
	})
	if err != nil {
		giveBack()
		return nil, err
	}
	for i := range sc.shown {
		bufs[sc.shown[i].column] = sc.shown[i].values(sc.s.f, in, at)
	}
	cols := make([]colstore.Column, len(bufs))
	for i, f := range sc.schema.All() {
		if cols[i], err = colstore.NewColumn(f.Type, rows, bufs[i]); err != nil {
			giveBack()
			return nil, err
		}
	}
	m := sc.s.f.m
	m.Retain()
	b, err := colstore.NewOwnedBatch(sc.schema, at, func() {
		giveBack()
		sc.giveBackPages(at)
		m.Release()
	}, cols...)
	if err != nil {
		giveBack()
		m.Release()
		return nil, err
	}
	sc.next = at.End
	return b, nil
}

// mostBytes is the largest column of a batch, larger than any memory: one long value makes each row of text as long.
const mostBytes = 1 << 40

// buffers takes the memory of a batch, in the goroutine of the scan, since an allocator serves one. A column that is shown
// needs none.
func (sc *scanner) buffers(rows int) ([][]byte, error) {
	bufs := make([][]byte, sc.schema.Len())
	isShown := make([]bool, len(bufs))
	for _, c := range sc.shown {
		isShown[c.column] = true
	}
	for i, f := range sc.schema.All() {
		if isShown[i] {
			continue
		}
		size := f.Type.Size()
		if rows <= mostBytes/size {
			bufs[i] = sc.mem.Get(rows * size)
		}
		if bufs[i] == nil {
			for _, b := range bufs[:i] {
				if b != nil {
					sc.mem.Put(b)
				}
			}
			return nil, fmt.Errorf("%w: no room left for %d rows of column %q", colstore.ErrBudget, rows, f.Name)
		}
		bufs[i] = bufs[i][:rows*size]
	}
	return bufs, nil
}

// read brings the next rows of the column into the buffers of a batch.
func (c *scanned) read(rows int, bufs [][]byte) error {
	var values, mask []byte
	if c.values >= 0 {
		values = bufs[c.values]
	}
	if c.mask >= 0 {
		mask = bufs[c.mask]
	}
	size := c.in.DType().Size()
	direct := values
	if c.in.Type.Index != nil || c.in.Type.ValueBytes() != size {
		direct = nil
	}
	return c.cursor.rows(rows, direct, nil, func(v *columnar.Values, at, n int) error {
		if mask != nil {
			v.Mask(mask[at:at+n], 0)
		}
		if values == nil || direct != nil && v.IsWhole(c.in) {
			return nil
		}
		return v.Put(values[at*size:(at+n)*size], c.in, 0, n)
	})
}

// heap is the allocator of a scan that has none.
type heap struct{}

func (heap) Get(n int) []byte { return make([]byte, n) }
func (heap) Put([]byte)       {}
