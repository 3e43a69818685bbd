package half

import "math"

// To32 returns the value of the bits of a float16, exactly. A NaN keeps its payload.
func To32(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exp := uint32(h>>10) & 0x1f
	frac := uint32(h) & 0x3ff
	switch exp {
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	case 0:
		// Subnormal: frac × 2⁻²⁴, which a float32 holds exactly.
		v := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// From32 returns the bits of the float16 nearest to v, ties to even; too large becomes infinity.
func From32(v float32) uint16 {
	b := math.Float32bits(v)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000: // NaN: keep what fits of the payload, and keep it a NaN
		h := uint16(b >> 13 & 0x3ff)
		if h == 0 {
			h = 1
		}
		return sign | 0x7c00 | h
	case b >= 0x477ff000: // 65520 and up round to infinity
		return sign | 0x7c00
	case b >= 0x38800000: // normal: 2⁻¹⁴ and up
		b += 0xc8000fff + b>>13&1 // rebias and round to even
		return sign | uint16(b>>13)
	case b < 0x33000000: // below half of the least subnormal
		return sign
	}
	// Subnormal: let the float32 addition do the rounding at 2⁻²⁴.
	const magic = 0x3f000000 // 0.5, whose last bit is 2⁻²⁴
	f := math.Float32frombits(b) + math.Float32frombits(magic)
	return sign | uint16(math.Float32bits(f)-magic)
}

// From64 returns the bits of the float16 nearest to v, rounded once.
func From64(v float64) uint16 {
	f := float32(v)
	// Rounding twice goes wrong only where the first lands exactly between two float16 values: step off the tie.
	if d := float64(f); d != v && math.Float32bits(f)&0x1fff == 0x1000 || math.Abs(v) < 1.0/(1<<14) && float64(f) != v {
		up := v > float64(f)
		if up != (v < 0) {
			f = math.Float32frombits(math.Float32bits(f) | 1)
		} else if math.Float32bits(f)&1 == 0 {
			f = math.Float32frombits(math.Float32bits(f) - 1)
		}
	}
	return From32(f)
}
