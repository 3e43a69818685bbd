package formattest

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// refusedTypes demands that a dtype which the format does not store is told by name, with the path, before anything is
// written.
func (s *suite) refusedTypes(t *testing.T) {
	for _, typ := range everyType() {
		if _, err := s.f.Stores(typ); err == nil {
			continue
		}
		path := s.path(t, "f")
		_, err := s.createWith(t.Context(), path, colstore.MustSchema(colstore.Field{Name: "odd one", Type: typ}), creating{})
		e, ok := errors.AsType[*colstore.Error](err)
		if !ok || !errors.Is(err, colstore.ErrType) || e.Path != path || e.Column != "odd one" {
			t.Errorf("%s: error %q is not colstore.ErrType with path and column", typ.Name(), err)
		}
		if left := fsxtest.Snapshot(t, filepath.Dir(path)); len(left) != 0 {
			t.Errorf("%s: %d files are left", typ.Name(), len(left))
		}
	}
}

// sameBytes demands that a file depends on its rows alone: not on how they come, nor on the number of threads.
func (s *suite) sameBytes(t *testing.T) {
	for _, rows := range []int{0, 1, 1_500} {
		b := s.table(2, rows, len(s.DTypes))
		want := s.bytesOf(t, b, creating{})
		for _, how := range []creating{{rows: 1}, {rows: 16}, {rows: 1_000, threads: 2}, {threads: 3}, {rows: 700, threads: 4}} {
			if s.bytesOf(t, b, how) != want {
				t.Errorf("%d rows, written %d at a time by %d threads, give other bytes", rows, how.rows, how.threads)
			}
		}
		if s.bytesOf(t, b.Detach(), creating{}) != want {
			t.Errorf("%d rows in native byte order give other bytes", rows)
		}
	}
}

// offsets demands of a sink that takes rows in any order the bytes of one that takes them in order.
func (s *suite) offsets(t *testing.T) {
	const rows, piece = 1_000, 93
	b := s.table(3, rows, len(s.DTypes))
	path := s.path(t, "f")
	w, err := s.createWith(t.Context(), path, b.Schema(), creating{threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	o, ok := w.(colstore.OffsetSink)
	if !ok {
		t.Log("rows are taken in order only")
		return
	}
	if err := o.Reserve(rows); err != nil {
		t.Fatal(err)
	}
	var pieces []int
	for at := 0; at < rows; at += piece {
		pieces = append(pieces, at)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	var wg sync.WaitGroup
	errs := make([]error, len(pieces))
	for i, at := range pieces {
		wg.Go(func() { errs[i] = o.WriteAt(t.Context(), int64(at), b.Slice(at, min(at+piece, rows))) })
	}
	wg.Wait()
	if err := errors.Join(errors.Join(errs...), w.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != s.bytesOf(t, b, creating{}) {
		t.Errorf("rows in any order give other bytes than rows in order (%v)", err)
	}
}

// misuse demands an error for what a sink must not be asked.
func (s *suite) misuse(t *testing.T) {
	b := s.table(4, 10, 2)
	other := must(colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "elsewhere", Type: colstore.Int8}), colstore.Wrap([]int8{1})))
	create := func() colstore.Sink {
		w, err := s.createWith(t.Context(), s.path(t, "f"), b.Schema(), creating{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Abort() })
		return w
	}
	check := func(what string, err, want error) {
		t.Helper()
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", what, err, want)
		}
	}
	ctx := t.Context()
	w := create()
	check("a batch of another schema", w.Write(ctx, other), colstore.ErrMismatch)
	if b.Schema().Len() > 1 {
		check("a batch of too few columns", w.Write(ctx, pick(b, b.Schema().Names()[:1])), colstore.ErrMismatch)
	}
	check("a write after refused ones", w.Write(ctx, b), nil)
	check("the same columns in native byte order", w.Write(ctx, b.Detach()), nil)
	if p, ok := w.(colstore.Preparer); ok {
		check("Prepare", p.Prepare(ctx), nil)
		check("Prepare after Prepare", p.Prepare(ctx), nil)
		check("a write after Prepare", w.Write(ctx, b), colstore.ErrClosed)
	}
	check("Commit", w.Commit(ctx), nil)
	check("a write after Commit", w.Write(ctx, b), colstore.ErrClosed)
	check("Commit after Commit", w.Commit(ctx), colstore.ErrClosed)
	check("Abort after Commit", w.Abort(), nil)
	w = create()
	check("Abort", w.Abort(), nil)
	check("Abort after Abort", w.Abort(), nil)
	check("a write after Abort", w.Write(ctx, b), colstore.ErrClosed)
	check("Commit after Abort", w.Commit(ctx), colstore.ErrClosed)

	if o, ok := create().(colstore.OffsetSink); ok {
		check("WriteAt without Reserve", o.WriteAt(ctx, 0, b), colstore.ErrMismatch)
		check("a write", o.Write(ctx, b), nil)
		check("Reserve after a write", o.Reserve(20), colstore.ErrMismatch)
		o = create().(colstore.OffsetSink)
		check("Reserve of less than nothing", o.Reserve(-1), colstore.ErrRange)
		check("Reserve", o.Reserve(20), nil)
		check("Reserve after Reserve", o.Reserve(20), colstore.ErrMismatch)
		check("Write after Reserve", o.Write(ctx, b), colstore.ErrMismatch)
		check("rows beyond the last", o.WriteAt(ctx, 11, b), colstore.ErrRange)
		check("WriteAt", o.WriteAt(ctx, 10, b), nil)
		check("Commit without the other rows", o.Commit(ctx), colstore.ErrMismatch)
	}

	over := errors.New("over")
	cancelled, cancel := context.WithCancelCause(ctx)
	cancel(over)
	w = create()
	check("a write in a context that is over", w.Write(cancelled, b), over)
	w = create()
	check("a write", w.Write(ctx, b), nil)
	check("Commit in a context that is over", w.Commit(cancelled), over)
}

