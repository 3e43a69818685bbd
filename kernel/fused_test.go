package kernel_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

// A fusion is a fused kernel and the two kernels that it stands for.
type fusion[T kernel.Float] struct {
	name         string
	fused        func(dst, a, b, c []T)
	inner, outer func(dst, a, b []T)
	last         bool // whether the outer operation takes c first
}

func fusions[T kernel.Float]() []fusion[T] {
	return []fusion[T]{
		{"MulAdd", kernel.MulAdd[T], kernel.Mul[T], kernel.Add[T], false},
		{"AddMul", kernel.AddMul[T], kernel.Mul[T], kernel.Add[T], true},
		{"MulSub", kernel.MulSub[T], kernel.Mul[T], kernel.Sub[T], false},
		{"SubMul", kernel.SubMul[T], kernel.Mul[T], kernel.Sub[T], true},
		{"SumMul", kernel.SumMul[T], kernel.Add[T], kernel.Mul[T], false},
		{"MulSum", kernel.MulSum[T], kernel.Add[T], kernel.Mul[T], true},
		{"DifferenceMul", kernel.DifferenceMul[T], kernel.Sub[T], kernel.Mul[T], false},
		{"MulDifference", kernel.MulDifference[T], kernel.Sub[T], kernel.Mul[T], true},
	}
}

// sequence computes what the fused kernel does by the two that it stands for.
func (f fusion[T]) sequence(dst, a, b, c []T) {
	t := make([]T, len(dst))
	f.inner(t, a, b)
	if f.last {
		f.outer(dst, c, t)
	} else {
		f.outer(dst, t, c)
	}
}

// Every fused kernel has the bits of its two kernels, whichever operands are constants, at every level and length, also in
// place of an operand.
func fusedTwins[T kernel.Float](t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	for _, f := range fusions[T]() {
		t.Run(fmt.Sprintf("%s/%T", f.name, *new(T)), func(t *testing.T) {
			for constants := range 7 {
				if constants == 3 { // the first operation has a constant result
					continue
				}
				all := [3][]T{mixed[T](r, longest), mixed[T](r, longest), mixed[T](r, longest)}
				args := func(n int) (v [3][]T) {
					for i := range v {
						v[i] = all[i][:n]
						if n > 0 && constants>>i&1 != 0 {
							v[i] = all[i][:1]
						}
					}
					return v
				}
				want := make([]T, longest)
				v := args(longest)
				plainly(func() { f.sequence(want, v[0], v[1], v[2]) })
				eachLevel(t, func(t *testing.T) {
					for _, n := range lengths(false) {
						v := args(n)
						at := [3]fenced{fill(raw(v[0]), n%64), fill(raw(v[1]), n*3%64), fill(raw(v[2]), n*5%64)}
						dst := fence(len(raw(want[:n])), n*7%64)
						f.fused(typed[T](dst.data), typed[T](at[0].data), typed[T](at[1].data), typed[T](at[2].data))
						if !bytes.Equal(dst.data, raw(want[:n])) || !dst.intact() {
							t.Fatalf("constants %03b, %d rows: %x, want %x", constants, n, dst.data, raw(want[:n]))
						}
						place := n % 3
						if len(v[place]) != n {
							continue
						}
						in := typed[T](at[place].data)
						f.fused(in, typed[T](at[0].data), typed[T](at[1].data), typed[T](at[2].data))
						if !bytes.Equal(at[place].data, raw(want[:n])) || !at[place].intact() {
							t.Fatalf("constants %03b, %d rows in place of operand %d", constants, n, place)
						}
					}
				})
			}
		})
	}
	roots := func(dst, a, b []T) {
		kernel.SumSquares(dst, a, b)
		kernel.Sqrt(dst, dst)
	}
	a, b, want := mixed[T](r, longest), mixed[T](r, longest), [2][]T{make([]T, longest), make([]T, longest)}
	plainly(func() {
		x, y := make([]T, longest), make([]T, longest)
		kernel.Square(x, a)
		kernel.Square(y, b)
		kernel.Add(want[0], x, y)
		roots(want[1], a, b)
	})
	eachLevel(t, func(t *testing.T) {
		for n := range longest + 1 {
			for i, k := range []func(dst, a, b []T){kernel.SumSquares[T], kernel.RootSumSquares[T]} {
				fa, fb, dst := fill(raw(a[:n]), n%64), fill(raw(b[:n]), n*3%64), fence(len(raw(a[:n])), n*7%64)
				if k(typed[T](dst.data), typed[T](fa.data), typed[T](fb.data)); !bytes.Equal(dst.data, raw(want[i][:n])) || !dst.intact() {
					t.Fatalf("%d rows, kernel %d: %x, want %x", n, i, dst.data, raw(want[i][:n]))
				}
			}
		}
	})
}

func TestFusedTwins(t *testing.T) {
	fusedTwins[float32](t)
	fusedTwins[float64](t)
}

// BenchmarkFused runs fused kernels over a chunk, and the two that they stand for.
func BenchmarkFused(b *testing.B) {
	x, y, z, t, dst := make([]float64, benchRows), make([]float64, benchRows), make([]float64, benchRows), make([]float64, benchRows), make([]float64, benchRows)
	for i := range x {
		x[i], y[i], z[i] = float64(i), float64(i%7), float64(i%100)
	}
	c, d := []float64{2}, []float64{3}
	benchChunk(b, "a*b+c/fused", func() { kernel.MulAdd(dst, x, y, z) })
	benchChunk(b, "a*b+c/two", func() { kernel.Mul(t, x, y); kernel.Add(dst, t, z) })
	benchChunk(b, "a*k+b/fused", func() { kernel.MulAdd(dst, x, c, z) })
	benchChunk(b, "a*k+b/two", func() { kernel.Mul(t, x, c); kernel.Add(dst, t, z) })
	benchChunk(b, "a*k+l/fused", func() { kernel.MulAdd(dst, x, c, d) })
	benchChunk(b, "a*k+l/two", func() { kernel.Mul(t, x, c); kernel.Add(dst, t, d) })
	benchChunk(b, "(a-b)*c/fused", func() { kernel.DifferenceMul(dst, x, y, z) })
	benchChunk(b, "(a-b)*c/two", func() { kernel.Sub(t, x, y); kernel.Mul(dst, t, z) })
	benchChunk(b, "squares/fused", func() { kernel.SumSquares(dst, x, y) })
	benchChunk(b, "squares/three", func() { kernel.Square(t, x); kernel.Square(z, y); kernel.Add(dst, t, z) })
	benchChunk(b, "root/fused", func() { kernel.RootSumSquares(dst, x, y) })
	benchChunk(b, "root/four", func() { kernel.Square(t, x); kernel.Square(z, y); kernel.Add(dst, t, z); kernel.Sqrt(dst, dst) })
}
