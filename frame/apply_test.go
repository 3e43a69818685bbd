package frame_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/ops"
)

// norm makes h, hypot of two columns, and n, the row's number, of x and y; it counts rows.
func norm(rows *int) *ops.BatchFunc {
	return &ops.BatchFunc{
		Title: "norm", In: []string{"x", "y"},
		Out: []colstore.Field{{Name: "h", Type: colstore.Float64}, {Name: "n", Type: colstore.Int64}, {Name: "x2", Type: colstore.Float64}},
		Func: func(_ context.Context, in *colstore.Batch) ([]colstore.Column, error) {
			if rows != nil {
				*rows += in.Rows()
			}
			x, err := colstore.CopyOf[float64](in.At(0))
			if err != nil {
				return nil, err
			}
			y, err := colstore.CopyOf[float64](in.At(1))
			if err != nil {
				return nil, err
			}
			h, n := make([]float64, len(x)), make([]int64, len(x))
			kernel.Hypot(h, x, y)
			for i := range n {
				n[i] = in.Begin() + int64(i)
			}
			return []colstore.Column{colstore.Wrap(h), colstore.Wrap(n), in.At(0)}, nil // a view among them
		},
	}
}

// An operator makes what expressions make, before and after cuts, for any batches, in all terminals; an operator can take
// what another makes.
func TestApply(t *testing.T) {
	t.Parallel()
	again := &ops.BatchFunc{Title: "again", Out: []colstore.Field{{Name: "w", Type: colstore.Float64}}, // takes all columns
		Func: func(_ context.Context, in *colstore.Batch) ([]colstore.Column, error) {
			h, err := in.Column("h")
			return []colstore.Column{h}, err
		}}
	rapid.Check(t, func(rt *rapid.T) {
		src := stream{numbers(t, rapid.SampledFrom([]int{0, 1, 700, 9000}).Draw(rt, "rows")), rapid.SampledFrom([]int{7, 512, 5000, 100_000}).Draw(rt, "batch")}
		steps := func(apply, second func(*frame.Frame) *frame.Frame) *frame.Frame {
			f := apply(frame.From(src).Where(frame.MustParse("i % 3 != 1"), frame.Named("one")).Assign("y", frame.MustParse("i * 0.5")))
			f = second(f.Assign("x", frame.MustParse("x + 1")).Where(frame.MustParse("h > 2 and x2 < 2"), frame.Weighted("h")))
			f = f.Assign("z", frame.MustParse("h * x + n + w"))
			if rapid.Bool().Draw(rt, "cut") {
				f = f.Where(frame.MustParse("w < 1000"), frame.Weighted("w * x"))
			}
			return f.Drop("y").Limit(2000)
		}
		got := steps(func(f *frame.Frame) *frame.Frame { return f.Apply(norm(nil)) }, func(f *frame.Frame) *frame.Frame { return f.Apply(again) })
		want := frame.From(src)
		cuts := got.Cuts()
		want = want.Where(frame.MustParse("i % 3 != 1"), frame.Named("one")).Assign("y", frame.MustParse("i * 0.5")).
			Assign("h", frame.MustParse("hypot(x, y)")).Assign("n", frame.Row()).Assign("x2", frame.Col("x")).
			Assign("x", frame.MustParse("x + 1")).Where(frame.MustParse("h > 2 and x2 < 2"), frame.Weighted("h")).
			Assign("w", frame.Col("h")).Assign("z", frame.MustParse("h * x + n + w"))
		if cuts == 3 {
			want = want.Where(frame.MustParse("w < 1000"), frame.Weighted("w * x"))
		}
		want = want.Drop("y").Limit(2000)
		if g, w := collect(t, got), collect(t, want); g != w {
			rt.Fatalf("%q\nwant\n%q", g, w)
		}
		g, errG := got.Report(t.Context())
		w, errW := want.Report(t.Context())
		if errG != nil || errW != nil || g.CSV() != w.CSV() {
			rt.Fatal(errG, errW, g, w)
		}
		a, errA := got.Reduce(t.Context(), ops.Sum("z"), ops.Max("n"))
		b, errB := want.Reduce(t.Context(), ops.Sum("z"), ops.Max("n"))
		if errA != nil || errB != nil || fmt.Sprint(a) != fmt.Sprint(b) {
			rt.Fatal(errA, errB, a, b)
		}
	})
}

