package kernel_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go/kernel"
)

// eachRun calls f with the first n values at an alignment, for lengths up to 257 and some longer ones.
func eachRun[T kernel.Number](t *testing.T, values []T, f func(v []T) string) {
	t.Helper()
	size := int(unsafe.Sizeof(T(0)))
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*size)
	want := make([]string, len(values)+1)
	defer kernel.SetLevel(kernel.SetLevel(kernel.LevelGo))
	lengths := make([]int, 0, 260)
	for n := range 258 {
		lengths = append(lengths, n)
	}
	lengths = append(lengths, len(values)-1, len(values))
	for _, n := range lengths {
		want[n] = f(values[:n])
	}
	for l := kernel.LevelGo; l <= kernel.Best(); l++ {
		kernel.SetLevel(l)
		for _, n := range lengths {
			offsets := []int{n % 64, 0}
			if n%16 == 9 {
				offsets = make([]int, 64)
				for i := range offsets {
					offsets[i] = i
				}
			}
			for _, offset := range offsets {
				b := fill(raw[:n*size], offset)
				v := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b.data))), n)
				if got := f(v); got != want[n] || !b.intact() {
					t.Fatalf("%T, %d values, offset %d, %s: %.200x, plainly %.200x", values[0], n, offset, l, got, want[n])
				}
			}
		}
	}
}

// floats are values of all magnitudes, some of which are special.
func floats[T kernel.Float](r *rand.Rand, n int, special ...float64) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = T(r.NormFloat64() * math.Exp2(float64(r.IntN(60)-30)))
	}
	for range len(special) {
		out[r.IntN(n)] = T(special[r.IntN(len(special))])
	}
	return out
}

// wordsOf returns floats to the bit, but that all NaNs are one.
func wordsOf(values ...float64) string {
	var out []byte
	for _, v := range values {
		bits := math.Float64bits(v)
		if v != v {
			bits = 0x7ff8 << 48
		}
		out = binary.BigEndian.AppendUint64(out, bits)
	}
	return string(out)
}

var specials = [][]float64{nil, {math.Copysign(0, -1), 0}, {math.Inf(1)}, {math.Inf(1), math.Inf(-1), 0}, {math.NaN()}, {math.MaxFloat64}, {5e-324, -5e-324}}

func TestFloatReductionTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, special := range specials {
		floatReductionTwins(t, floats[float64](r, 9001, special...))
		floatReductionTwins(t, floats[float32](r, 9001, special...))
	}
	floatReductionTwins(t, make([]float64, 5000))
	floatReductionTwins(t, []float32{300: -1, 4500: float32(math.Copysign(0, -1))})
}

func floatReductionTwins[T kernel.Float](t *testing.T, values []T) {
	t.Helper()
	eachRun(t, values, func(v []T) string {
		lanes := [kernel.Lanes]float64{1, 2, 3, 4, 5, 6, 7, 8}
		kernel.AddLanes(&lanes, v)
		s, s1, s2 := kernel.Moments(v, 0.25)
		lo, hi, nan := kernel.Extremes(v)
		out := fmt.Sprint(nan) + wordsOf(s, s1, s2, float64(lo), float64(hi)) + wordsOf(lanes[:]...)
		for _, size := range []int{40, 64} {
			sums := make([]float64, len(v)/size)
			kernel.SumBlocks(sums, v[:len(sums)*size], false)
			out += wordsOf(sums...)
			kernel.SumBlocks(sums, v[:len(sums)*size], true)
			out += wordsOf(sums...)
			moments := make([]kernel.BlockMoments, len(v)/size)
			kernel.MomentBlocks(moments, v[:len(sums)*size])
			for _, m := range moments {
				out += wordsOf(m.Centre, m.Sum, m.First, m.Second)
			}
		}
		return out
	})
}

// The lanes are those that the documentation has, and of a block they are the same however it is summed.
func TestLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, blocks := range []int{1, 4, 5} { // of which the last are summed in pairs
		lanes(t, floats[float64](r, blocks*4096))
		lanes(t, floats[float32](r, blocks*4096))
	}
}

