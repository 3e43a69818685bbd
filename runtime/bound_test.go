package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/numa"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// bindings counts goroutines that are bound.
type bindings struct{ made, held atomic.Int32 }

func (b *bindings) Bind() func() {
	b.made.Add(1)
	b.held.Add(1)
	return func() { b.held.Add(-1) }
}

// rows is a source in memory that can be read from any row.
type rows interface {
	colstore.Source
	colstore.Splitter
}

// probe is a source that notes whether it is scanned while nobody is bound, and may fail.
type probe struct {
	rows
	b       *bindings
	fails   func()
	unbound atomic.Bool
}

func (p *probe) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	if p.b.held.Load() == 0 {
		p.unbound.Store(true)
	}
	if p.fails != nil {
		p.fails()
	}
	return p.rows.Scan(ctx, s)
}

// The workers of a run are bound as its context asks, and none is when it ends, well or not; what it writes is the same.
func TestBoundWorkers(t *testing.T) {
	values := make([]float64, 40_000)
	for i := range values {
		values[i] = float64(i)
	}
	b, err := colstore.BatchOf(colstore.Name("x", colstore.Wrap(values)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "out.cstore")
	o := &runtime.Options{Workers: 3, BatchRows: 4096}
	write := func(ctx context.Context, src colstore.Source) ([]byte, error) {
		f := frame.From(src).Where(frame.MustParse("x % 3 == 0"))
		if _, err := runtime.Write(ctx, f, pipeline.Output{Path: path, Mode: pipeline.Replace}, o); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	}
	want, err := write(t.Context(), source.Memory(b))
	if err != nil {
		t.Fatal(err)
	}
	for name, fails := range map[string]func(){"well": nil, "panic": func() { panic("bug") }} {
		bound := &bindings{}
		src := &probe{rows: source.Memory(b).(rows), b: bound, fails: fails}
		got, err := write(numa.Bound(t.Context(), bound), src)
		if (err != nil) != (fails != nil) || err == nil && !bytes.Equal(got, want) {
			t.Errorf("%s: %v, or other bytes", name, err)
		}
		if bound.made.Load()%3 != 0 || bound.made.Load() == 0 || bound.held.Load() != 0 || src.unbound.Load() {
			t.Errorf("%s: %d bound, %d still; scanned without: %v", name, bound.made.Load(), bound.held.Load(), src.unbound.Load())
		}
	}
	bound := &bindings{}
	ctx, cancel := context.WithCancel(numa.Bound(t.Context(), bound))
	cancel()
	if _, err := runtime.Reduce(ctx, frame.From(source.Memory(b)), o, ops.Sum("x")); !errors.Is(err, context.Canceled) || bound.held.Load() != 0 {
		t.Errorf("%v, %d still bound", err, bound.held.Load())
	}
}
