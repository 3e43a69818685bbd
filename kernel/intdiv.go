package kernel

import "math"

// FloorDivSigned divides rounding toward minus infinity; by zero it gives 0, and the least integer by -1 wraps.
func FloorDivSigned[T Signed](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		dst[i] = floorDiv(a[i*stepA], b[i*stepB])
	}
}

func floorDiv[T Signed](x, y T) T {
	if y == 0 {
		return 0
	}
	q := x / y
	if q*y != x && (x < 0) != (y < 0) {
		q--
	}
	return q
}

// FloorModSigned is the remainder of [FloorDivSigned]: it has the divisor's sign, and is 0 for a divisor of 0.
func FloorModSigned[T Signed](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if y == 0 {
			dst[i] = 0
			continue
		}
		r := x % y
		if r != 0 && (r < 0) != (y < 0) {
			r += y
		}
		dst[i] = r
	}
}

// DivUnsigned divides; by zero it gives 0.
func DivUnsigned[T Unsigned](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		if y := b[i*stepB]; y != 0 {
			dst[i] = a[i*stepA] / y
		} else {
			dst[i] = 0
		}
	}
}

// ModUnsigned is the remainder of [DivUnsigned]; by zero it gives 0.
func ModUnsigned[T Unsigned](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		if y := b[i*stepB]; y != 0 {
			dst[i] = a[i*stepA] % y
		} else {
			dst[i] = 0
		}
	}
}

// FloorDivFloat is the floor of a/b computed as NumPy does, exact where a/b is.
func FloorDivFloat[T Float](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		dst[i], _ = divMod(a[i*stepA], b[i*stepB])
	}
}

// FloorModFloat is the remainder of [FloorDivFloat]: it has the divisor's sign.
func FloorModFloat[T Float](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		_, dst[i] = divMod(a[i*stepA], b[i*stepB])
	}
}

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

// Rem is the remainder of a division that rounds toward zero: it has the sign of a, and is 0 for a divisor of 0.
func Rem[T Signed](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		if y := b[i*stepB]; y != 0 {
			dst[i] = a[i*stepA] % y
		} else {
			dst[i] = 0
		}
	}
}
