package cstore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/source"
)

// An appending is a script of calls on an appender, each of which is made once more when it fails.
type appending struct {
	t      *testing.T
	ctx    context.Context
	a      *cstore.Appender
	failed []string // the calls that failed once
}

func (s *appending) call(name string, f func(context.Context) error) error {
	err := f(s.ctx)
	if err == nil {
		return nil
	}
	s.failed = append(s.failed, name)
	if !errors.Is(err, syscall.EIO) || strings.Contains(err.Error(), ".tmp") {
		s.t.Errorf("%s: %v", name, err)
	}
	return f(s.ctx)
}

// Whatever call fails, once: nothing that was published is lost, nothing half is seen, the appender goes on as if the
// call had not been, and so does the next one.
func TestAppenderAtEveryFailingCall(t *testing.T) {
	copied := filepath.Join(t.TempDir(), "copied.cstore")
	if err := cstore.Store(t.Context(), copied, counted(t, 20, 5), nil); err != nil {
		t.Fatal(err)
	}
	seen := func(dir string) []int64 { rows, _ := rowsOf(t, dir); return rows }
	upTo := func(n int64) []int64 {
		var out []int64
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	for i, o := range []cstore.AppendOptions{{}, {ShardRows: 4, Stats: true}, {ShardRows: 4, Split: true}, {ShardRows: 4, PublishFull: true}} {
		calls := 1
		for k := 0; k < calls; k++ {
			dir := filepath.Join(t.TempDir(), "d")
			f := fsxtest.New(k, syscall.EIO)
			if i%2 == 0 {
				f.Fault = fsxtest.Half
			}
			s := &appending{t: t, ctx: fsx.With(t.Context(), f)}
			what := fmt.Sprintf("%+v, call %d", o, k)
			err := s.call("new", func(ctx context.Context) (err error) {
				s.a, err = cstore.NewAppenderIn(ctx, dir, countSchema, &o)
				if err != nil && len(fsxtest.Snapshot(t, filepath.Dir(dir))) > 0 {
					t.Errorf("%s: an appender that failed left %v", what, fsxtest.Snapshot(t, filepath.Dir(dir)))
				}
				return err
			})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			first := 0
			for _, n := range []int{3, 2, 10, 0, 5} {
				err := s.call("write", func(ctx context.Context) error { return s.a.Write(ctx, counted(t, first, n)) })
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if first += n; first == 15 {
					if err := s.call("flush", s.a.Flush); err != nil {
						t.Fatalf("%s: %v", what, err)
					}
					if got := seen(dir); !slices.Equal(got, upTo(15)) {
						t.Fatalf("%s: flushed rows are %v", what, got)
					}
				}
			}
			if err := s.call("copy", func(ctx context.Context) error { return s.a.CopyFile(ctx, copied) }); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if err := s.call("prepare", s.a.Prepare); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			all := 25
			if err := s.a.Commit(s.ctx); err != nil {
				s.failed = append(s.failed, "commit")
				if got := seen(dir); !o.PublishFull && !slices.Equal(got, upTo(15)) {
					t.Fatalf("%s: after a failed commit there are %v", what, got)
				}
				all = len(seen(dir))
			}
			if got := seen(dir); !slices.Equal(got, upTo(int64(all))) {
				t.Fatalf("%s: after %v there are %v", what, s.failed, got)
			}
			if err := s.a.Abort(); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			if _, err := cstore.Append(fsx.With(t.Context(), fsxtest.Unsynced), dir, counted(t, all, 2), nil); err != nil {
				t.Fatalf("%s: the next appender: %v", what, err)
			}
			if got := seen(dir); !slices.Equal(got, upTo(int64(all+2))) {
				t.Fatalf("%s: after the next appender there are %v", what, got)
			}
			if left := hidden(t, dir); left != nil {
				t.Fatalf("%s: after %v the next appender left %v", what, s.failed, left)
			}
			calls = max(calls, min(f.Calls(), k+2))
		}
		if calls < 50 {
			t.Errorf("%+v: only %d calls", o, calls)
		}
	}
}

// A reader of the folder sees whole shards in order, whatever an appender is doing.
func TestReadingWhileAppending(t *testing.T) {
	dir := t.TempDir()
	ctx := fsx.With(t.Context(), fsxtest.Unsynced)
	const rounds, rows = 150, 40
	if _, err := cstore.Append(ctx, dir, counted(t, 0, 10), nil); err != nil {
		t.Fatal(err)
	}
	var committed atomic.Int64
	committed.Store(10)
	done := make(chan error, 1)
	again := make(chan struct{}) // says that the folder was read once more; the writer waits for it now and then
	batches := make([]*colstore.Batch, rounds)
	for i := range batches {
		batches[i] = counted(t, 10+i*rows, rows)
	}
	go func() {
		done <- func() error {
			for i, b := range batches {
				if i%50 == 25 {
					select {
					case <-again:
					case <-ctx.Done():
						return ctx.Err()
					}
				}
				a, err := cstore.NewAppenderIn(ctx, dir, nil, &cstore.AppendOptions{ShardRows: 15, Split: true})
				if err != nil {
					return err
				}
				if err := a.Write(ctx, b); err != nil {
					return err
				}
				if i%10 == 9 { // a run that is given up, and one that does its work
					if err := a.Abort(); err != nil {
						return err
					}
					if a, err = cstore.NewAppenderIn(ctx, dir, nil, &cstore.AppendOptions{ShardRows: 7}); err != nil {
						return err
					}
					if err := a.Write(ctx, b); err != nil {
						return err
					}
				}
				if err := a.Commit(ctx); err != nil {
					return err
				}
				committed.Add(int64(b.Rows()))
			}
			return nil
		}()
	}()
	read := func() int64 {
		atLeast := committed.Load()
		src, err := source.OpenPath(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		next := int64(0)
		for b, err := range src.Scan(t.Context(), colstore.Scan{Columns: []string{"x"}}) {
			if err != nil {
				t.Fatal(err)
			}
			v, err := colstore.Values[int64](b.At(0))
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range v {
				if x != next {
					t.Fatalf("row %d is %d", next, x)
				}
				next++
			}
		}
		if next < atLeast {
			t.Fatalf("%d rows are seen, %d were committed before", next, atLeast)
		}
		return next
	}
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			if n := read(); n != 10+rounds*rows {
				t.Errorf("%d rows in the end", n)
			}
			return
		default:
			read()
			select {
			case again <- struct{}{}:
			default:
			}
		}
	}
}
