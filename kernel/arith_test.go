package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

func arithmeticTwins[T kernel.Number](t *testing.T, all bool) {
	twinBinary(t, "Add", all, kernel.Add[T])
	twinBinary(t, "Sub", all, kernel.Sub[T])
	twinBinary(t, "Mul", all, kernel.Mul[T])
	twinBinary(t, "Maximum", all, kernel.Maximum[T])
	twinBinary(t, "Minimum", all, kernel.Minimum[T])
	twinBinary(t, "FMax", false, kernel.FMax[T])
	twinBinary(t, "FMin", false, kernel.FMin[T])
	twinUnary(t, "Neg", false, kernel.Neg[T])
	twinUnary(t, "Square", false, kernel.Square[T])
}

func integerTwins[T kernel.Integer](t *testing.T, all bool) {
	arithmeticTwins[T](t, all)
	twinBinary(t, "BitAnd", all, kernel.BitAnd[T])
	twinBinary(t, "BitOr", false, kernel.BitOr[T])
	twinBinary(t, "BitXor", false, kernel.BitXor[T])
	twinUnary(t, "BitNot", false, kernel.BitNot[T])
}

func floatTwins[T kernel.Float](t *testing.T) {
	arithmeticTwins[T](t, true)
	twinBinary(t, "Div", true, kernel.Div[T])
	twinUnary(t, "Abs", true, kernel.Abs[T])
	twinUnary(t, "Sqrt", true, kernel.Sqrt[T])
	twinUnary(t, "Floor", true, kernel.Floor[T])
	twinUnary(t, "Ceil", true, kernel.Ceil[T])
	twinUnary(t, "Trunc", true, kernel.Trunc[T])
	twinUnary(t, "Rint", true, kernel.Rint[T])
	twinUnary(t, "Reciprocal", true, kernel.Reciprocal[T])
}

func TestArithmeticTwins(t *testing.T) {
	integerTwins[int8](t, true)
	integerTwins[int16](t, true)
	integerTwins[int32](t, true)
	integerTwins[int64](t, true)
	integerTwins[uint8](t, false)
	integerTwins[uint16](t, false)
	integerTwins[uint32](t, false)
	integerTwins[uint64](t, false)
	floatTwins[float32](t)
	floatTwins[float64](t)
	twinUnary(t, "Abs", true, kernel.Abs[int8])
	twinUnary(t, "Abs", true, kernel.Abs[int16])
	twinUnary(t, "Abs", true, kernel.Abs[int32])
	twinUnary(t, "Abs", true, kernel.Abs[int64])
}

// Of two NaNs the first stays, and becomes quiet, in every shape and at every level.
func TestNaNOperands(t *testing.T) {
	const first, second, one = 0x7ff0000000000001, 0xfff0000000000002, 0x3ff0000000000000
	const quiet = 1 << 51
	kernels := map[string]func(dst, a, b []float64){
		"Add": kernel.Add[float64], "Sub": kernel.Sub[float64], "Mul": kernel.Mul[float64], "Div": kernel.Div[float64],
	}
	eachLevel(t, func(t *testing.T) {
		for name, k := range kernels {
			for _, c := range [][3]uint64{{first, second, first | quiet}, {second, first, second | quiet}, {first, one, first | quiet}, {one, second, second | quiet}} {
				a, b := make([]float64, 9), make([]float64, 9)
				for i := range a {
					a[i], b[i] = math.Float64frombits(c[0]), math.Float64frombits(c[1])
				}
				for _, shape := range shapesOfTwo {
					x, y := operands(a, b, shape, len(a))
					dst := make([]float64, len(a))
					k(dst, x, y)
					for i, v := range dst {
						if math.Float64bits(v) != c[2] {
							t.Fatalf("%s %s, row %d: %x of %x", name, shape, i, math.Float64bits(v), c)
						}
					}
				}
			}
		}
	})
}