func lanes[T kernel.Float](t *testing.T, v []T) {
	t.Helper()
	sums, moments := make([]float64, len(v)/4096), make([]kernel.BlockMoments, len(v)/4096)
	kernel.SumBlocks(sums, v, len(sums)%2 > 0 && len(sums) > 1)
	kernel.MomentBlocks(moments, v)
	for i, got := range sums {
		var lanes [kernel.Lanes]float64
		block := v[i*4096 : (i+1)*4096]
		centre := 0.0
		for j, x := range block {
			lanes[j%kernel.Lanes] += float64(x)
			if j == kernel.Lanes-1 {
				centre = kernel.FoldLanes(&lanes) / kernel.Lanes
			}
		}
		if want := kernel.FoldLanes(&lanes); got != want {
			t.Errorf("%T, block %d: %v, want %v", v, i, got, want)
		}
		if sum, _, _ := kernel.Moments(block, 1); sum != got {
			t.Errorf("%T, block %d: Moments has the sum %v, want %v", v, i, sum, got)
		}
		sum, first, second := kernel.Moments(block, centre)
		if want := (kernel.BlockMoments{Centre: centre, Sum: sum, First: first, Second: second}); moments[i] != want {
			t.Errorf("%T, block %d: moments %v, want %v", v, i, moments[i], want)
		}
	}
}

func TestIntegerReductionTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	integerReductionTwins[int8](t, r)
	integerReductionTwins[int16](t, r)
	integerReductionTwins[int32](t, r)
	integerReductionTwins[int64](t, r)
	integerReductionTwins[uint8](t, r)
	integerReductionTwins[uint16](t, r)
	integerReductionTwins[uint32](t, r)
	integerReductionTwins[uint64](t, r)
}

func integerReductionTwins[T kernel.Integer](t *testing.T, r *rand.Rand) {
	t.Helper()
	random, least, most := make([]T, 1000), make([]T, 70_000), make([]T, 70_000)
	lo, hi := T(0), ^T(0)
	if hi < 0 {
		lo = T(1) << (8*unsafe.Sizeof(lo) - 1)
		hi = ^lo
	}
	for i := range random {
		random[i] = T(r.Uint64())
	}
	for i := range least {
		least[i], most[i] = lo, hi
	}
	for _, values := range [][]T{random, least, most} {
		eachRun(t, values, func(v []T) string {
			high, low := kernel.SumIntegers(v)
			out := fmt.Sprint(high, low)
			if len(v) > 0 {
				lo, hi := kernel.MinMax(v)
				out += fmt.Sprint(" ", lo, " ", hi)
			}
			if b, ok := any(v).([]uint8); ok {
				out += fmt.Sprint(" ", kernel.CountTrue(b))
			}
			return out
		})
		want := new(big.Int)
		for _, v := range values {
			x := new(big.Int).SetUint64(uint64(v))
			if v < 0 {
				x.SetInt64(int64(v))
			}
			want.Add(want, x)
		}
		high, low := kernel.SumIntegers(values)
		got := new(big.Int).Lsh(big.NewInt(high), 64)
		if got.Add(got, new(big.Int).SetUint64(low)).Cmp(want) != 0 {
			t.Errorf("the sum of %d %T is %v, want %v", len(values), values[0], got, want)
		}
	}
}

// Levels agree on any bytes, whatever type they are taken for.
func FuzzReductions(f *testing.F) {
	f.Add([]byte("0123456789abcdef"), uint16(300))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0, 0, 0, 0, 0, 0, 0, 0x80}, uint16(40))
	f.Fuzz(func(t *testing.T, seed []byte, times uint16) {
		if len(seed) == 0 || len(seed)*int(times) < 8 || len(seed)*int(times) > 1<<16 {
			return
		}
		data := make([]byte, 0, len(seed)*int(times))
		for range times {
			data = append(data, seed...)
		}
		compareLevels[int8](t, data, integerText)
		compareLevels[int16](t, data, integerText)
		compareLevels[int32](t, data, integerText)
		compareLevels[int64](t, data, integerText)
		compareLevels[uint8](t, data, integerText)
		compareLevels[uint16](t, data, integerText)
		compareLevels[uint32](t, data, integerText)
		compareLevels[uint64](t, data, integerText)
		compareLevels[float32](t, data, floatText)
		compareLevels[float64](t, data, floatText)
	})
}

