package kernel_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

var update = flag.Bool("update", false, "rewrite testdata/bits.txt")

// spread returns numbers of all sizes near 1, made without arithmetic that a processor may do in another way.
func spread[T kernel.Float](r *rand.Rand, n int) []T {
	v := make([]T, n)
	for i := range v {
		bits := r.Uint64()
		bits = bits&^(0x7ff<<52) | uint64(1023-20+r.IntN(40))<<52
		v[i] = T(math.Float64frombits(bits))
	}
	return v
}

// A bitTable maps what was computed to a digest of the bits that came out.
type bitTable map[string]string

// add notes the bits of a result.
func (t bitTable) add(name string, bits []byte) {
	h := fnv.New64a()
	_, _ = h.Write(bits) // never fails
	t[name] = fmt.Sprintf("%016x", h.Sum64())
}

// addBinary notes a kernel of two operands, which may be one value each.
func addBinary[T kernel.Number](t bitTable, name string, a, b []T, k func(dst, a, b []T)) {
	dst := make([]T, 3*len(a))
	k(dst[:len(a)], a, b)
	k(dst[len(a):2*len(a)], a[3:4], b)
	k(dst[2*len(a):], a, b[3:4])
	t.add(fmt.Sprintf("%s/%T", name, a[0]), raw(dst))
}

// addUnary notes a kernel of one operand.
func addUnary[D, S kernel.Number](t bitTable, name string, a []S, k func(dst []D, a []S)) {
	dst := make([]D, len(a))
	k(dst, a)
	t.add(fmt.Sprintf("%s/%T/%T", name, a[0], dst[0]), raw(dst))
}

func floatBits[T kernel.Float](t bitTable, r *rand.Rand) {
	const n = 3000
	a, b, c := append(spread[T](r, n), mixed[T](r, n)...), append(spread[T](r, n), mixed[T](r, n)...), append(spread[T](r, n), mixed[T](r, n)...)
	for name, k := range map[string]func(dst, a, b []T){
		"Add": kernel.Add[T], "Sub": kernel.Sub[T], "Mul": kernel.Mul[T], "Div": kernel.Div[T], "Maximum": kernel.Maximum[T],
		"Minimum": kernel.Minimum[T], "FMax": kernel.FMax[T], "FMin": kernel.FMin[T],
		"FloorDiv": kernel.FloorDivFloat[T], "FloorMod": kernel.FloorModFloat[T],
		"SumSquares":     func(dst, a, b []T) { kernel.SumSquares(dst, repeated(a, len(dst)), repeated(b, len(dst))) },
		"RootSumSquares": func(dst, a, b []T) { kernel.RootSumSquares(dst, repeated(a, len(dst)), repeated(b, len(dst))) },
	} {
		addBinary(t, name, a, b, k)
	}
	for _, f := range fusions[T]() {
		addBinary(t, f.name, a, b, func(dst, a, b []T) { f.fused(dst, a, b, c) })
	}
	for name, k := range map[string]func(dst, a []T){
		"Neg": kernel.Neg[T], "Square": kernel.Square[T], "Abs": kernel.Abs[T], "Sqrt": kernel.Sqrt[T], "Floor": kernel.Floor[T],
		"Ceil": kernel.Ceil[T], "Trunc": kernel.Trunc[T], "Rint": kernel.Rint[T], "Reciprocal": kernel.Reciprocal[T],
	} {
		addUnary(t, name, a, k)
	}
	addUnary(t, "ToHalf", a, kernel.ToHalf[T])
	addUnary(t, "FromHalf", mixed[uint16](r, n), kernel.FromHalf[T])
	addUnary(t, "Convert", a, kernel.Convert[float32, T])
	addUnary(t, "Convert", a, kernel.Convert[float64, T])
	addUnary(t, "Convert", mixed[int64](r, n), kernel.Convert[T, int64])
	addUnary(t, "Convert", mixed[uint64](r, n), kernel.Convert[T, uint64])
	addUnary(t, "Convert", mixed[uint32](r, n), kernel.Convert[T, uint32])
	truncateBits[int8](t, a)
	truncateBits[int16](t, a)
	truncateBits[int32](t, a)
	truncateBits[int64](t, a)
	truncateBits[uint8](t, a)
	truncateBits[uint16](t, a)
	truncateBits[uint32](t, a)
	truncateBits[uint64](t, a)
	lanes, sums := [kernel.Lanes]float64{}, make([]float64, 40)
	kernel.AddLanes(&lanes, a[:n])
	kernel.SumBlocks(sums, a[:n/40*40], false)
	s, s1, s2 := kernel.Moments(a[:n], 0.3)
	t.add(fmt.Sprintf("reductions/%T", a[0]), []byte(wordsOf(append(append(sums, lanes[:]...), s, s1, s2, kernel.FoldLanes(&lanes))...)))
}

// repeated returns n values, of which v may be one.
func repeated[T kernel.Number](v []T, n int) []T {
	if len(v) == n {
		return v
	}
	return slices.Repeat(v, n)
}

func truncateBits[D kernel.Integer, S kernel.Float](t bitTable, a []S) {
	addUnary(t, "Truncate", a, kernel.Truncate[D, S])
}

func mathTable(t bitTable, r *rand.Rand) {
	const n = 3000
	x8, y8, x4, y4 := spread[float64](r, n), spread[float64](r, n), spread[float32](r, n), spread[float32](r, n)
	x8, y8, x4, y4 = append(x8, mixed[float64](r, n)...), append(y8, mixed[float64](r, n)...), append(x4, mixed[float32](r, n)...), append(y4, mixed[float32](r, n)...)
	for _, c := range mathCases {
		addUnary(t, c.name, x8, func(dst, a []float64) { c.of(dst, a, y8) })
		addUnary(t, c.name, x4, func(dst, a []float32) { c.of4(dst, a, y4) })
	}
}

// What kernels make of the same numbers has the same bits at every level and on every platform: testdata/bits.txt has digests
// of them. Products and sums that a compiler fuses, NaNs that a processor makes, and floats that no integer holds would differ.
func TestBits(t *testing.T) {
	const path = "testdata/bits.txt"
	eachLevel(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(71, 72))
		got := bitTable{}
		floatBits[float32](got, r)
		floatBits[float64](got, r)
		mathTable(got, r)
		if *update {
			var lines strings.Builder
			for _, name := range sortedKeys(got) {
				fmt.Fprintln(&lines, name, got[name])
			}
			if err := os.WriteFile(path, []byte(lines.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := bitTable{}
		for line := range strings.Lines(string(data)) {
			name, digest, _ := strings.Cut(strings.TrimSpace(line), " ")
			want[name] = digest
		}
		for _, name := range sortedKeys(want) {
			if got[name] != want[name] {
				t.Errorf("%s has other bits: %q, want %q", name, got[name], want[name])
			}
		}
		if len(want) != len(got) {
			t.Errorf("%d digests, want %d", len(got), len(want))
		}
	})
}

func sortedKeys(t bitTable) []string {
	names := make([]string, 0, len(t))
	for name := range t {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
