package ops

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// parts is a finite float64 as ±frac × 2^(shift−1074).
type parts struct {
	neg   bool
	frac  uint64
	shift int
}

// sign returns 1 for a negative value, else 0.
func (p parts) sign() int {
	if p.neg {
		return 1
	}
	return 0
}

func split(v float64) parts {
	b := math.Float64bits(v)
	exp, frac := int(b>>52&0x7ff), b&(1<<52-1)
	if exp == 0 {
		exp = 1 // subnormal: no hidden bit
	} else {
		frac |= 1 << 52
	}
	return parts{b>>63 != 0, frac, exp - 1}
}

// product is a two's complement integer, least word first, that products of two float64 values are added to exactly: 4,300
// bits for the largest of them times BlockRows, and room for 2^100 additions.
type product [70]uint64

// add adds ±(hi·2^64 + lo) × 2^shift.
func (w *product) add(neg bool, hi, lo uint64, shift int) {
	word, bit := uint(shift)/64, uint(shift)%64
	// Shifted by 64 there is nothing left.
	v0, v1, v2 := lo<<bit, hi<<bit|lo>>(64-bit), hi>>(64-bit)
	at := (*[3]uint64)(w[word:])
	var carry uint64
	if neg {
		at[0], carry = bits.Sub64(at[0], v0, 0)
		at[1], carry = bits.Sub64(at[1], v1, carry)
		at[2], carry = bits.Sub64(at[2], v2, carry)
		for i := word + 3; carry != 0 && i < uint(len(w)); i++ {
			w[i], carry = bits.Sub64(w[i], 0, carry)
		}
		return
	}
	at[0], carry = bits.Add64(at[0], v0, 0)
	at[1], carry = bits.Add64(at[1], v1, carry)
	at[2], carry = bits.Add64(at[2], v2, carry)
	for i := word + 3; carry != 0 && i < uint(len(w)); i++ {
		w[i], carry = bits.Add64(w[i], 0, carry)
	}
}

func (w *product) merge(o *product) {
	var carry uint64
	for i := range w {
		w[i], carry = bits.Add64(w[i], o[i], carry)
	}
}

func (w *product) subtract(o *product) {
	var borrow uint64
	for i := range w {
		w[i], borrow = bits.Sub64(w[i], o[i], borrow)
	}
}

// bigInt returns an unsigned integer of words, least first.
func bigInt(words []uint64) *big.Int {
	buf := make([]byte, 0, 8*len(words))
	for _, w := range slices.Backward(words) {
		buf = append(buf, byte(w>>56), byte(w>>48), byte(w>>40), byte(w>>32), byte(w>>24), byte(w>>16), byte(w>>8), byte(w))
	}
	return new(big.Int).SetBytes(buf)
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