// FuzzArithmetic compares the levels on any bits.
func FuzzArithmetic(f *testing.F) {
	f.Add(uint8(0), uint8(0), uint64(0x7ff0000000000001), uint64(0xfff8543210000000), uint16(9))
	f.Add(uint8(7), uint8(2), uint64(1<<63), uint64(0), uint16(129))
	kernels := []func(dst, a, b []float64){
		kernel.Add[float64], kernel.Sub[float64], kernel.Mul[float64], kernel.Div[float64],
		kernel.Maximum[float64], kernel.Minimum[float64], kernel.FMax[float64], kernel.FMin[float64],
		through(kernel.Add[float32]), through(kernel.Mul[float32]), through(kernel.Div[float32]), through(kernel.FMax[float32]),
		through(kernel.Mul[int8]), through(kernel.Mul[int64]), through(kernel.Minimum[uint64]), through(kernel.Sub[int16]),
	}
	f.Fuzz(func(t *testing.T, op, shape uint8, x, y uint64, rows uint16) {
		n := int(rows%longest) + 1
		k := kernels[int(op)%len(kernels)]
		r := rand.New(rand.NewPCG(x, y))
		a, b := mixed[float64](r, n), mixed[float64](r, n)
		a[0], b[0] = math.Float64frombits(x), math.Float64frombits(y)
		left, right := operands(a, b, shapesOfTwo[int(shape)%3], n)
		want := make([]float64, n)
		plainly(func() { k(want, left, right) })
		for l := kernel.LevelAVX2; l <= kernel.Best(); l++ {
			func() {
				defer kernel.SetLevel(kernel.SetLevel(l))
				got := make([]float64, n)
				if k(got, left, right); string(raw(got)) != string(raw(want)) {
					t.Fatalf("%v, operation %d, %d rows: %x, plainly %x", l, op, n, raw(got), raw(want))
				}
			}()
		}
	})
}

// through runs a kernel over the bytes of float64 values: those of one operand are a constant if it is one.
func through[T kernel.Number](k func(dst, a, b []T)) func(dst, a, b []float64) {
	return func(dst, a, b []float64) {
		out, x, y := typed[T](raw(dst)), typed[T](raw(a)), typed[T](raw(b))
		if len(a) != len(dst) {
			x = x[:1]
		}
		if len(b) != len(dst) {
			y = y[:1]
		}
		k(out, x, y)
	}
}

// benchRows is a chunk of the evaluator's.
const benchRows = 512

func benchBinary[T kernel.Number](b *testing.B, name string, k func(dst, a, b []T)) {
	b.Helper()
	x, y, dst := make([]T, benchRows), make([]T, benchRows), make([]T, benchRows)
	for i := range x {
		x[i], y[i] = T(i%100+1), T(i%7+1)
	}
	for _, shape := range []string{"vv", "vc"} {
		u, v := operands(x, y, shape, benchRows)
		benchChunk(b, fmt.Sprintf("%s/%T/%s", name, *new(T), shape), func() { k(dst, u, v) })
	}
}

func benchUnary[D, S kernel.Number](b *testing.B, name string, k func(dst []D, a []S)) {
	b.Helper()
	x, dst := make([]S, benchRows), make([]D, benchRows)
	for i := range x {
		x[i] = S(i%100+1) / 2
	}
	benchChunk(b, fmt.Sprintf("%s/%T/%T", name, *new(S), *new(D)), func() { k(dst, x) })
}

// benchChunk runs f over a chunk at every level.
func benchChunk(b *testing.B, name string, f func()) {
	b.Helper()
	benchRowsOf(b, name, benchRows, f)
}

// benchRowsOf runs f, over rows rows, at every level.
func benchRowsOf(b *testing.B, name string, rows int, f func()) {
	b.Helper()
	for l := kernel.LevelGo; l <= kernel.Best(); l++ {
		if l == kernel.LevelSSE {
			continue
		}
		b.Run(name+"/"+l.String(), func(b *testing.B) {
			defer kernel.SetLevel(kernel.SetLevel(l))
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
		})
	}
}

// BenchmarkArithmetic runs the kernels over chunks in the first-level cache.
func BenchmarkArithmetic(b *testing.B) {
	benchBinary(b, "Add", kernel.Add[float64])
	benchBinary(b, "Mul", kernel.Mul[float32])
	benchBinary(b, "Div", kernel.Div[float64])
	benchBinary(b, "Maximum", kernel.Maximum[float64])
	benchBinary(b, "Add", kernel.Add[int64])
	benchBinary(b, "Mul", kernel.Mul[int64])
	benchBinary(b, "Add", kernel.Add[int32])
	benchBinary(b, "Mul", kernel.Mul[int8])
	benchBinary(b, "Minimum", kernel.Minimum[int64])
	benchBinary(b, "BitAnd", kernel.BitAnd[uint8])
	benchUnary(b, "Sqrt", kernel.Sqrt[float64])
	benchUnary(b, "Floor", kernel.Floor[float32])
	benchUnary(b, "Abs", kernel.Abs[float64])
	benchUnary(b, "Neg", kernel.Neg[int16])
}
