package decimal

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"sync"
)

const (
	eachByte = 0x0101010101010101
	zeros    = '0' * eachByte
)

// load8 returns the eight bytes of p from i on, the first in the lowest bits.
func load8(p []byte, i int) uint64 { return binary.LittleEndian.Uint64(p[i : i+8]) }

// notDigits returns a number that is 0 in each byte of x that is a digit, and not 0 in the first that is none; what is
// behind that means nothing. A byte is a digit if its high half is 3 and stays 3 when 6 is added. What carries out of a
// byte carries out of one that is no digit, into bytes behind it.
func notDigits(x uint64) uint64 {
	return ((x ^ zeros) | ((x + 0x06*eachByte) ^ zeros)) & (0xf0 * eachByte)
}

// digits8 reports whether all eight bytes of x are digits.
func digits8(x uint64) bool { return notDigits(x) == 0 }

// digitRun returns how many of the first bytes of x are digits.
func digitRun(x uint64) int { return bits.TrailingZeros64(notDigits(x)) / 8 }

// value8 returns the number that the eight digits in x spell, the first in the lowest byte.
func value8(x uint64) uint64 {
	x -= zeros
	x = x*10 + x>>8 // pairs, in every other byte
	const mask = 0x000000ff000000ff
	return ((x&mask)*(100+1_000_000<<32) + (x>>16&mask)*(1+10_000<<32)) >> 32
}

// front returns the first n of the eight bytes of x as the last, behind zero digits. 0 ≤ n < 8.
func front(x uint64, n int) uint64 {
	return (x<<8)<<(56-8*n&63) | zeros>>(8*n&63)
}

var powersOfTen = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// ParseUint returns the number that text[s:e] spells: one to nineteen digits without leading zeros.
func ParseUint(text []byte, s, e int) (v uint64, ok bool) {
	n := e - s
	if n <= 0 || n > MaxDigits || text[s] == '0' && n > 1 {
		return 0, false
	}
	for ; n >= 8; n, s = n-8, s+8 {
		x := load8(text, s)
		if !digits8(x) {
			return 0, false
		}
		v = v*1e8 + value8(x)
	}
	x := front(load8(text, s), n)
	return v*powersOfTen[n&15] + value8(x), digits8(x)
}

// IsUint reports whether [ParseUint] reads text[s:e], but for the number of its digits.
func IsUint(text []byte, s, e int) bool {
	return s < e && (text[s] != '0' || e-s == 1) && allDigits(text, s, e)
}

// ParseInt returns the whole number that text[s:e] spells, plainly.
func ParseInt(text []byte, s, e int) (v int64, ok bool) {
	negative := isByte(text[s], '-')
	u, ok := ParseUint(text, s+int(negative), e)
	return int64((u ^ -negative) + negative), ok && u <= math.MaxInt64
}

// isByte returns 1 if c is b, else 0. Signs are as good as random, so that the processor would often guess a branch wrong.
func isByte(c, b byte) uint64 {
	var one uint64
	if c == b {
		one = 1
	}
	return one
}

// A decimal is a number as it is spelled: mantissa × 10^exponent.
type decimal struct {
	mantissa uint64
	exponent int
	negative uint64 // 1 if it is
}

// parseDecimal takes the number apart that text[s:e] spells plainly: digits with or without a fraction, at most nineteen
// behind leading zeros, with or without an exponent of at most three digits.
func parseDecimal(text []byte, s, e int) (d decimal, ok bool) {
	d.negative = isByte(text[s], '-')
	s += int(d.negative)
	begin := s
	// Few numbers have eight digits before the point.
	x := load8(text, s)
	if n := min(digitRun(x), e-s); n < 8 {
		d.mantissa, s = value8(front(x, n)), s+n
	} else {
		d.mantissa, s = digits(text, s, e, 0)
	}
	count := s - begin
	if count > 1 && text[begin] == '0' {
		return d, false
	}
	if s < e && text[s] == '.' {
		point := s + 1
		d.mantissa, s = digits(text, point, e, d.mantissa)
		d.exponent = point - s
		count -= d.exponent
	}
	if count <= 0 || count > MaxDigits && count-leadingZeros(text[begin:s]) > MaxDigits {
		return d, false
	}
	if s == e {
		return d, true
	}
	exponent, ok := parseExponent(text[s:e])
	d.exponent += exponent
	return d, ok
}

