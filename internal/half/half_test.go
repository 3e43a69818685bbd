package half_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go/internal/half"
)

// ref64 rounds by comparing with all neighbours: slow and plain.
func ref64(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign = 0x8000
	}
	a := math.Abs(v)
	lo, hi := uint16(0), uint16(0x7c00) // 0 and infinity
	value := func(h uint16) float64 {
		if h == 0x7c00 {
			return 65536 // the next value, if the exponent went on
		}
		return float64(half.To32(h))
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; value(mid) <= a {
			lo = mid
		} else {
			hi = mid
		}
	}
	switch dl, dh := a-value(lo), value(hi)-a; {
	case math.IsInf(a, 0) || a >= 65536:
		return sign | 0x7c00
	case dl < dh || dl == dh && lo%2 == 0:
		return sign | lo
	default:
		return sign | hi
	}
}

func TestAllBitsRoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		v := half.To32(h)
		if got := half.From32(v); got != h {
			t.Fatalf("%04x is %v, which is %04x", h, v, got)
		}
		if got := half.From64(float64(v)); v == v && got != h {
			t.Fatalf("%04x is %v, which is %04x as a float64", h, v, got)
		}
	}
}

func TestRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1_000_000 {
		lo := uint16(r.IntN(0x7c00))
		a, b := float64(half.To32(lo)), float64(half.To32(lo+1))
		if math.IsInf(b, 0) {
			b = 65536
		}
		mid := (a + b) / 2
		for _, v := range []float64{mid, math.Nextafter(mid, 0), math.Nextafter(mid, math.Inf(1)), a + (b-a)*r.Float64()} {
			for _, v := range []float64{v, -v} {
				if got, want := half.From64(v), ref64(v); got != want {
					t.Fatalf("%v (between %v and %v) is %04x, want %04x", v, a, b, got, want)
				}
				if f := float32(v); half.From32(f) != ref64(float64(f)) {
					t.Fatalf("float32 %v is %04x, want %04x", f, half.From32(f), ref64(float64(f)))
				}
			}
		}
	}
}
