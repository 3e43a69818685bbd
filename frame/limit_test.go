package frame_test

import (
	"context"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source"
)

// numbers is a source of columns i, 0, 1, 2, …, and x, i % 7 − 3.
func numbers(tb testing.TB, rows int) colstore.Source {
	tb.Helper()
	i, x := make([]int64, rows), make([]float64, rows)
	for r := range rows {
		i[r], x[r] = int64(r), float64(r%7-3)
	}
	b, err := colstore.NewBatch(colstore.MustSchema(
		colstore.Field{Name: "i", Type: colstore.Int64}, colstore.Field{Name: "x", Type: colstore.Float64}), colstore.Wrap(i), colstore.Wrap(x))
	if err != nil {
		tb.Fatal(err)
	}
	return source.Memory(b)
}

// stream is a source that does not know its rows, cannot start inside, and has batches of its own size.
type stream struct {
	colstore.Source
	rows int
}

func (stream) Rows() int64 { return -1 }

func (s stream) Scan(ctx context.Context, scan colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	scan.BatchRows = s.rows
	return s.Source.Scan(ctx, scan)
}

// ints collects a column of a frame.
func ints(tb testing.TB, f *frame.Frame, column string) []int64 {
	tb.Helper()
	b, err := f.Select(column).Collect(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	out, err := colstore.CopyOf[int64](b.At(0))
	if err != nil {
		tb.Fatal(err)
	}
	return append([]int64{}, out...)
}

// Limits and samples anywhere among cuts keep the rows that a loop over all rows keeps, and all terminals agree.
func TestLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.SampledFrom([]int{0, 1, 20, 5000}).Draw(rt, "rows")
		src := numbers(t, rows)
		if rapid.Bool().Draw(rt, "stream") {
			src = stream{src, rapid.SampledFrom([]int{1 << 20, 1000, 17}).Draw(rt, "batch")}
		}
		all := ints(t, frame.From(src), "i")
		sampled := map[int64]bool{}
		for _, i := range ints(t, frame.From(src).Sample(0.5, 9), "i") {
			sampled[i] = true
		}
		keep := func(pass func(int64) bool, rows []int64) []int64 {
			var out []int64
			for _, i := range rows {
				if pass(i) {
					out = append(out, i)
				}
			}
			return out
		}
		end := int64(rows) // of the source
		f, cuts := frame.From(src), []func(int64) bool{}
		survivors := func() []int64 {
			out := all[:end]
			for _, c := range cuts {
				out = keep(c, out)
			}
			return append([]int64{}, out...)
		}
		var counts []func() int64 // of rows that pass the cuts up to one
		for range rapid.IntRange(1, 5).Draw(rt, "steps") {
			switch rapid.IntRange(0, 2).Draw(rt, "step") {
			case 0:
				n := rapid.Int64Range(0, 40).Draw(rt, "limit")
				f = f.Limit(n)
				if s := survivors(); int64(len(s)) >= n {
					if end = 0; n > 0 {
						end = s[n-1] + 1
					}
				}
			case 1:
				m := rapid.Int64Range(2, 5).Draw(rt, "modulus")
				f = f.Where(frame.Col("i").Mod(m).Ne(0))
				cuts = append(cuts, func(i int64) bool { return i%m != 0 })
				so := slices.Clip(cuts)
				counts = append(counts, func() int64 {
					left := all[:end]
					for _, c := range so {
						left = keep(c, left)
					}
					return int64(len(left))
				})
			case 2:
				f = f.Sample(0.5, 9)
				cuts = append(cuts, func(i int64) bool { return sampled[i] })
			}
		}
		want := survivors()
		if d := cmp.Diff(want, ints(t, f, "i")); d != "" {
			rt.Error(d)
		}
		if n, err := f.Count(t.Context()); err != nil || n != int64(len(want)) {
			rt.Error(n, err)
		}
		v, err := f.Reduce(t.Context(), ops.Sum("i"), ops.Count(""))
		if err != nil {
			rt.Fatal(err)
		}
		sum := int64(0)
		for _, i := range want {
			sum += i
		}
		if v[0].Scalar != colstore.ScalarOf(sum) || v[1].Scalar != colstore.ScalarOf(int64(len(want))) {
			rt.Error(v)
		}
		flow, err := f.Report(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		var passing []int64
		for _, c := range flow.Cuts {
			passing = append(passing, c.Passing)
		}
		var expected []int64
		for _, c := range counts {
			expected = append(expected, c())
		}
		if d := cmp.Diff(expected, passing); d != "" {
			rt.Error(d)
		}
	})
}

