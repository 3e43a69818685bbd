package diff_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/diff"
)

// text returns a column of strings.
func text(t *testing.T, d colstore.DType, values ...string) colstore.Column {
	t.Helper()
	data := make([]byte, len(values)*d.Size())
	for i, v := range values {
		at := data[i*d.Size():]
		if d.Kind() == colstore.KindBytes {
			copy(at, v)
			continue
		}
		for k, r := range []rune(v) {
			at[4*k], at[4*k+1], at[4*k+2] = byte(r), byte(r>>8), byte(r>>16)
		}
	}
	c, err := colstore.NewColumn(d, len(values), data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ticks(t *testing.T, d colstore.DType, values ...int64) colstore.Column {
	t.Helper()
	return colstore.Wrap(values).As(d)
}

// table returns columns as a source.
func table(t errorer, names []string, cols ...colstore.Column) colstore.Source {
	fields := make([]colstore.Field, len(cols))
	for i, c := range cols {
		fields[i] = colstore.Field{Name: names[i], Type: c.Type()}
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return source.Memory(b)
}

type errorer interface{ Fatalf(string, ...any) }

func halves(v ...uint16) colstore.Column { return colstore.Wrap(v).As(colstore.Float16) }

// Which values of which dtypes are equal, and how far apart the others are.
func TestValues(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	payload := math.Float64frombits(math.Float64bits(nan) ^ 7)
	const huge = 1<<53 + 1
	tests := []struct {
		name      string
		a, b      colstore.Column
		tolerance float64
		rows      []int64 // that differ; nil with none: not comparable
		most      float64
	}{
		{"floats", colstore.Wrap([]float64{0, nan, inf, 1, nan}), colstore.Wrap([]float64{math.Copysign(0, -1), payload, inf, 1.5, 1}), 0, []int64{3, 4}, 0.5},
		{"infinities", colstore.Wrap([]float64{inf, -inf, inf}), colstore.Wrap([]float64{inf, inf, 1}), 1e300, []int64{1, 2}, inf},
		{"absolute", colstore.Wrap([]float64{0, 0}), colstore.Wrap([]float64{0.125, 0.25}), 0.125, []int64{1}, 0.25},
		{"relative", colstore.Wrap([]float64{1000, -1000}), colstore.Wrap([]float64{1100, -1200}), 0.125, []int64{1}, 200},
		{"tolerated NaN", colstore.Wrap([]float64{nan, nan}), colstore.Wrap([]float64{nan, 0}), 1, []int64{1}, 0},
		{"widths", colstore.Wrap([]float32{0.5, 0.1}), colstore.Wrap([]float64{0.5, 0.1}), 0, []int64{1}, float64(float32(0.1)) - 0.1},
		{"half", halves(0x3c00, 0x7e00, 0x8000), colstore.Wrap([]float64{1, nan, 0}), 0, []int64{}, 0},
		{"integers", colstore.Wrap([]int8{-1, 5, 7}), colstore.Wrap([]int64{-1, 5, 8}), 0, []int64{2}, 1},
		{"integers are exact", colstore.Wrap([]int64{1000}), colstore.Wrap([]int64{1001}), 1, []int64{0}, 1},
		{"signs", colstore.Wrap([]int64{-1, 1, math.MinInt64}), colstore.Wrap([]uint64{math.MaxUint64, 1, 1 << 63}), 0, []int64{0, 2}, 1 << 64},
		{"signs, the other way", colstore.Wrap([]uint64{math.MaxUint64, 1}), colstore.Wrap([]int8{-1, 1}), 0, []int64{0}, 1 << 64},
		{"far", colstore.Wrap([]int64{math.MinInt64}), colstore.Wrap([]int64{math.MaxInt64}), 0, []int64{0}, 1<<64 - 1},
		{"unsigned", colstore.Wrap([]uint64{math.MaxUint64, 3}), colstore.Wrap([]uint64{math.MaxUint64 - 1, 3}), 0, []int64{0}, 1},
		{"bool bytes", colstore.Wrap([]uint8{0, 1, 2}).As(colstore.Bool), colstore.Wrap([]uint8{0, 2, 0}).As(colstore.Bool), 0, []int64{2}, 1},
		{"bools and numbers", colstore.Wrap([]bool{false, true, true}), colstore.Wrap([]float32{0, 1, 2}), 0, []int64{2}, 1},
		{"large integers", colstore.Wrap([]int64{huge, huge - 1}), colstore.Wrap([]float64{huge, huge - 1}), 0, []int64{0}, 1},
		{"large floats", colstore.Wrap([]float64{1 << 63, -1 << 63, 0.5, nan}), colstore.Wrap([]int64{math.MaxInt64, math.MinInt64, 0, 0}), 0, []int64{0, 2, 3}, 0.5},
		{"large unsigned", colstore.Wrap([]uint64{math.MaxUint64, 1 << 63}), colstore.Wrap([]float64{1 << 64, 1 << 63}), 0, []int64{0}, 0},
		{"large, tolerated", colstore.Wrap([]int64{huge}), colstore.Wrap([]float64{huge}), 1e-9, []int64{}, 0},
		{"bytes", text(t, colstore.BytesOf(2), "a", "ab", "b"), text(t, colstore.BytesOf(4), "a", "ab", "bcd"), 0, []int64{2}, 0},
		{"text", text(t, colstore.TextOf(2), "é", "ab"), text(t, colstore.TextOf(3), "é", "abc"), 0, []int64{1}, 0},
		{"bytes and text", text(t, colstore.BytesOf(3), "é", "ab"), text(t, colstore.TextOf(1), "é", "a"), 0, []int64{1}, 0},
		{"text and numbers", text(t, colstore.BytesOf(1), "1"), colstore.Wrap([]int64{1}), 0, nil, 0},
		{"times and numbers", ticks(t, colstore.DatetimeOf(colstore.Second), 1), colstore.Wrap([]int64{1}), 0, nil, 0},
		{"kinds of times", ticks(t, colstore.DatetimeOf(colstore.Second), 1), ticks(t, colstore.TimedeltaOf(colstore.Second), 1), 0, nil, 0},
		{"times", ticks(t, colstore.DatetimeOf(colstore.Second), 1, colstore.NaT, colstore.NaT), ticks(t, colstore.DatetimeOf(colstore.Second), 8, colstore.NaT, 0), 0, []int64{0, 2}, 7},
		{"units", ticks(t, colstore.DatetimeOf(colstore.Day), 1, -1, colstore.NaT, 1<<60), ticks(t, colstore.DatetimeOf(colstore.Nanosecond), 86400e9, -86400e9+1, colstore.NaT, -86400e9), 0, []int64{1, 3}, 0},
		{"units, the other way", ticks(t, colstore.TimedeltaOf(colstore.Attosecond), 0, 5), ticks(t, colstore.TimedeltaOf(colstore.Week), 0, 5), 0, []int64{1}, 0},
		{"months", ticks(t, colstore.DatetimeOf(colstore.Month), 1, -1, 1, colstore.NaT), ticks(t, colstore.DatetimeOf(colstore.Millisecond), 31*86400e3, -31*86400e3, 31*86400e3+1, 0), 0, []int64{2, 3}, 0},
		{"years and months", ticks(t, colstore.TimedeltaOf(colstore.Year), 2, 2), ticks(t, colstore.TimedeltaOf(colstore.Month), 24, 25), 0, []int64{1}, 0},
		{"months have no length", ticks(t, colstore.TimedeltaOf(colstore.Month), 0), ticks(t, colstore.TimedeltaOf(colstore.Day), 0), 0, nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, swap := range []bool{false, true} {
				a, b := test.a, test.b
				if swap {
					a, b = b, a
				}
				names := []string{"v"}
				r, err := diff.Tables(t.Context(), table(t, names, a), table(t, names, b), &diff.Options{Tolerance: test.tolerance})
				if err != nil {
					t.Fatal(err)
				}
				c := r.Columns[0]
				if c.Comparable != (test.rows != nil) || r.Equal() != (test.rows != nil && len(test.rows) == 0) || c.Different != int64(len(test.rows)) {
					t.Fatalf("%+v", c)
				}
				rows := []int64{}
				for _, s := range c.First {
					rows = append(rows, s.Row)
				}
				if test.rows != nil && !cmp.Equal(rows, test.rows) || c.Most != test.most {
					t.Errorf("rows %d by %v, want %d by %v", rows, c.Most, test.rows, test.most)
				}
			}
		})
	}
}

// Columns are matched by name; what is only in one table, and rows that one has more, are told.
func TestSchemas(t *testing.T) {
	x, y, z := colstore.Wrap([]int64{1, 2, 3}), colstore.Wrap([]float64{1, 2, 3}), text(t, colstore.BytesOf(1), "a", "b", "c")
	a := table(t, []string{"x", "y", "p"}, x, y, z)
	b := table(t, []string{"q", "y", "x"}, z.Slice(0, 2, 1), y.Slice(0, 2, 1), colstore.Wrap([]int16{1, 4}))
	r, err := diff.Tables(t.Context(), a, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &diff.Report{
		Rows: [2]int64{3, 2}, Compared: 2, Only: [2][]string{{"p"}, {"q"}}, Reordered: true,
		Columns: []diff.Column{
			{Name: "x", Types: [2]colstore.DType{colstore.Int64, colstore.Int16}, Comparable: true, Different: 1, Most: 2, First: []diff.Sample{{Row: 1, A: "2", B: "4"}}},
			{Name: "y", Types: [2]colstore.DType{colstore.Float64, colstore.Float64}, Comparable: true},
		},
	}
	if d := cmp.Diff(want, r, cmp.Comparer(func(a, b colstore.DType) bool { return a == b })); d != "" || r.Equal() {
		t.Error(d)
	}
	r, err = diff.Tables(t.Context(), table(t, []string{"x", "y"}, x, y), table(t, []string{"y", "x"}, y, x), nil)
	if err != nil || !r.Equal() || !r.Reordered {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = diff.Tables(t.Context(), table(t, []string{"x"}, x), table(t, []string{"y"}, y), nil)
	if err != nil || r.Equal() || r.Rows != [2]int64{3, 3} || r.Compared != 3 {
		t.Errorf("nothing in common: %+v, %v", r, err)
	}
}

func TestErrors(t *testing.T) {
	a := table(t, []string{"x"}, colstore.Wrap([]int64{1}))
	for _, tolerance := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := diff.Tables(t.Context(), a, a, &diff.Options{Tolerance: tolerance}); !errors.Is(err, colstore.ErrOption) {
			t.Errorf("%v: %v", tolerance, err)
		}
	}
	broken := errors.New("broken")
	for _, pair := range [][2]colstore.Source{{a, &failing{a, broken}}, {&failing{a, broken}, a}} {
		if _, err := diff.Tables(t.Context(), pair[0], pair[1], nil); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
	}
}

// failing is a source that fails when it is read.
type failing struct {
	colstore.Source

	err error
}

func (f *failing) Scan(context.Context, colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) { yield(nil, f.err) }
}

// unsized is a source that does not know its rows, and yields batches of so many.
type unsized struct {
	colstore.Source

	rows int
}

func (*unsized) Rows() int64 { return -1 }

func (u *unsized) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	s.BatchRows = u.rows
	return u.Source.Scan(ctx, s)
}

// The report is the same for any batches and threads, and what a plain loop over big numbers says.
func TestSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(0, 9000).Draw(t, "rows"), rapid.IntRange(0, 9000).Draw(t, "other rows")
		seed := rapid.Uint64().Draw(t, "seed")
		every := rapid.IntRange(1, 3000).Draw(t, "every")
		random := func() uint64 { seed = seed*6364136223846793005 + 1442695040888963407; return seed >> 33 }
		a, b := make([]int64, n), make([]float64, m)
		for i := range a {
			a[i] = int64(random()) << (random() % 32)
		}
		for i := range b {
			if i < n {
				b[i] = float64(a[i])
			}
			if random()%uint64(every) == 0 {
				b[i] += float64(random() % 3)
			}
		}
		var rows []int64
		for i := range min(n, m) {
			if new(big.Float).SetInt64(a[i]).Cmp(big.NewFloat(b[i])) != 0 {
				rows = append(rows, int64(i))
			}
		}
		names := []string{"v"}
		var first *diff.Report
		for range 3 {
			left := &unsized{table(t, names, colstore.Wrap(a)), rapid.IntRange(1, 5000).Draw(t, "batch")}
			right := &unsized{table(t, names, colstore.Wrap(b)), rapid.IntRange(1, 5000).Draw(t, "batch")}
			r, err := diff.Tables(context.Background(), left, right, &diff.Options{Threads: rapid.IntRange(0, 3).Draw(t, "threads")})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = r
			}
			if d := cmp.Diff(first, r, cmp.Comparer(func(a, b colstore.DType) bool { return a == b })); d != "" {
				t.Fatal(d)
			}
		}
		c := first.Columns[0]
		if first.Rows != [2]int64{int64(n), int64(m)} || first.Compared != int64(min(n, m)) || c.Different != int64(len(rows)) || len(c.First) != min(5, len(rows)) {
			t.Fatalf("%+v, want %d rows", first, len(rows))
		}
		for i, s := range c.First {
			if s.Row != rows[i] || s.A != fmt.Sprint(a[s.Row]) {
				t.Fatalf("%+v, want row %d", s, rows[i])
			}
		}
	})
}
