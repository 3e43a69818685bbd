package cstore

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/mmap"
	"github.com/colstore/colstore-go/numa"
)

// Advice is a hint on how a reader's file will be read; it changes speed only.
type Advice uint8

// The hints of [OpenOptions].
const (
	Normal     = Advice(mmap.Normal)
	Sequential = Advice(mmap.Sequential)
	Random     = Advice(mmap.Random)
	WillNeed   = Advice(mmap.WillNeed)
)

// OpenOptions says how to open a file. The zero value is the default.
type OpenOptions struct {
	Advice Advice // given for the whole mapping, once
	// Lazy maps the file when its rows are first read, and may unmap it while nobody reads them: for one of very many. A
	// file that another one replaces before it is read, or that changes, may then be an error where a mapped one is not.
	Lazy bool
	// NUMA is where pages are placed that a scan of a cold file reads ahead, on a machine of several memory nodes.
	NUMA numa.Policy
}

// A Reader is an open file: a table as it was at the last commit before Open. It is safe for concurrent use.
type Reader struct {
	*description
	path    string
	h       *header // as it was when the file was opened
	records []record
	rows    int64
	file    fs.FileInfo   // as it was opened
	stats   *stats        // of a file that is not lazy
	m       *mmap.Mapping // likewise
	lazy    *lazyFile
	numa    numa.Policy
	closed  atomic.Bool
}

// defaultBatchRows is the batch of a scan that does not say: views cost nothing, but what is made of them does.
const defaultBatchRows = 1 << 17

// Open maps the file at path after checking its header and every record header. A nil o is all defaults.
//
// Errors: colstore.ErrFormat and what it covers, naming the path and offset; those of the file system.
func Open(path string, o *OpenOptions) (*Reader, error) {
	if o == nil {
		o = &OpenOptions{}
	}
	fail := func(err error) (*Reader, error) {
		return nil, &colstore.Error{Op: "open", Path: path, Err: fsx.Bare(err)}
	}
	in, err := fsx.OpenInput(path)
	if err != nil {
		return fail(err)
	}
	r := &Reader{path: path, numa: o.NUMA}
	if err := in.Use(func(f *os.File) error {
		return withHead(f, func(head io.ReaderAt) error { return r.open(f, head, in, o) })
	}); err != nil {
		_ = in.Close()
		return fail(err)
	}
	if r.lazy == nil {
		_ = in.Close() // the mapping is all that is read
	}
	return r, nil
}

// open reads the headers of the file, and maps it unless it is lazy: through the same open file, so that a file renamed
// over it meanwhile is not mistaken for it. head reads the same file.
func (r *Reader) open(f *os.File, head io.ReaderAt, in *fsx.Input, o *OpenOptions) error {
	st := in.Opened()
	if !st.Mode().IsRegular() {
		return fmt.Errorf("%w: not a regular file", colstore.ErrFormat)
	}
	h, err := readHeader(head, st.Size())
	if err != nil {
		return err
	}
	r.description, r.h, r.rows, r.file = h.description, h, h.rows, st
	if o.Lazy {
		var end int64
		if r.records, end, err = readRecords(head, h); err != nil {
			return err
		}
		r.lazy = &lazyFile{in: in, path: r.path, h: *h, end: end, advice: mmap.Advice(o.Advice)}
		return nil
	}
	if r.m, err = mapped(f, r.path, 0, mmap.Advice(o.Advice)); err != nil {
		return err
	}
	var end int64
	err = fault.Guard(func() (err error) {
		r.records, end, err = readRecords(&headerReader{file: f, data: r.m.Data(), behind: h.dataAt}, h)
		return err
	})
	if size := int64(len(r.m.Data())); err == nil && size < end {
		err = truncated(size, "the file got shorter while it was opened")
	}
	if err != nil {
		r.m.Release()
		return err
	}
	r.stats = readStats(f, h, end)
	return nil
}

// mapping returns the file's mapping. The caller owes a Release.
func (r *Reader) mapping() (*mmap.Mapping, error) {
	if r.lazy != nil {
		return r.lazy.mapping()
	}
	r.m.Retain()
	return r.m, nil
}

// statistics returns the file's footer, nil if it has none that is usable.
func (r *Reader) statistics() *stats {
	if r.lazy != nil {
		return r.lazy.statistics()
	}
	return r.stats
}

