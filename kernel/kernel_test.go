package kernel_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// The tests compare every kernel, for every length 0 to 257, with the loop that its comment gives.

const longest = 257

// offset returns a slice of n values that begins at a byte offset into its buffer, so that it is not aligned, with guard
// bytes on both sides that check finds changed.
func offset[T kernel.Number](n, shift int) (v []T, check func(t *testing.T)) {
	size := int(unsafe.Sizeof(*new(T)))
	const guard = 64
	raw := bytes.Repeat([]byte{0xa5}, guard+shift+n*size+guard)
	at := raw[guard+shift:]
	v = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(at))), n)
	return v, func(t *testing.T) {
		t.Helper()
		for i, b := range raw {
			if (i < guard+shift || i >= guard+shift+n*size) && b != 0xa5 {
				t.Fatalf("byte %d before or after %d values was written", i-guard-shift, n)
			}
		}
	}
}

// values returns n values of T, extremes and, for floats, NaNs and zeros of both signs among them.
func values[T kernel.Number](r *rand.Rand, n int) []T {
	v, _ := offset[T](n, r.IntN(8))
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), n*int(unsafe.Sizeof(*new(T))))
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	for i := range v {
		switch r.IntN(6) {
		case 0:
			v[i] = T(r.IntN(5))
		case 1:
			v[i] = -T(r.IntN(5))
		}
	}
	if f, ok := any(v).([]float64); ok {
		for i := range f {
			switch r.IntN(8) {
			case 0:
				f[i] = math.Float64frombits(0x7ff8dead00000000 | uint64(r.Uint32()))
			case 1:
				f[i] = math.Copysign(0, float64(r.IntN(2))-0.5)
			case 2:
				f[i] = math.Inf(r.IntN(2)*2 - 1)
			}
		}
	}
	return v
}

// shapes calls f with both operands of full length, and with either of length one.
func shapes[T kernel.Number](r *rand.Rand, n int, f func(a, b []T)) {
	f(values[T](r, n), values[T](r, n))
	f(values[T](r, n), values[T](r, 1))
	f(values[T](r, 1), values[T](r, n))
}

func at[T any](v []T, i int) T {
	if len(v) == 1 {
		return v[0]
	}
	return v[i]
}

func same[T kernel.Number](a, b T) bool {
	return a == b || a != a && b != b
}

func forLengths(f func(r *rand.Rand, n int)) {
	for n := range longest + 1 {
		f(rand.New(rand.NewPCG(uint64(n), 3)), n)
	}
}

// twin checks dst = op(a, b) value by value.
func twin[T kernel.Number](t *testing.T, name string, k func(dst, a, b []T), op func(a, b T) T) {
	t.Helper()
	t.Run(fmt.Sprintf("%s/%T", name, *new(T)), func(t *testing.T) {
		forLengths(func(r *rand.Rand, n int) {
			shapes(r, n, func(a, b []T) {
				dst, check := offset[T](n, r.IntN(8))
				k(dst, a, b)
				check(t)
				for i := range dst {
					if want := op(at(a, i), at(b, i)); !same(dst[i], want) {
						t.Fatalf("n %d, row %d: %v and %v give %v, want %v", n, i, at(a, i), at(b, i), dst[i], want)
					}
				}
			})
		})
	})
}

func number[T kernel.Number](t *testing.T) {
	twin(t, "Add", kernel.Add[T], func(a, b T) T { return a + b })
	twin(t, "Sub", kernel.Sub[T], func(a, b T) T { return a - b })
	twin(t, "Mul", kernel.Mul[T], func(a, b T) T { return a * b })
	larger := func(a, b T) T {
		if a > b {
			return a
		}
		return b
	}
	twin(t, "Maximum", kernel.Maximum[T], func(a, b T) T {
		if a != a || b != b {
			return a + b
		}
		return larger(a, b)
	})
	twin(t, "Minimum", kernel.Minimum[T], func(a, b T) T {
		if a != a || b != b {
			return a + b
		}
		if a < b {
			return a
		}
		return b
	})
	twin(t, "FMax", kernel.FMax[T], func(a, b T) T {
		if a != a {
			return b
		}
		if b != b {
			return a
		}
		return larger(a, b)
	})
	compare(t, "Less", kernel.Less[T], func(a, b T) bool { return a < b })
	compare(t, "LessEqual", kernel.LessEqual[T], func(a, b T) bool { return a <= b })
	compare(t, "Equal", kernel.Equal[T], func(a, b T) bool { return a == b })
	compare(t, "NotEqual", kernel.NotEqual[T], func(a, b T) bool { return a != b })
	compare(t, "Member", func(dst []uint64, a, b []T, n int) { kernel.Member(dst, a, n, b[:1]) }, nil)
}