// abort demands that a file that was given up, or whose Commit came too late, leaves nothing: no file, no folder.
func (s *suite) abort(t *testing.T) {
	b := s.table(5, 3_000, len(s.DTypes))
	over := errors.New("over")
	for name, stop := range map[string]func(w colstore.Sink) error{
		"at once": func(colstore.Sink) error { return nil },
		"after rows": func(w colstore.Sink) error {
			return errors.Join(w.Write(t.Context(), b), w.Write(t.Context(), b.Slice(0, 5)))
		},
		"after Prepare": func(w colstore.Sink) error {
			err := w.Write(t.Context(), b)
			if p, ok := w.(colstore.Preparer); ok && err == nil {
				err = p.Prepare(t.Context())
			}
			return err
		},
		"after a cancelled Commit": func(w colstore.Sink) error {
			cancelled, cancel := context.WithCancelCause(t.Context())
			cancel(over)
			if err := w.Commit(cancelled); !errors.Is(err, over) {
				return errors.Join(errors.New("a cancelled Commit returns"), err)
			}
			return nil
		},
	} {
		dir := t.TempDir()
		w, err := s.createWith(t.Context(), filepath.Join(dir, "new", "er", "f"+s.f.Extensions[0]), b.Schema(), creating{mkdirs: true, threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(stop(w), w.Abort()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if left := fsxtest.Snapshot(t, dir); len(left) != 0 {
			t.Errorf("%s: %d files and folders are left", name, len(left))
		}
	}
}

// existing demands that a file is replaced only if that is asked for, and only at the end; and folders made likewise.
func (s *suite) existing(t *testing.T) {
	b := s.table(6, 20, 3)
	path := s.path(t, "späce [1] %20 {x}")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.write(t.Context(), path, b, creating{fresh: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file that is there: %v", err)
	}
	w, err := s.createWith(t.Context(), path, b.Schema(), creating{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Abort() }()
	if err := w.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "old" {
		t.Errorf("before Commit the old file is %q, %v", raw, err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || string(raw) != s.bytesOf(t, b, creating{}) {
		t.Errorf("after Commit the file is not what a new one would be (%v)", err)
	}
	if now := fsxtest.Snapshot(t, filepath.Dir(path)); len(now) != 1 {
		t.Errorf("%d files beside it", len(now)-1)
	}
	missing := filepath.Join(t.TempDir(), "no", "such", "f"+s.f.Extensions[0])
	if err := s.write(t.Context(), missing, b, creating{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("in a folder that is not there: %v", err)
	}
	if err := s.write(t.Context(), missing, b, creating{mkdirs: true}); err != nil {
		t.Errorf("with its folders made: %v", err)
	}
}

// locks demands that a file is locked from the beginning of its replacement to the end, as the policy says.
func (s *suite) locks(t *testing.T) {
	b := s.table(9, 10, 2)
	path := s.path(t, "f")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	w, err := s.createWith(t.Context(), path, b.Schema(), creating{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.createWith(t.Context(), path, b.Schema(), creating{}); !errors.Is(err, colstore.ErrLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("a second writer: %v", err)
	}
	if err := s.write(t.Context(), path, b, creating{lock: colstore.LockOff}); err != nil {
		t.Errorf("a second writer that takes no lock: %v", err)
	}
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	if err := s.write(t.Context(), path, b, creating{lock: colstore.LockRequired}); err != nil {
		t.Errorf("after the first is gone: %v", err)
	}
	lockless := fsx.With(t.Context(), fsxtest.Lockless(fsx.OS))
	var told []string
	if err := s.write(lockless, path, b, creating{told: func(w []string) { told = w }}); err != nil || len(told) != 1 || !strings.Contains(told[0], "no locks") {
		t.Errorf("where there are no locks: %v, warnings %q", err, told)
	}
	if err := s.write(lockless, path, b, creating{lock: colstore.LockRequired}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a lock is required where there are none: %v", err)
	}
	if now := fsxtest.Snapshot(t, filepath.Dir(path)); len(now) != 1 || now[path] != s.bytesOf(t, b, creating{}) {
		t.Errorf("%d files at the end", len(now))
	}
}
