package kernel

import (
	"math"
	"math/bits"
)

// reducedFar reduces an angle of any size: x·2/π modulo 4 in 256 bits, of which those of 2/π are taken that matter.
// Source: Payne and Hanek, Radian reduction for trigonometric functions, 1983.
func reducedFar(x float64) angle {
	b := math.Float64bits(x)
	m := b&fraction | 1<<52
	e := int(b>>52) - 1075 // x is m·2^e
	// Bit i of 2/π, from 1 on, is worth 2^(e-i) times m: below e-1 it only adds multiples of 4. Bit 1 is bit 64 of the table.
	first := e - 2 + 64
	var w [4]uint64 // the lowest word first
	for i := range w {
		at := first/64 + 3 - i
		w[i] = twoOverPiBits[at]<<(first%64) | twoOverPiBits[at+1]>>1>>(63-first%64)
	}
	var carry uint64
	for i, v := range w {
		hi, lo := bits.Mul64(v, m)
		lo, c := bits.Add64(lo, carry, 0)
		w[i], carry = lo, hi+c
	}
	k := w[3] >> 62
	for i := 3; i > 0; i-- {
		w[i] = w[i]<<2 | w[i-1]>>62
	}
	w[0] <<= 2
	negative := w[3]>>63 != 0
	if negative { // nearer to the next
		k++
		carry = 1
		for i, v := range w {
			w[i], carry = bits.Add64(^v, 0, carry)
		}
	}
	// No float64 is so near to a multiple of π/2 that 64 bits were 0, but for these two the loop goes on.
	shift := 0
	for w[3] == 0 && shift < 192 {
		w[3], w[2], w[1], w[0] = w[2], w[1], w[0], 0
		shift += 64
	}
	n := bits.LeadingZeros64(w[3])
	top, next := w[3]<<n|w[2]>>1>>(63-n), w[2]<<n|w[1]>>1>>(63-n)
	hi := math.Ldexp(float64(top>>11), -53-n-shift)
	lo := math.Ldexp(float64(top<<53|next>>11), -117-n-shift)
	if negative {
		hi, lo = -hi, -lo
	}
	r := float64(hi * halfPiHi)
	rest := math.FMA(hi, halfPiHi, -r) + (float64(hi*halfPiLo) + float64(lo*halfPiHi))
	sum := r + rest
	return angle{sum, rest - (sum - r), k}
}
