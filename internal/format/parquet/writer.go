package parquet

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/codec"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/source/format"
)

// createdBy is the writer that a file names.
const createdBy = "colstore-go"

// A writer collects the rows of a row group, encodes its columns in parallel and writes them one after the other.
// Where row groups and pages end depends on the schema and the options alone, so the bytes are the same however the
// rows arrive and whatever the number of threads.
type writer struct {
	path    string
	plans   []plan
	staged  *format.Output
	out     *bufio.Writer
	end     int64 // offset of the next byte
	columns [][]byte
	rows    int // in columns
	most    int // rows of a row group
	footer  meta.File
	// The page index lies behind all row groups: the bounds of every chunk, then the places.
	bounds, places []byte

	encoders chan *encoder
	threads  int
	order    *order

	err      error // the first failed write; nothing can follow it
	prepared bool
	closed   bool
}

// create starts a file.
func create(ctx context.Context, r *format.CreateRequest) (colstore.Sink, error) {
	fail := func(column string, err error) (colstore.Sink, error) {
		return nil, &colstore.Error{Op: "create", Path: r.Path, Column: column, Err: fsx.Bare(err)}
	}
	if r.Schema.Len() == 0 {
		return fail("", fmt.Errorf("%w: a table needs a column", colstore.ErrValue))
	}
	w := &writer{path: r.Path, threads: max(1, r.Threads)}
	root := meta.Element{Name: "schema", Type: meta.NoType, Converted: meta.NoConverted, Children: int32(r.Schema.Len())}
	w.footer = meta.File{Version: 2, CreatedBy: createdBy, Schema: []meta.Element{root}}
	for _, f := range r.Schema.All() {
		p, err := newPlan(f, r.Options.Text("nat") == "value")
		if err != nil {
			return fail(f.Name, err)
		}
		if err := p.setPages(r.Options.Text("page")); err != nil {
			return fail("", fmt.Errorf("%w: option \"page\": %w", colstore.ErrOption, err))
		}
		w.plans = append(w.plans, p)
		w.footer.Schema = append(w.footer.Schema, p.element)
		w.footer.KeyValues = append(w.footer.KeyValues, meta.KeyValue{Key: dtypeKey + f.Name, Value: p.typ.String()})
	}
	var err error
	if w.most, err = groupRows(r.Options.Text("row_group"), r.Schema.RowBytes()); err != nil {
		return fail("", fmt.Errorf("%w: option \"row_group\": %w", colstore.ErrOption, err))
	}
	method, err := codec.ParseMethod(r.Options.Text("compression"))
	if err != nil {
		return fail("", fmt.Errorf("%w: option \"compression\": %w", colstore.ErrOption, err))
	}
	w.threads = min(w.threads, len(w.plans))
	w.encoders = make(chan *encoder, w.threads)
	for range w.threads {
		e, err := newEncoder(method)
		if err != nil {
			return fail("", err)
		}
		w.encoders <- e
	}
	w.columns = make([][]byte, len(w.plans))
	w.order = newOrder(2*w.threads, w.send)
	if w.staged, err = r.Stage(ctx); err != nil {
		return nil, err
	}
	w.out = bufio.NewWriterSize(w.staged, outBytes)
	if err := w.append([]byte(magic)); err != nil {
		return nil, errors.Join(w.failed("", err), w.Abort())
	}
	return w, nil
}

// outBytes is the buffer that small writes go through.
const outBytes = 256 << 10

func (w *writer) append(b []byte) error {
	w.end += int64(len(b))
	_, err := w.out.Write(b)
	return err
}

func (w *writer) failed(column string, err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
		return err
	}
	return &colstore.Error{Op: "write", Path: w.path, Column: column, Err: fsx.Bare(err)}
}

// usable refuses what comes after the end, or after a failed write.
func (w *writer) usable(ctx context.Context) error {
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case w.closed:
		return w.failed("", colstore.ErrClosed)
	default:
		return w.err
	}
}

// Write takes the rows of b. A batch of another schema is refused and leaves the writer as it was.
func (w *writer) Write(ctx context.Context, b *colstore.Batch) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	if w.prepared {
		return w.failed("", colstore.ErrClosed)
	}
	if err := w.fits(b.Schema()); err != nil {
		return err
	}
	for done := 0; done < b.Rows(); {
		n := min(w.most-w.rows, b.Rows()-done)
		for i := range w.plans {
			w.load(i, b.At(i).Slice(done, done+n, 1))
		}
		w.rows += n
		done += n
		if w.rows == w.most {
			if w.err = w.group(); w.err != nil {
				return w.err
			}
		}
	}
	return nil
}

func (w *writer) fits(s *colstore.Schema) error {
	if s.Len() != len(w.plans) {
		return w.failed("", fmt.Errorf("%w: %d columns, the file has %d", colstore.ErrMismatch, s.Len(), len(w.plans)))
	}
	for i, f := range s.All() {
		if p := &w.plans[i]; f.Name != p.name || f.Type.Native() != p.typ {
			return w.failed(f.Name, fmt.Errorf("%w: column %d is %q %s, the file has %q %s", colstore.ErrMismatch, i, f.Name, f.Type, p.name, p.typ))
		}
	}
	return nil
}

// load appends values to a column of the row group.
func (w *writer) load(i int, c colstore.Column) {
	size := c.Type().Size()
	col := w.columns[i]
	if need := (w.rows + c.Rows()) * size; need > cap(col) {
		// A short table takes little; one that fills an eighth of the row group is taken to fill it.
		room := w.most * size
		if need < room/8 {
			room = max(need, min(2*cap(col), room/8))
		}
		grown := make([]byte, len(col), room)
		copy(grown, col)
		col = grown
	}
	at := len(col)
	col = col[:at+c.Rows()*size]
	kernel.Load(col[at:], c)
	w.columns[i] = col
}