// compare checks a bitmap row by row, and that bits past the last row are zero.
func compare[T kernel.Number](t *testing.T, name string, k func(dst []uint64, a, b []T, n int), op func(a, b T) bool) {
	t.Helper()
	t.Run(fmt.Sprintf("%s/%T", name, *new(T)), func(t *testing.T) {
		forLengths(func(r *rand.Rand, n int) {
			if n == 0 {
				return
			}
			shapes(r, n, func(a, b []T) {
				dst, check := offset[uint64](kernel.Words(n), 0)
				k(dst, a, b, n)
				check(t)
				for i := range 64 * len(dst) {
					want := false
					if i < n {
						if op == nil {
							want = at(a, i) == b[0]
						} else {
							want = op(at(a, i), at(b, i))
						}
					}
					if got := dst[i/64]>>(i%64)&1 != 0; got != want {
						t.Fatalf("n %d, row %d: %v, want %v", n, i, got, want)
					}
				}
			})
		})
	})
}

func TestNumbers(t *testing.T) {
	number[int8](t)
	number[int16](t)
	number[int32](t)
	number[int64](t)
	number[uint8](t)
	number[uint16](t)
	number[uint32](t)
	number[uint64](t)
	number[float32](t)
	number[float64](t)
}

func integer[T kernel.Signed](t *testing.T) {
	floor := func(a, b T) T {
		if b == 0 {
			return 0
		}
		q := a / b
		if a%b != 0 && (a < 0) != (b < 0) {
			q--
		}
		return q
	}
	twin(t, "FloorDiv", kernel.FloorDivSigned[T], floor)
	twin(t, "FloorMod", kernel.FloorModSigned[T], func(a, b T) T {
		if b == 0 {
			return 0
		}
		return a - floor(a, b)*b
	})
	twin(t, "BitAnd", kernel.BitAnd[T], func(a, b T) T { return a & b })
	twin(t, "BitOr", kernel.BitOr[T], func(a, b T) T { return a | b })
	twin(t, "BitXor", kernel.BitXor[T], func(a, b T) T { return a ^ b })
}

func TestIntegers(t *testing.T) {
	integer[int8](t)
	integer[int16](t)
	integer[int32](t)
	integer[int64](t)
}

func TestIntegerEdges(t *testing.T) {
	least := []int64{math.MinInt64}
	dst := []int64{7}
	if kernel.FloorDivSigned(dst, least, []int64{-1}); dst[0] != math.MinInt64 {
		t.Errorf("least // -1 = %d", dst[0])
	}
	if kernel.FloorModSigned(dst, least, []int64{-1}); dst[0] != 0 {
		t.Errorf("least %% -1 = %d", dst[0])
	}
	if bad := kernel.PowInt(make([]int8, 3), []int8{3, 2, 2}, []int8{5, 0, -1}); bad != 2 {
		t.Errorf("the negative exponent is in row %d", bad)
	}
	p := make([]int8, 2)
	if kernel.PowInt(p, []int8{3, -2}, []int8{5, 7}); p[0] != -13 || p[1] != -128 {
		t.Errorf("3**5, (-2)**7 in int8 = %v", p)
	}
	if kernel.ShiftLeft(dst, []int64{1}, []int64{64}); dst[0] != 0 {
		t.Errorf("1 << 64 = %d", dst[0])
	}
	if kernel.ShiftRight(dst, []int64{-1}, []int64{64}); dst[0] != -1 {
		t.Errorf("-1 >> 64 = %d", dst[0])
	}
}

// The wanted values are NumPy's.
func TestFloatDivMod(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	tests := []struct{ a, b, div, mod float64 }{
		{7, 2, 3, 1},
		{-7, 2, -4, 1},
		{7, -2, -4, -1},
		{1, 0, inf, nan},
		{0, 0, nan, nan},
		{-1, inf, -1, inf},
		{1, inf, 0, 1},
		{inf, 2, nan, nan},
		{-6, 3, -2, 0},
		{6, -3, -2, math.Copysign(0, -1)},
		{nan, 1, nan, nan},
		{5, nan, nan, nan},
	}
	for _, c := range tests {
		div, mod := make([]float64, 1), make([]float64, 1)
		kernel.FloorDivFloat(div, []float64{c.a}, []float64{c.b})
		kernel.FloorModFloat(mod, []float64{c.a}, []float64{c.b})
		if !same(div[0], c.div) || !same(mod[0], c.mod) || math.Signbit(mod[0]) != math.Signbit(c.mod) && c.mod == 0 {
			t.Errorf("%v divided by %v: %v rest %v, want %v rest %v", c.a, c.b, div[0], mod[0], c.div, c.mod)
		}
	}
}

