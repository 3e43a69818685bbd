package kernel_test

import (
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

func convertTwins[S kernel.Number](t *testing.T) {
	twinCast(t, "Convert", false, kernel.Convert[float32, S])
	twinCast(t, "Convert", false, kernel.Convert[float64, S])
}

func integerConvertTwins[S kernel.Integer](t *testing.T) {
	convertTwins[S](t)
	twinCast(t, "Convert", false, kernel.Convert[int8, S])
	twinCast(t, "Convert", false, kernel.Convert[int16, S])
	twinCast(t, "Convert", false, kernel.Convert[int32, S])
	twinCast(t, "Convert", false, kernel.Convert[int64, S])
	twinCast(t, "Convert", false, kernel.Convert[uint8, S])
	twinCast(t, "Convert", false, kernel.Convert[uint16, S])
	twinCast(t, "Convert", false, kernel.Convert[uint32, S])
	twinCast(t, "Convert", false, kernel.Convert[uint64, S])
}

func truncateTwins[S kernel.Float](t *testing.T) {
	convertTwins[S](t)
	twinCast(t, "Truncate", false, kernel.Truncate[int8, S])
	twinCast(t, "Truncate", false, kernel.Truncate[int16, S])
	twinCast(t, "Truncate", true, kernel.Truncate[int32, S])
	twinCast(t, "Truncate", true, kernel.Truncate[int64, S])
	twinCast(t, "Truncate", false, kernel.Truncate[uint8, S])
	twinCast(t, "Truncate", false, kernel.Truncate[uint16, S])
	twinCast(t, "Truncate", false, kernel.Truncate[uint32, S])
	twinCast(t, "Truncate", true, kernel.Truncate[uint64, S])
	twinCast(t, "ToHalf", true, kernel.ToHalf[S])
	twinCast(t, "FromHalf", true, kernel.FromHalf[S])
}

func TestCastTwins(t *testing.T) {
	integerConvertTwins[int8](t)
	integerConvertTwins[int16](t)
	integerConvertTwins[int32](t)
	integerConvertTwins[int64](t)
	integerConvertTwins[uint8](t)
	integerConvertTwins[uint16](t)
	integerConvertTwins[uint32](t)
	integerConvertTwins[uint64](t)
	truncateTwins[float32](t)
	truncateTwins[float64](t)
}

// All float16 values become floats alike, and all come back.
func TestHalfTwins(t *testing.T) {
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	floats, doubles := make([]float32, len(all)), make([]float64, len(all))
	plainly(func() {
		kernel.FromHalf(floats, all)
		kernel.FromHalf(doubles, all)
	})
	eachFast(t, func(t *testing.T) {
		f, d, back := make([]float32, len(all)), make([]float64, len(all)), make([]uint16, len(all))
		kernel.FromHalf(f, all)
		kernel.FromHalf(d, all)
		if string(raw(f)) != string(raw(floats)) || string(raw(d)) != string(raw(doubles)) {
			t.Error("float16 values are other floats")
		}
		if kernel.ToHalf(back, f); string(raw(back)) != string(raw(all)) {
			t.Error("float16 values do not come back")
		}
	})
}

// Float32 and float64 numbers at and beside the middle between float16 values round alike.
func TestHalfRoundingTwins(t *testing.T) {
	var doubles []float64
	var floats []float32
	for i := range 1 << 15 {
		var v [2]float64
		kernel.FromHalf(v[:], []uint16{uint16(i), uint16(i + 1)})
		middle := (v[0] + v[1]) / 2
		for _, by := range []float64{0, 1e-16, -1e-16, 1e-9, -1e-9, 1e-7, -1e-7} {
			doubles = append(doubles, middle*(1+by), -middle*(1+by))
			floats = append(floats, float32(middle*(1+by)))
		}
	}
	want, wantFloats := make([]uint16, len(doubles)), make([]uint16, len(floats))
	plainly(func() {
		kernel.ToHalf(want, doubles)
		kernel.ToHalf(wantFloats, floats)
	})
	eachFast(t, func(t *testing.T) {
		got, gotFloats := make([]uint16, len(doubles)), make([]uint16, len(floats))
		kernel.ToHalf(got, doubles)
		kernel.ToHalf(gotFloats, floats)
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%v is %x, want %x", doubles[i], got[i], want[i])
			}
		}
		for i := range gotFloats {
			if gotFloats[i] != wantFloats[i] {
				t.Fatalf("%v is %x, want %x", floats[i], gotFloats[i], wantFloats[i])
			}
		}
	})
}

// BenchmarkCast runs conversions over chunks in the first-level cache.
func BenchmarkCast(b *testing.B) {
	benchUnary(b, "Convert", kernel.Convert[float64, float32])
	benchUnary(b, "Convert", kernel.Convert[float32, float64])
	benchUnary(b, "Convert", kernel.Convert[float64, int8])
	benchUnary(b, "Convert", kernel.Convert[float64, int32])
	benchUnary(b, "Convert", kernel.Convert[float64, int64])
	benchUnary(b, "Convert", kernel.Convert[float64, uint64])
	benchUnary(b, "Convert", kernel.Convert[int64, int32])
	benchUnary(b, "Convert", kernel.Convert[int32, int64])
	benchUnary(b, "Truncate", kernel.Truncate[int64, float64])
	benchUnary(b, "Truncate", kernel.Truncate[int32, float64])
	benchUnary(b, "Truncate", kernel.Truncate[uint8, float32])
	benchUnary(b, "FromHalf", kernel.FromHalf[float32])
	benchUnary(b, "ToHalf", kernel.ToHalf[float32])
	benchUnary(b, "ToHalf", kernel.ToHalf[float64])
}
