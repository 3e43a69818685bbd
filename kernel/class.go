package kernel

import "math"

// classWords is how many words of a second bitmap are on the stack.
const classWords = 16

// IsInf sets bit i where a[i] is an infinity, and clears it elsewhere; n is the number of rows. [IsFinite] and [SignBit]
// likewise.
//
// Shapes: len(dst) = Words(n); a holds n values.
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

// IsFinite sets bit i where a[i] is neither an infinity nor NaN, as [IsInf].
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

// SignBit sets bit i where a[i] has a sign, a zero or NaN too, as [IsInf].
func SignBit(dst []uint64, a []float64, n int) { Less(dst, as[int64](a[:n]), []int64{0}, n) }