func integerText[T kernel.Integer](v []T) string {
	lo, hi := kernel.MinMax(v)
	high, low := kernel.SumIntegers(v)
	return fmt.Sprint(lo, hi, high, low)
}

func floatText[T kernel.Float](v []T) string {
	lo, hi, nan := kernel.Extremes(v)
	s, s1, s2 := kernel.Moments(v, float64(v[0]))
	var blocks [2]kernel.BlockMoments
	if half := len(v) / 2; half >= kernel.Lanes {
		kernel.MomentBlocks(blocks[:], v[:2*half])
	}
	return fmt.Sprint(nan, blocks[0].Second-blocks[0].Second == 0) + wordsOf(float64(lo), float64(hi), s, s1, s2, blocks[1].Centre, blocks[1].Sum, blocks[1].First, blocks[1].Second)
}

func compareLevels[T kernel.Number](t *testing.T, data []byte, text func([]T) string) {
	v := unsafe.Slice((*T)(unsafe.Pointer(&data[0])), len(data)/int(unsafe.Sizeof(T(0))))
	defer kernel.SetLevel(kernel.SetLevel(kernel.LevelGo))
	want := text(v)
	for l := kernel.LevelSSE; l <= kernel.Best(); l++ {
		kernel.SetLevel(l)
		if got := text(v); got != want {
			t.Errorf("%T at %s: %x, plainly %x", v[0], l, got, want)
		}
	}
}

func BenchmarkReductions(b *testing.B) {
	for _, rows := range []int{64, 4096, 1 << 20} {
		r := rand.New(rand.NewPCG(1, 2))
		f8, f4 := floats[float64](r, rows), floats[float32](r, rows)
		benchEach(b, fmt.Sprint("f8/", rows), f8, map[string]func([]float64){
			"sum":      func(v []float64) { sumAll(v) },
			"moments":  func(v []float64) { momentsAll(v) },
			"extremes": func(v []float64) { kernel.Extremes(v) },
		})
		benchEach(b, fmt.Sprint("f4/", rows), f4, map[string]func([]float32){
			"sum":      func(v []float32) { sumAll(v) },
			"moments":  func(v []float32) { momentsAll(v) },
			"extremes": func(v []float32) { kernel.Extremes(v) },
		})
		benchIntegers[int8](b, rows)
		benchIntegers[uint8](b, rows)
		benchIntegers[int16](b, rows)
		benchIntegers[int32](b, rows)
		benchIntegers[int64](b, rows)
		benchIntegers[uint64](b, rows)
	}
}

func sumAll[T kernel.Float](v []T) {
	var buf [256]float64
	kernel.SumBlocks(buf[:max(1, len(v)/4096)], v, false)
}

func momentsAll[T kernel.Float](v []T) {
	var buf [256]kernel.BlockMoments
	kernel.MomentBlocks(buf[:max(1, len(v)/4096)], v)
}

func benchIntegers[T kernel.Integer](b *testing.B, rows int) {
	v := make([]T, rows)
	for i := range v {
		v[i] = T(i * 7919)
	}
	benchEach(b, fmt.Sprintf("%T/%d", v[0], rows), v, map[string]func([]T){
		"sum":    func(v []T) { kernel.SumIntegers(v) },
		"minmax": func(v []T) { kernel.MinMax(v) },
	})
}

func benchEach[T kernel.Number](b *testing.B, name string, v []T, kinds map[string]func([]T)) {
	for kind, f := range kinds {
		for _, l := range []kernel.Level{kernel.LevelGo, kernel.LevelAVX2} {
			b.Run(fmt.Sprint(name, "/", kind, "/", l), func(b *testing.B) {
				defer kernel.SetLevel(kernel.SetLevel(l))
				b.SetBytes(int64(len(v)) * int64(unsafe.Sizeof(v[0])))
				for b.Loop() {
					f(v)
				}
			})
		}
	}
}
