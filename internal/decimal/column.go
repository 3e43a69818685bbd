package decimal

import (
	"math"
	"math/bits"
)

// Behind is how many bytes behind its last number a text must have that the functions of columns read, whatever they are.
const Behind = 16

// Numbers are those of a column: number i is Text[Lo[i]:Hi[i]], and missing if that is empty. Behind the text of the last
// there are [Behind] more bytes.
//
// What is done for a column does what the functions of this package do for one number, in one loop. Its only branches are
// those that numbers of a column mostly take alike: which number has a digit more than the one before is as good as random.
type Numbers struct {
	Text   []byte
	Lo, Hi []uint32
}

// Whole is what whole numbers are read as.
type Whole interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

const (
	sixes = 0x06 * eachByte
	tens  = 0xf0 * eachByte // bits that no number below 16 has
)

// tooLarge returns a number that is not 0 if one of the bytes of x is more than 9; see [notDigits].
func tooLarge(x uint64) uint64 { return (x | (x + sixes)) & tens }

// value returns the number of eight digits, which are numbers here, the first in the lowest byte.
func value(x uint64) uint64 {
	x = x*10 + x>>8 // pairs, in every other byte
	const mask = 0x000000ff000000ff
	return ((x&mask)*(100+1_000_000<<32) + (x>>16&mask)*(1+10_000<<32)) >> 32
}

// last8 returns the first n of eight digits, which are numbers here, as the last ones behind zeros. 0 ≤ n ≤ 8.
func last8(x uint64, n int) uint64 {
	half := (32 - 4*n) & 63
	return x << half << half
}

// ReadWholes reads numbers from the one at i on into dst, as long as [ParseInt], or [ParseUint] if T has no sign, reads them
// and they fit, and returns where it stopped. Missing ones become missing, or it stops there if filled is not set.
//
// Shapes: dst is as long as the numbers are many.
func ReadWholes[T Whole](dst []T, c Numbers, i int, missing T, filled bool) int {
	lo, hi, text := c.Lo[:len(dst)], c.Hi[:len(dst)], c.Text
	signs, largest := uint64(0), uint64(math.MaxUint64)
	if ^T(0) < 0 {
		signs, largest = 1, math.MaxInt64
	}
	for ; i < len(dst); i++ {
		s, e := int(lo[i]), int(hi[i])
		if s == e {
			if !filled {
				return i
			}
			dst[i] = missing
			continue
		}
		negative := isByte(text[s], '-') & signs
		s += int(negative)
		n := e - s
		x := load8(text, s) ^ zeros
		y := (x << 8) << ((56 - 8*(n&7)) & 63)
		bad := tooLarge(y)
		v := value(y)
		if n >= 8 {
			s += n & 7
			y = load8(text, s) ^ zeros
			bad |= tooLarge(y)
			v = v*1e8 + value(y)
			if n >= 16 {
				y = load8(text, s+8) ^ zeros
				bad |= tooLarge(y)
				v = v*1e8 + value(y)
			}
		}
		if bad != 0 || uint(n-1) >= MaxDigits || byte(x) == 0 && n > 1 || v > largest {
			return i
		}
		v = (v ^ -negative) + negative
		if dst[i] = T(v); uint64(dst[i]) != v {
			return i
		}
	}
	return i
}

