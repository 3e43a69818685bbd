package kernel

import "math"

// nat is NaT, no time: of ticks the least int64.
const nat = math.MinInt64

// AddTicks computes a + b for each row, as [Add] does in int64, but with NaT on either side it gives NaT.
//
// Shapes: a and b hold len(dst) values or one. So do those of the other kernels of ticks.
func AddTicks(dst, a, b []int64) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x == nat || y == nat {
			dst[i] = nat
		} else {
			dst[i] = x + y
		}
	}
}

// SubTicks computes a - b for each row, as [AddTicks].
func SubTicks(dst, a, b []int64) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x == nat || y == nat {
			dst[i] = nat
		} else {
			dst[i] = x - y
		}
	}
}

// MulTicks multiplies ticks by integers.
func MulTicks(dst, a, b []int64) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		if x := a[i*stepA]; x == nat {
			dst[i] = nat
		} else {
			dst[i] = x * b[i*stepB]
		}
	}
}

// DivTicks divides ticks by integers, rounding toward zero; by zero it gives NaT.
func DivTicks(dst, a, b []int64) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		if x, y := a[i*stepA], b[i*stepB]; x == nat || y == 0 {
			dst[i] = nat
		} else {
			dst[i] = x / y
		}
	}
}

// ScaleTicks multiplies ticks by floats, cutting the fraction off; what does not fit is NaT. With divide it divides.
func ScaleTicks(dst, a []int64, b []float64, divide bool) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x == nat {
			dst[i] = nat
			continue
		}
		v := float64(x) * y
		if divide {
			v = float64(x) / y
		}
		dst[i] = toInt64(v) // NaN and infinities are NaT
	}
}

// RatioTicks divides ticks by ticks; NaT gives NaN.
func RatioTicks(dst []float64, a, b []int64) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x == nat || y == nat {
			dst[i] = NaN()
			continue
		}
		z := float64(x) / float64(y)
		if z != z {
			z = firstNaN(float64(x), float64(y), z)
		}
		dst[i] = z
	}
}

// FloorRatioTicks divides ticks by ticks rounding down; by zero, and with NaT, it gives 0.
func FloorRatioTicks(dst, a, b []int64) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x == nat || y == nat {
			dst[i] = 0
		} else {
			dst[i] = floorDiv(x, y)
		}
	}
}

// ModTicks is the remainder of ticks by ticks with the divisor's sign; by zero it gives NaT.
func ModTicks(dst, a, b []int64) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x == nat || y == nat || y == 0 {
			dst[i] = nat
		} else {
			dst[i] = x - floorDiv(x, y)*y
		}
	}
}

// IsNaT sets the bit of every NaT.
func IsNaT(dst []uint64, a []int64, n int) { Equal(dst, a, []int64{nat}, n) }

// RefineTicks multiplies ticks by a ratio of units, wrapping: to a finer unit. NaT stays NaT.
func RefineTicks(dst, a []int64, ratio uint64) {
	for i, v := range a[:len(dst)] {
		if v != nat {
			v = int64(uint64(v) * ratio)
		}
		dst[i] = v
	}
}

// CoarsenTicks divides ticks by a ratio of units, rounding down: to a coarser unit. NaT stays NaT.
func CoarsenTicks(dst, a []int64, ratio int64) {
	for i, v := range a[:len(dst)] {
		if v != nat {
			v = floorDiv(v, ratio)
		}
		dst[i] = v
	}
}

// MaxTicks takes the later of two ticks, and NaT, if there is one, wins or loses.
func MaxTicks(dst, a, b []int64, natWins bool) {
	Maximum(dst, a, b) // NaT, the least value, loses
	if natWins {
		spreadNaT(dst, a, b)
	}
}

// MinTicks is [MaxTicks] for the earlier one.
func MinTicks(dst, a, b []int64, natWins bool) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		switch {
		case x == nat && !natWins:
			dst[i] = y
		case y == nat && !natWins:
			dst[i] = x
		default:
			dst[i] = min(x, y) // NaT is the least
		}
	}
}

// spreadNaT makes NaT of the rows in which an operand is.
func spreadNaT(dst, a, b []int64) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		if a[i*stepA] == nat || b[i*stepB] == nat {
			dst[i] = nat
		}
	}
}

// SignTicks is -1, 0 or 1; NaT stays NaT.
func SignTicks(dst, a []int64) {
	for i, v := range a[:len(dst)] {
		switch {
		case v == nat:
			dst[i] = nat
		case v < 0:
			dst[i] = -1
		case v > 0:
			dst[i] = 1
		default:
			dst[i] = 0
		}
	}
}
