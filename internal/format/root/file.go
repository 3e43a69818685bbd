package root

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/codec"
	"github.com/colstore/colstore-go/internal/format/root/meta"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/source/format"
)

// A file is a tree in an open file.
type file struct {
	path    string
	f       *os.File
	size    int64
	tree    string // its name, with directories
	rows    int64
	columns []column
	byName  map[string][]int // of columns
	jagged  format.Jagged
	longest map[string]int64    // values of the longest row of a list, in any of the files that are read together
	parts   map[string][]string // columns that a list or array becomes, once that is decided
	limits  format.Limits
	closed  atomic.Bool
}

func open(ctx context.Context, r *format.OpenRequest) (_ format.File, err error) {
	f := &file{path: r.Path, jagged: r.Jagged, limits: r.Limits}
	if f.jagged.Mode == format.JaggedDefault {
		f.jagged.Mode = format.JaggedSkip
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			err = f.failed("open", "", err)
		}
	}()
	if f.f, err = os.Open(r.Path); err != nil {
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
	err = guard(func() error {
		objects, err := f.objects(ctx)
		if err != nil {
			return err
		}
		o, err := choose(objects, r.Options.Text("tree"))
		if err != nil {
			return err
		}
		return f.readTree(o)
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Close closes the file.
func (f *file) Close() error {
	if f.f == nil || f.closed.Swap(true) {
		return nil
	}
	return f.f.Close()
}

func (f *file) failed(op, column string, err error) error {
	row := colstore.Pos(0)
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		if e.Path != "" {
			return err
		}
		if column == "" {
			column = e.Column
		}
		row, err = e.Row, e.Err
	}
	if op != "open" || f.tree != "" {
		err = fmt.Errorf("tree %q: %w", f.tree, err)
	}
	return &colstore.Error{Op: op, Path: f.path, Column: column, Row: row, Err: fsx.Bare(err)}
}

// guard turns a panic, which only a bug below can cause, into an error: bytes of a file must not end the program.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: decoding failed: %v", colstore.ErrFormat, r)
		}
	}()
	return f()
}

// bytes reads a part of the file.
func (f *file) bytes(at, n int64) ([]byte, error) {
	if err := f.has(at, n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	return b, f.readAt(b, at)
}

// has checks that the file has n bytes at an offset.
func (f *file) has(at, n int64) error {
	if at < 0 || n < 0 || at > f.size-n {
		return fmt.Errorf("%w: %d bytes at offset %d are needed, the file has %d", colstore.ErrTruncated, n, at, f.size)
	}
	return nil
}

func (f *file) readAt(p []byte, at int64) error {
	_, err := f.f.ReadAt(p, at)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the file got shorter while it was read", colstore.ErrTruncated)
	}
	return err
}

// maxObject is the largest description of a tree.
const maxObject = 1 << 30

// maxExpand is how much smaller than what it decompresses to an object can be: by zlib, no more.
const maxExpand = 1032

// object reads a key's object.
func (f *file) object(k *meta.Key) ([]byte, error) {
	packed, err := f.bytes(k.Seek+int64(k.KeyBytes), k.Packed())
	if err != nil || k.IsStored() {
		return packed, err
	}
	if k.ObjectBytes > maxObject || k.ObjectBytes/maxExpand > k.Packed() {
		return nil, fmt.Errorf("%w: %d bytes cannot become the %d that their key declares", colstore.ErrFormat, k.Packed(), k.ObjectBytes)
	}
	out := make([]byte, k.ObjectBytes)
	var d codec.Decoder
	for at := 0; at < len(out); {
		h, err := codec.ParseHeader(packed)
		if err != nil {
			return nil, err
		}
		packed = packed[codec.HeaderSize:]
		if h.Packed > len(packed) || h.Size > len(out)-at {
			return nil, fmt.Errorf("%w: a block of %d bytes for %d, where %d and %d are left", colstore.ErrFormat, h.Packed, h.Size, len(packed), len(out)-at)
		}
		if err := d.Decode(h, out[at:at+h.Size], packed[:h.Packed]); err != nil {
			return nil, err
		}
		at, packed = at+h.Size, packed[h.Packed:]
	}
	if len(packed) > 0 {
		return nil, fmt.Errorf("%w: %d bytes behind the blocks of an object", colstore.ErrFormat, len(packed))
	}
	return out, nil
}

// readTree reads the description of the tree in an object.
func (f *file) readTree(o object) error {
	f.tree = o.path
	data, err := f.object(&o.key)
	if err != nil {
		return err
	}
	t, err := meta.ParseTree(data, o.key.Class, o.key.KeyBytes)
	if err != nil {
		return err
	}
	f.rows = t.Entries
	f.columns = columnsOf(t)
	f.byName = make(map[string][]int, len(f.columns))
	for i, c := range f.columns {
		f.byName[c.name] = append(f.byName[c.name], i)
	}
	return nil
}

// Names returns the columns, also those that are no single value a row, or the columns that these become once that is
// decided.
func (f *file) Names() []string {
	out := make([]string, 0, len(f.columns))
	for i := range f.columns {
		n := f.columns[i].name
		if parts := f.parts[n]; parts != nil {
			out = append(out, parts...)
		} else {
			out = append(out, n)
		}
	}
	return out
}
