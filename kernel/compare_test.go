package kernel_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

// twinCompare holds a comparison to the bits of the plain loop at every level.
func twinCompare[T kernel.Number](t *testing.T, name string, all bool, k func(dst []uint64, a, b []T, n int)) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 5))
	t.Run(fmt.Sprintf("%s/%T", name, *new(T)), func(t *testing.T) {
		for _, shape := range shapesOfTwo {
			for round := range 4 {
				a, b := mixed[T](r, longest), mixed[T](r, longest)
				for i := range b {
					if r.IntN(3) == 0 {
						b[i] = a[i]
					}
				}
				if r.IntN(2) == 0 { // or hardly any is equal to the constant
					a[0], b[0] = a[r.IntN(longest)], a[r.IntN(longest)]
				}
				check := func(t *testing.T, n, offA, offB int) {
					t.Helper()
					x, y := operands(a, b, shape, n)
					want, dst := make([]uint64, kernel.Words(n)), fence(8*kernel.Words(n), 8*(offA%8))
					plainly(func() { k(want, x, y, n) })
					fa, fb := fill(raw(x), offA), fill(raw(y), offB)
					if k(typed[uint64](dst.data), typed[T](fa.data), typed[T](fb.data), n); !bytes.Equal(dst.data, raw(want)) || !dst.intact() {
						t.Fatalf("%s, %d rows: %x, want %x", shape, n, dst.data, raw(want))
					}
				}
				eachFast(t, func(t *testing.T) {
					if round > 0 {
						check(t, longest, 0, 0)
						return
					}
					for _, n := range lengths(all) {
						check(t, n, n*5%64, n*3%64)
					}
					for offset := range 64 {
						check(t, 150, offset, 0)
						check(t, 150, 1, offset)
					}
				})
			}
		}
	})
}

func compareTwins[T kernel.Number](t *testing.T, all bool) {
	twinCompare(t, "Less", all, kernel.Less[T])
	twinCompare(t, "LessEqual", all, kernel.LessEqual[T])
	twinCompare(t, "Equal", all, kernel.Equal[T])
	twinCompare(t, "NotEqual", false, kernel.NotEqual[T])
	twinCompare(t, "Nonzero", false, func(dst []uint64, a, _ []T, n int) { kernel.Nonzero(dst, a, n) })
}

func TestCompareTwins(t *testing.T) {
	compareTwins[int8](t, true)
	compareTwins[int16](t, true)
	compareTwins[int32](t, false)
	compareTwins[int64](t, false)
	compareTwins[uint8](t, false)
	compareTwins[uint16](t, false)
	compareTwins[uint32](t, false)
	compareTwins[uint64](t, false)
	compareTwins[float32](t, true)
	compareTwins[float64](t, true)
}

// FuzzCompare compares the levels on any bits.
func FuzzCompare(f *testing.F) {
	f.Add(uint8(0), uint8(1), uint64(0x7ff0000000000001), uint64(1<<63), uint16(130))
	f.Add(uint8(5), uint8(2), uint64(1<<63), uint64(0), uint16(3))
	f.Fuzz(func(t *testing.T, relation, shape uint8, x, y uint64, rows uint16) {
		fuzzCompare[float64](t, relation, shape, x, y, rows)
		fuzzCompare[float32](t, relation, shape, x, y, rows)
		fuzzCompare[int64](t, relation, shape, x, y, rows)
		fuzzCompare[uint32](t, relation, shape, x, y, rows)
		fuzzCompare[uint16](t, relation, shape, x, y, rows)
		fuzzCompare[int8](t, relation, shape, x, y, rows)
	})
}

func fuzzCompare[T kernel.Number](t *testing.T, relation, shape uint8, x, y uint64, rows uint16) {
	n := int(rows%longest) + 1
	k := []func(dst []uint64, a, b []T, n int){kernel.Less[T], kernel.LessEqual[T], kernel.Equal[T], kernel.NotEqual[T]}[relation%4]
	r := rand.New(rand.NewPCG(x, y))
	a, b := mixed[T](r, n), mixed[T](r, n)
	copy(raw(a), raw([]uint64{x}))
	copy(raw(b), raw([]uint64{y}))
	left, right := operands(a, b, shapesOfTwo[shape%3], n)
	want := make([]uint64, kernel.Words(n))
	plainly(func() { k(want, left, right, n) })
	for l := kernel.LevelAVX2; l <= kernel.Best(); l++ {
		func() {
			defer kernel.SetLevel(kernel.SetLevel(l))
			got := make([]uint64, kernel.Words(n))
			if k(got, left, right, n); !bytes.Equal(raw(got), raw(want)) {
				t.Fatalf("%v, %T, relation %d, %d rows: %x, plainly %x", l, *new(T), relation%4, n, got, want)
			}
		}()
	}
}

func benchCompare[T kernel.Number](b *testing.B, name string, k func(dst []uint64, a, b []T, n int)) {
	b.Helper()
	x, y, dst := make([]T, benchRows), make([]T, benchRows), make([]uint64, benchRows/64)
	for i := range x {
		x[i], y[i] = T(i*37%100), T(i*11%100)
	}
	for _, shape := range []string{"vv", "vc"} {
		u, v := operands(x, y, shape, benchRows)
		benchChunk(b, fmt.Sprintf("%s/%T/%s", name, *new(T), shape), func() { k(dst, u, v, benchRows) })
	}
}

// BenchmarkCompare runs comparisons over chunks in the first-level cache.
func BenchmarkCompare(b *testing.B) {
	benchCompare(b, "Less", kernel.Less[float64])
	benchCompare(b, "Less", kernel.Less[float32])
	benchCompare(b, "LessEqual", kernel.LessEqual[int64])
	benchCompare(b, "Less", kernel.Less[int32])
	benchCompare(b, "Less", kernel.Less[uint16])
	benchCompare(b, "NotEqual", kernel.NotEqual[int8])
}

// The classes of floats are those of package math, also beyond what is tested at a time.
func TestClasses(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	all := mixed[float64](r, 2100)
	eachLevel(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 2, 63, 64, 65, 511, 1023, 1024, 1025, 2100} {
			for name, c := range map[string]struct {
				k  func(dst []uint64, a []float64, n int)
				is func(float64) bool
			}{
				"inf":    {kernel.IsInf, func(v float64) bool { return math.IsInf(v, 0) }},
				"finite": {kernel.IsFinite, func(v float64) bool { return v-v == 0 }},
				"sign":   {kernel.SignBit, math.Signbit},
			} {
				dst := make([]uint64, kernel.Words(n))
				c.k(dst, all[:n], n)
				for i := range 64 * len(dst) {
					if want := i < n && c.is(all[i]); has(dst, i) != want {
						t.Fatalf("%s: row %d of %d is %v", name, i, n, has(dst, i))
					}
				}
			}
		}
	})
}
