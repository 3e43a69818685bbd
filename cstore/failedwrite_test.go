package cstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// wideSchema has rows so wide that a write of a few is more than the buffers hold.
var wideSchema = colstore.MustSchema(
	colstore.Field{Name: "a", Type: colstore.Int16},
	colstore.Field{Name: "s", Type: colstore.BytesOf(40_000)},
	colstore.Field{Name: "b", Type: colstore.Float32},
)

// A write that fails, at whatever call and however much of it was written, is as if it had not been: written again, or
// left out, the file has the bytes that it has without the failure.
func TestAFailedWriteLeavesTheWriterUsable(t *testing.T) {
	for _, s := range []*colstore.Schema{oddSchema, wideSchema} {
		all := randomBatch(t, s, 60, 5)
		for _, update := range []bool{false, true} {
			for _, layout := range []cstore.Layout{cstore.LayoutPerWrite, cstore.LayoutSingle, cstore.LayoutBlocks} {
				for _, reserve := range []bool{false, true} {
					if reserve && layout == cstore.LayoutPerWrite {
						continue
					}
					c := failedWrite{s: s, all: all, update: update, layout: layout, reserve: reserve}
					t.Run(fmt.Sprintf("%d columns, update %v, layout %d, reserved %v", s.Len(), update, layout, reserve), c.run)
				}
			}
		}
	}
}

type failedWrite struct {
	s       *colstore.Schema
	all     *colstore.Batch
	update  bool
	layout  cstore.Layout
	reserve bool
	old     []byte // the file that is updated
}

func (c *failedWrite) run(t *testing.T) {
	t.Parallel()
	if c.update {
		path := filepath.Join(t.TempDir(), "old.cstore")
		if err := cstore.Store(t.Context(), path, c.all.Slice(0, 3), &cstore.WriteOptions{Stats: true}); err != nil {
			t.Fatal(err)
		}
		c.old = readFile(t, path)
	}
	want, _ := c.write(t, fsxtest.New(-1, nil), -1, true)
	for _, again := range []bool{true, false} {
		if !again && c.reserve {
			continue // reserved rows must come
		}
		for _, fault := range []fsxtest.Fault{fsxtest.Refused, fsxtest.Half, fsxtest.Done, fsxtest.Short} {
			for n := 0; ; n++ {
				f := fsxtest.New(-1, syscall.ENOSPC)
				f.Fault = fault
				got, failed := c.write(t, f, n, again)
				if failed < 0 {
					break
				}
				if !again {
					want, _ = c.write(t, fsxtest.New(-1, nil), -(failed + 2), true)
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("call %d failed in write %d, %v, again %v: first difference at %d of %d and %d", n, failed, fault, again,
						firstDifference(got, want), len(got), len(want))
				}
			}
		}
	}
}

// write writes the rows in six writes, with statistics, and returns the file's bytes. Call n of the writes fails, if n is
// not negative; failed is the write it failed in, or -1. With again that is tried again. An n of -2, -3, … leaves out
// write 0, 1, ….
func (c *failedWrite) write(t *testing.T, fsys *fsxtest.Failing, n int, again bool) (raw []byte, failed int) {
	path := filepath.Join(t.TempDir(), "x.cstore")
	o := &cstore.WriteOptions{Layout: c.layout, Stats: true}
	if c.layout == cstore.LayoutBlocks {
		o.BlockRows = 16
	}
	var w *cstore.Writer
	var err error
	ctx := fsx.With(t.Context(), fsys)
	if c.update {
		if err := os.WriteFile(path, c.old, 0o666); err != nil {
			t.Fatal(err)
		}
		w, err = cstore.UpdateIn(ctx, path, o)
	} else {
		w, err = cstore.CreateIn(ctx, path, c.s, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if c.reserve {
		if err := w.Reserve(60); err != nil {
			t.Fatal(err)
		}
	}
	fsys.FailAt(n)
	failed = -1
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for i := range 6 {
		if i == -(n + 2) {
			continue
		}
		part := c.all.Slice(10*i, 10*i+10)
		one := func(ctx context.Context) error {
			if c.reserve {
				return w.WriteAt(ctx, int64(10*i), part)
			}
			return w.Write(ctx, part)
		}
		if err := one(stopped); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		err := one(t.Context())
		if err == nil {
			continue
		}
		if failed >= 0 || !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, io.ErrShortWrite) {
			t.Fatal(err)
		}
		failed = i
		if again {
			if err := one(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	fsys.FailAt(-1)
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v, err := cstore.Verify(t.Context(), path, nil); err != nil || len(v.Findings) > 0 {
		t.Fatal(v, err)
	}
	return readFile(t, path), failed
}
