package csv

import (
	"math"
	"strconv"
)

// kind is what cells of a column have in common.
type kind uint8

const (
	kindNone  kind = iota // no cell that is not missing
	kindInt               // whole numbers
	kindFloat             // numbers
	kindBool              // true and false
	kindText
)

// join returns what cells of both kinds have in common.
func join(a, b kind) kind {
	switch {
	case a == b || b == kindNone:
		return a
	case a == kindNone:
		return b
	case a <= kindFloat && b <= kindFloat:
		return kindFloat
	default:
		return kindText
	}
}

// classify returns the kind of one cell.
//
// Numbers and words may have blanks round them. A whole number is digits with or without a sign, a float has a point or
// an exponent or both, and at least one digit before the exponent; neither has a zero before other digits. inf, infinity
// and nan are floats, in upper or lower case, with or without a sign.
func classify(cell []byte) kind {
	if len(cell) == 0 {
		return kindNone
	}
	word := trim(cell)
	p := word
	if len(p) > 0 && (p[0] == '-' || p[0] == '+') {
		p = p[1:]
	}
	if len(p) == 0 {
		return kindText
	}
	if c := p[0]; c != '.' && (c < '0' || c > '9') {
		switch {
		case isWord(p, "inf"), isWord(p, "infinity"), isWord(p, "nan"):
			return kindFloat
		case isWord(word, "true"), isWord(word, "false"):
			return kindBool
		}
		return kindText
	}
	whole := leadingDigits(p)
	if whole > 1 && p[0] == '0' {
		return kindText
	}
	p = p[whole:]
	if len(p) == 0 {
		return kindInt
	}
	if p[0] == '.' {
		fraction := leadingDigits(p[1:])
		if whole+fraction == 0 {
			return kindText
		}
		p = p[1+fraction:]
	}
	if len(p) > 0 && p[0]|0x20 == 'e' {
		if p = p[1:]; len(p) > 0 && (p[0] == '-' || p[0] == '+') {
			p = p[1:]
		}
		n := leadingDigits(p)
		if n == 0 {
			return kindText
		}
		p = p[n:]
	}
	if len(p) > 0 {
		return kindText
	}
	return kindFloat
}

func leadingDigits(p []byte) int {
	n := 0
	for n < len(p) && p[n] >= '0' && p[n] <= '9' {
		n++
	}
	return n
}

// isWord reports whether p is word in upper or lower case; word is in lower case.
func isWord(p []byte, word string) bool {
	if len(p) != len(word) {
		return false
	}
	for i, c := range p {
		if c|0x20 != word[i] {
			return false
		}
	}
	return true
}

// isBool returns 1 if cell i is true, and 1 if it is false, in upper or lower case and without blanks. Which of them it is
// is often as good as random.
func (c *cells) isBool(i int) (yes, no uint8) {
	const (
		lower  = ' ' * eachByte
		word4  = 't'<<32 | 'r'<<40 | 'u'<<48 | 'e'<<56
		word5  = 'f'<<24 | 'a'<<32 | 'l'<<40 | 's'<<48 | 'e'<<56
		length = 8
	)
	s, n := int(c.lo[i]), int(c.hi[i]-c.lo[i])
	if uint(n-1) >= length {
		return 0, 0
	}
	// No byte of lower case is 0, so that this tells the length too.
	x := (load8(c.text, s) | lower) << (8 * (length - n) & 63)
	if x == word4 {
		yes = 1
	}
	if x == word5 {
		no = 1
	}
	return yes, no
}

// trim takes the blanks off both ends of a number.
func trim(p []byte) []byte {
	for len(p) > 0 && isBlank(p[0]) {
		p = p[1:]
	}
	for len(p) > 0 && isBlank(p[len(p)-1]) {
		p = p[:len(p)-1]
	}
	return p
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// A span is what whole numbers have been seen to be.
type span struct {
	negative bool // one below 0
	high     bool // one above the largest int64
	beyond   bool // one that neither int64 nor uint64 holds
	inexact  bool // one beyond ±2^53, which a float64 may not hold
}

// exactInFloat is the largest number up to which a float64 holds every whole number.
const exactInFloat = 1 << 53

// add takes one whole number into account, spelled as [classify] has it.
func (s *span) add(cell []byte) {
	p := trim(cell)
	negative := p[0] == '-'
	if negative || p[0] == '+' {
		p = p[1:]
	}
	v, err := strconv.ParseUint(string(p), 10, 64)
	switch {
	case err != nil:
		s.beyond, s.inexact = true, true
	case negative:
		s.negative = s.negative || v > 0
		s.beyond = s.beyond || v > -math.MinInt64
	case v > math.MaxInt64:
		s.high = true
	}
	s.inexact = s.inexact || v > exactInFloat
}
