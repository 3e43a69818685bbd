package kernel

import "math"

// The tests of a float's class set bit i where a[i] is of it, and clear it elsewhere; n is the number of rows.
//
// Shapes: len(dst) = Words(n); a holds n values.

// classWords is how many words of a second bitmap are on the stack.
const classWords = 16

// IsInf tests for infinities.
func IsInf(dst []uint64, a []float64, n int) {
	var more [classWords]uint64
	for at := 0; at < n; at += 64 * classWords {
		v := a[at:min(n, at+64*classWords)]
		bits, negative := dst[at/64:][:Words(len(v))], more[:Words(len(v))]
		Equal(bits, v, []float64{math.Inf(1)}, len(v))
		Equal(negative, v, []float64{math.Inf(-1)}, len(v))
		Or(bits, bits, negative)
	}
}

// IsFinite tests for numbers that are neither infinities nor NaN.
func IsFinite(dst []uint64, a []float64, n int) {
	var more [classWords]uint64
	for at := 0; at < n; at += 64 * classWords {
		v := a[at:min(n, at+64*classWords)]
		bits, above := dst[at/64:][:Words(len(v))], more[:Words(len(v))]
		Less(bits, v, []float64{math.Inf(1)}, len(v))
		Less(above, []float64{math.Inf(-1)}, v, len(v))
		And(bits, bits, above)
	}
}

// SignBit tests for the sign, that of zeros and NaNs too.
func SignBit(dst []uint64, a []float64, n int) { Less(dst, as[int64](a[:n]), []int64{0}, n) }
