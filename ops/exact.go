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

// exactUnit is the power of two that bit 0 of words[0] is worth.
const exactUnit = -1074

// add adds v exactly.
func (e *exact) add(v float64) {
	switch {
	case v != v:
		e.nan = true
		return
	case v-v != 0:
		e.plus, e.minus = e.plus || v > 0, e.minus || v < 0
		return
	}
	p := split(v)
	word, bit := p.shift/64, p.shift%64
	lo, hi := p.frac<<bit, uint64(0)
	if bit > 0 {
		hi = p.frac >> (64 - bit)
	}
	if !p.neg {
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
