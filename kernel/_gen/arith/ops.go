package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

// mulBytes multiplies bytes as words: those of even places in place, those of odd ones shifted down and up again.
func mulBytes(w Width) func(a, b, d vector) {
	return func(a, b, d vector) {
		even, x, y := w.Vector(), w.Vector(), w.Vector()
		VPMULLW(b, a, even)
		VPSLLW(Imm(8), even, even)
		VPSRLW(Imm(8), even, even)
		VPSRLW(Imm(8), a, x)
		VPSRLW(Imm(8), b, y)
		VPMULLW(y, x, d)
		VPSLLW(Imm(8), d, d)
		if w.Wide() {
			VPORQ(even, d, d)
		} else {
			VPOR(even, d, d)
		}
	}
}

// mulWords multiplies words of 8 bytes; AVX2 has only the product of their halves.
func mulWords(w Width) func(a, b, d vector) {
	if w.Wide() {
		return plain(VPMULLQ)(w)
	}
	return func(a, b, d vector) {
		x, y := w.Vector(), w.Vector()
		VPSRLQ(Imm(32), a, x)
		VPMULUDQ(b, x, x)
		VPSRLQ(Imm(32), b, y)
		VPMULUDQ(y, a, y)
		VPADDQ(y, x, x)
		VPSLLQ(Imm(32), x, x)
		VPMULUDQ(b, a, d)
		VPADDQ(x, d, d)
	}
}

// extremeWords takes the larger or the smaller word of 8 bytes; AVX2 has only the comparison of signed ones.
func extremeWords(instruction func(ops ...Op), smaller, unsigned bool) op {
	return func(w Width) func(a, b, d vector) {
		if w.Wide() {
			return plain(instruction)(w)
		}
		return func(a, b, d vector) {
			x, y, above := a, b, w.Vector()
			if unsigned {
				sign := w.Repeated(1 << 63)
				x, y = w.Vector(), w.Vector()
				VPXOR(sign, a, x)
				VPXOR(sign, b, y)
			}
			if smaller {
				x, y = y, x
			}
			VPCMPGTQ(y, x, above)
			VBLENDVPD(above, a, b, d)
		}
	}
}

// unordered is the predicate of comparisons that is true where one of the operands is a NaN.
const unordered = 3

// extreme takes the larger or the smaller float. The instruction takes the second operand if one is a NaN, and if both
// are zeros; where NaNs win the first is taken if it is one, and where they lose, if the second is.
func extreme(instruction func(ops ...Op), size int, nanWins bool) op {
	return func(w Width) func(a, b, d vector) {
		return func(a, b, d vector) {
			nan := b
			if nanWins {
				nan = a
			}
			switch {
			case w.Wide() && size == 4:
				k := K()
				VCMPPS(Imm(unordered), nan, nan, k)
				instruction(b, a, d)
				VMOVAPS(a, k, d)
			case w.Wide():
				k := K()
				VCMPPD(Imm(unordered), nan, nan, k)
				instruction(b, a, d)
				VMOVAPD(a, k, d)
			case size == 4:
				m := w.Vector()
				VCMPPS(Imm(unordered), nan, nan, m)
				instruction(b, a, d)
				VBLENDVPS(m, a, d, d)
			default:
				m := w.Vector()
				VCMPPD(Imm(unordered), nan, nan, m)
				instruction(b, a, d)
				VBLENDVPD(m, a, d, d)
			}
		}
	}
}

// The roundings, as their instructions number them; 8 keeps them from raising the flag that the result is not exact.
const (
	toEven = iota | 8
	down
	up
	towardZero
)

// unaries holds the operations of one operand by kind.
var unaries = []struct {
	name string
	ops  map[string]func(w Width) func(a, d vector)
}{
	{"Abs", map[string]func(w Width) func(a, d vector){
		"I1": single(VPABSB), "I2": single(VPABSW), "I4": single(VPABSD), "I8": absWords,
	}},
	{"Sqrt", map[string]func(w Width) func(a, d vector){"F4": single(VSQRTPS), "F8": single(VSQRTPD)}},
	{"Floor", rounding(down)},
	{"Ceil", rounding(up)},
	{"Trunc", rounding(towardZero)},
	{"Rint", rounding(toEven)},
}

func single(instruction func(ops ...Op)) func(w Width) func(a, d vector) {
	return func(Width) func(a, d vector) {
		return func(a, d vector) { instruction(a, d) }
	}
}

func absWords(w Width) func(a, d vector) {
	if w.Wide() {
		return single(VPABSQ)(w)
	}
	zero := w.Vector()
	VPXOR(zero, zero, zero)
	return func(a, d vector) {
		negative := w.Vector()
		VPCMPGTQ(a, zero, negative)
		VPXOR(negative, a, d)
		VPSUBQ(negative, d, d)
	}
}

func rounding(mode uint64) map[string]func(w Width) func(a, d vector) {
	by := func(wide func(ops ...Op), narrow func(i, from, to Op)) func(w Width) func(a, d vector) {
		return func(w Width) func(a, d vector) {
			return func(a, d vector) {
				if w.Wide() {
					wide(Imm(mode), a, d)
				} else {
					narrow(Imm(mode), a, d)
				}
			}
		}
	}
	return map[string]func(w Width) func(a, d vector){"F4": by(VRNDSCALEPS, VROUNDPS), "F8": by(VRNDSCALEPD, VROUNDPD)}
}
