package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// table returns rows of seven columns: numbers with NaNs and extremes, text, times, bools.
func table(tb testing.TB, rows int, seed uint64) *colstore.Batch {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	id, x, k := make([]int64, rows), make([]float64, rows), make([]int32, rows)
	ok, when, w := make([]bool, rows), make([]int64, rows), make([]float32, rows)
	name := make([]byte, 0, 3*rows)
	for i := range rows {
		id[i], x[i], k[i] = int64(i), r.NormFloat64(), int32(r.IntN(100)-50)
		if r.IntN(50) == 0 {
			x[i] = []float64{nan, inf, -inf, 0}[r.IntN(4)]
		}
		ok[i], when[i], w[i] = r.IntN(3) > 0, int64(r.IntN(1e9)), float32(r.IntN(5))/2
		if r.IntN(40) == 0 {
			when[i] = colstore.NaT
		}
		name = append(name, byte('a'+r.IntN(3)), byte('x'+r.IntN(2)), 0)
	}
	text, err := colstore.NewColumn(colstore.BytesOf(3), rows, name)
	if err != nil {
		tb.Fatal(err)
	}
	t := colstore.DatetimeOf(colstore.Second)
	b, err := colstore.NewBatch(colstore.MustSchema(
		colstore.Field{Name: "id", Type: colstore.Int64}, colstore.Field{Name: "x", Type: colstore.Float64}, colstore.Field{Name: "k", Type: colstore.Int32},
		colstore.Field{Name: "ok", Type: colstore.Bool}, colstore.Field{Name: "name", Type: colstore.BytesOf(3)}, colstore.Field{Name: "when", Type: t},
		colstore.Field{Name: "w", Type: colstore.Float32}),
		colstore.Wrap(id), colstore.Wrap(x), colstore.Wrap(k), colstore.Wrap(ok), text, colstore.Wrap(when).As(t), colstore.Wrap(w))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

var (
	zero = 0.0
	inf  = 1 / zero
	nan  = zero / zero
)

// store writes a batch as one or more files of one or more records, and returns their paths.
func store(tb testing.TB, dir string, b *colstore.Batch, fileRows, recordRows int) []string {
	tb.Helper()
	var paths []string
	for at := 0; at < b.Rows() || at == 0; at += fileRows {
		part := b.Slice(min(at, b.Rows()), min(at+fileRows, b.Rows()))
		path := filepath.Join(dir, fmt.Sprintf("in%d.cstore", len(paths)))
		w, err := cstore.Create(path, b.Schema(), &cstore.WriteOptions{Mode: cstore.ModeReplace})
		if err != nil {
			tb.Fatal(err)
		}
		for r := 0; r < part.Rows() || r == 0; r += recordRows {
			if err := w.Write(context.Background(), part.Slice(min(r, part.Rows()), min(r+recordRows, part.Rows()))); err != nil {
				tb.Fatal(err)
			}
		}
		if err := w.Commit(context.Background()); err != nil {
			tb.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// steps is a frame with everything: derived columns before and after weighted cuts, text, times, dropped columns.
func steps() *frame.Frame {
	return frame.New().
		Assign("y", frame.MustParse("x * 2 + k")).
		Where(frame.MustParse("x == x and y > -60"), frame.Named("finite"), frame.Weighted("w")).
		Where(frame.MustParse("name in ['ax', 'by', 'cx'] or ok")).
		Assign("z", frame.MustParse("sqrt(absolute(y)) / (k + 0.5)")).
		Where(frame.MustParse("k % 7 != 0"), frame.Named("odd"), frame.Weighted(frame.MustParse("w * x"))).
		Assign("later", frame.MustParse("when + 60")).
		Drop("id")
}

// Output bytes, cutflow and reductions are those of the sequential frame, for any workers, batches, files and records.
func TestRunHidesHowItRan(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SampledFrom([]int{0, 1, 63, 4096, 5000, 20_000}).Draw(rt, "rows")
		all := table(t, rows, uint64(rows))
		want := frame.From(source.Memory(all)).Then(steps())
		collected, err := want.Collect(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		flow, err := want.Report(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		reference := filepath.Join(dir, "want.cstore")
		if err := cstore.Store(t.Context(), reference, collected, &cstore.WriteOptions{Mode: cstore.ModeReplace}); err != nil {
			rt.Fatal(err)
		}
		in := store(t, dir, all, rapid.SampledFrom([]int{1 << 30, 3000, 7777}).Draw(rt, "file"), rapid.SampledFrom([]int{1 << 30, 500, 4096}).Draw(rt, "record"))
		o := &runtime.Options{Workers: rapid.SampledFrom([]int{1, 2, 7}).Draw(rt, "workers")}
		if rapid.Bool().Draw(rt, "by rows") {
			o.BatchRows = rapid.SampledFrom([]int{1, 17, 512, 4096, 100_000}).Draw(rt, "batch")
			if o.BatchRows == 1 && rows > 5000 {
				o.BatchRows = 17
			}
		} else {
			o.Budget = rapid.SampledFrom([]colstore.ByteSize{64 * colstore.KiB, colstore.MiB, 64 * colstore.MiB}).Draw(rt, "budget")
		}
		p := &pipeline.Pipeline{Input: pipeline.Input{Paths: in}, Frame: steps(), Branches: []pipeline.Branch{
			{Output: pipeline.Output{Path: filepath.Join(dir, "got.cstore"), Mode: pipeline.Replace}},
			{Frame: frame.New().Where(frame.MustParse("ok")).Select("z", "name"), Output: pipeline.Output{Path: filepath.Join(dir, "ok.cstore"), Mode: pipeline.Replace}},
		}}
		report, err := runtime.Run(t.Context(), p, o)
		if err != nil {
			rt.Fatal(err)
		}
		sameFile(rt, reference, filepath.Join(dir, "got.cstore"))
		if got, want := report.Cutflow.CSV(), flow.CSV(); got != want {
			rt.Fatalf("cutflow\n%s\nwant\n%s", got, want)
		}
		second, err := want.Then(p.Branches[1].Frame).Collect(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		if err := cstore.Store(t.Context(), reference, second, &cstore.WriteOptions{Mode: cstore.ModeReplace}); err != nil {
			rt.Fatal(err)
		}
		sameFile(rt, reference, filepath.Join(dir, "ok.cstore"))
		checkReduce(t, rt, want, in, o, ops.Sum("z"), ops.Mean("x"), ops.Min("x"), ops.Max("when"), ops.Count("k"), ops.Sum("ok"), ops.Mean("k"))
		large := *o
		if large.Budget > 0 {
			large.Budget += 64 << 20 // for the states
		}
		checkReduce(t, rt, want, in, &large, ops.Sum("z"), ops.Std("z", 0), ops.Var("k", 1), ops.Median("x"), ops.Quantile("z", 0.99),
			ops.Hist1D("x", ops.Axis{Bins: 9, Low: -1, High: 2}, &ops.HistOptions{Weight: "z"}),
			ops.Hist2D("x", "z", ops.Axis{Bins: 4, Low: -1, High: 2}, ops.Axis{Bins: 3, Low: 0, High: 1}, nil))
	})
}

func sameFile(t interface{ Fatalf(string, ...any) }, want, got string) {
	a, errA := os.ReadFile(want)
	b, errB := os.ReadFile(got)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Fatalf("%s has %d bytes, want %d: %v %v", got, len(b), len(a), errA, errB)
	}
}

// checkReduce compares reductions, bit by bit.
func checkReduce(t *testing.T, rt *rapid.T, want *frame.Frame, in []string, o *runtime.Options, aggs ...ops.Agg) {
	wanted, err := want.Reduce(t.Context(), aggs...)
	if err != nil {
		rt.Fatal(err)
	}
	opened, err := runtime.Open(t.Context(), pipeline.Input{Paths: in}, pipeline.Limits{}, steps())
	if err != nil {
		rt.Fatal(err)
	}
	defer opened.Close()
	got, err := runtime.Reduce(t.Context(), opened.Frame(0), o, aggs...)
	if err != nil {
		rt.Fatal(err)
	}
	for i := range aggs {
		if got[i].Scalar != wanted[i].Scalar {
			rt.Fatalf("%s(%s) is %x, want %x", aggs[i].Name, aggs[i].Args, got[i].Cell().At(0), wanted[i].Cell().At(0))
		}
		if g, w := fmt.Sprintf("%+v", got[i].Hist), fmt.Sprintf("%+v", wanted[i].Hist); g != w { // NaN equals NaN in print
			rt.Fatalf("histogram %s, want %s", g, w)
		}
	}
}

func TestBatchesInOrder(t *testing.T) {
	all := table(t, 30_000, 1)
	f := frame.From(source.Memory(all)).Where(frame.MustParse("k > 0")).Select("id")
	want, err := f.Collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids, err := colstore.Values[int64](want.At(0))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for b, err := range runtime.Batches(t.Context(), f, &runtime.Options{Workers: 3, BatchRows: 1000}) {
		if err != nil {
			t.Fatal(err)
		}
		got, err := colstore.Values[int64](b.At(0))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			if v != ids[n+i] {
				t.Fatalf("row %d is %d, want %d", n+i, v, ids[n+i])
			}
		}
		n += len(got)
	}
	if n != len(ids) {
		t.Errorf("%d rows, want %d", n, len(ids))
	}
	// A loop that ends early stops the workers.
	for range runtime.Batches(t.Context(), f, &runtime.Options{Workers: 3, BatchRows: 100}) {
		break
	}
}

// onePipeline converts the table to a file, by way of a cut so that every route is a pass of its own.
func onePipeline(in []string, out string, f *frame.Frame) *pipeline.Pipeline {
	return &pipeline.Pipeline{Input: pipeline.Input{Paths: in}, Branches: []pipeline.Branch{{Frame: f, Output: pipeline.Output{Path: out, Mode: pipeline.Replace}}}}
}

func TestCancelled(t *testing.T) {
	all := table(t, 50_000, 2)
	dir := t.TempDir()
	in := store(t, dir, all, 1<<30, 1<<30)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	out := filepath.Join(dir, "out.cstore")
	o := &runtime.Options{Workers: 2, BatchRows: 100, Events: func(e runtime.Event) {
		if e.Rows > 10_000 {
			cancel(cause)
		}
	}}
	if _, err := runtime.Run(ctx, onePipeline(in, out, nil), o); !errors.Is(err, cause) {
		t.Errorf("%v, want the cause", err)
	}
	nothingBeside(t, dir, len(in))
}

func nothingBeside(t *testing.T, dir string, want int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != want {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestErrorsStopEverything(t *testing.T) {
	all := table(t, 20_000, 3)
	dir := t.TempDir()
	in := store(t, dir, all, 1<<30, 4096)
	out := filepath.Join(dir, "out.cstore")
	bad := frame.New().Assign("p", frame.MustParse("k ** (k // 60)")) // fails where k is below 0
	_, err := runtime.Run(t.Context(), onePipeline(in, out, bad), &runtime.Options{Workers: 3, BatchRows: 512})
	e, ok := errors.AsType[*colstore.Error](err)
	if !errors.Is(err, colstore.ErrValue) || !ok || !strings.Contains(err.Error(), "k ** (k // 60)") {
		t.Fatalf("%v", err)
	}
	row, _ := e.Row.Get()
	ks, err := colstore.Values[int32](all.At(2))
	if err != nil {
		t.Fatal(err)
	}
	if ks[row] >= 0 {
		t.Errorf("the error names row %d, whose k is %d", row, ks[row])
	}
	nothingBeside(t, dir, len(in))
	// An output in a folder that cannot be made.
	blocked := filepath.Join(dir, "in0.cstore", "x.cstore")
	if _, err := runtime.Run(t.Context(), onePipeline(in, blocked, nil), nil); err == nil || !strings.Contains(err.Error(), blocked) {
		t.Errorf("%v", err)
	}
	// An output that exists.
	if err := os.WriteFile(out, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := onePipeline(in, out, nil)
	p.Branches[0].Output.Mode = pipeline.Create
	if _, err := runtime.Run(t.Context(), p, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
}

// A source that is cut while it is read ends in an error and leaves nothing.
func TestSourceShrinksWhileMapped(t *testing.T) {
	all := table(t, 200_000, 4)
	for _, f := range []*frame.Frame{frame.New().Limit(199_999), frame.New().Where(frame.MustParse("k > 0")), frame.New().Assign("y", frame.MustParse("x + 1"))} {
		dir := t.TempDir()
		in := store(t, dir, all, 1<<30, 1<<30)
		cut := false
		o := &runtime.Options{Workers: 1, BatchRows: 4096, Events: func(e runtime.Event) {
			if !cut && e.Rows > 0 {
				cut = true
				if err := os.Truncate(in[0], 1<<20); err != nil {
					t.Error(err)
				}
			}
		}}
		_, err := runtime.Run(t.Context(), onePipeline(in, filepath.Join(dir, "out.cstore"), f), o)
		if !errors.Is(err, colstore.ErrTruncated) {
			t.Errorf("%v", err)
		}
		nothingBeside(t, dir, len(in))
	}
}

func TestBudgetTooSmall(t *testing.T) {
	all := table(t, 100, 5)
	dir := t.TempDir()
	in := store(t, dir, all, 1<<30, 1<<30)
	f := frame.New().Assign("wide", frame.Col("name").Cast(colstore.TextOf(10_000)))
	_, err := runtime.Run(t.Context(), onePipeline(in, filepath.Join(dir, "out.cstore"), f), &runtime.Options{Budget: colstore.KiB})
	if !errors.Is(err, colstore.ErrBudget) || !strings.Contains(err.Error(), `"wide"`) {
		t.Errorf("%v", err)
	}
}

func TestNewerOutputIsSkipped(t *testing.T) {
	all := table(t, 100, 6)
	dir := t.TempDir()
	in := store(t, dir, all, 1<<30, 1<<30)
	p := onePipeline(in, filepath.Join(dir, "out.cstore"), nil)
	p.Branches[0].Output.Mode = pipeline.Missing
	for i, skipped := range []bool{false, true} {
		r, err := runtime.Run(t.Context(), p, nil)
		if err != nil || r.Outputs[0].Skipped != skipped {
			t.Errorf("run %d: %+v, %v", i, r, err)
		}
	}
}

func TestRunAllGoesOn(t *testing.T) {
	all := table(t, 1000, 7)
	dir := t.TempDir()
	in := store(t, dir, all, 1<<30, 1<<30)
	ps := []*pipeline.Pipeline{
		onePipeline(in, filepath.Join(dir, "a.cstore"), nil),
		onePipeline([]string{filepath.Join(dir, "missing.cstore")}, filepath.Join(dir, "b.cstore"), nil),
		onePipeline(in, filepath.Join(dir, "c.cstore"), nil),
	}
	for i, r := range runtime.RunAll(t.Context(), ps, 2, nil) {
		if (r.Err != nil) != (i == 1) {
			t.Errorf("pipeline %d: %v", i, r.Err)
		}
	}
}
