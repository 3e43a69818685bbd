package frame_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source"
)

// reducible returns a batch of columns of every way to be reduced, some values being special.
func reducible(t testing.TB, rows int, special float64) *colstore.Batch {
	t.Helper()
	r := rand.New(rand.NewPCG(7, uint64(rows)))
	f8, f4 := make([]float64, rows), make([]float32, 2*rows)
	i8, u2, flags := make([]int64, rows), make([]uint16, rows), make([]bool, rows)
	for i := range rows {
		f8[i] = 1e6 + r.NormFloat64()*math.Exp2(float64(r.IntN(20)))
		f4[2*i] = float32(r.NormFloat64())
		i8[i], u2[i], flags[i] = int64(r.Uint64())>>r.IntN(60), uint16(r.Uint32()), r.IntN(3) == 0
	}
	if rows > 0 {
		f8[r.IntN(rows)] = special
		f4[2*r.IntN(rows)] = float32(special)
	}
	var fields []colstore.Field
	cols := []colstore.Column{
		colstore.Wrap(f8), colstore.Wrap(f4).Slice(0, 2*rows, 2), colstore.Wrap(i8), colstore.Wrap(u2), colstore.Wrap(flags),
	}
	for i, name := range []string{"f8", "f4", "i8", "u2", "flag"} {
		fields = append(fields, colstore.Field{Name: name, Type: cols[i].Type()})
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// blockwise is a state that takes blocks only, and sums what row each of them is of.
type blockwise struct {
	t    *testing.T
	rows int
}

func (s *blockwise) Add(row int64, rows int, args []colstore.Column) {
	if end := row%ops.BlockRows + int64(rows); end > ops.BlockRows && rows > 0 || args[0].Rows() != rows {
		s.t.Errorf("rows %d to %d, %d values", row, row+int64(rows), args[0].Rows())
	}
	s.rows += rows
}

func (s *blockwise) Merge(next ops.State) { s.rows += next.(*blockwise).rows }

// Results have the same bits however rows come: in one batch, in batches of any sizes, and in states that are merged.
func TestReductionsHideBatches(t *testing.T) {
	const rows = 5*ops.BlockRows + 123
	own := ops.Agg{
		Name: "own", Args: []string{"f8"},
		New:   func([]colstore.DType, int64) (ops.State, error) { return &blockwise{t: t}, nil },
		Value: func(s ops.State) ops.Result { return ops.Result{Scalar: colstore.ScalarOf(int64(s.(*blockwise).rows))} },
	}
	for _, special := range []float64{1, math.NaN(), math.Inf(-1), math.MaxFloat64, 1e300, 1e12} {
		b := reducible(t, rows, special)
		plain := frame.From(source.Memory(b))
		for name, f := range map[string]*frame.Frame{
			"plain": plain,
			"made":  plain.Assign("f8", frame.MustParse("f8 * 1.5")).Assign("u2", frame.MustParse("u2 + 1")),
			"cut":   plain.Where(frame.MustParse("f4 > 0.25")),
		} {
			for _, columns := range [][]string{{"f8"}, {"f4"}, {"i8"}, {"f8", "f4", "i8", "u2", "flag"}} {
				var aggs []ops.Agg
				for _, c := range columns {
					for _, op := range []string{"sum", "mean", "std", "min", "max", "count", "q0.3"} {
						a, err := ops.AggByName(op, c, 1)
						if err != nil {
							t.Fatal(err)
						}
						aggs = append(aggs, a, own)
					}
				}
				hidesBatches(t, fmt.Sprint(special, " ", name, " ", columns), f, b, aggs)
			}
		}
	}
}

func hidesBatches(t *testing.T, name string, f *frame.Frame, b *colstore.Batch, aggs []ops.Agg) {
	t.Helper()
	text := func(results []ops.Result) (out string) {
		for i, r := range results {
			out += fmt.Sprintf("%s(%s) %x %v\n", aggs[i].Name, aggs[i].Args, math.Float64bits(r.Float()), r.Scalar)
		}
		return out
	}
	results, err := f.Reduce(t.Context(), aggs...)
	if err != nil {
		t.Fatal(err)
	}
	want := text(results)
	r, err := f.Reducer(aggs...)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 9))
	var total []ops.State
	for at := 0; at < b.Rows(); {
		// A state of some batches, the sizes of which are those of blocks, or of none.
		states, err := r.States(int64(at))
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + rnd.IntN(3) {
			end := min(b.Rows(), at+[]int{1, 100, 4096, 4097, 9000}[rnd.IntN(5)])
			if rnd.IntN(2) == 0 {
				end = min(b.Rows(), max(at, end/ops.BlockRows*ops.BlockRows))
			}
			if err := r.Add(t.Context(), b.Slice(at, end), nil, states); err != nil {
				t.Fatal(err)
			}
			at = end
		}
		if total == nil {
			total = states
			continue
		}
		for i := range total {
			total[i].Merge(states[i])
		}
	}
	if got := text(r.Values(total)); got != want {
		t.Errorf("%s: in batches\n%sat once\n%s", name, got, want)
	}
}

// The deviation is accurate far from zero too, whatever values a block begins with.
func TestDeviationIsAccurate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base := rapid.SampledFrom([]float64{0, 1, 1e9, -1e15}).Draw(rt, "base")
		v := rapid.SliceOfN(rapid.Float64Range(-100, 100), 2, 64).Draw(rt, "values")
		many := make([]float64, 3*ops.BlockRows)
		mean := 0.0
		for i := range many {
			many[i] = base + v[i%len(v)]
			mean += (many[i] - base) / float64(len(many))
		}
		squares := 0.0
		for _, x := range many {
			squares += (x - base - mean) * (x - base - mean)
		}
		b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Float64}), colstore.Wrap(many))
		if err != nil {
			rt.Fatal(err)
		}
		got, err := frame.From(source.Memory(b)).Reduce(t.Context(), ops.Std("x", 0))
		if err != nil {
			rt.Fatal(err)
		}
		if want := math.Sqrt(squares / float64(len(many))); math.Abs(got[0].Float()-want) > 1e-11*want+1e-13 {
			rt.Fatalf("%v, want %v", got[0].Float(), want)
		}
	})
}
