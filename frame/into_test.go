package frame_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// runs is a source of runs of rows in memory, like the records of a file.
type runs struct {
	schema *colstore.Schema
	parts  []*colstore.Batch
}

func (r runs) Schema() *colstore.Schema { return r.schema }
func (r runs) Close() error             { return nil }

func (r runs) Rows() int64 {
	n := 0
	for _, b := range r.parts {
		n += b.Rows()
	}
	return int64(n)
}

func (r runs) Scan(_ context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		at := int64(0)
		for _, b := range r.parts {
			n := int64(b.Rows())
			begin, end := max(0, s.Rows.Begin-at), n
			if s.Rows.End > 0 {
				end = min(n, s.Rows.End-at)
			}
			if begin < end && !yield(b.WithBegin(at).Slice(int(begin), int(end)), nil) {
				return
			}
			at += n
		}
	}
}

// mappedRuns shows its rows.
type mappedRuns struct{ runs }

func (r mappedRuns) Map(columns []string) ([]*colstore.Batch, error) {
	var out []*colstore.Batch
	for _, b := range r.parts {
		s, err := r.schema.Select(columns...)
		if err != nil {
			return nil, err
		}
		var cols []colstore.Column
		for _, name := range columns {
			c, err := b.Column(name)
			if err != nil {
				return nil, err
			}
			cols = append(cols, c)
		}
		b, err := colstore.NewOwnedBatch(s, colstore.Range{End: int64(b.Rows())}, nil, cols...)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

var bigInt16 = colstore.Int16.Swapped()

// drawRuns draws runs of columns a, b (float64), i (int32), s (S5), g (big-endian int16), and t, whose values lie apart.
func drawRuns(t *rapid.T) runs {
	r := runs{schema: colstore.MustSchema(
		colstore.Field{Name: "a", Type: colstore.Float64}, colstore.Field{Name: "b", Type: colstore.Float64}, colstore.Field{Name: "i", Type: colstore.Int32},
		colstore.Field{Name: "s", Type: colstore.BytesOf(5)}, colstore.Field{Name: "g", Type: bigInt16}, colstore.Field{Name: "t", Type: colstore.Float32})}
	x := rapid.Uint64Range(1, 1<<40).Draw(t, "seed")
	random := func() uint64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return x
	}
	for _, n := range rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 700), rapid.IntRange(3_000, 12_000)), 0, 4).Draw(t, "runs") {
		a, b, i, s, g, w := make([]float64, n), make([]float64, n), make([]int32, n), make([]byte, 5*n), make([]byte, 2*n), make([]float32, 2*n)
		for k := range n {
			v := random()
			a[k], b[k], i[k] = float64(int64(v%4001)-2000)/1000, float64(int64(v>>20%4001)-2000)/1000, int32(v%201)-100
			copy(s[5*k:], fmt.Sprint(v%1000))
			g[2*k], g[2*k+1], w[2*k] = byte(v>>8), byte(v), float32(v%97)
		}
		part, err := colstore.NewBatch(r.schema, colstore.Wrap(a), colstore.Wrap(b), colstore.Wrap(i), written(t, colstore.BytesOf(5), n, s),
			written(t, bigInt16, n, g), colstore.Wrap(w).Slice(0, 2*n, 2))
		if err != nil {
			t.Fatal(err)
		}
		r.parts = append(r.parts, part)
	}
	return r
}

