package kernel_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go/kernel"
)

// raw views values as bytes.
func raw[T kernel.Number](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(*new(T))))
}

// typed views bytes as values.
func typed[T kernel.Number](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

// edges32 and edges64 are the bits of floats that rules differ for: zeros, infinities, numbers at the ends of integer
// types and of float16, subnormals, and NaNs that are quiet and signalling, with payloads and without.
var (
	edges32 = []uint32{
		0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345, 0xffc54321, 0x7f800001, 0xffa00007,
		1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000,
		0x4f000000, 0xcf000000, 0x4effffff, 0x5f000000, 0xdf000000, 0x5f800000, 0x4f800000, 0x477ff000, 0x477fefff, 0x33000000,
	}
	edges64 = []uint64{
		0, 1 << 63, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff8 << 48, 0xfff8 << 48, 0x7ff8000000012345, 0xfff8543210000000,
		0x7ff0000000000001, 0xfff4000000000007, 1, 1<<63 | 1, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
		0xffefffffffffffff, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000, 0xbfe0000000000000,
		0x41dfffffffc00000, 0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0xc1dfffffffffffff, 0x43e0000000000000,
		0xc3e0000000000000, 0x43f0000000000000, 0x43dfffffffffffff, 0x41f0000000000000, 0x40effe0000000000, 0x3e60000000000000,
	}
)

// mixed returns n values of all sorts: any bits, small numbers, and edges.
func mixed[T kernel.Number](r *rand.Rand, n int) []T {
	v := make([]T, n)
	b := raw(v)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	for i := range v {
		p := unsafe.Pointer(&v[i])
		switch r.IntN(5) {
		case 0:
			v[i] = T(r.IntN(9))
		case 1:
			v[i] = -T(r.IntN(100)) / T(1+r.IntN(3))
		case 2, 3:
			switch any(v).(type) {
			case []float32:
				*(*uint32)(p) = edges32[r.IntN(len(edges32))]
			case []float64:
				*(*uint64)(p) = edges64[r.IntN(len(edges64))]
			default: // all bits, or only the first, or all but that
				b := b[i*len(b)/n : (i+1)*len(b)/n]
				for j := range b {
					b[j] = 0xff
				}
				switch r.IntN(3) {
				case 0:
					b[len(b)-1] = 0x7f
				case 1:
					clear(b)
					b[len(b)-1] = 0x80
				}
			}
		}
	}
	return v
}

// eachFast runs f at the levels above the plain one.
func eachFast(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	for l := kernel.LevelAVX2; l <= kernel.Best(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer kernel.SetLevel(kernel.SetLevel(l))
			f(t)
		})
	}
}

// plainly runs f at the plain level.
func plainly(f func()) {
	defer kernel.SetLevel(kernel.SetLevel(kernel.LevelGo))
	f()
}

// lengths are all up to 257 for one type in each size, and some for the others.
func lengths(all bool) []int {
	var n []int
	for i := range longest + 1 {
		if all || i < 70 || i >= 255 || i%64 < 2 || i%64 > 62 {
			n = append(n, i)
		}
	}
	return n
}

// The shapes of two operands: columns, or one of them a constant.
var shapesOfTwo = []string{"vv", "vc", "cv"}

// operands returns those of a shape, of n rows.
func operands[T kernel.Number](a, b []T, shape string, n int) (x, y []T) {
	x, y = a[:n], b[:n]
	if n > 0 && shape[0] == 'c' {
		x = a[:1]
	}
	if n > 0 && shape[1] == 'c' {
		y = b[:1]
	}
	return x, y
}