// Path returns the path the file was opened by.
func (r *Reader) Path() string { return r.path }

// Schema returns the columns in stored order, with the byte order they are stored in.
func (r *Reader) Schema() *colstore.Schema { return r.schema }

// Rows returns the number of committed rows.
func (r *Reader) Rows() int64 { return r.rows }

// Records returns the number of committed records.
func (r *Reader) Records() int { return len(r.records) }

// RecordRows returns the global rows of record i.
func (r *Reader) RecordRows(i int) colstore.Range {
	return colstore.Range{Begin: r.records[i].first, End: r.records[i].first + r.records[i].rows}
}

// Bounds returns the least and the greatest value of column c in record i as the file's statistics have them, each a
// column of one row. ok is false if there are none, or the record holds a NaN, an infinity or a NaT there. They are the
// writer's word: nothing ties them to the values.
func (r *Reader) Bounds(c, i int) (lo, hi colstore.Column, ok bool) {
	return r.statistics().bounds(c, i)
}

// HasStatistics reports whether the file has a usable statistics footer.
func (r *Reader) HasStatistics() bool { return r.statistics() != nil }

// Close ends reading. Batches that are still held stay valid; the file is unmapped when the last is released. Closing
// twice is fine.
func (r *Reader) Close() error {
	switch {
	case r.closed.Swap(true):
	case r.lazy != nil:
		return r.lazy.close()
	default:
		r.m.Release()
	}
	return nil
}

// Cost returns that a scan holds nothing: pages of a mapping are the system's, and can be read again at little cost.
func (r *Reader) Cost([]string) colstore.Cost { return colstore.Cost{Rescan: true} }

// splitAlign is where splits are cut inside a record: reductions fold blocks of this many rows.
const splitAlign = 4096

// Splits returns ranges of at most rows rows; any row of a record can be the first. They are cut at multiples of 4096
// where a range has as many rows.
func (r *Reader) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	most := int64(max(rows, 1))
	for begin := int64(0); begin < r.rows; {
		end := min(begin+most, r.rows)
		if cut := end / splitAlign * splitAlign; end < r.rows && cut > begin {
			end = cut
		}
		out = append(out, colstore.Range{Begin: begin, End: end})
		begin = end
	}
	return out
}

// Scan yields views of the mapping; of a lazy file whose rows are read once, small shares of columns are copies. A batch
// lies in one record; columns of files written big-endian keep that byte order.
func (r *Reader) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		fail := func(err error) { yield(nil, &colstore.Error{Op: "scan", Path: r.path, Err: err}) }
		if r.closed.Load() {
			fail(colstore.ErrClosed)
			return
		}
		schema, picked, err := r.pick(s.Columns)
		if err != nil {
			fail(err)
			return
		}
		rows := s.Rows
		if rows.End == 0 {
			rows.End = r.rows
		}
		if rows.Begin < 0 || rows.End > r.rows || rows.Begin > rows.End {
			fail(fmt.Errorf("%w: rows %d to %d of %d", colstore.ErrRange, rows.Begin, rows.End, r.rows))
			return
		}
		most := int64(s.BatchRows)
		if most <= 0 {
			most = defaultBatchRows
		}
		read := int64(0) // where the last record ends that was read
		ahead := readAhead{r: r, picked: picked, ahead: mmap.Ahead{Policy: r.numa}}
		defer ahead.end()
		for i := recordOf(r.records, rows.Begin); i < len(r.records); i++ {
			rec := r.records[i]
			if rec.first >= rows.End {
				break
			}
			begin, end := max(rec.first, rows.Begin), min(rec.first+rec.rows, rows.End)
			if begin < end && s.Skip != nil {
				at := colstore.Range{Begin: begin, End: end}
				out := r.skips(s.Skip, i, at)
				if s.Skipped.Group(at, rec.first, out); out {
					continue
				}
			}
			if s.Dry {
				continue
			}
			for ; begin < end; begin += most {
				if err := context.Cause(ctx); err != nil {
					yield(nil, err)
					return
				}
				b, err := r.batch(schema, picked, rec, colstore.Range{Begin: begin, End: min(begin+most, end)}, s)
				if err != nil {
					fail(err)
					return
				}
				ahead.beside(rec, b)
				if !b.Lend(yield) {
					ahead.stopped = true
					return
				}
				read = rec.body + rec.rows*int64(r.schema.RowBytes())
			}
		}
		if err := fault.Check(r.path, r.file, read); err != nil {
			yield(nil, err)
		}
	}
}

