package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/source/format"
)

// A file is an open Parquet file whose footer has been read and holds together.
type file struct {
	path    string
	f       *fsx.Input
	footer  *meta.File
	groups  []group
	fields  []field
	end     int64          // offset of the footer
	nested  []format.Field // the fields as the policy for lists, arrays and structures sees them
	leaves  []leaf         // of those
	columns *format.Unfolded
	jagged  format.Jagged
	nulls   format.Nulls
	limits  format.Limits
	closed  atomic.Bool
}

// A group is a row group with its place among the rows. Its metadata hold the statistics of its columns.
type group struct {
	*meta.Group
	index int // among all row groups of the file, those without rows included
	first int64
}

// end returns the row after the last one.
func (g group) end() int64 { return g.first + g.Rows }

// groupOf returns the number of the row group that holds a row.
func (f *file) groupOf(row int64) int {
	return sort.Search(len(f.groups), func(i int) bool { return f.groups[i].end() > row })
}

// A field is a node of the schema with the fields below it.
type field struct {
	element  *meta.Element
	leaf     int // the first leaf in it
	children []field
	key      string        // the dtype code in the file's metadata
	duration colstore.Unit // by Arrow's schema
}

// open reads the footer.
func open(ctx context.Context, r *format.OpenRequest) (_ format.File, err error) {
	fail := func(err error) (format.File, error) {
		return nil, &colstore.Error{Op: "open", Path: r.Path, Err: fsx.Bare(err)}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	handle, err := fsx.OpenInput(r.Path)
	if err != nil {
		return fail(err)
	}
	f := &file{path: r.Path, f: handle, nulls: r.Nulls, jagged: r.Jagged, limits: r.Limits}
	if f.limits == (format.Limits{}) {
		f.limits = format.DefaultLimits
	}
	if err := guard(f.readFooter); err != nil {
		_ = handle.Close()
		return fail(err)
	}
	return f, nil
}

// guard turns a panic, which only a bug below can cause, into an error: bytes of a file must not end the program.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(error); ok {
				err = fmt.Errorf("%w: decoding failed: %w", colstore.ErrFormat, e)
			} else {
				err = fmt.Errorf("%w: decoding failed: %v", colstore.ErrFormat, r)
			}
		}
	}()
	return f()
}

const (
	// tailSize is the end of the file: the length of the footer and the magic.
	tailSize = 8
	// maxFooter bounds the footer, which is held in memory. It takes some hundred bytes a column and row group.
	maxFooter = 256 << 20
)

func (f *file) readFooter() error {
	st, err := f.f.Stat()
	if err != nil {
		return err
	}
	size := st.Size()
	switch {
	case !st.Mode().IsRegular():
		return fmt.Errorf("%w: not a regular file", colstore.ErrFormat)
	case size == 0:
		return fmt.Errorf("%w: the file is empty", colstore.ErrTruncated)
	case size < int64(len(magic)+tailSize):
		return fmt.Errorf("%w: %d bytes are no Parquet file", colstore.ErrFormat, size)
	}
	var tail [tailSize]byte
	if err := readFull(f.f, tail[:], size-tailSize); err != nil {
		return err
	}
	switch string(tail[4:]) {
	case magic:
	case "PARE":
		return fmt.Errorf("%w: the file is encrypted, which is not supported", colstore.ErrType)
	default:
		return fmt.Errorf("%w: no Parquet footer at the end; the file is cut or of another format", colstore.ErrFormat)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	end := size - tailSize - length
	switch {
	case end < int64(len(magic)):
		return fmt.Errorf("%w: a footer of %d bytes in a file of %d", colstore.ErrFormat, length, size)
	case length > maxFooter:
		return fmt.Errorf("%w: a footer of %s, the limit is %s; write larger row groups", colstore.ErrFormat,
			colstore.ByteSize(length), colstore.ByteSize(maxFooter))
	}
	raw := make([]byte, length)
	if err := readFull(f.f, raw, end); err != nil {
		return err
	}
	if f.footer, err = meta.ParseFile(raw); err != nil {
		return err
	}
	if f.footer.Encrypted {
		return fmt.Errorf("%w: the file is encrypted, which is not supported", colstore.ErrType)
	}
	if err := f.footer.Check(end); err != nil {
		return err
	}
	f.end = end
	first := int64(0)
	for i := range f.footer.Groups {
		g := &f.footer.Groups[i]
		if g.Rows > 0 {
			f.groups = append(f.groups, group{g, i, first})
		}
		first += g.Rows
	}
	f.readSchema()
	if len(f.fields) == 0 {
		return fmt.Errorf("%w: the file has no columns", colstore.ErrValue)
	}
	f.readNested()
	return f.Unfold(nil)
}

// readFull reads len(p) bytes from offset off.
func readFull(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case err == io.EOF || err == nil:
		return fmt.Errorf("%w: no byte at offset %d any more", colstore.ErrTruncated, off+int64(n))
	default:
		return err
	}
}

