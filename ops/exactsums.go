package ops

import "math/bits"

// exactSums are many exact sums of float64 values, as [exact], in the memory that the values need: of the words of an
// exact number only a window is kept, the same for all, that grows with the exponents that come. Weights of a few orders
// of magnitude take usualWords.
type exactSums struct {
	n     int
	low   int // first word of the window, in those of exact
	width int // words of the window; the topmost has the sign
	words []uint64
	flags []uint8 // by sum: of flagNaN, flagPlus, flagMinus; nil if all are 0
}

// usualWords is the width of the window for weights of a few orders of magnitude.
const usualWords = 3

const (
	flagNaN = 1 << iota
	flagPlus
	flagMinus
)

func newExactSums(n int) *exactSums { return &exactSums{n: n} }

// add adds v to sum i.
func (e *exactSums) add(i int, v float64) {
	if v == 0 {
		return
	}
	if v-v != 0 {
		e.flag(i, v)
		return
	}
	p := split(v)
	word, bit := p.shift/64, p.shift%64
	// Two words for the value and one above them: room for 2^63 values.
	if word < e.low || word+3 > e.low+e.width {
		e.grow(word, word+3)
	}
	at := e.words[i*e.width : (i+1)*e.width]
	w := word - e.low
	lo, hi := p.frac<<bit, uint64(0)
	if bit > 0 {
		hi = p.frac >> (64 - bit)
	}
	var carry uint64
	if !p.neg {
		at[w], carry = bits.Add64(at[w], lo, 0)
		at[w+1], carry = bits.Add64(at[w+1], hi, carry)
		for k := w + 2; carry != 0 && k < len(at); k++ {
			at[k], carry = bits.Add64(at[k], 0, carry)
		}
		return
	}
	at[w], carry = bits.Sub64(at[w], lo, 0)
	at[w+1], carry = bits.Sub64(at[w+1], hi, carry)
	for k := w + 2; carry != 0 && k < len(at); k++ {
		at[k], carry = bits.Sub64(at[k], 0, carry)
	}
}

func (e *exactSums) flag(i int, v float64) {
	if e.flags == nil {
		e.flags = make([]uint8, e.n)
	}
	switch {
	case v != v:
		e.flags[i] |= flagNaN
	case v > 0:
		e.flags[i] |= flagPlus
	default:
		e.flags[i] |= flagMinus
	}
}

// grow widens the window to words low to high.
func (e *exactSums) grow(low, high int) {
	if e.width > 0 {
		low, high = min(low, e.low), max(high, e.low+e.width)
	}
	width := high - low
	words := make([]uint64, e.n*width)
	for i := range e.n {
		e.widen(words[i*width:(i+1)*width], i, low)
	}
	e.low, e.width, e.words = low, width, words
}

// widen writes sum i to a window that begins at word low.
func (e *exactSums) widen(dst []uint64, i, low int) {
	if e.width == 0 {
		return
	}
	old := e.words[i*e.width : (i+1)*e.width]
	at := e.low - low
	copy(dst[at:], old)
	if old[len(old)-1]>>63 != 0 {
		for k := at + len(old); k < len(dst); k++ {
			dst[k] = ^uint64(0)
		}
	}
}

// merge adds the sums of o, to which counts values were added each: those of none are passed over.
func (e *exactSums) merge(o *exactSums, counts []int64) {
	if o.width > 0 && (o.low < e.low || o.low+o.width > e.low+e.width || e.width == 0) {
		e.grow(o.low, o.low+o.width)
	}
	var buf [len(exact{}.words)]uint64
	sum := buf[:e.width]
	for i, n := range counts {
		if n == 0 || o.width == 0 {
			continue
		}
		clear(sum)
		o.widen(sum, i, e.low)
		at := e.words[i*e.width : (i+1)*e.width]
		var carry uint64
		for k := range at {
			at[k], carry = bits.Add64(at[k], sum[k], carry)
		}
	}
	for i, f := range o.flags {
		if f != 0 {
			if e.flags == nil {
				e.flags = make([]uint8, e.n)
			}
			e.flags[i] |= f
		}
	}
}

// value returns sum i, rounded once.
func (e *exactSums) value(i int) float64 {
	var x exact
	e.widen(x.words[:], i, 0)
	if e.flags != nil {
		f := e.flags[i]
		x.nan, x.plus, x.minus = f&flagNaN != 0, f&flagPlus != 0, f&flagMinus != 0
	}
	return x.value()
}
