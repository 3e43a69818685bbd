package feather

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/mmap"
	"github.com/colstore/colstore-go/source/format"
)

// file is an open file or stream.
type file struct {
	path    string
	f       *fsx.Input
	m       *mmap.Mapping // of the bodies; metadata are read by calls, which no cut of the file makes fault
	size    int64
	schema  *meta.Schema
	places  []place // of the schema's fields
	leaves  []*leaf // of the schema's fields, and of their parts
	nested  []format.Field
	columns *format.Unfolded
	batches []batch // none is empty
	rows    int64
	nulls   format.Nulls
	jagged  format.Jagged
	limits  format.Limits
	closed  atomic.Bool
}

// A place is where a field's first node and buffer are in every record batch, and how many views are before it.
type place struct{ node, buffer, view int }

// A body is what the metadata of a message tell about, and where it begins.
type body struct {
	meta.Batch
	at    int64
	bytes int64
}

// A batch is a record batch.
type batch struct {
	body
	first int64 // row 0 in the file
	// dictionaries are those that the rows refer to, each in its parts.
	dictionaries map[int64][]*body
}

// buffer returns the number of a field's first buffer.
func (b *batch) buffer(p place) int {
	n := p.buffer
	for _, v := range b.Variadic[:p.view] {
		n += int(v)
	}
	return n
}

// end returns the row behind the last one.
func (b *batch) end() int64 { return b.first + b.Rows }

func (f *file) failed(op, column string, err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
		return err
	}
	return &colstore.Error{Op: op, Path: f.path, Column: column, Err: fsx.Bare(err)}
}

func open(ctx context.Context, r *format.OpenRequest) (_ format.File, err error) {
	f := &file{path: r.Path, nulls: r.Nulls, jagged: r.Jagged, limits: r.Limits}
	defer func() {
		if err != nil {
			_ = f.Close()
			err = f.failed("open", "", err)
		}
	}()
	if f.f, err = fsx.OpenInput(r.Path); err != nil {
		return nil, err
	}
	st, err := f.f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file", colstore.ErrFormat)
	}
	f.size = st.Size()
	head, err := f.bytes(0, min(8, f.size))
	if err != nil {
		return nil, err
	}
	read := f.readStream
	switch {
	case strings.HasPrefix(string(head), oldMagic):
		return nil, fmt.Errorf("%w: a file of Feather's first version, which is not supported; write it again with pyarrow.feather.write_feather or as Parquet", colstore.ErrFormat)
	case strings.HasPrefix(string(head), fileMagic):
		read = f.readFile
	}
	if err := guard(func() error { return read(ctx) }); err != nil {
		return nil, err
	}
	err = f.f.Use(func(opened *os.File) (err error) {
		f.m, err = mmap.File(opened, r.Path)
		return err
	})
	if err != nil {
		return nil, err
	}
	if int64(len(f.m.Data())) < f.size {
		return nil, fmt.Errorf("%w: the file got shorter while it was opened", colstore.ErrTruncated)
	}
	f.readLeaves()
	return f, f.Unfold(nil)
}

// guard runs f under a fault guard and turns a panic, which only a bug below can cause, into an error: bytes of a file must
// not end the program.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: decoding failed: %v", colstore.ErrFormat, r)
		}
	}()
	return fault.Guard(f)
}

// bytes reads a part of the file.
func (f *file) bytes(at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > f.size-n {
		return nil, fmt.Errorf("%w: the metadata point to %d bytes at offset %d, the file has %d", colstore.ErrTruncated, n, at, f.size)
	}
	b := make([]byte, n)
	return b, f.readAt(b, at)
}

func (f *file) readAt(p []byte, at int64) error {
	_, err := f.f.ReadAt(p, at)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the file got shorter while it was read", colstore.ErrTruncated)
	}
	return err
}