// ReadFloats reads numbers from the one at i on into dst, as the bits of the float nearest to each, as long as [Float64]
// or [Float32] read them, which of them the type of dst tells, and they have no exponent, and one to seven digits before
// the point. It returns where it stopped. Missing ones become missing, or it stops there if filled is not set.
//
// Shapes: dst is as long as the numbers are many.
func ReadFloats[T uint32 | uint64](dst []T, c Numbers, i int, powers *PowerTable, missing T, filled bool) int {
	lo, hi, text := c.Lo[:len(dst)], c.Hi[:len(dst)], c.Text
	mantissaBits, exponentBits := 53, 11
	if uint64(^T(0)) == math.MaxUint32 {
		mantissaBits, exponentBits = 24, 8
	}
	for ; i < len(dst); i++ {
		s, e := int(lo[i]), int(hi[i])
		if s == e {
			if !filled {
				return i
			}
			dst[i] = missing
			continue
		}
		negative := isByte(text[s], '-')
		s += int(negative)
		x := load8(text, s) ^ zeros
		k := min(bits.TrailingZeros64(tooLarge(x))>>3, e-s)
		if uint(k-1) >= 7 || byte(x) == 0 && k > 1 {
			return i
		}
		v := value((x << 8) << ((56 - 8*k) & 63))
		s += k
		if s < e && text[s] != '.' {
			return i
		}
		s++
		n := max(e-s, 0)
		x = load8(text, s) ^ zeros
		var bad uint64
		if n <= 8 {
			x = last8(x, n)
			bad = tooLarge(x)
			v = v*powersOfTen[n] + value(x)
		} else {
			x = (x << 8) << ((56 - 8*(n&7)) & 63)
			bad = tooLarge(x)
			v = v*powersOfTen[n&7] + value(x)
			s += n & 7
			x = load8(text, s) ^ zeros
			bad |= tooLarge(x)
			v = v*1e8 + value(x)
			if n >= 16 {
				x = load8(text, s+8) ^ zeros
				bad |= tooLarge(x)
				v = v*1e8 + value(x)
			}
		}
		if bad != 0 || n+k > MaxDigits {
			return i
		}
		sign := T(negative) << (mantissaBits + exponentBits - 1)
		if v == 0 {
			dst[i] = sign
			continue
		}
		// See decimal.round.
		p := &powers[maxPower-n]
		shift := bits.LeadingZeros64(v)
		w := v << (shift & 63)
		high, middle := bits.Mul64(w, p.hi)
		carried, _ := bits.Mul64(w, p.lo)
		low, carry := bits.Add64(middle, carried, 0)
		high += carry
		second := int(^high >> 63)
		high <<= second & 1
		below := 63 - mantissaBits
		kept := high >> (below & 63)
		if low == 0 && high&(1<<(below&63)-1) == 0 && kept&1 == 1 {
			return i
		}
		exponent := 63 - second + 128 + p.exponent - n - shift + 1<<(exponentBits-1) - 1
		dst[i] = sign | T(uint64(exponent-1)<<(mantissaBits-1)+(kept+1)>>1)
	}
	return i
}

// SkipInts returns where the first of the numbers from i on is that is not missing and not up to so many plain digits, with
// or without a minus, and how many of those before it are below zero. digits < 16.
func SkipInts(c Numbers, i, digits int) (stopped int, negative uint64) {
	lo, hi := c.Lo, c.Hi[:len(c.Lo)]
	for ; i < len(lo); i++ {
		s, e := int(lo[i]), int(hi[i])
		if s == e {
			continue
		}
		minus := isByte(c.Text[s], '-')
		s += int(minus)
		n := e - s
		x := load8(c.Text, s) ^ zeros
		bad := tooLarge((x << 8) << ((56 - 8*(n&7)) & 63))
		if n >= 8 {
			bad |= tooLarge(load8(c.Text, s+n&7) ^ zeros)
		}
		if bad != 0 || uint(n-1) >= uint(digits) || byte(x) == 0 && n > 1 {
			return i, negative
		}
		if byte(x) == 0 {
			minus = 0
		}
		negative += minus
	}
	return i, negative
}

// SkipNumbers returns where the first of the numbers from i on is that is not missing and that [IsNumber] declines, or one
// that is spelled in an unusual way.
func SkipNumbers(c Numbers, i int) int {
	lo, hi, text := c.Lo, c.Hi[:len(c.Lo)], c.Text
	for ; i < len(lo); i++ {
		s, e := int(lo[i]), int(hi[i])
		if s == e {
			continue
		}
		s += int(isByte(text[s], '-'))
		x := load8(text, s) ^ zeros
		k := min(bits.TrailingZeros64(tooLarge(x))>>3, e-s)
		if uint(k-1) >= 7 || byte(x) == 0 && k > 1 {
			return i
		}
		s += k
		if s < e && text[s] != '.' {
			return i
		}
		s++
		n := max(e-s, 0)
		x = load8(text, s) ^ zeros
		var bad uint64
		if n <= 8 {
			bad = tooLarge(last8(x, n))
		} else {
			// Three words that overlap.
			bad = tooLarge(x) | tooLarge(load8(text, s+min(8, n-8))^zeros) | tooLarge(load8(text, e-8)^zeros)
		}
		if bad != 0 || n > 24 {
			return i
		}
	}
	return i
}