func written(t *rapid.T, d colstore.DType, rows int, data []byte) colstore.Column {
	c, err := colstore.NewColumn(d, rows, data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pipelines are frames whose parts take each way through the evaluator.
func pipelines(src colstore.Source) map[string]*frame.Frame {
	p, f := frame.MustParse, frame.From(src)
	return map[string]*frame.Frame{
		"unchanged":      f,
		"computed":       f.Assign("x", p("a * 2 + b / a")).Assign("y", p("sqrt(a * a + b * b)")),
		"constants":      f.Assign("one", p("1")).Assign("two", p("2.5")).Select("two", "i", "one"),
		"constants, cut": f.Where(p("a > 0")).Assign("one", p("1")).Select("one", "i"),
		"cut":            f.Where(p("a > 0 and b < 1")),
		"rare":           f.Where(p("a > 1.99")),
		"none":           f.Where(p("a > 5")),
		"all":            f.Where(p("a < 5")),
		"shared":         f.Assign("h", p("a * a + b * b")).Where(p("h > 1")).Assign("big", p("a > 0.5")).Assign("k", p("sqrt(h)")),
		"two cuts":       f.Where(p("a > 0"), frame.Weighted("b")).Where(p("i % 3 == 0")).Assign("x", p("a + i")),
		"limit":          f.Where(p("a > 0")).Limit(1000).Where(p("b > 0")).Assign("x", p("g + 1")),
		"sample":         f.Sample(0.3, 7).Assign("x", p("a / b")),
		"row":            f.Where(frame.Row().Mod(7).Eq(0)).Assign("row", frame.Row()),
		"twice":          f.Where(p("b > 0")).Assign("x", p("a * b")).Assign("y", p("a * b")).Assign("z", p("x + y")),
		"no columns":     f.Where(p("b > 0")).Select(),
		"cast":           f.Where(p("a > -1")).Cast(map[string]colstore.DType{"a": colstore.Float32, "s": colstore.BytesOf(2)}),
	}
}

// inOrder collects the batches of the sequential evaluation.
func inOrder(t *rapid.T, f *frame.Frame) (*colstore.Batch, error) {
	s, err := f.Schema()
	if err != nil {
		t.Fatal(err)
	}
	var parts []*colstore.Batch
	for b, err := range f.Batches(t.Context(), 0) {
		if err != nil {
			return nil, err
		}
		parts = append(parts, b.Detach())
	}
	b, err := colstore.Stack(s, parts...)
	if err != nil {
		t.Fatal(err)
	}
	return b, nil
}

// storedBytes returns the bytes of each column.
func storedBytes(t *rapid.T, b *colstore.Batch) [][]byte {
	out := make([][]byte, b.Schema().Len())
	for i := range out {
		var ok bool
		if out[i], ok = b.At(i).Bytes(); !ok {
			t.Fatalf("column %d does not lie back to back", i)
		}
		out[i] = slices.Clone(out[i])
	}
	return out
}

// TestIntoMemory holds every way into memory against the batches of the sequential evaluation.
func TestIntoMemory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawRuns(t)
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(pipelines(r)))).Draw(t, "frame")
		want, err := inOrder(t, pipelines(r)[name])
		if err != nil {
			t.Fatal(err)
		}
		rows := want.Rows()
		for _, src := range []colstore.Source{r, mappedRuns{r}} {
			f := pipelines(src)[name]
			for _, workers := range []int{0, 1, 2, 5} {
				p, err := f.Prepare(t.Context(), &frame.MemoryOptions{Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				got, err := p.Collect(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got.Rows() != rows || !slices.EqualFunc(storedBytes(t, got), storedBytes(t, want), bytes.Equal) {
					t.Fatalf("%T, %d workers: Collect has %d rows, want %d", src, workers, got.Rows(), rows)
				}
				const spare = 3
				var dst []colstore.Column
				var bufs [][]byte
				for _, f := range want.Schema().All() {
					buf := make([]byte, (rows+spare)*f.Type.Size())
					for i := range buf {
						buf[i] = 0xa5
					}
					bufs, dst = append(bufs, buf), append(dst, written(t, f.Type, rows+spare, buf))
				}
				for range 2 {
					n, err := p.Into(t.Context(), dst...)
					if err != nil || n != rows {
						t.Fatalf("%T, %d workers: Into returns %d, %v, want %d", src, workers, n, err, rows)
					}
				}
				for i, b := range bufs {
					size := want.At(i).Type().Size()
					if wanted := storedBytes(t, want)[i]; !slices.Equal(b[:rows*size], wanted) {
						t.Fatalf("%T, %d workers: column %d differs", src, workers, i)
					}
					if slices.ContainsFunc(b[rows*size:], func(c byte) bool { return c != 0xa5 }) {
						t.Fatalf("%T, %d workers: column %d is written behind its rows", src, workers, i)
					}
				}
				if rows > 0 && len(dst) > 0 {
					for i := range dst {
						dst[i] = dst[i].Slice(0, rows-1, 1)
					}
					if n, err := p.Into(t.Context(), dst...); n != rows || !errors.Is(err, colstore.ErrMismatch) {
						t.Fatalf("%T, %d workers: Into of a row too few returns %d, %v", src, workers, n, err)
					}
				}
				if err := p.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestIntoMemoryErrors demands the error that evaluating the rows in order meets, whatever the workers.
func TestIntoMemoryErrors(t *testing.T) {
	t.Parallel()
	const rows = 100_000
	text := bytes.Repeat([]byte("12"), rows)
	for _, bad := range []int{90_000, 20_000} {
		copy(text[2*bad:], "no")
	}
	v := make([]float64, rows)
	v[70_000] = 300
	s := colstore.MustSchema(colstore.Field{Name: "s", Type: colstore.BytesOf(2)}, colstore.Field{Name: "v", Type: colstore.Float64})
	c, err := colstore.NewColumn(colstore.BytesOf(2), rows, text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := colstore.NewBatch(s, c, colstore.Wrap(v))
	if err != nil {
		t.Fatal(err)
	}
	src := mappedRuns{runs{s, []*colstore.Batch{b}}}
	p := frame.MustParse
	for _, f := range []*frame.Frame{
		frame.From(src).Assign("n", p("astype(s, 'int32')")),
		frame.From(src).Where(p("astype(s, 'int32') > 0")),
		frame.From(src).Where(p("v >= 0 and astype(s, 'int32') > 0")).Assign("n", p("astype(s, 'int32')")),
		frame.From(src).Where(frame.Row().Gt(50_000)).Assign("n", p("astype(s, 'int32')")),
		frame.From(src).Where(p("astype(s, 'int32') > 0")).Limit(20_000),
		frame.From(src).Where(p("astype(s, 'int32') > 0")).Limit(20_001),
	} {
		var want error
		for _, err := range f.Batches(t.Context(), 0) {
			want = err
		}
		if f.Limited() && want != nil {
			if _, err := f.Prepare(t.Context(), nil); fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("Prepare: %v, want %v", err, want)
			}
			continue
		}
		for _, workers := range []int{1, 2, 5} {
			r, err := f.Prepare(t.Context(), &frame.MemoryOptions{Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Collect(t.Context())
			if fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("%d workers: %v, want %v", workers, err, want)
			}
			var dst []colstore.Column
			for _, f := range r.Schema().All() {
				c, err := colstore.NewColumn(f.Type, rows, make([]byte, rows*f.Type.Size()))
				if err != nil {
					t.Fatal(err)
				}
				dst = append(dst, c)
			}
			if _, err = r.Into(t.Context(), dst...); fmt.Sprint(err) != fmt.Sprint(want) {
				t.Errorf("%d workers: Into: %v, want %v", workers, err, want)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestIntoRefuses holds that columns which cannot take a result are named.
func TestIntoRefuses(t *testing.T) {
	t.Parallel()
	src := threeFloats(t, 10)
	f := frame.From(src).Select("a", "b")
	x, y := make([]float64, 10), make([]float64, 20)
	for _, tt := range []struct {
		dst  []colstore.Column
		want string
	}{
		{[]colstore.Column{colstore.Wrap(x)}, "mismatch: 1 columns to write, for a result of 2"},
		{[]colstore.Column{colstore.Wrap(x), colstore.Wrap(make([]float32, 10))}, `column "b": mismatch: the result is <f8, the column to write is <f4`},
		{[]colstore.Column{colstore.Wrap(x), colstore.Wrap(y)}, `column "b": mismatch: room for 20 rows, the columns before it have 10`},
		{[]colstore.Column{colstore.Wrap(x), colstore.Wrap(y).Slice(0, 20, 2)}, `column "b": not viewable: values to write lie 16 bytes apart`},
	} {
		if _, err := f.CollectInto(t.Context(), tt.dst...); fmt.Sprint(err) != tt.want {
			t.Errorf("CollectInto: %v, want %s", err, tt.want)
		}
	}
}

// TestMatchInMemory holds the bitmap of rows that lie in memory against that of a scan.
func TestMatchInMemory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawRuns(t)
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(pipelines(r)))).Draw(t, "frame")
		want, rows, err := pipelines(r)[name].Match(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		got, n, err := pipelines(r)[name].Match(t.Context(), mappedRuns{r})
		if err != nil || n != rows || !slices.Equal(got, want) {
			t.Fatalf("%d rows, %v, want %d", n, err, rows)
		}
	})
}
