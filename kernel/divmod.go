package kernel

import "math"

// Quotients of floats rounded down and their remainders. divMod is what defines them; loops over vectors find the same by a
// product that is taken from x without rounding, where the quotient is below 2^50 (float32: 2^21) and the divisor neither
// infinite nor 0. Others are left to it.
var (
	floorDivFunc = mathFunc2{
		f8:    func(x, y float64) float64 { floor, _ := divMod(x, y); return floor },
		f4:    func(x, y float64) float64 { floor, _ := divMod(float32(x), float32(y)); return float64(floor) },
		loops: floorDivLoops,
		own:   true,
	}
	floorModFunc = mathFunc2{
		f8:    func(x, y float64) float64 { _, mod := divMod(x, y); return mod },
		f4:    func(x, y float64) float64 { _, mod := divMod(float32(x), float32(y)); return float64(mod) },
		loops: floorModLoops,
		own:   true,
	}
)

// FloorDivFloat is the floor of a/b computed as NumPy does, exact where a/b is. Shapes and memory are those of [Pow].
func FloorDivFloat[T Float](dst, a, b []T) { mapped2(dst, a, b, &floorDivFunc) }

// FloorModFloat is the remainder of [FloorDivFloat]: it has the divisor's sign.
func FloorModFloat[T Float](dst, a, b []T) { mapped2(dst, a, b, &floorModFunc) }

// divMod returns floor(x/y) and x - y*floor(x/y). For a divisor of 0 they are x/y and NaN.
func divMod[T Float](x, y T) (floor, mod T) {
	mod = T(math.Mod(float64(x), float64(y))) // exact, also in float32
	if mod != mod {
		return divModNaN(x, y)
	}
	div := (x - mod) / y
	if mod != 0 {
		if (y < 0) != (mod < 0) {
			mod += y
			div--
		}
	} else {
		mod = T(math.Copysign(0, float64(y)))
	}
	if div == 0 {
		return T(math.Copysign(0, float64(x/y))), mod
	}
	floor = T(math.Floor(float64(div)))
	if div-floor > 0.5 {
		floor++
	}
	return floor, mod
}

// divModNaN is [divMod] where there is no remainder: of a NaN, which stays, by 0, and of an infinity.
func divModNaN[T Float](x, y T) (floor, mod T) {
	switch {
	case x != x:
		return x, x
	case y != y:
		return y, y
	case y == 0 && x != 0:
		return x / y, T(NaN())
	}
	return T(NaN()), T(NaN())
}