// MaxDigits is how many digits always fit in 64 bits.
const MaxDigits = 19

// IsNumber reports whether text[s:e] is a number that [parseDecimal] reads, but for the number of its digits.
func IsNumber(text []byte, s, e int) bool {
	s += int(isByte(text[s], '-'))
	begin := s
	s = skipDigits(text, s, e)
	count := s - begin
	if count > 1 && text[begin] == '0' {
		return false
	}
	if s < e && text[s] == '.' {
		s++
		if allDigits(text, s, e) {
			return count > 0 || s < e
		}
		point := s
		s = skipDigits(text, s, e)
		count += s - point
	}
	if count == 0 {
		return false
	}
	if s == e {
		return true
	}
	_, ok := parseExponent(text[s:e])
	return ok
}

// allDigits reports whether text[s:e] is digits, if anything.
func allDigits(text []byte, s, e int) bool {
	n := e - s
	if n < 8 {
		return digits8(front(load8(text, s), n))
	}
	if n <= 24 {
		// Three words that overlap, rather than a loop of one or two rounds, which is hard to foresee.
		return notDigits(load8(text, s))|notDigits(load8(text, s+min(8, n-8)))|notDigits(load8(text, e-8)) == 0
	}
	return skipDigits(text, s, e) == e
}

// skipDigits returns where the digits from text[s] on end, but no later than e.
func skipDigits(text []byte, s, e int) int {
	for s < e {
		n := digitRun(load8(text, s))
		s += n
		if n < 8 {
			break
		}
	}
	return min(s, e)
}

// digits appends the digits from text[s] on, but none from e on, to those of v, and returns where they end. Digits
// beyond MaxDigits make v meaningless.
func digits(text []byte, s, e int, v uint64) (uint64, int) {
	for e-s >= 8 {
		x := load8(text, s)
		if !digits8(x) {
			n := digitRun(x)
			return v*powersOfTen[n] + value8(front(x, n)), s + n
		}
		v = v*1e8 + value8(x)
		s += 8
	}
	// Whether anything is left is as good as random; taking no digits costs less than guessing wrong.
	x := load8(text, s)
	n := e - s
	y := front(x, n)
	if !digits8(y) {
		n = digitRun(x)
		y = front(x, n)
	}
	return v*powersOfTen[n&15] + value8(y), s + n
}

// leadingZeros counts the zeros of p before any other digit; there may be a point among them.
func leadingZeros(p []byte) int {
	n := 0
	for _, c := range p {
		switch c {
		case '0':
			n++
		case '.':
		default:
			return n
		}
	}
	return n
}

// parseExponent reads "e5", "E+05", "e-123".
func parseExponent(p []byte) (v int, ok bool) {
	if p[0]|0x20 != 'e' {
		return 0, false
	}
	p = p[1:]
	negative := false
	if len(p) > 0 && (p[0] == '+' || p[0] == '-') {
		negative = p[0] == '-'
		p = p[1:]
	}
	if len(p) == 0 || len(p) > 3 {
		return 0, false
	}
	for _, c := range p {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = 10*v + int(c-'0')
	}
	if negative {
		v = -v
	}
	return v, true
}

// maxPower bounds the powers of ten that are known here: beyond it numbers are rare enough for strconv, and within it
// no float64 is subnormal or infinite.
const maxPower = 64

// A power is 5^q as mantissa × 2^exponent, rounded up to a mantissa of 128 bits, of which the highest is set.
type power struct {
	hi, lo   uint64
	exponent int
}

// A PowerTable holds the powers with q from -maxPower to maxPower.
type PowerTable [2*maxPower + 1]power