// A value beyond the row that gives the last survivor is not looked at, whatever batch it lies in.
func TestLimitStopsBeforeErrors(t *testing.T) {
	t.Parallel()
	src := numbers(t, 1000)
	f := frame.From(src).Where(frame.MustParse("(i ** (500 - i)) != 7"))
	if got := len(ints(t, f.Limit(500), "i")); got != 500 {
		t.Error(got)
	}
	if _, err := f.Limit(502).Collect(t.Context()); err == nil || !strings.Contains(err.Error(), "row 501") {
		t.Error(err)
	}
}

func TestLimitRefuses(t *testing.T) {
	t.Parallel()
	src := numbers(t, 10)
	for _, f := range []*frame.Frame{
		frame.From(src).Limit(-1), frame.From(src).Sample(-0.1, 0), frame.From(src).Sample(1.5, 0), frame.New().Sample(math.NaN(), 0),
	} {
		if f.Err() == nil {
			t.Error("no error")
		}
	}
	f := frame.From(src).Limit(3)
	if _, err := f.Bind(src.Schema()); err == nil {
		t.Error("a program forgot its limit")
	}
	if s, err := f.Schema(); err != nil || s.Len() != 2 {
		t.Error(s, err)
	}
	if _, err := frame.New().Limit(3).Collect(t.Context()); err == nil {
		t.Error("no source")
	}
}

// A sample has about the fraction asked for, larger fractions have the rows of smaller ones, and seeds differ.
func TestSample(t *testing.T) {
	t.Parallel()
	src := numbers(t, 20_000)
	rows := func(fraction float64, seed uint64) map[int64]bool {
		out := map[int64]bool{}
		for _, i := range ints(t, frame.From(src).Sample(fraction, seed), "i") {
			out[i] = true
		}
		return out
	}
	tenth, half, all, other := rows(0.1, 1), rows(0.5, 1), rows(1, 1), rows(0.5, 2)
	if len(rows(0, 1)) != 0 || len(all) != 20_000 {
		t.Error("the ends of the range")
	}
	if len(tenth) < 1800 || len(tenth) > 2200 || len(half) < 9700 || len(half) > 10_300 {
		t.Error(len(tenth), len(half))
	}
	both := 0
	for i := range half {
		if other[i] {
			both++
		}
	}
	for i := range tenth {
		if !half[i] {
			t.Errorf("row %d is in the tenth and not in the half", i)
		}
	}
	if both < 4700 || both > 5300 {
		t.Errorf("two seeds share %d rows of 5000 expected", both)
	}
}

// A frame with limits and samples selects rows of a view as it selects those of its own source.
func TestLimitMatches(t *testing.T) {
	t.Parallel()
	base := numbers(t, 500)
	for _, src := range []colstore.Source{base, stream{base, 70}} {
		f := frame.New().Where(frame.MustParse("i % 3 != 0")).Sample(0.5, 1).Limit(40)
		if err := f.Check(src.Schema()); err != nil {
			t.Fatal(err)
		}
		words, rows, err := f.Match(t.Context(), src)
		if err != nil || rows != 500 {
			t.Fatal(rows, err)
		}
		var got []int64
		for i := range rows {
			if words[i/64]>>(i%64)&1 != 0 {
				got = append(got, i)
			}
		}
		if d := cmp.Diff(ints(t, f.Over(src), "i"), got); d != "" {
			t.Error(d)
		}
	}
}

// The first and last rows are those of what the limit leaves.
func TestLimitEnds(t *testing.T) {
	t.Parallel()
	f := frame.From(numbers(t, 500)).Where(frame.MustParse("i % 5 == 2")).Limit(10) // 2, 7, …, 47
	_, first, err := f.First(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	_, last, err := f.Last(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int64{2, 7, 12, 42, 47}, slices.Concat(first, last)); d != "" {
		t.Error(d)
	}
}