func TestTruncate(t *testing.T) {
	in := []float64{3.9, -3.7, 300, math.NaN(), 5e9, -5e9, 1e300, math.Inf(-1), 1 << 63, 0x1p64}
	i1, i4, i8, u1, u8 := make([]int8, len(in)), make([]int32, len(in)), make([]int64, len(in)), make([]uint8, len(in)), make([]uint64, len(in))
	kernel.Truncate(i1, in)
	kernel.Truncate(i4, in)
	kernel.Truncate(i8, in)
	kernel.Truncate(u1, in)
	kernel.Truncate(u8, in)
	least := int64(math.MinInt64)
	want := fmt.Sprint(
		[]int8{3, -3, 44, 0, 0, 0, 0, 0, 0, 0},
		[]int32{3, -3, 300, math.MinInt32, math.MinInt32, math.MinInt32, math.MinInt32, math.MinInt32, math.MinInt32, math.MinInt32},
		[]int64{3, -3, 300, least, 5e9, -5e9, least, least, least, least},
		[]uint8{3, 253, 44, 0, 0, 0, 0, 0, 0, 0})
	if got := fmt.Sprint(i1, i4, i8, u1); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if u8[0] != 3 || u8[4] != 5e9 || u8[8] != 1<<63 || u8[9] != 1<<63 || u8[3] != 1<<63 {
		t.Errorf("uint64: %v", u8)
	}
}

// bitmap returns a bitmap of n rows: sparse, dense or full.
func bitmap(r *rand.Rand, n int) []uint64 {
	b := make([]uint64, kernel.Words(n))
	density := []int{0, 1, 50, 99, 100}[r.IntN(5)]
	for i := range n {
		if r.IntN(100) < density {
			b[i/64] |= 1 << (i % 64)
		}
	}
	return b
}

func has(b []uint64, i int) bool { return b[i/64]>>(i%64)&1 != 0 }

func TestCompress(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 8, 12, 16, 40} {
		forLengths(func(r *rand.Rand, n int) {
			src := values[uint8](r, n*size)
			keep := bitmap(r, n)
			var want []byte
			for i := range n {
				if has(keep, i) {
					want = append(want, src[i*size:(i+1)*size]...)
				}
			}
			dst, check := offset[uint8](len(want), r.IntN(8))
			if rows := kernel.Compress(dst, src, keep, size); rows*size != len(want) || rows != kernel.Count(keep) {
				t.Fatalf("size %d, n %d: %d rows, want %d", size, n, rows, len(want)/size)
			}
			check(t)
			if !bytes.Equal(dst, want) {
				t.Fatalf("size %d, n %d: wrong bytes", size, n)
			}
		})
	}
}

func TestBitmaps(t *testing.T) {
	forLengths(func(r *rand.Rand, n int) {
		a, b := bitmap(r, n), bitmap(r, n)
		words := kernel.Words(n)
		for name, c := range map[string]struct {
			k  func(dst []uint64)
			op func(x, y bool) bool
		}{
			"and":    {func(d []uint64) { kernel.And(d, a, b) }, func(x, y bool) bool { return x && y }},
			"or":     {func(d []uint64) { kernel.Or(d, a, b) }, func(x, y bool) bool { return x || y }},
			"xor":    {func(d []uint64) { kernel.Xor(d, a, b) }, func(x, y bool) bool { return x != y }},
			"andnot": {func(d []uint64) { kernel.AndNot(d, a, b) }, func(x, y bool) bool { return x && !y }},
			"not":    {func(d []uint64) { kernel.Not(d, a, n) }, func(x, _ bool) bool { return !x }},
			"ones":   {func(d []uint64) { kernel.Ones(d, n) }, func(_, _ bool) bool { return true }},
		} {
			d := make([]uint64, words)
			c.k(d)
			for i := range 64 * words {
				want := i < n && c.op(i < n && has(a, i), i < n && has(b, i))
				if has(d, i) != want {
					t.Fatalf("%s: n %d, row %d: %v", name, n, i, has(d, i))
				}
			}
		}
		packed := make([]uint64, words)
		k := 0
		rows := kernel.CompressBits(packed, a, b)
		for i := range n {
			if !has(b, i) {
				continue
			}
			if has(packed, k) != has(a, i) {
				t.Fatalf("packed row %d of %d", k, n)
			}
			if kernel.NthSet(b, k) != i {
				t.Fatalf("set bit %d is row %d, want %d", k, kernel.NthSet(b, k), i)
			}
			k++
		}
		if rows != k || kernel.NthSet(b, k) != -1 {
			t.Fatalf("%d rows, want %d", rows, k)
		}
		out := make([]uint8, n)
		kernel.BytesFromBits(out, a)
		back := make([]uint64, words)
		if n > 0 {
			kernel.Nonzero(back, out, n)
		}
		for i := range n {
			if has(back, i) != has(a, i) || out[i] > 1 {
				t.Fatalf("bytes: row %d of %d", i, n)
			}
		}
	})
}

