package npz

import (
	"context"
	"fmt"
	"hash/crc32"
	"iter"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/mmap"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
)

const (
	// A batch of a scan that does not say has at most so many rows and bytes.
	defaultBatchRows  = 1 << 17
	defaultBatchBytes = 16 << 20
)

// Scan yields the rows asked for: views of stored members, decoded values of the others. The columns of a batch are
// decoded, and their CRCs computed, by q.Threads goroutines.
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
		err = sc.finish()
		if err == nil {
			err = s.f.m.Check(int64(len(s.f.m.Data())))
		}
		if err != nil {
			yield(nil, s.f.failed("scan", "", err))
		}
	}
}

// maxThreads is the most goroutines that decode a batch.
const maxThreads = 16

// A scanner is a scan under way.
type scanner struct {
	s         *source
	schema    *colstore.Schema
	cursors   []cursor
	begin     int64
	next, end int64
	rows      int // of a batch
	threads   int
	mem       colstore.Allocator
	behind    *mmap.Behind // nil unless what was read may be given back
}

// A cursor is where a scan stands in a column.
type cursor struct {
	*column
	stream *stream // of a compressed member, once it is read
	crc    uint32  // of a stored member, up to where the scan stands
}

func (s *source) scanner(q colstore.Scan) (*scanner, error) {
	if s.closed.Load() || s.f.closed.Load() {
		return nil, colstore.ErrClosed
	}
	sc := &scanner{s: s, schema: s.schema, next: q.Rows.Begin, end: q.Rows.End, rows: q.BatchRows, threads: min(q.Threads, maxThreads), mem: q.Mem}
	if q.Columns != nil {
		var err error
		if sc.schema, err = s.schema.Select(q.Columns...); err != nil {
			return nil, err
		}
	}
	for _, field := range sc.schema.All() {
		i, _ := s.schema.Index(field.Name)
		sc.cursors = append(sc.cursors, cursor{column: &s.columns[i]})
	}
	if sc.end == 0 {
		sc.end = s.rows
	}
	if sc.next < 0 || sc.end > s.rows || sc.next > sc.end {
		return nil, fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, sc.next, sc.end, s.rows)
	}
	sc.begin = sc.next
	if q.Once {
		sc.behind = mmap.NewBehind(sc.begin)
	}
	if sc.rows <= 0 {
		sc.rows = max(1, min(defaultBatchRows, defaultBatchBytes/max(1, sc.schema.RowBytes())))
	}
	if sc.mem == nil {
		sc.mem = heap{}
	}
	return sc, nil
}

// close gives the decompressors back.
func (sc *scanner) close() {
	for i := range sc.cursors {
		sc.cursors[i].stream.close()
	}
}

