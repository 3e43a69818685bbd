package parquet

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/parallel"
)

const (
	// A batch of a scan that does not say has at most so many rows and bytes.
	defaultBatchRows  = 1 << 17
	defaultBatchBytes = 16 << 20
)

// Scan decodes the rows asked for. Every page is read and decoded once, but for the dictionaries and pages before the
// first row in its row group. The columns of a batch are decoded by s.Threads goroutines.
func (s *source) Scan(ctx context.Context, o colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		fail := func(err error) { yield(nil, s.f.failed("scan", "", err)) }
		sc, err := s.scanner(o)
		if err != nil {
			fail(err)
			return
		}
		defer sc.close()
		kept := s.kept(colstore.Range{Begin: sc.next, End: sc.end}, sc.outputs, o)
		if o.Dry {
			return
		}
		for _, rows := range kept {
			sc.move(rows)
			for sc.next < sc.end {
				if err := context.Cause(ctx); err != nil {
					yield(nil, err)
					return
				}
				b, err := sc.batch()
				if err != nil {
					fail(err)
					return
				}
				if !b.Lend(yield) {
					return
				}
			}
		}
	}
}

// A scanner is a scan under way.
type scanner struct {
	f         *file
	schema    *colstore.Schema
	outputs   []output // of the schema
	slots     []slot
	spreads   []*listSpread
	next, end int64
	rows      int // of a batch
	threads   int
	mem       colstore.Allocator
	works     chan *workspace // one for each thread
}

// A slot is an input of a scan and where it goes in the schema: its values and its mask, -1 for nowhere.
type slot struct {
	in     *input
	values int
	mask   int
	reader *columnReader
	begun  bool
}

// workspaces are kept between scans, which are often short: one a split.
var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// giveBack ends the use of a workspace.
func (w *workspace) giveBack() {
	w.owner = nil
	workspaces.Put(w)
}

func (s *source) scanner(o colstore.Scan) (*scanner, error) {
	if s.f.closed.Load() {
		return nil, colstore.ErrClosed
	}
	sc := &scanner{f: s.f, schema: s.schema, next: o.Rows.Begin, end: o.Rows.End, rows: o.BatchRows, mem: o.Mem}
	outputs := s.outputs
	if o.Columns != nil {
		var err error
		if sc.schema, err = s.schema.Select(o.Columns...); err != nil {
			return nil, err
		}
		outputs = make([]output, len(o.Columns))
		for i, n := range o.Columns {
			j, _ := s.schema.Index(n)
			outputs[i] = s.outputs[j]
		}
	}
	if sc.end == 0 {
		sc.end = s.Rows()
	}
	if sc.next < 0 || sc.end > s.Rows() || sc.next > sc.end {
		return nil, fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, sc.next, sc.end, s.Rows())
	}
	if sc.rows <= 0 {
		sc.rows = max(1, min(defaultBatchRows, defaultBatchBytes/max(1, sc.schema.RowBytes())))
	}
	if sc.mem == nil {
		sc.mem = new(heap)
	}
	sc.outputs, sc.slots = outputs, s.slots(outputs)
	for i := range sc.slots {
		if r := sc.slots[i].in.reader(s.f); r != nil {
			r.leaps = o.Skip != nil
			sc.slots[i].reader = r
		}
	}
	sc.spreads = s.spreads(outputs)
	sc.threads = max(1, min(o.Threads, len(sc.slots)+len(sc.spreads)))
	sc.works = make(chan *workspace, sc.threads)
	for range sc.threads {
		sc.works <- workspaces.Get().(*workspace)
	}
	return sc, nil
}

// move makes rows what is read next.
func (sc *scanner) move(rows colstore.Range) {
	if rows.Begin != sc.next {
		for i := range sc.slots {
			sc.slots[i].begun = false
		}
		for _, x := range sc.spreads {
			x.begun = false
		}
	}
	sc.next, sc.end = rows.Begin, rows.End
}

// slots returns the inputs that these outputs need, each once.
func (s *source) slots(outputs []output) []slot {
	var slots []slot
	at := map[int]int{}
	for i, out := range outputs {
		in := &s.inputs[out.input]
		if in.col.list != nil {
			continue // they are read by a spread
		}
		j, ok := at[out.input]
		if !ok {
			j = len(slots)
			at[out.input] = j
			slots = append(slots, slot{in: in, values: -1, mask: -1})
		}
		if out.mask {
			slots[j].mask = i
		} else {
			slots[j].values = i
		}
	}
	return slots
}