// An operator runs once a row for all that needs it, and not at all if nothing does.
func TestApplyRunsWhenNeeded(t *testing.T) {
	t.Parallel()
	src := numbers(t, 1000)
	rows := 0
	f := frame.From(src).Assign("y", frame.Col("x")).Apply(norm(&rows)).Vary("v", "x2", frame.MustParse("x2 + 1"), frame.MustParse("x2 - 1"))
	if _, err := f.Drop("h", "n", "x2").Collect(t.Context()); err != nil || rows != 0 {
		t.Error(rows, err)
	}
	if names, err := f.Select("i", "n").SourceColumns([]string{"i", "x", "other"}); err != nil || strings.Join(names, " ") != "i x" {
		t.Error(names, err)
	}
	if b, err := f.Select("n", "h", "x2").Collect(t.Context()); err != nil || rows != 1000 || b.Rows() != 1000 {
		t.Error(rows, err)
	}
	rows = 0
	if flows, err := f.Where(frame.MustParse("h > 2 or x2 < 0")).Cutflows(t.Context()); err != nil || rows != 1000 || len(flows) != 3 {
		t.Error(rows, err)
	}
	e, err := f.Where(frame.MustParse("h > 2")).Select("n", "x2").Explain()
	if err != nil {
		t.Fatal(err)
	}
	goldenText(t, "explain_apply.txt", e.String()+"\n")
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	src := numbers(t, 10)
	op := func(change func(*ops.BatchFunc)) *ops.BatchFunc {
		f := &ops.BatchFunc{Title: "mine", In: []string{"x"}, Out: []colstore.Field{{Name: "h", Type: colstore.Float64}}}
		f.Func = func(_ context.Context, in *colstore.Batch) ([]colstore.Column, error) {
			return []colstore.Column{in.At(0)}, nil
		}
		change(f)
		return f
	}
	type (
		columns = []colstore.Column
		batch   = colstore.Batch
	)
	big, err := colstore.ParseDType(">f8")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]func(*ops.BatchFunc){
		`apply mine: column "q": no such column`: func(f *ops.BatchFunc) { f.In = []string{"q"} },
		`column "x" is named twice`:              func(f *ops.BatchFunc) { f.In = []string{"x", "x"} },
		`it makes no column`:                     func(f *ops.BatchFunc) { f.Out = nil },
		`is not in native byte order`:            func(f *ops.BatchFunc) { f.Out[0].Type = big },
		`apply mine: oh no`: func(f *ops.BatchFunc) {
			f.Func = func(context.Context, *batch) (columns, error) { return nil, errors.New("oh no") }
		},
		`apply mine: panic: oh no`: func(f *ops.BatchFunc) {
			f.Func = func(context.Context, *batch) (columns, error) { panic("oh no") }
		},
		`apply mine: column "h": mismatch: 3 rows, expected 10`: func(f *ops.BatchFunc) {
			f.Func = func(context.Context, *batch) (columns, error) { return columns{colstore.Wrap(make([]float64, 3))}, nil }
		},
		`apply mine: column "h": mismatch: values are <i8, the schema says <f8`: func(f *ops.BatchFunc) {
			f.Func = func(context.Context, *batch) (columns, error) { return columns{colstore.Wrap(make([]int64, 10))}, nil }
		},
	}
	for want, change := range tests {
		_, err := frame.From(src).Apply(op(change)).Collect(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
	if err := frame.New().Apply(nil).Err(); err == nil {
		t.Error("nil is no operator")
	}
	for name, bad := range map[string]ops.BatchOp{"names": wrong{op(func(*ops.BatchFunc) {}), true}, "rows": wrong{op(func(*ops.BatchFunc) {}), false}} {
		if _, err := frame.From(src).Apply(bad).Collect(t.Context()); !errors.Is(err, colstore.ErrMismatch) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// wrong is an operator that does not do what it says.
type wrong struct {
	ops.BatchOp
	names bool
}

func (w wrong) Schema(in *colstore.Schema) (*colstore.Schema, error) {
	if w.names {
		return in, nil
	}
	return w.BatchOp.Schema(in)
}

func (w wrong) Apply(ctx context.Context, in *colstore.Batch, mem colstore.Allocator) (*colstore.Batch, error) {
	return w.BatchOp.Apply(ctx, in.Slice(0, in.Rows()-1), mem)
}

// Functions that are not registered work beside those that are, under any name, and are shared by their pointer.
func TestCallFunc(t *testing.T) {
	t.Parallel()
	src := numbers(t, 3000)
	calls := 0
	add := ops.Map2("add", "not the usual one", func(a, b, out []float64) {
		calls += len(out)
		for i := range out {
			out[i] = 100*a[i] + b[i]
		}
	})
	even := ops.Map1("even", "", func(in []int64, out []bool) {
		for i, v := range in {
			out[i] = v%2 == 0
		}
	})
	f := frame.From(src).Assign("y", frame.CallFunc(&add, frame.Col("x"), 0.5)).
		Where(frame.CallFunc(&even, frame.Col("i"))).
		Assign("z", frame.CallFunc(&add, frame.Col("x"), 0.5).Add(frame.Col("i"))).
		Assign("k", frame.CallFunc(&add, 1, 2))
	want := frame.From(src).Assign("y", frame.MustParse("100 * x + 0.5")).Where(frame.MustParse("i % 2 == 0")).
		Assign("z", frame.MustParse("100 * x + 0.5 + i")).Assign("k", frame.Lit(102.0))
	if g, w := collect(t, f), collect(t, want); g != w {
		t.Errorf("%q\nwant\n%q", g, w)
	}
	if got := frame.CallFunc(&add, frame.Col("x"), 1).String(); got != "add(x, 1)" {
		t.Error(got)
	}
	calls = 0
	shared := frame.From(src).Assign("y", frame.CallFunc(&add, frame.Col("x"), 0.5)).
		Where(frame.CallFunc(&even, frame.Col("i"))).Assign("z", frame.CallFunc(&add, frame.Col("x"), 0.5).Add(frame.Col("i")))
	if _, err := shared.Collect(t.Context()); err != nil || calls != 1500 {
		t.Error(calls, err)
	}
	// Two frames of a set share what does not fail.
	set, err := frame.BindSet(src.Schema(), f.Select("y"), f.Select("z"))
	if err != nil {
		t.Fatal(err)
	}
	calls = 0
	for in, err := range src.Scan(t.Context(), colstore.Scan{Columns: set.Inputs()}) {
		if err != nil {
			t.Fatal(err)
		}
		out, err := set.Eval(t.Context(), in, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range out {
			b.Release()
		}
	}
	if calls != 1500 { // those that either keeps
		t.Errorf("%d rows computed, want 1500", calls)
	}
	for want, e := range map[string]frame.Expr{
		"argument 1 of even is int64, not float64; cast it": frame.CallFunc(&even, frame.Col("x")),
		"takes 2 arguments":    frame.CallFunc(&add, frame.Col("x")),
		"there is no function": frame.CallFunc(nil),
	} {
		if err := frame.From(src).Assign("q", e).Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}