// batch reads the next rows.
func (sc *scanner) batch() (*colstore.Batch, error) {
	rows := int(min(int64(sc.rows), sc.end-sc.next))
	at := colstore.Range{Begin: sc.next, End: sc.next + int64(rows)}
	bufs, err := sc.buffers(rows)
	if err != nil {
		return nil, err
	}
	giveBack := func() {
		for _, b := range bufs {
			if b != nil {
				sc.mem.Put(b)
			}
		}
	}
	cols := make([]colstore.Column, len(sc.cursors))
	err = parallel.Each(len(cols), sc.threads, func(i int) error {
		c := &sc.cursors[i]
		if err := c.read(sc, at, bufs[i]); err != nil {
			return sc.s.f.failed("scan", c.m.name, err)
		}
		cols[i] = c.view(sc.s.f, at)
		if bufs[i] != nil {
			cols[i] = colstore.RawColumn(c.typ.Native(), rows, c.typ.Size(), unsafe.Pointer(unsafe.SliceData(bufs[i])))
		}
		return nil
	})
	if err != nil {
		giveBack()
		return nil, err
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

// buffers takes all memory of a batch, in the goroutine of the scan, since an allocator serves one. A view needs none.
func (sc *scanner) buffers(rows int) ([][]byte, error) {
	bufs := make([][]byte, len(sc.cursors))
	for i := range bufs {
		c := sc.cursors[i].column
		if c.isView() {
			continue
		}
		n := rows * c.typ.Size()
		if bufs[i] = sc.mem.Get(n); bufs[i] == nil {
			for _, b := range bufs[:i] {
				if b != nil {
					sc.mem.Put(b)
				}
			}
			return nil, fmt.Errorf("%w: no %s left for %d rows of column %q", colstore.ErrBudget, colstore.ByteSize(n), rows, c.m.name)
		}
		bufs[i] = bufs[i][:n]
	}
	return bufs, nil
}

// giveBackPages gives back the pages of a released batch, with what others have mapped of those left behind.
func (sc *scanner) giveBackPages(at colstore.Range) {
	if sc.behind == nil {
		return
	}
	left, reach := sc.behind.Release(at)
	for i := range sc.cursors {
		if c := &sc.cursors[i]; c.m.method == methodStored {
			begin := max(int(c.m.dataAt), c.offset(left.Begin)-reach)
			sc.s.f.m.Advise(begin, c.offset(left.End)-begin, mmap.DontNeed)
		}
	}
}

// offset returns where a row of a stored member lies in the file.
func (c *cursor) offset(row int64) int {
	return int(c.m.dataAt + c.dataAt + row*int64(c.typ.Size()))
}

// view returns rows of a stored member as they lie in the file.
func (c *cursor) view(f *file, at colstore.Range) colstore.Column {
	if c.m.method != methodStored {
		return colstore.Column{}
	}
	return colstore.RawColumn(c.typ, int(at.Rows()), c.typ.Size(), unsafe.Add(unsafe.Pointer(unsafe.SliceData(f.m.Data())), c.offset(at.Begin)))
}

// read brings the rows at into dst, unless the column is a view, and checks the CRC with the member's last row.
func (c *cursor) read(sc *scanner, at colstore.Range, dst []byte) error {
	last := at.End == c.rows
	if c.m.method == methodStored {
		if dst != nil {
			kernel.Load(dst, c.view(sc.s.f, at))
		}
		if sc.begin > 0 || sc.end < c.rows {
			return nil
		}
		begin := c.offset(at.Begin)
		if at.Begin == 0 {
			begin = int(c.m.dataAt)
		}
		c.crc = crc32.Update(c.crc, crc32.IEEETable, sc.s.f.m.Data()[begin:c.offset(at.End)])
		if last {
			return c.m.checkCRC(c.crc)
		}
		return nil
	}
	if c.stream == nil {
		c.stream = sc.s.f.mapped(c.m)
		if err := c.stream.skip(c.dataAt + at.Begin*int64(c.typ.Size())); err != nil {
			return err
		}
	}
	if err := c.stream.fill(dst); err != nil {
		return err
	}
	if last {
		if err := c.stream.finish(); err != nil {
			return err
		}
	}
	if last || c.m.isAgain() {
		c.stream.close()
		c.stream = nil
	}
	if c.typ.BigEndian() {
		col, err := colstore.NewColumn(c.typ, int(at.Rows()), dst)
		if err != nil {
			return err
		}
		kernel.Load(dst, col)
	}
	return nil
}

// finish checks members without a row, of which no batch was read.
func (sc *scanner) finish() error {
	if sc.s.rows > 0 {
		return nil
	}
	return parallel.Each(len(sc.cursors), 1, func(i int) error {
		c := &sc.cursors[i]
		st := sc.s.f.mapped(c.m)
		defer st.close()
		err := st.skip(c.dataAt)
		if err == nil {
			err = st.finish()
		}
		if err != nil {
			return sc.s.f.failed("scan", c.m.name, err)
		}
		return nil
	})
}

// heap is the allocator of a scan that has none.
type heap struct{}

func (heap) Get(n int) []byte { return make([]byte, n) }
func (heap) Put([]byte)       {}