// readFile reads the metadata of a file by its footer.
func (f *file) readFile(ctx context.Context) error {
	const tail = 4 + len(fileMagic)
	end, err := f.bytes(f.size-int64(tail), int64(tail))
	switch {
	case err != nil && !errors.Is(err, colstore.ErrTruncated): // it could not be read
		return err
	case err != nil || string(end[4:]) != fileMagic:
		return fmt.Errorf("%w: it has no footer; was it written to its end?", colstore.ErrTruncated)
	}
	n := int64(int32(binary.LittleEndian.Uint32(end)))
	data, err := f.bytes(f.size-int64(tail)-n, n)
	switch {
	case err != nil && !errors.Is(err, colstore.ErrTruncated):
		return err
	case err != nil:
		return fmt.Errorf("%w: a footer of %d bytes in a file of %d", colstore.ErrFormat, n, f.size)
	}
	footer, err := meta.ParseFooter(data)
	if err != nil {
		return fmt.Errorf("the footer of %d bytes: %w", n, err)
	}
	if err := f.setSchema(footer.Schema); err != nil {
		return err
	}
	if err := f.apart(slices.Concat(footer.Dictionaries, footer.Batches)); err != nil {
		return err
	}
	dictionaries := map[int64][]*body{}
	for _, b := range footer.Dictionaries {
		m, at, err := f.message(b.Offset)
		if err != nil {
			return err
		}
		if m == nil || m.Dictionary == nil {
			return fmt.Errorf("%w: no dictionary at offset %d, where the footer has one", colstore.ErrFormat, b.Offset)
		}
		addDictionary(dictionaries, m, at)
	}
	for _, b := range footer.Batches {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		m, at, err := f.message(b.Offset)
		if err != nil {
			return err
		}
		if m == nil || m.Batch == nil {
			return fmt.Errorf("%w: no record batch at offset %d, where the footer has one", colstore.ErrFormat, b.Offset)
		}
		if err := f.addBatch(m, at, dictionaries); err != nil {
			return err
		}
	}
	return nil
}

// apart checks that no two blocks share bytes: with such, a small file could be endless.
func (f *file) apart(blocks []meta.Block) error {
	slices.SortFunc(blocks, func(a, b meta.Block) int { return cmp.Compare(a.Offset, b.Offset) })
	end := int64(0)
	for _, b := range blocks {
		if b.Meta < 0 || b.Body < 0 || b.Offset < end || b.Meta > f.size || b.Body > f.size || b.Offset > f.size-b.Meta-b.Body {
			return fmt.Errorf("%w: the footer has a message of %d and %d bytes at offset %d, which is not there", colstore.ErrFormat, b.Meta, b.Body, b.Offset)
		}
		end = b.Offset + b.Meta + b.Body
	}
	return nil
}

// readStream reads the metadata of a stream, message by message.
func (f *file) readStream(ctx context.Context) error {
	dictionaries := map[int64][]*body{}
	for at := int64(0); ; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if at == f.size && f.schema != nil {
			return nil // a stream may end without a mark
		}
		m, begin, err := f.message(at)
		switch {
		case err != nil && f.schema == nil:
			return f.isElse(err)
		case err != nil:
			return err
		case m == nil && f.schema != nil:
			return nil
		case f.schema == nil:
			if m == nil || m.Schema == nil {
				return f.isElse(nil)
			}
			if err := f.setSchema(m.Schema); err != nil {
				return err
			}
		case m.Dictionary != nil:
			old := dictionaries // earlier batches keep theirs
			dictionaries = make(map[int64][]*body, len(old)+1)
			for id, parts := range old {
				dictionaries[id] = slices.Clip(parts)
			}
			addDictionary(dictionaries, m, begin)
		case m.Batch != nil:
			if err := f.addBatch(m, begin, dictionaries); err != nil {
				return err
			}
		}
		at = begin + m.Body
	}
}

// isElse returns the error for a file that is neither of Arrow's, which says what it looks like.
func (f *file) isElse(cause error) error {
	head, err := f.bytes(0, min(64, f.size))
	if err != nil {
		return err
	}
	switch what := format.LooksLike(head); {
	case f.size == 0:
		return fmt.Errorf("%w: neither a file nor a stream of Arrow: it is empty", colstore.ErrFormat)
	case what != "":
		return fmt.Errorf("%w: neither a file nor a stream of Arrow: it looks like %s; give it the extension of what it is, or name its format", colstore.ErrFormat, what)
	case cause != nil:
		return fmt.Errorf("%w: neither a file nor a stream of Arrow: %w", colstore.ErrFormat, cause)
	}
	return fmt.Errorf("%w: neither a file nor a stream of Arrow", colstore.ErrFormat)
}