// reader returns a reader of the input, nil if there is nothing to read.
func (in *input) reader(f *file) *columnReader {
	if in.absent {
		return nil
	}
	if r, ok := in.readers.Get().(*columnReader); ok {
		r.open = false
		return r
	}
	return &columnReader{f: f, col: in.col, fill: in.fill}
}

func (sc *scanner) close() {
	for range sc.threads {
		(<-sc.works).giveBack()
	}
	for _, l := range sc.slots {
		if !l.in.absent {
			l.in.readers.Put(l.reader)
		}
	}
}

// batch decodes the next rows.
func (sc *scanner) batch() (*colstore.Batch, error) {
	rows := int(min(int64(sc.rows), sc.end-sc.next))
	at := colstore.Range{Begin: sc.next, End: sc.next + int64(rows)}
	bufs, err := sc.buffers(rows)
	if err != nil {
		return nil, err
	}
	release := func() { sc.release(bufs) }
	err = parallel.Each(len(sc.slots)+len(sc.spreads), sc.threads, func(i int) error {
		w := <-sc.works
		defer func() { sc.works <- w }()
		if i >= len(sc.slots) {
			x := sc.spreads[i-len(sc.slots)]
			if err := guard(func() error { return x.read(bufs, rows, at.Begin, w) }); err != nil {
				return sc.f.failed("scan", x.name(), err)
			}
			return nil
		}
		l := &sc.slots[i]
		values, mask := bufs[sc.schema.Len()+i], []byte(nil)
		if l.values >= 0 {
			values = bufs[l.values]
		}
		if l.mask >= 0 {
			mask = bufs[l.mask]
		}
		if err := guard(func() error { return l.read(values, mask, rows, at.Begin, w) }); err != nil {
			return sc.f.failed("scan", l.in.col.name, err)
		}
		return nil
	})
	if err != nil {
		release()
		return nil, err
	}
	cols := make([]colstore.Column, sc.schema.Len())
	for i, f := range sc.schema.All() {
		if cols[i], err = colstore.NewColumn(f.Type, rows, bufs[i]); err != nil {
			release()
			return nil, err
		}
	}
	b, err := colstore.NewOwnedBatch(sc.schema, at, release, cols...)
	if err != nil {
		release()
		return nil, err
	}
	sc.next += int64(rows)
	return b, nil
}

// buffers takes all memory of a batch, in the goroutine of the scan, since an allocator serves one: a buffer for
// every field of the schema, then one for every slot whose values nobody asked for, else nil.
func (sc *scanner) buffers(rows int) ([][]byte, error) {
	sizes := make([]int, 0, sc.schema.Len()+len(sc.slots))
	for _, f := range sc.schema.All() {
		sizes = append(sizes, f.Type.Size())
	}
	for _, l := range sc.slots {
		if l.values < 0 && !l.in.absent {
			sizes = append(sizes, l.in.typ.Size())
		} else {
			sizes = append(sizes, 0)
		}
	}
	bufs := make([][]byte, len(sizes))
	for i, size := range sizes {
		if size == 0 {
			continue
		}
		if bufs[i] = sc.mem.Get(rows * size); bufs[i] == nil {
			sc.release(bufs)
			return nil, fmt.Errorf("%w: no %s left for %d rows of a column", colstore.ErrBudget, colstore.ByteSize(rows*size), rows)
		}
		bufs[i] = bufs[i][:rows*size]
	}
	return bufs, nil
}

func (sc *scanner) release(bufs [][]byte) {
	for _, b := range bufs {
		if b != nil {
			sc.mem.Put(b)
		}
	}
}

// read decodes rows of one input from row on, which is where its reader stands unless it has not begun.
func (l *slot) read(values, mask []byte, rows int, row int64, w *workspace) error {
	if l.in.absent {
		clear(mask)
		repeat(values, l.in.fill)
		return nil
	}
	if !l.begun {
		l.begun = true
		if err := l.reader.seek(row, w); err != nil {
			return err
		}
	}
	return l.reader.read(values, mask, rows, w)
}
