package feather

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/source/format"
)

// A writer collects the rows of a record batch and writes its columns one after the other. Where record batches end
// depends on the schema alone, so the bytes are the same however the rows arrive and whatever the number of threads.
type writer struct {
	path    string
	schema  *colstore.Schema // in native byte order
	fields  []meta.Field
	pairs   []meta.Pair
	method  method
	staged  *format.Output
	out     output
	threads int

	columns  [][]byte
	rows     int // in columns
	most     int // rows of a record batch
	total    int64
	batches  []meta.Block
	encoders chan *encoder // one for each thread
	spare    chan []byte   // memory of encoded columns, of as many as a line has ahead

	err      error // the first failed write; nothing can follow it
	prepared bool
	closed   bool
}

const (
	// align is where buffers begin, in the file and in their body: what processors like.
	align = 64
	// aside is the size up to which a column of a record batch is encoded in memory, beside others. A larger one is written
	// as it is encoded, text of more bytes encoded twice.
	aside = 4 << 20
	// loadBytes are the bytes of rows that are taken by more than one goroutine.
	loadBytes = 1 << 20
)

// fileStart begins a file: the magic, padded.
const fileStart = fileMagic + "\x00\x00"

func create(ctx context.Context, r *format.CreateRequest) (colstore.Sink, error) {
	fail := func(column string, err error) (colstore.Sink, error) {
		return nil, &colstore.Error{Op: "create", Path: r.Path, Column: column, Err: fsx.Bare(err)}
	}
	if r.Schema.Len() == 0 {
		return fail("", fmt.Errorf("%w: a table needs a column", colstore.ErrValue))
	}
	w := &writer{path: r.Path, threads: max(1, min(r.Threads, r.Schema.Len()))}
	fields := make([]colstore.Field, r.Schema.Len())
	for i, f := range r.Schema.All() {
		t, err := columnar.TypeOf(f.Type)
		if err == nil && !utf8.ValidString(f.Name) {
			err = fmt.Errorf("%w: the name is not UTF-8; rename the column", colstore.ErrValue)
		}
		if err != nil {
			return fail(f.Name, err)
		}
		fields[i] = colstore.Field{Name: f.Name, Type: f.Type.Native()}
		w.fields = append(w.fields, meta.Field{Name: f.Name, Type: t})
		w.pairs = append(w.pairs, meta.Pair{Key: columnar.DTypeKey + f.Name, Value: f.Type.Native().String()})
	}
	m, err := parseMethod(r.Options.Text("compression"))
	if err != nil {
		return fail("", fmt.Errorf("%w: option \"compression\": %w", colstore.ErrOption, err))
	}
	if w.schema, err = colstore.NewSchema(fields...); err != nil {
		return fail("", err)
	}
	w.method, w.most = m, colstore.GroupRows(w.schema.RowBytes())
	w.columns = make([][]byte, w.schema.Len())
	w.encoders, w.spare = make(chan *encoder, w.threads), make(chan []byte, w.threads+1)
	for range w.threads {
		e, err := newEncoder(m)
		if err != nil {
			return fail("", err)
		}
		w.encoders <- e
	}
	for range cap(w.spare) {
		w.spare <- nil
	}
	if w.staged, err = r.Stage(ctx); err != nil {
		return nil, err
	}
	w.out = output{to: w.staged, buf: make([]byte, 0, outBytes)}
	_, err = w.out.Write([]byte(fileStart))
	if err == nil {
		_, err = w.out.Write(meta.SchemaMessage(w.fields, w.pairs))
	}
	if err != nil {
		return nil, errors.Join(w.failed("", err), w.Abort())
	}
	return w, nil
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
		threads := w.threads
		if n*w.schema.RowBytes() < loadBytes {
			threads = 1
		}
		err := parallel.Each(len(w.columns), threads, func(i int) error {
			w.load(i, b.At(i).Slice(done, done+n, 1))
			return nil
		})
		if err != nil {
			w.err = w.failed("", err)
			return w.err
		}
		w.rows += n
		done += n
		if w.rows == w.most {
			if w.err = w.batch(); w.err != nil {
				return w.err
			}
		}
	}
	return nil
}

func (w *writer) fits(s *colstore.Schema) error {
	if s.Len() != w.schema.Len() {
		return w.failed("", fmt.Errorf("%w: %d columns, the file has %d", colstore.ErrMismatch, s.Len(), w.schema.Len()))
	}
	for i, f := range s.All() {
		if want := w.schema.Field(i); f.Name != want.Name || f.Type.Native() != want.Type {
			return w.failed(f.Name, fmt.Errorf("%w: column %d is %q %s, the file has %q %s", colstore.ErrMismatch, i, f.Name, f.Type, want.Name, want.Type))
		}
	}
	return nil
}

