package ops

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/colstore/colstore-go/kernel"
)

// An exact is a fixed-point number wide enough for any sum of float64 values: adding rounds nothing, so the order of
// additions, and of merges, does not matter. Its value is rounded once, at the end.
type exact struct {
	// words is a two's complement integer, least word first, counted in units of 2^-1074, the least subnormal. 2098 bits
	// hold every finite float64; the others leave room for 2^77 additions.
	words       [34]uint64
	nan         bool
	plus, minus bool // an infinity of that sign was added
}

// Bias: bit 0 of words[0] is worth 2^-1074.
const exactUnit = -1074

// add adds v exactly.
func (e *exact) add(v float64) {
	b := math.Float64bits(v)
	exp := int(b >> 52 & 0x7ff)
	frac := b & (1<<52 - 1)
	switch {
	case exp == 0x7ff && frac != 0:
		e.nan = true
		return
	case exp == 0x7ff:
		e.plus = e.plus || v > 0
		e.minus = e.minus || v < 0
		return
	case exp == 0:
		exp = 1 // subnormal: no hidden bit
	default:
		frac |= 1 << 52
	}
	shift := exp - 1 // v = ±frac × 2^(shift-1074)
	word, bit := shift/64, shift%64
	lo, hi := frac<<bit, uint64(0)
	if bit > 0 {
		hi = frac >> (64 - bit)
	}
	if b>>63 == 0 {
		var carry uint64
		e.words[word], carry = bits.Add64(e.words[word], lo, 0)
		e.words[word+1], carry = bits.Add64(e.words[word+1], hi, carry)
		for i := word + 2; carry != 0 && i < len(e.words); i++ {
			e.words[i], carry = bits.Add64(e.words[i], 0, carry)
		}
		return
	}
	var borrow uint64
	e.words[word], borrow = bits.Sub64(e.words[word], lo, 0)
	e.words[word+1], borrow = bits.Sub64(e.words[word+1], hi, borrow)
	for i := word + 2; borrow != 0 && i < len(e.words); i++ {
		e.words[i], borrow = bits.Sub64(e.words[i], 0, borrow)
	}
}

// merge adds all of o.
func (e *exact) merge(o *exact) {
	var carry uint64
	for i := range e.words {
		e.words[i], carry = bits.Add64(e.words[i], o.words[i], carry)
	}
	e.nan, e.plus, e.minus = e.nan || o.nan, e.plus || o.plus, e.minus || o.minus
}

// mean returns the sum divided by a number of values: that of finite values is finite, also where their sum is not.
func (e *exact) mean(n int64) float64 {
	sum := e.value()
	if sum-sum == 0 || e.nan || e.plus || e.minus {
		return sum / float64(n)
	}
	f := e.float()
	v, _ := f.Quo(f, new(big.Float).SetInt64(n)).Float64()
	return v
}

// value returns the sum, rounded to the nearest float64, ties to even.
func (e *exact) value() float64 {
	switch {
	case e.nan || e.plus && e.minus:
		return kernel.NaN()
	case e.plus:
		return math.Inf(1)
	case e.minus:
		return math.Inf(-1)
	}
	// big.Float rounds once, also to subnormals.
	v, _ := e.float().Float64()
	return v
}

// float returns the sum of finite values.
func (e *exact) float() *big.Float {
	n, low := signedInt(e.words[:])
	f := new(big.Float).SetInt(n)
	return f.SetMantExp(f, 64*low+exactUnit)
}

// signedInt returns a two's complement integer of words, least first, but for the first low words, which are 0.
func signedInt(words []uint64) (n *big.Int, low int) {
	for low < len(words)-1 && words[low] == 0 {
		low++
	}
	words = words[low:]
	for top := len(words) - 1; top > 0 && words[top] == uint64(int64(words[top-1])>>63); top-- {
		words = words[:top] // it has only the sign, as the one below
	}
	if words[len(words)-1]>>63 == 0 {
		return bigInt(words), low
	}
	size := make([]uint64, len(words))
	carry := uint64(1)
	for i, w := range words {
		size[i], carry = bits.Add64(^w, 0, carry)
	}
	n = bigInt(size)
	return n.Neg(n), low
}