// Powers returns the table, which is made once.
var Powers = sync.OnceValue(func() *PowerTable {
	var table PowerTable
	five := big.NewInt(5)
	for q := -maxPower; q <= maxPower; q++ {
		p := new(big.Int).Exp(five, big.NewInt(int64(max(q, -q))), nil)
		var m, rest big.Int
		var exponent int
		if q < 0 {
			// 2^shift / p has 128 bits.
			shift := 127 + p.BitLen()
			m.DivMod(m.Lsh(big.NewInt(1), uint(shift)), p, &rest)
			exponent = -shift
		} else if exponent = p.BitLen() - 128; exponent <= 0 {
			m.Lsh(p, uint(-exponent))
		} else {
			m.DivMod(p, new(big.Int).Lsh(big.NewInt(1), uint(exponent)), &rest)
		}
		if rest.Sign() != 0 {
			m.Add(&m, big.NewInt(1))
		}
		table[q+maxPower] = power{new(big.Int).Rsh(&m, 64).Uint64(), new(big.Int).And(&m, new(big.Int).SetUint64(math.MaxUint64)).Uint64(), exponent}
	}
	return &table
})

// A Parser returns the bits of the float nearest to the number that text[s:e] spells plainly, ties to even. It declines
// what needs more care: numbers beyond maxPower, subnormal and infinite ones, and those too near to the middle of two
// floats.
type Parser func(text []byte, s, e int, powers *PowerTable) (bits uint64, ok bool)

// Float64 is the [Parser] of float64.
func Float64(text []byte, s, e int, powers *PowerTable) (bits uint64, ok bool) {
	d, ok := parseDecimal(text, s, e)
	if !ok {
		return 0, false
	}
	return d.round(powers, 53, 11)
}

// Float32 is the [Parser] of float32.
func Float32(text []byte, s, e int, powers *PowerTable) (bits uint64, ok bool) {
	d, ok := parseDecimal(text, s, e)
	if !ok {
		return 0, false
	}
	return d.round(powers, 24, 8)
}

// Float16 is the [Parser] of float16.
func Float16(text []byte, s, e int, powers *PowerTable) (bits uint64, ok bool) {
	d, ok := parseDecimal(text, s, e)
	if !ok {
		return 0, false
	}
	return d.round(powers, 11, 5)
}

// round rounds to a mantissa of so many bits, the leading one included, and an exponent of so many.
//
// The number is mantissa × 5^q × 2^q. With the power rounded up, the product of the two mantissas is too large by less
// than 2^64, so its upper 128 bits are off by less than one either way. That can change the rounding only if they lie
// exactly in the middle of two floats.
//
// Source: D. Lemire, "Number Parsing at a Gigabyte per Second", 2021, for the idea of one product of 192 bits.
func (d decimal) round(powers *PowerTable, mantissa, exponent int) (v uint64, ok bool) {
	q := uint(d.exponent + maxPower)
	if q >= uint(len(powers)) {
		return 0, false
	}
	v = d.negative << (mantissa + exponent - 1)
	if d.mantissa == 0 {
		return v, true
	}
	p := &powers[q]
	shift := bits.LeadingZeros64(d.mantissa)
	w := d.mantissa << (shift & 63)
	hi, middle := bits.Mul64(w, p.hi)
	carried, _ := bits.Mul64(w, p.lo)
	lo, carry := bits.Add64(middle, carried, 0)
	hi += carry
	// The number is hi:lo × 2^64 × 2^(p.exponent+q-shift), and hi has its highest or second highest bit set. It is made the
	// highest; the bit of lo that would follow is only looked at where it is.
	second := int(^hi >> 63)
	hi <<= second & 1
	below := 63 - mantissa
	kept := hi >> below // the mantissa and the bit that rounds it
	if lo == 0 && hi&(1<<below-1) == 0 && kept&1 == 1 {
		return 0, false
	}
	e := 63 - second + 128 + p.exponent + d.exponent - shift + 1<<(exponent-1) - 1
	if e <= 0 || e >= 1<<exponent-1 {
		return 0, false
	}
	// The leading bit of the mantissa counts one up in the exponent, and so does a mantissa that rounds to a power of two.
	return v | (uint64(e-1)<<(mantissa-1) + (kept+1)>>1), true
}
