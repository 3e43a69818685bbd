package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// Of all nulls, that of the first row is reported, whatever the batches and workers.
func TestFirstNullIsReported(t *testing.T) {
	path := filepath.Join("..", "source", "testdata", "nulls.parquet")
	for _, workers := range []int{1, 2, 7} {
		for _, rows := range []int{1, 3, 20, 1000} {
			for range 5 {
				p := onePipeline([]string{path, path}, filepath.Join(t.TempDir(), "out.cstore"), nil)
				_, err := runtime.Run(t.Context(), p, &runtime.Options{Workers: workers, BatchRows: rows})
				e, ok := errors.AsType[*colstore.Error](err)
				if !ok || !errors.Is(err, colstore.ErrNull) || e.Column != "b" || e.Row != colstore.At(27) {
					t.Fatalf("%d workers, %d rows: %v", workers, rows, err)
				}
			}
		}
	}
}

// slowStart is a table whose rows fail from some on, the first of them last in time.
type slowStart struct {
	colstore.Source
	failed atomic.Int32 // ranges that failed so far
	bad    int64        // the first row that fails
	later  chan struct{}
}

func (s *slowStart) Splits(rows int) []colstore.Range {
	var out []colstore.Range
	for at := int64(0); at < s.Rows(); at += int64(rows) {
		out = append(out, colstore.Range{Begin: at, End: min(at+int64(rows), s.Rows())})
	}
	return out
}

func (s *slowStart) Scan(ctx context.Context, q colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		if q.Rows.End <= s.bad {
			s.Source.Scan(ctx, q)(yield)
			return
		}
		if q.Rows.Begin <= s.bad {
			<-s.later // until another range has failed
		} else if s.failed.Add(1) == 1 {
			defer close(s.later)
		}
		yield(nil, &colstore.Error{Op: "scan", Row: colstore.At(max(s.bad, q.Rows.Begin)), Err: colstore.ErrValue})
	}
}

// The error of the first unit is the run's, also if that is the last one to fail.
func TestFirstErrorIsReported(t *testing.T) {
	all := table(t, 1000, 5)
	for range 20 {
		src := &slowStart{Source: source.Memory(all), bad: 410, later: make(chan struct{})}
		for b, err := range runtime.Batches(t.Context(), frame.New().Over(src), &runtime.Options{Workers: 3, BatchRows: 100}) {
			if err == nil {
				if b.Begin() > 300 {
					t.Errorf("rows from %d on", b.Begin())
				}
				continue
			}
			if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Row != colstore.At(410) {
				t.Errorf("%v", err)
			}
		}
	}
}

// Several runs at once are those runs one by one: results in their order, one failure beside the others. One at a time
// means one after the other.
func TestRunAllIsItsRuns(t *testing.T) {
	dir := t.TempDir()
	var ps []*pipeline.Pipeline
	const files, missing = 9, 4
	for i := range files {
		in := store(t, t.TempDir(), table(t, 500+i, uint64(i)), 1<<30, 100)
		if i == missing {
			in = []string{filepath.Join(dir, "missing.cstore")}
		}
		p := onePipeline(in, filepath.Join(dir, fmt.Sprintf("out%d.parquet", i)), steps())
		p.Name = fmt.Sprint(i)
		ps = append(ps, p)
	}
	want := make([][]byte, files)
	for _, jobs := range []int{1, 2, 5, 100} {
		var mu sync.Mutex
		var order []string
		o := &runtime.Options{Workers: 4, Budget: 64 << 20, Events: func(e runtime.Event) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, e.Name)
		}}
		for i, r := range runtime.RunAll(t.Context(), ps, jobs, o) {
			if (r.Err != nil) != (i == missing) {
				t.Fatalf("%d jobs: pipeline %d: %v", jobs, i, r.Err)
			}
			if r.Err != nil {
				continue
			}
			path := ps[i].Branches[0].Output.Path
			got, err := os.ReadFile(path)
			if err != nil || r.Report.Outputs[0].Path != path {
				t.Fatalf("%d jobs: result %d is that of %s: %v", jobs, i, r.Report.Outputs[0].Path, err)
			}
			if jobs == 1 {
				want[i] = got
			} else if !bytes.Equal(got, want[i]) {
				t.Errorf("%d jobs: %s has other bytes", jobs, path)
			}
		}
		if jobs == 1 && !slices.IsSorted(order) {
			t.Errorf("one at a time: %v", order)
		}
	}
}

// Outputs of one new folder that fail together leave no folder.
func TestFailedOutputsLeaveNoFolder(t *testing.T) {
	dir := t.TempDir()
	p := &pipeline.Pipeline{Input: pipeline.Input{Paths: []string{filepath.Join("..", "source", "testdata", "nulls.parquet")}}}
	for _, o := range []pipeline.Output{{Path: "a.cstore"}, {Path: "b.csv"}, {Path: "shards", Shards: &pipeline.Shards{Rows: 10}}, {Path: "deep/c.parquet"}} {
		o.Path, o.Mkdirs = filepath.Join(dir, "new", "folder", o.Path), true
		p.Branches = append(p.Branches, pipeline.Branch{Output: o})
	}
	if _, err := runtime.Run(t.Context(), p, nil); !errors.Is(err, colstore.ErrNull) {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}