// Map shows every record of the file as a batch.
func (r *Reader) Map(columns []string) ([]*colstore.Batch, error) {
	fail := func(err error) ([]*colstore.Batch, error) {
		return nil, &colstore.Error{Op: "map", Path: r.path, Err: err}
	}
	if r.closed.Load() {
		return fail(colstore.ErrClosed)
	}
	schema, picked, err := r.pick(columns)
	if err != nil {
		return fail(err)
	}
	if len(r.records) == 0 {
		return nil, nil
	}
	m, err := r.mapping()
	if err != nil {
		return fail(err)
	}
	data := unsafe.Pointer(unsafe.SliceData(m.Data()))
	at, cols := make([]colstore.Range, len(r.records)), make([]colstore.Column, 0, len(r.records)*len(picked))
	for i, rec := range r.records {
		at[i] = r.RecordRows(i)
		for _, c := range picked {
			cols = append(cols, r.column(data, c, rec, at[i]))
		}
	}
	out, err := colstore.NewOwnedBatches(schema, at, m.Release, cols)
	if err != nil {
		m.Release()
		return fail(err)
	}
	return out, nil
}

// column returns rows of a column of a record, in a mapping that begins at data.
func (r *Reader) column(data unsafe.Pointer, c int, rec record, at colstore.Range) colstore.Column {
	t := r.schema.Field(c).Type
	return colstore.RawColumn(t, int(at.Rows()), t.Size(), unsafe.Add(data, int(rec.offset(r.prefix[c], t.Size(), at.Begin))))
}

// pick returns the columns of those names, nil for all: their schema and their numbers.
func (r *Reader) pick(columns []string) (*colstore.Schema, []int, error) {
	if columns == nil {
		return r.schema, upTo(r.schema.Len()), nil
	}
	schema, err := r.schema.Select(columns...)
	if err != nil {
		return nil, nil, err
	}
	picked := make([]int, len(columns))
	for i, n := range columns {
		picked[i], _ = r.schema.Index(n)
	}
	return schema, picked, nil
}

// skips reports whether rows, of record i, can be left out by the file's statistics.
func (r *Reader) skips(skip colstore.Skipper, i int, rows colstore.Range) bool {
	stats := r.statistics()
	return stats != nil && skip.Skip(rows, func(name string) (b colstore.Bounds, ok bool) {
		c, ok := r.schema.Index(name)
		if !ok {
			return b, false
		}
		b.Lo, b.Hi, ok = stats.bounds(c, i)
		return b, ok
	})
}

// Locate returns the file's path.
func (r *Reader) Locate(row int64) (path string, at int64) { return r.path, row }

// recordOf returns the index of the record that holds a row.
func recordOf(records []record, row int64) int {
	lo, hi := 0, len(records)
	for lo < hi {
		if mid := (lo + hi) / 2; records[mid].first+records[mid].rows <= row {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// batch shows the rows at of a record for a scan. If that is the only one, the pages behind it go back to the system at its
// release, but for those that it keeps.
func (r *Reader) batch(s *colstore.Schema, picked []int, rec record, at colstore.Range, scan colstore.Scan) (*colstore.Batch, error) {
	if scan.Once && r.lazy != nil && isSmall(s, at.Rows()) {
		if b, ok, err := r.read(s, picked, rec, at); ok {
			return b, err
		}
	}
	m, err := r.mapping()
	if err != nil {
		return nil, err
	}
	data := unsafe.Pointer(unsafe.SliceData(m.Data()))
	cols := make([]colstore.Column, len(picked))
	offset := func(c int) int { return int(rec.offset(r.prefix[c], r.schema.Field(c).Type.Size(), at.Begin)) }
	for i, c := range picked {
		cols[i] = r.column(data, c, rec, at)
	}
	release := m.Release
	if scan.Once {
		release = func() {
			for i, c := range picked {
				if begin, n := offset(c), cols[i].Rows()*cols[i].Type().Size(); !m.Keep(begin, n, scan.Keep) {
					m.Advise(begin, n, mmap.DontNeed)
				}
			}
			m.Release()
		}
	}
	return colstore.NewOwnedBatch(s, at, release, cols...)
}
