package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/source/format"
)

// maxColumns bounds what a header can have allocated.
const maxColumns = 1 << 20

// A file is an open file whose header has been read.
type file struct {
	f        *fsx.Input
	path     string
	d        *dialect
	names    []string
	body     position // of the first row of data, or of blank lines before it
	size     int64
	modified time.Time
	nulls    format.Nulls
	most     int // bytes of the longest row
	sizes    sizes
	threads  int                    // goroutines of the first pass
	known    atomic.Pointer[survey] // nil if the file has not been read as a whole
}

func open(ctx context.Context, r *format.OpenRequest) (format.File, error) {
	f, err := openWith(ctx, r, defaultSizes)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func openWith(ctx context.Context, r *format.OpenRequest, s sizes) (_ *file, err error) {
	fail := func(err error) (*file, error) {
		if e, ok := errors.AsType[*colstore.Error](err); ok && e.Path != "" {
			return nil, err
		}
		return nil, &colstore.Error{Op: "open", Path: r.Path, Err: fsx.Bare(err)}
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	d, err := newDialect(r.Options)
	if err != nil {
		return fail(err)
	}
	f, err := fsx.OpenInput(r.Path)
	if err != nil {
		return fail(err)
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	st, err := f.Stat()
	if err != nil {
		return fail(err)
	}
	if !st.Mode().IsRegular() {
		return fail(fmt.Errorf("%w: not a regular file; save it first, since its cells are read twice", colstore.ErrFormat))
	}
	most := r.Limits.Page
	if most <= 0 {
		most = format.DefaultLimits.Page
	}
	// The places of cells are 32-bit numbers.
	t := &file{
		f: f, path: r.Path, d: d, size: st.Size(), modified: st.ModTime(), nulls: r.Nulls, sizes: s.within(st.Size()), threads: max(1, r.Threads),
		most: int(min(most, math.MaxInt32/2)),
	}
	if err := t.readHeader(); err != nil {
		return fail(err)
	}
	return t, nil
}

// readHeader finds the names of the columns and where the data begins.
func (t *file) readHeader() error {
	in := t.input(t.sizes.text)
	in.reset(position{row: -1, line: 1})
	if err := in.more(nil); err != nil {
		return err
	}
	if text := in.buf[in.begin:in.end]; bytes.HasPrefix(text, []byte("\ufeff")) {
		in.skip(len("\ufeff"))
	}
	for i := range t.d.skip {
		if ok, err := in.skipLine(); err != nil {
			return err
		} else if !ok {
			return fmt.Errorf("%w: there are only %d lines, %d are to be skipped", colstore.ErrFormat, i, t.d.skip)
		}
	}
	cells, next, err := in.header()
	if err != nil {
		return err
	}
	if !t.d.header {
		t.body = in.at
		t.body.row = 0
		for i := range cells {
			t.names = append(t.names, strconv.Itoa(i))
		}
		return nil
	}
	t.body = in.at.past(in.buf[in.begin:in.begin+next], 1)
	t.names = cells
	seen := map[string]int{}
	for i, name := range cells {
		if first, dup := seen[name]; dup {
			return &colstore.Error{Op: "open", Path: t.path, Column: name, Err: fmt.Errorf(
				"%w: columns %d and %d of the header have this name; give them different ones, or read without a header", colstore.ErrDuplicate, first+1, i+1)}
		}
		seen[name] = i
	}
	return nil
}

// header returns the cells of the next row, and how many bytes it has from in.begin on.
func (in *input) header() (names []string, size int, err error) {
	ends := make([]uint32, 64)
	for {
		text := in.buf[in.begin:in.end]
		in.skip(skipBlank(text, 0))
		text = in.buf[in.begin:in.end]
		n, next, wrong := scanRow(in.d, text, 0, ends)
		switch {
		case wrong != nil && (!wrong.opened || in.eof):
			return nil, 0, in.failed(wrong)
		case wrong == nil && next >= 0 && n > maxColumns:
			return nil, 0, in.failed(&syntaxError{what: fmt.Sprintf("the row has %d cells, more than the %d columns a table may have; is the delimiter right?", n, maxColumns)})
		case wrong == nil && next >= 0 && n > len(ends):
			ends = make([]uint32, n)
			continue
		case wrong == nil && next >= 0:
			if !utf8.Valid(text[:next]) {
				return nil, 0, in.failed(&syntaxError{at: invalidAt(text[:next]), what: notUTF8})
			}
			return headerCells(in.d, text, ends[:n]), next, nil
		case in.eof:
			return nil, 0, fmt.Errorf("%w: the file is empty: there is no header and no row", colstore.ErrFormat)
		}
		if err := in.more(wrong); err != nil {
			return nil, 0, err
		}
	}
}

// headerCells returns the cells of one row that begins the text, without touching it.
func headerCells(d *dialect, text []byte, ends []uint32) []string {
	names := make([]string, len(ends))
	begin := 0
	for i, end := range ends {
		cell := slices.Clone(text[begin:end])
		if d.quoting && len(cell) > 0 && cell[0] == d.quote {
			cell = cell[1 : len(cell)-1]
			cell = cell[:undouble(cell, d.quote)]
		}
		names[i] = string(cell)
		begin = int(end) + 1
	}
	return names
}

// skipLine leaves a line behind, whatever is in it and however long it is, and reports whether there was one.
func (in *input) skipLine() (bool, error) {
	for {
		text := in.buf[in.begin:in.end]
		i := bytes.IndexAny(text, "\r\n")
		switch {
		case i >= 0 && text[i] == '\n':
			in.skip(i + 1)
			return true, nil
		case i >= 0 && i+1 < len(text):
			if text[i+1] == '\n' {
				i++
			}
			in.skip(i + 1)
			return true, nil
		case in.eof:
			return false, nil
		case i < 0:
			i = len(text)
		}
		// The break itself stays: it is to be counted once.
		in.skip(i)
		if err := in.more(nil); err != nil {
			return false, err
		}
	}
}

// input returns an input of the whole file, with a buffer of text bytes.
func (t *file) input(text int) *input {
	return newInput(t.f, t.path, t.d, t.size, text, t.most)
}

// unchanged returns an error if the file is no longer as it was when it was opened, by size and time.
func (t *file) unchanged() error {
	st, err := t.f.Stat()
	switch {
	case errors.Is(err, fs.ErrClosed):
		return colstore.ErrClosed
	case err != nil:
		return fsx.Bare(err)
	case st.Size() < t.size:
		return fmt.Errorf("%w: it was cut from %d bytes to %d while it was read", colstore.ErrTruncated, t.size, st.Size())
	case st.Size() != t.size || !st.ModTime().Equal(t.modified):
		return fmt.Errorf("%w: it changed while it was read; read it again when it is complete, or a copy of it", colstore.ErrFormat)
	}
	return nil
}

// Names returns the names of the header.
func (t *file) Names() []string { return slices.Clone(t.names) }

// Untyped tells that any dtype may be declared for any column.
func (t *file) Untyped() bool { return true }

// Close ends reading.
func (t *file) Close() error {
	if err := t.f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return &colstore.Error{Op: "close", Path: t.path, Err: fsx.Bare(err)}
	}
	return nil
}
