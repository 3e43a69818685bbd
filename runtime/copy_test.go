package runtime_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
)

// What is copied as bytes is what the rows give when they are taken through a program: the same file, for any columns, names,
// layout, statistics, files and records.
func TestCopiesAreWhatEvaluationGives(t *testing.T) {
	dir := t.TempDir()
	names := table(t, 1, 1).Schema().Names()
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SampledFrom([]int{0, 1, 4097, 20_000}).Draw(rt, "rows")
		in := store(t, dir, table(t, rows, uint64(rows)), rapid.IntRange(max(1, rows/3), rows+1).Draw(rt, "file"), rapid.IntRange(max(1, rows/7), rows+1).Draw(rt, "record"))
		f := frame.New()
		if rapid.Bool().Draw(rt, "select") {
			f = f.Select(rapid.Permutation(names).Draw(rt, "columns")[:rapid.IntRange(1, len(names)).Draw(rt, "of")]...)
		}
		if rapid.Bool().Draw(rt, "rename") {
			f = f.Assign("again", frame.Col("x")).Rename(map[string]string{"again": "x2"})
			if rapid.Bool().Draw(rt, "drop") {
				f = f.Drop("x2").Assign("k", frame.Col("k"))
			}
		}
		options := map[string]any{"statistics": rapid.Bool().Draw(rt, "statistics"), "compact": rapid.Bool().Draw(rt, "compact")}
		out := [2]string{filepath.Join(dir, "copied.cstore"), filepath.Join(dir, "evaluated.cstore")}
		for i, f := range []*frame.Frame{f, f.Limit(int64(rows))} {
			p := onePipeline(in, out[i], f)
			p.Branches[0].Output.Options = options
			r, err := runtime.Run(t.Context(), p, &runtime.Options{Workers: rapid.IntRange(1, 3).Draw(rt, "workers")})
			if errors.Is(err, colstore.ErrNoColumn) {
				return // not selected
			}
			if err != nil {
				rt.Fatal(err)
			}
			if r.Copied != (i == 0) || r.Rows != int64(rows) || r.Outputs[0].Rows != int64(rows) {
				rt.Fatalf("output %d: %+v", i, r)
			}
		}
		sameFile(t, out[0], out[1])
	})
}

// Rows are copied only where nothing is done to them and input and output are of the format; a plan tells which it is.
func TestPlanTellsCopies(t *testing.T) {
	dir := t.TempDir()
	all := table(t, 3000, 5)
	in := store(t, dir, all, 1000, 400)
	mixed := []string{in[0], filepath.Join(dir, "other.npz")}
	if _, err := runtime.Run(t.Context(), onePipeline(in[1:], mixed[1], nil), nil); err != nil {
		t.Fatal(err)
	}
	run := func(p *pipeline.Pipeline, want bool) {
		t.Helper()
		l, err := runtime.Prepare(t.Context(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if e, err := l.Explain(0); err != nil || e.Copied != want {
			t.Errorf("explained as %v, %v", e, err)
		}
		if r, err := l.Run(t.Context()); err != nil || r.Copied != want {
			t.Errorf("%+v, %v", r, err)
		}
	}
	out := filepath.Join(dir, "out.cstore")
	for _, c := range []struct {
		in   []string
		out  string
		f    *frame.Frame
		want bool
	}{
		{in, out, nil, true},
		{in, out, frame.New().Select("when", "id"), true},
		{in, out, frame.New().Where(frame.MustParse("k > 1000")), false},
		{in, out, frame.New().Sample(1, 1), false},
		{in, out, frame.New().Limit(5), false},
		{in, out, frame.New().Assign("one", frame.Lit(1)), false},
		{in, out, frame.New().Cast(map[string]colstore.DType{"k": colstore.Int64}), false},
		{in, out, frame.New().Cast(map[string]colstore.DType{"k": colstore.Int32}), true},
		{in, filepath.Join(dir, "out.parquet"), nil, false},
		{mixed, out, nil, false},
		{in[:1], in[0], nil, true}, // in place of what is read
	} {
		run(onePipeline(c.in, c.out, c.f), c.want)
	}
	two := onePipeline(in, out, nil)
	two.Branches = append(two.Branches, pipeline.Branch{Output: pipeline.Output{Path: filepath.Join(dir, "two.cstore"), Mode: pipeline.Replace}, Frame: frame.New().Select("x")})
	two.Frame = frame.New().Drop("w")
	run(two, true)
	two.Branches[1].Frame = frame.New().Where(frame.MustParse("x > 0"))
	run(two, false)
	paths := onePipeline(in, out, nil)
	paths.Input.SourceColumn = "file"
	run(paths, false)
}

// A run that ends while bytes are copied leaves nothing.
func TestCopyCancelled(t *testing.T) {
	dir := t.TempDir()
	in := store(t, dir, table(t, 200_000, 4), 1<<30, 1<<30)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := runtime.Run(ctx, onePipeline(in, filepath.Join(dir, "out.cstore"), nil), &runtime.Options{Events: func(runtime.Event) { cancel(stop) }})
	if !errors.Is(err, stop) {
		t.Error(err)
	}
	nothingBeside(t, dir, len(in))
}