// readSchema builds the tree of fields; the footer has been checked.
func (f *file) readSchema() {
	leaf, next := 0, 1
	var build func(n int32) []field
	build = func(n int32) []field {
		var out []field
		for range n {
			e := &f.footer.Schema[next]
			next++
			x := field{element: e, leaf: leaf}
			if e.Type == meta.NoType {
				x.children = build(e.Children)
			} else {
				leaf++
			}
			out = append(out, x)
		}
		return out
	}
	f.fields = build(f.footer.Schema[0].Children)
	codes, arrow := map[string]string{}, ""
	for _, kv := range f.footer.KeyValues {
		if name, ok := strings.CutPrefix(kv.Key, dtypeKey); ok {
			codes[name] = kv.Value
		} else if kv.Key == arrowKey {
			arrow = kv.Value
		}
	}
	durations := map[int]colstore.Unit{}
	if arrow != "" {
		durations = arrowDurations(arrow, f.fieldNames())
	}
	for i := range f.fields {
		f.fields[i].key = codes[f.fields[i].element.Name]
		f.fields[i].duration = durations[i]
	}
}

// fieldNames returns the names of the top-level fields.
func (f *file) fieldNames() []string {
	out := make([]string, len(f.fields))
	for i := range f.fields {
		out[i] = f.fields[i].element.Name
	}
	return out
}

// Names returns the columns in stored order, nested ones as the policy for them says.
func (f *file) Names() []string { return f.columns.Names() }

// Close closes the file.
func (f *file) Close() error {
	if f.closed.Swap(true) {
		return nil
	}
	if err := f.f.Close(); err != nil {
		return &colstore.Error{Op: "close", Path: f.path, Err: fsx.Bare(err)}
	}
	return nil
}

// failed puts the file, a column and a row into an error that lacks them.
func (f *file) failed(op, column string, err error) error {
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		if e.Path == "" {
			e.Op, e.Path = op, f.path
		}
		if e.Column == "" {
			e.Column = column
		}
		return err
	}
	return &colstore.Error{Op: op, Path: f.path, Column: column, Err: fsx.Bare(err)}
}

// resolve returns the columns of that names, or all for nil.
//
// Errors: colstore.ErrNoColumn, colstore.ErrDuplicate, colstore.ErrType for nested columns, naming the column.
func (f *file) resolve(names []string) ([]*column, error) {
	if names == nil {
		names = f.Names()
	}
	out := make([]*column, len(names))
	for i, name := range names {
		c, err := f.find(name)
		if err != nil {
			return nil, f.failed("read", name, err)
		}
		out[i] = c
	}
	return out, nil
}

// find returns the column of a name: what a top-level field or a part of it becomes; or, where structures do not become
// columns, the leaf of one by its dotted path, which is named by its last part.
func (f *file) find(name string) (*column, error) {
	c, err := f.columns.Find(name)
	if err == nil {
		return f.column(c)
	}
	if !errors.Is(err, colstore.ErrNoColumn) {
		return nil, err
	}
	for i := range f.fields {
		x := &f.fields[i]
		if rest, ok := strings.CutPrefix(name, x.element.Name+"."); ok && x.children != nil {
			if c, err := x.leafOf(rest, 0); c != nil || err != nil {
				return c, err
			}
		}
	}
	return nil, err
}

// depth returns the definition level of a field below one of level def.
func (x *field) depth(def int) int {
	if x.element.Repetition == meta.Optional {
		return def + 1
	}
	return def
}

// leafOf returns the column below x at a dotted path; nil if there is none.
func (x *field) leafOf(path string, def int) (*column, error) {
	if x.element.Repetition == meta.Repeated {
		return nil, nil
	}
	def = x.depth(def)
	for i := range x.children {
		c := &x.children[i]
		if c.element.Name == path {
			return c.column(def)
		}
		if rest, ok := strings.CutPrefix(path, c.element.Name+"."); ok && c.children != nil {
			if found, err := c.leafOf(rest, def); found != nil || err != nil {
				return found, err
			}
		}
	}
	return nil, nil
}

// column returns a leaf as a column, below fields of definition level def.
func (x *field) column(def int) (*column, error) {
	if what := x.nested(); what != "" {
		return nil, format.NotNested(what, format.FieldOther, format.Jagged{})
	}
	c := &column{name: x.element.Name, leaf: x.leaf, maxDef: x.depth(def), at: format.UnfoldedWhole}
	c.setType(x.element)
	return c, nil
}

// nested returns what kind of nested type a field is, empty if it is none.
func (x *field) nested() string {
	switch e := x.element; {
	case e.Type != meta.NoType && e.Repetition == meta.Repeated:
		return "list"
	case e.Type != meta.NoType:
		return ""
	case e.Repetition == meta.Repeated || e.Logical.Kind == meta.KindList || e.Converted == meta.ConvertedList:
		return "list"
	case e.Logical.Kind == meta.KindMap || e.Converted == meta.ConvertedMap:
		return "map"
	case len(x.children) == 0:
		return "empty struct"
	default:
		return "struct"
	}
}