// twinBinary holds a kernel of two operands to the bytes of the plain loop at every level, for lengths and alignments, also
// in place of either operand.
func twinBinary[T kernel.Number](t *testing.T, name string, all bool, k func(dst, a, b []T)) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 11))
	size := int(unsafe.Sizeof(*new(T)))
	t.Run(fmt.Sprintf("%s/%T", name, *new(T)), func(t *testing.T) {
		for _, shape := range shapesOfTwo {
			for round := range 4 {
				a, b := mixed[T](r, longest), mixed[T](r, longest)
				want := make([]T, longest)
				plainly(func() {
					x, y := operands(a, b, shape, longest)
					k(want, x, y)
				})
				check := func(t *testing.T, n, offA, offB, offDst int) {
					t.Helper()
					x, y := operands(a, b, shape, n)
					fa, fb, dst := fill(raw(x), offA), fill(raw(y), offB), fence(n*size, offDst)
					if k(typed[T](dst.data), typed[T](fa.data), typed[T](fb.data)); !bytes.Equal(dst.data, raw(want[:n])) || !dst.intact() {
						explain(t, n, x, y, typed[T](dst.data), want)
					}
					if len(x) == n {
						if k(typed[T](fa.data), typed[T](fa.data), typed[T](fb.data)); !bytes.Equal(fa.data, raw(want[:n])) || !fa.intact() {
							t.Fatalf("%s in place of the first, %d rows", shape, n)
						}
					}
					if len(y) == n {
						fa := fill(raw(x), offA)
						if k(typed[T](fb.data), typed[T](fa.data), typed[T](fb.data)); !bytes.Equal(fb.data, raw(want[:n])) || !fb.intact() {
							t.Fatalf("%s in place of the second, %d rows", shape, n)
						}
					}
				}
				eachFast(t, func(t *testing.T) {
					if round > 0 { // other values
						check(t, longest, 0, 0, 0)
						return
					}
					for _, n := range lengths(all) {
						check(t, n, n*5%64, n*3%64, n*7%64)
					}
					for offset := range 64 {
						check(t, 150, offset, 0, 0)
						check(t, 150, 1, offset, 63-offset)
					}
				})
			}
		}
	})
}

func explain[T kernel.Number](t *testing.T, n int, x, y, got, want []T) {
	t.Helper()
	for i := range got {
		if a, b := raw(got[i:i+1]), raw(want[i:i+1]); !bytes.Equal(a, b) {
			t.Fatalf("%d rows: row %d of %x and %x is %x, want %x", n, i, raw(x[min(i, len(x)-1):][:1]), raw(y[min(i, len(y)-1):][:1]), a, b)
		}
	}
	t.Fatalf("%d rows: written outside", n)
}

// twinUnary is [twinBinary] for one operand.
func twinUnary[T kernel.Number](t *testing.T, name string, all bool, k func(dst, a []T)) {
	t.Helper()
	twinCast(t, name, all, k)
}

// twinCast is [twinUnary] for a result of another type.
func twinCast[D, S kernel.Number](t *testing.T, name string, all bool, k func(dst []D, a []S)) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 11))
	size := int(unsafe.Sizeof(*new(D)))
	t.Run(fmt.Sprintf("%s/%T/%T", name, *new(S), *new(D)), func(t *testing.T) {
		for round := range 4 {
			a, want := mixed[S](r, longest), make([]D, longest)
			plainly(func() { k(want, a) })
			check := func(t *testing.T, n, offA, offDst int) {
				t.Helper()
				fa, dst := fill(raw(a[:n]), offA), fence(n*size, offDst)
				if k(typed[D](dst.data), typed[S](fa.data)); !bytes.Equal(dst.data, raw(want[:n])) || !dst.intact() {
					for i, v := range typed[D](dst.data) {
						if !bytes.Equal(raw([]D{v}), raw(want[i:i+1])) {
							t.Fatalf("%d rows: row %d of %x (%v) is %x, want %x", n, i, raw(a[i:i+1]), a[i], raw([]D{v}), raw(want[i:i+1]))
						}
					}
					t.Fatalf("%d rows: written outside", n)
				}
				if in, same := any(typed[S](fa.data)).([]D); same {
					if k(in, typed[S](fa.data)); !bytes.Equal(fa.data, raw(want[:n])) || !fa.intact() {
						t.Fatalf("%d rows in place", n)
					}
				}
			}
			eachFast(t, func(t *testing.T) {
				if round > 0 {
					check(t, longest, 0, 0)
					return
				}
				for _, n := range lengths(all) {
					check(t, n, n*5%64, n*7%64)
				}
				for offset := range 64 {
					check(t, 150, offset, 0)
					check(t, 150, 1, offset)
				}
			})
		}
	})
}
