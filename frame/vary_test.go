package frame_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
)

// varied is a frame with cuts, weights, derived columns and three variations.
func varied(src colstore.Source) *frame.Frame {
	return frame.From(src).
		Assign("y", frame.MustParse("sqrt(abs(x)) * 2")).
		Vary("jes", "x", frame.MustParse("x * 1.5"), frame.MustParse("x * 0.5")).
		Where(frame.MustParse("x > -2"), frame.Named("low"), frame.Weighted("y + 1")).
		Sample(0.8, 4).
		Vary("sf", "y", frame.MustParse("y + x"), frame.Expr{}).
		Where(frame.MustParse("i % 3 != 0"), frame.Weighted("y")).
		Where(frame.MustParse("x < 2 or y > 2"), frame.Named("last")).
		Assign("z", frame.MustParse("x + hypot(y, i)")).
		Assign("same", frame.MustParse("cos(i)"))
}

func collect(tb testing.TB, f *frame.Frame) string {
	tb.Helper()
	b, err := f.Collect(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return dump(b)
}

// dump returns the schema and the bytes of a batch.
func dump(b *colstore.Batch) string {
	var s strings.Builder
	fmt.Fprintln(&s, b.Schema(), b.Rows())
	for i := range b.Schema().Len() {
		data, _ := b.At(i).Copy().Bytes()
		s.Write(data)
	}
	return s.String()
}

// One pass over all variations gives the rows and the cutflows that each of their frames gives alone, for any batches.
func TestVariations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		src := numbers(t, rapid.SampledFrom([]int{0, 1, 700, 9000}).Draw(rt, "rows"))
		f := varied(stream{src, rapid.SampledFrom([]int{7, 512, 5000, 100_000}).Draw(rt, "batch")}).NMinusOne()
		var names []string
		var alone []frame.NamedCutflow
		var rows []string
		for _, v := range f.Variations() {
			names = append(names, v.Name)
			flow, err := v.Frame.Over(src).Report(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			alone = append(alone, frame.NamedCutflow{Name: v.Name, Cutflow: flow})
			rows = append(rows, collect(t, v.Frame.Over(src)))
		}
		if d := cmp.Diff([]string{"nominal", "jes_up", "jes_down", "sf_up"}, names); d != "" {
			rt.Fatal(d)
		}
		flows, err := f.Cutflows(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(alone, flows); d != "" {
			rt.Fatal(d)
		}
		parts := make([][]*colstore.Batch, len(names))
		for batches, err := range f.VariedBatches(t.Context(), 0) {
			if err != nil {
				rt.Fatal(err)
			}
			for i, b := range batches {
				parts[i] = append(parts[i], b.Detach())
			}
		}
		for i, v := range f.Variations() {
			schema, err := v.Frame.Schema()
			if err != nil {
				rt.Fatal(err)
			}
			b, err := colstore.Stack(schema, parts[i]...)
			if err != nil {
				rt.Fatal(err)
			}
			if got := dump(b); got != rows[i] {
				rt.Fatalf("%s: other rows than alone:\n%q\nwant\n%q", v.Name, got, rows[i])
			}
		}
	})
}

func TestVaryRefuses(t *testing.T) {
	t.Parallel()
	src := numbers(t, 10)
	up := frame.MustParse("x + 1")
	tests := map[string]*frame.Frame{
		`no such column`:                         frame.From(src).Vary("a", "q", up, up),
		`no column "q" here`:                     frame.From(src).Vary("a", "x", frame.MustParse("q"), up),
		`has neither an up nor a down`:           frame.From(src).Vary("a", "x", frame.Expr{}, frame.Expr{}),
		`has no name`:                            frame.From(src).Vary("", "x", up, up),
		`two variations are called "a"`:          frame.From(src).Vary("a", "x", up, up).Vary("a", "i", up, up),
		`each variation at another row`:          frame.From(src).Vary("a", "x", up, up).Limit(3),
		`the frame has no source`:                frame.New().Vary("a", "x", up, up),
		`> has no meaning for float64 and the t`: frame.From(src).Vary("a", "x", frame.MustParse("x > 'a'"), up),
	}
	for want, f := range tests {
		if _, err := f.Cutflows(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// A subexpression that assigns, cuts, weights and columns share is evaluated once for each row; so is one that variations
// and branches of a set share for their cuts.
func TestSharing(t *testing.T) {
	const rows = 3000
	src := numbers(t, rows)
	var counted atomic.Int64
	identity := ops.Vectorized("counted", "its argument, and counts", 1,
		func([]colstore.DType) (colstore.DType, error) { return colstore.Float64, nil },
		func(dst colstore.Column, args []colstore.Column) error {
			counted.Add(int64(dst.Rows()))
			in, err := colstore.CopyOf[float64](args[0])
			if err != nil {
				return err
			}
			out, err := colstore.Values[float64](dst)
			copy(out, in)
			return err
		})
	shared := func() frame.Expr { return frame.CallFunc(&identity, frame.Col("x").Mul(2)) } // equal, not the same
	with := func(text string) frame.Expr {
		e, err := frame.Parse(text, frame.Params{"shared": shared()})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	f := frame.From(src).
		Assign("a", shared()).
		Where(with("a > -5 and @shared < 6"), frame.Weighted(shared())).
		Assign("b", with("a + @shared")).
		Where(frame.MustParse("b != 4"), frame.Named("second"), frame.Weighted("a * b")).
		Assign("c", shared())
	tests := []struct {
		name string
		run  func() error
		want int64
	}{
		{"collect", func() error { _, err := f.Collect(t.Context()); return err }, rows},
		{"cutflow", func() error { _, err := f.Report(t.Context()); return err }, rows},
		{"reduce", func() error { _, err := f.Reduce(t.Context(), ops.Sum("a"), ops.Max("c"), ops.Mean("b")); return err }, rows},
		{"what is dropped", func() error {
			_, err := frame.From(src).Assign("a", shared()).Drop("a").Collect(t.Context())
			return err
		}, 0},
		{"variations of something else", func() error {
			_, err := f.Vary("v", "b", frame.MustParse("b + 1"), frame.MustParse("b - 1")).Where(frame.MustParse("b > 0")).Cutflows(t.Context())
			return err
		}, rows},
		{"variations of what it is made of", func() error {
			_, err := frame.From(src).Vary("v", "x", frame.MustParse("x + 1"), frame.Expr{}).Assign("a", shared()).
				Where(frame.MustParse("a > 0")).Cutflows(t.Context())
			return err
		}, 2 * rows},
	}
	for _, c := range tests {
		counted.Store(0)
		if err := c.run(); err != nil {
			t.Fatal(err)
		}
		if n := counted.Load(); n != c.want {
			t.Errorf("%s: %d evaluations, want %d", c.name, n, c.want)
		}
	}
}