// load appends values to a column of the record batch.
func (w *writer) load(i int, c colstore.Column) {
	size := c.Type().Size()
	col := w.columns[i]
	if need := (w.rows + c.Rows()) * size; need > cap(col) {
		// A short table takes little; one that fills an eighth of the record batch is taken to fill it.
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

// batch writes the record batch: room for its metadata, the body, and then the metadata, which tell where the buffers of
// the body are.
func (w *writer) batch() error {
	b := meta.Batch{Rows: int64(w.rows), Codec: w.method.codec}
	for i := range w.fields {
		b.Nodes = append(b.Nodes, meta.Node{})
		b.Buffers = append(b.Buffers, make([]meta.Buffer, w.buffers(i))...)
	}
	at := w.out.end()
	head := len(meta.BatchMessage(&b, 0, at, align))
	if _, err := w.out.Write(make([]byte, head)); err != nil {
		return w.failed("", err)
	}
	begin := w.out.end()
	b.Nodes, b.Buffers = b.Nodes[:0], b.Buffers[:0]
	if err := w.encodeAll(&b, begin); err != nil {
		return err
	}
	body := w.out.end() - begin
	if err := w.out.patch(meta.BatchMessage(&b, body, at, align), at); err != nil {
		return w.failed("", err)
	}
	w.batches = append(w.batches, meta.Block{Offset: at, Meta: int64(head), Body: body})
	w.total += int64(w.rows)
	w.rows = 0
	for i := range w.columns {
		w.columns[i] = w.columns[i][:0]
	}
	return nil
}

// buffers returns the number of buffers of a column.
func (w *writer) buffers(i int) int {
	if w.fields[i].Type.OffsetBytes() > 0 {
		return 3
	}
	return 2
}

// encodeAll writes the columns of a record batch whose body begins at an offset, and adds where they are to b.
func (w *writer) encodeAll(b *meta.Batch, begin int64) error {
	l := line{ahead: w.threads + 1}
	err := l.run(len(w.fields), w.threads, func(i int) (func() error, error) {
		direct := func() error {
			at := w.out.end()
			var p part
			err := w.encode(i, &p, &w.out)
			w.add(b, &p, at-begin)
			return err
		}
		if !w.isAside(i) {
			return direct, nil
		}
		p := part{}
		data := memory{b: (<-w.spare)[:0], most: aside}
		if size := w.partBytes(i); cap(data.b) < size {
			data.b = make([]byte, 0, size)
		}
		switch err := w.encode(i, &p, &data); {
		case errors.Is(err, errLarge):
			w.spare <- data.b
			return direct, nil
		case err != nil:
			return nil, err
		}
		return func() error {
			at := w.out.end()
			_, err := w.out.Write(data.b)
			w.add(b, &p, at-begin)
			w.spare <- data.b
			return err
		}, nil
	})
	if err != nil {
		return w.failed("", err)
	}
	return nil
}

// add adds a part that was written at an offset of the body.
func (w *writer) add(b *meta.Batch, p *part, at int64) {
	b.Nodes = append(b.Nodes, p.node)
	for _, n := range p.buffers {
		b.Buffers = append(b.Buffers, meta.Buffer{Offset: at, Bytes: n})
		at += aligned(n)
	}
}

// isAside reports whether a column is encoded in memory. It is not if it is large, or if encoding it is writing it. How
// large text is turns out then.
func (w *writer) isAside(i int) bool {
	t := w.schema.Field(i).Type
	if t.Kind() == colstore.KindText {
		return true
	}
	return w.most*t.Size() <= aside && (w.method.codec != meta.Stored || !columnar.IsShared(t))
}

// partBytes returns the most that a column takes which is encoded in memory.
func (w *writer) partBytes(i int) int {
	size := w.rows * w.schema.Field(i).Type.Size()
	return min(size+size/8+1<<10, aside)
}

// encode encodes a column of the record batch.
func (w *writer) encode(i int, p *part, to io.Writer) error {
	f := w.schema.Field(i)
	c, err := colstore.NewColumn(f.Type, w.rows, w.columns[i])
	if err != nil {
		return w.failed(f.Name, err)
	}
	e := <-w.encoders
	defer func() { w.encoders <- e }()
	err = e.column(p, c, to)
	if b, ok := errors.AsType[*columnar.BadValue](err); ok {
		return &colstore.Error{Op: "write", Path: w.path, Column: f.Name, Row: colstore.At(w.total + int64(b.At)), Err: b.Err}
	}
	if err != nil {
		return w.failed(f.Name, err)
	}
	return nil
}

// Prepare writes the last record batch and the footer, and syncs.
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

// finish writes the end: the mark that ends a stream, then the footer.
func (w *writer) finish() error {
	if w.rows > 0 {
		if err := w.batch(); err != nil {
			return err
		}
	}
	footer := meta.FooterBytes(w.fields, w.pairs, w.batches)
	if int(int32(len(footer))) != len(footer) {
		return fmt.Errorf("%w: a footer of %s for %d record batches", colstore.ErrValue, colstore.ByteSize(len(footer)), len(w.batches))
	}
	end := append(meta.EndOfStream(), footer...)
	end = binary.LittleEndian.AppendUint32(end, uint32(len(footer)))
	if _, err := w.out.Write(append(end, fileMagic...)); err != nil {
		return err
	}
	if err := w.out.flush(); err != nil {
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

// Cost returns the bytes of a record batch, of the columns that are encoded and not written yet, and of the encoders.
func (w *writer) Cost([]string) colstore.Cost {
	var largest, texts int64
	for i, f := range w.schema.All() {
		size := int64(w.most * f.Type.Size())
		if w.isAside(i) {
			largest = max(largest, min(size+size/8+1<<10, aside))
		}
		if f.Type.Kind() == colstore.KindText {
			texts = max(texts, min(size, aside)+pieceBytes+4*int64(w.most))
		}
	}
	threads := int64(w.threads)
	return colstore.Cost{Fixed: int64(w.most*w.schema.RowBytes()) + (threads+1)*largest + threads*(texts+pieceBytes+w.method.holds()) + outBytes}
}
