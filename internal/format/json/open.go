package json

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/source/format"
)

// A file is an open file that has been read once.
type file struct {
	survey
	f        *fsx.Input
	path     string
	size     int64
	modified time.Time
	nulls    format.Nulls
	jagged   format.Jagged
	nested   []format.Field // the columns as the policy for lists and objects sees them
	leaves   []*leaf        // of those
	columns  *format.Unfolded
	most     int // bytes of the longest row
	sizes    sizes
}

// sizes are those of what a scan holds at once. They are fixed, but tests that want borders everywhere make them small.
type sizes struct {
	text  int // bytes of the window on the text; a longer row makes it grow
	cells int // of a block
}

var defaultSizes = sizes{text: 256 << 10, cells: 32 << 10}

func open(ctx context.Context, r *format.OpenRequest) (format.File, error) {
	return openWith(ctx, r, r.Options.Text("orient"), defaultSizes)
}

func openLines(ctx context.Context, r *format.OpenRequest) (format.File, error) {
	return openWith(ctx, r, orientLines, defaultSizes)
}

func openWith(ctx context.Context, r *format.OpenRequest, orient string, s sizes) (_ format.File, err error) {
	t := &file{path: r.Path, nulls: r.Nulls, jagged: r.Jagged, sizes: s}
	defer func() {
		if err != nil {
			if t.f != nil {
				_ = t.f.Close()
			}
			if cause := context.Cause(ctx); cause == nil || !errors.Is(err, cause) {
				err = t.failed("open", err)
			}
		}
	}()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if t.f, err = fsx.OpenInput(r.Path); err != nil {
		return nil, err
	}
	st, err := t.f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: not a regular file; save it first, since it is read twice", colstore.ErrFormat)
	}
	t.size, t.modified = st.Size(), st.ModTime()
	most := r.Limits.Page
	if most <= 0 {
		most = format.DefaultLimits.Page
	}
	t.most = int(min(most, math.MaxInt32/2)) // places are 32-bit numbers
	d := &document{orient: orient, cancelled: func() error { return context.Cause(ctx) }}
	d.in = t.input(s.text)
	d.names = newNames()
	switch t.jagged.Mode {
	case format.JaggedExplode:
		d.nester = &nester{scanner: &d.scanner, in: d.in, kept: math.MaxInt64}
	case format.JaggedPad:
		d.nester = &nester{scanner: &d.scanner, in: d.in, kept: int64(t.jagged.Width)}
	}
	if err := d.read(); err != nil {
		return nil, err
	}
	t.survey = d.s
	t.nested = t.fields()
	return t, errors.Join(t.Unfold(nil), t.unchanged())
}

// input returns an input of the whole file with a window of text bytes.
func (t *file) input(text int) *input { return newInput(t.f, t.path, t.size, text, t.most) }

// unchanged returns an error if the file is no longer as it was when it was opened, by size and time.
func (t *file) unchanged() error {
	st, err := t.f.Stat()
	switch {
	case errors.Is(err, fs.ErrClosed):
		return colstore.ErrClosed
	case err != nil:
		return err
	case st.Size() < t.size:
		return fmt.Errorf("%w: it was cut from %d bytes to %d while it was read", colstore.ErrTruncated, t.size, st.Size())
	case st.Size() != t.size || !st.ModTime().Equal(t.modified):
		return errChanged
	}
	return nil
}

var errChanged = fmt.Errorf("%w: the file changed after it was read for the first time; read it again when it is complete, or a copy of it", colstore.ErrFormat)

// failed adds the file to an error that does not name it.
func (t *file) failed(op string, err error) error {
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok {
		return &colstore.Error{Op: op, Path: t.path, Err: fsx.Bare(err)}
	}
	if e.Path == "" {
		e.Op, e.Path = op, t.path
	}
	return err
}

// Names returns the columns in the order in which they first appear, lists and objects as the policy for them says.
func (t *file) Names() []string { return t.columns.Names() }

// Untyped tells that a dtype may be declared for any column: text may hold dates, and a whole number more digits than
// 64 bits.
func (t *file) Untyped() bool { return true }

// Close ends reading.
func (t *file) Close() error {
	if err := t.f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return t.failed("close", err)
	}
	return nil
}