// message reads the message at an offset, and returns where its body begins; nil is the end of a stream.
func (f *file) message(at int64) (m *meta.Message, begin int64, err error) {
	if at < 0 || at > f.size {
		return nil, 0, fmt.Errorf("%w: a message at offset %d of %d", colstore.ErrFormat, at, f.size)
	}
	head, err := f.bytes(at, min(meta.PrefixBytes, f.size-at))
	if err != nil {
		return nil, 0, err
	}
	prefix, n, err := meta.Prefix(head)
	if err != nil || n == 0 {
		return nil, 0, err
	}
	data, err := f.bytes(at+prefix, n)
	if err != nil {
		return nil, 0, err
	}
	if m, err = meta.ParseMessage(data); err != nil {
		return nil, 0, fmt.Errorf("the message at offset %d: %w", at, err)
	}
	begin = at + prefix + n
	if m.Body < 0 || m.Body > f.size-begin {
		return nil, 0, fmt.Errorf("%w: the message at offset %d has a body of %d bytes, the file ends before", colstore.ErrTruncated, at, m.Body)
	}
	return m, begin, nil
}

func (f *file) setSchema(s *meta.Schema) error {
	if s.BigEndian {
		return fmt.Errorf("%w: the file is big-endian; write it again on a little-endian machine", colstore.ErrType)
	}
	if len(s.Fields) == 0 {
		return fmt.Errorf("%w: the file has no column; a table needs one", colstore.ErrValue)
	}
	f.schema = s
	f.places = make([]place, len(s.Fields)+1)
	for i, field := range s.Fields {
		p := f.places[i]
		f.places[i+1] = place{p.node + field.Nodes, p.buffer + field.Buffers, p.view + field.Views}
	}
	return nil
}

func addDictionary(all map[int64][]*body, m *meta.Message, at int64) {
	d := m.Dictionary
	b := &body{d.Data, at, m.Body}
	if d.Delta {
		all[d.ID] = append(all[d.ID], b)
	} else {
		all[d.ID] = []*body{b}
	}
}

// addBatch adds a record batch, whose numbers it checks against the schema.
func (f *file) addBatch(m *meta.Message, at int64, dictionaries map[int64][]*body) error {
	b := batch{body: body{*m.Batch, at, m.Body}, first: f.rows, dictionaries: dictionaries}
	last := f.places[len(f.schema.Fields)]
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: the record batch at offset %d: %s", colstore.ErrFormat, at, fmt.Sprintf(format, args...))
	}
	if len(b.Nodes) < last.node || len(b.Variadic) < last.view {
		return bad("it describes fewer columns than the schema")
	}
	for i, field := range f.schema.Fields {
		if n := b.Nodes[f.places[i].node]; n.Rows != b.Rows || n.Nulls < 0 || n.Nulls > n.Rows {
			return bad("column %q has %d rows, %d of them null, in a batch of %d", field.Name, n.Rows, n.Nulls, b.Rows)
		}
	}
	variadic := 0
	for _, n := range b.Variadic {
		if n < 0 || n > int64(len(b.Buffers)) {
			return bad("a column of %d buffers", n)
		}
		variadic += int(n)
	}
	if len(b.Buffers) < last.buffer+variadic {
		return bad("it has %d buffers, the schema asks for %d", len(b.Buffers), last.buffer+variadic)
	}
	if b.Rows > maxRows-f.rows || f.tooMany(b.Rows) {
		return bad("%d rows, more than there can be", b.Rows)
	}
	if b.Rows > 0 {
		f.batches = append(f.batches, b)
		f.rows += b.Rows
	}
	return nil
}

// maxRows bounds the rows of a file, so that sums of them and bytes of theirs do not overflow.
const maxRows = 1 << 48

// freeRows is up to how many rows a record batch may have of which there is no byte: those of Arrow's null type.
const freeRows = 1 << 24

// Names returns the columns in stored order.
func (f *file) Names() []string { return f.columns.Names() }

// Close closes the file. Batches that are still held stay valid.
func (f *file) Close() error {
	if f.closed.Swap(true) || f.f == nil {
		return nil
	}
	if f.m != nil {
		f.m.Release()
	}
	return f.f.Close()
}