// group encodes and writes the row group.
func (w *writer) group() error {
	g := meta.Group{Rows: int64(w.rows), Columns: make([]meta.Chunk, len(w.plans))}
	indexes := make([]chunkIndex, len(w.plans))
	begin := w.end
	w.order.begin()
	err := parallel.Each(len(w.plans), w.threads, func(i int) (err error) {
		c, e := <-w.order.free, <-w.encoders
		finished := false
		defer func() {
			w.encoders <- e
			if !finished {
				w.order.fail(err)
			}
		}()
		if err := w.encode(e, i, c); err != nil {
			return err
		}
		g.Columns[i], indexes[i] = c.meta, c.index.take()
		err = w.order.finish(i, c)
		finished = err == nil
		return err
	})
	if err != nil {
		return cmp.Or(w.order.err, err)
	}
	for i := range g.Columns {
		c := &g.Columns[i]
		if c.Data > 0 {
			c.Dictionary = begin
		}
		c.Data += begin
		w.index(c, &indexes[i], begin)
		begin += c.Compressed
		g.Bytes += c.Bytes
		g.Compressed += c.Compressed
	}
	w.footer.Groups = append(w.footer.Groups, g)
	w.footer.Rows += g.Rows
	w.rows = 0
	for i := range w.columns {
		w.columns[i] = w.columns[i][:0]
	}
	return nil
}

// index appends the page index of a chunk that begins at an offset, whose metadata tell where among the others it is.
func (w *writer) index(c *meta.Chunk, x *chunkIndex, begin int64) {
	bounds, places := len(w.bounds), len(w.places)
	w.bounds, w.places = x.append(w.bounds, w.places, begin)
	c.Bounds = meta.Region{Offset: int64(bounds), Length: int32(len(w.bounds) - bounds)}
	c.Places = meta.Region{Offset: int64(places), Length: int32(len(w.places) - places)}
}

// send writes what there is of column i's chunk, whose turn it is.
func (w *writer) send(i int, c *chunk) error {
	if err := w.append(c.bytes); err != nil {
		return w.failed(w.plans[i].name, err)
	}
	c.sent += int64(len(c.bytes))
	c.bytes = c.bytes[:0]
	return nil
}

// encode encodes one column of the row group.
func (w *writer) encode(e *encoder, i int, c *chunk) error {
	c.spill = func(c *chunk) error { return w.order.spill(i, c) }
	err := e.chunk(&w.plans[i], w.columns[i], c)
	if b, ok := errors.AsType[*badValue](err); ok {
		return &colstore.Error{Op: "write", Path: w.path, Column: w.plans[i].name, Row: colstore.At(w.footer.Rows + int64(b.at)), Err: b.err}
	}
	if err != nil {
		return w.failed(w.plans[i].name, err)
	}
	return nil
}

// Prepare writes the last row group and the footer, and syncs.
func (w *writer) Prepare(ctx context.Context) error {
	if err := w.usable(ctx); err != nil {
		return err
	}
	if w.prepared {
		return nil
	}
	w.prepared = true
	if err := w.finish(); err != nil {
		w.err = w.failed("", err)
		return w.err
	}
	return nil
}

func (w *writer) finish() error {
	if w.rows > 0 {
		if err := w.group(); err != nil {
			return err
		}
	}
	for _, g := range w.footer.Groups {
		for i := range g.Columns {
			g.Columns[i].Bounds.Offset += w.end
			g.Columns[i].Places.Offset += w.end + int64(len(w.bounds))
		}
	}
	if err := cmp.Or(w.append(w.bounds), w.append(w.places)); err != nil {
		return err
	}
	footer := w.footer.Append(nil)
	if uint64(len(footer)) > 1<<32-1 {
		return fmt.Errorf("%w: a footer of %s, with %d row groups; write larger ones (row_group)", colstore.ErrValue,
			colstore.ByteSize(len(footer)), len(w.footer.Groups))
	}
	n := len(footer)
	footer = binary.LittleEndian.AppendUint32(footer, uint32(n))
	if err := w.append(append(footer, magic...)); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	return w.staged.Prepare()
}

// Warnings implements colstore.Warner.
func (w *writer) Warnings() []string { return w.staged.Warnings() }

// Commit publishes the file.
func (w *writer) Commit(ctx context.Context) error {
	if err := w.Prepare(ctx); err != nil {
		return err
	}
	if err := w.staged.Commit(); err != nil {
		w.err = err
		return err
	}
	w.closed = true
	return nil
}

// Abort drops the file. After Commit it does nothing; it may be called any number of times.
func (w *writer) Abort() error {
	if w.closed {
		return nil
	}
	w.closed = true
	return w.staged.Abort()
}

// Cost returns the bytes of a row group, of the encoded columns that wait to be written, and of the pages at work.
func (w *writer) Cost([]string) colstore.Cost {
	row := 0
	for _, p := range w.plans {
		row += p.typ.Size()
	}
	const (
		wait = 2 * (spillBytes + pageBytes) // encoded columns
		work = 4*pageBytes + 4*maxEntries*8 // pages before and after compression, the distinct values
	)
	return colstore.Cost{Fixed: int64(w.most)*int64(row) + int64(w.threads)*(wait+work) + outBytes}
}