func TestSelect(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8, 12} {
		forLengths(func(r *rand.Rand, n int) {
			cond := bitmap(r, n)
			for _, la := range []int{n, 1} {
				for _, lb := range []int{n, 1} {
					a, b := values[uint8](r, la*size), values[uint8](r, lb*size)
					dst, check := offset[uint8](n*size, r.IntN(8))
					kernel.Select(dst, cond, a, b, n, size)
					check(t)
					for i := range n {
						from, l := b, lb
						if has(cond, i) {
							from, l = a, la
						}
						j := i
						if l == 1 {
							j = 0
						}
						if !bytes.Equal(dst[i*size:(i+1)*size], from[j*size:(j+1)*size]) {
							t.Fatalf("size %d, n %d, row %d", size, n, i)
						}
					}
				}
			}
		})
	}
}

func TestLoad(t *testing.T) {
	types := []colstore.DType{colstore.Int8, colstore.Int16, colstore.Float32, colstore.Int64, colstore.TextOf(3), colstore.BytesOf(5), colstore.Float64.Swapped(), colstore.TextOf(2).Swapped(), colstore.Int16.Swapped()}
	for _, typ := range types {
		size := typ.Size()
		forLengths(func(r *rand.Rand, n int) {
			raw := values[uint8](r, (2*n+1)*size)
			c, err := colstore.NewColumn(typ, 2*n+1, raw)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []colstore.Column{c.Slice(0, n, 1), c.Slice(0, 2*n, 2), c.Slice(n-1, -1, -1)} {
				dst, check := offset[uint8](part.Rows()*size, r.IntN(8))
				kernel.Load(dst, part)
				check(t)
				want, _ := part.Copy().Bytes()
				if !bytes.Equal(dst, want) {
					t.Fatalf("%s, n %d: wrong bytes", typ, n)
				}
			}
		})
	}
}

func TestOrders(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	word := func(width int) []byte {
		w := make([]byte, width)
		for i := range r.IntN(width + 1) {
			w[i] = "\x00ab"[r.IntN(3)]
		}
		return w
	}
	for range 20_000 {
		a, b := word(1+r.IntN(4)), word(1+r.IntN(4))
		order := bytes.Compare(bytes.TrimRight(a, "\x00"), bytes.TrimRight(b, "\x00"))
		wide := func(v []byte) []byte {
			out := make([]byte, 0, 4*len(v))
			for _, c := range v {
				out = append(out, c, 0, 0, 0)
			}
			return out
		}
		for _, c := range []struct {
			accept kernel.Accept
			want   bool
		}{
			{kernel.AcceptLess, order < 0},
			{kernel.AcceptLessEqual, order <= 0},
			{kernel.AcceptEqual, order == 0},
			{kernel.AcceptNotEqual, order != 0},
			{kernel.AcceptGreater, order > 0},
			{kernel.AcceptGreaterEqual, order >= 0},
		} {
			var one, two, three, back [1]uint64
			kernel.OrderBytes(one[:], a, len(a), b, len(b), 1, c.accept)
			kernel.OrderText(two[:], wide(a), 4*len(a), wide(b), 4*len(b), 1, c.accept)
			kernel.OrderBytesText(three[:], a, len(a), wide(b), 4*len(b), 1, c.accept)
			kernel.OrderBytes(back[:], b, len(b), a, len(a), 1, c.accept.Swapped())
			for i, got := range []uint64{one[0], two[0], three[0], back[0]} {
				if (got != 0) != c.want {
					t.Fatalf("%q against %q, accept %03b, way %d: %v", a, b, c.accept, i, got != 0)
				}
			}
		}
	}
}
