package json

import (
	"math"
	"strconv"
)

// A trait is something that a value of a column may be, and that matters to the column's dtype.
type trait uint8

const (
	hasNull trait = iota
	hasBool
	hasInt
	hasFloat
	hasText
	hasList
	hasObject
	hasNegative // a whole number below 0
	hasHigh     // a whole number above the largest int64
	hasBeyond   // a whole number that neither int64 nor uint64 holds
	hasInexact  // a whole number beyond ±2^53, which a float64 may not hold
	hasHalf     // text with half of a surrogate pair
	traits
)

// A spot is where something was seen.
type spot struct {
	row    int64
	offset int64 // in the file
}

// A guess is what has been seen of a column. There is nothing tentative about it once all values have been seen.
type guess struct {
	mask  uint16 // a bit for each trait
	first [traits]spot

	chars   int // of the longest text
	bytes   int // of the longest text as UTF-8
	spelled int // of the longest number or word as it is spelled

	// The last value waits, since one of the same name in the same row may take its place.
	last   seen
	row    int64 // of it; -1 before the first
	absent int64 // the first row that has no value; -1 if all have
}

// seen is what one value is.
type seen struct {
	mask    uint16
	offset  int64
	chars   int
	bytes   int
	spelled int
}

func newGuess() guess { return guess{row: -1, absent: -1} }

// has reports whether any of the traits was seen.
func (g *guess) has(ts ...trait) bool {
	for _, t := range ts {
		if g.mask&(1<<t) != 0 {
			return true
		}
	}
	return false
}

// add takes the value of a row into account. Rows do not come down, but some may have no value.
func (g *guess) add(row int64, c *cell, text []byte, offset int64) {
	if row != g.row {
		g.settle()
		if row > g.row+1 && g.absent < 0 {
			g.absent = g.row + 1
		}
		g.row = row
	}
	g.note(c, text, offset)
}

// note makes a value the last one.
func (g *guess) note(c *cell, text []byte, offset int64) {
	g.last = seen{mask: kindTraits[c.kind], offset: offset}
	switch c.kind {
	case kindInt:
		g.last.spelled = len(text)
		const short = 15 // digits that a float64 holds
		switch {
		case len(text) > short:
			g.last.mask |= intTraits(text)
		case text[0] == '-' && text[1] != '0':
			g.last.mask |= 1 << hasNegative
		}
	case kindText, kindEscaped:
		// No text has more characters than bytes.
		if len(text) > g.chars || c.kind == kindEscaped {
			g.measure(c.kind, text)
		}
	case kindTrue, kindFalse, kindFloat:
		g.last.spelled = len(text)
	}
}

var kindTraits = [...]uint16{
	kindNull: 1 << hasNull, kindFalse: 1 << hasBool, kindTrue: 1 << hasBool, kindInt: 1 << hasInt, kindFloat: 1 << hasFloat,
	kindText: 1 << hasText, kindEscaped: 1 << hasText, kindList: 1 << hasList, kindObject: 1 << hasObject,
}

// measure finds how long a text is.
func (g *guess) measure(k kind, text []byte) {
	if k == kindText {
		g.last.bytes = len(text)
		for _, c := range text {
			if c&0xc0 != 0x80 {
				g.last.chars++
			}
		}
		return
	}
	for i := 0; i < len(text); {
		var r rune
		if r, i = nextRune(text, i); r < 0 {
			g.last.mask |= 1 << hasHalf
		}
		g.last.chars++
		g.last.bytes += runeLen(r)
	}
}

// runeLen returns how many bytes a rune has in UTF-8.
func runeLen(r rune) int {
	switch {
	case r < 0x80:
		return 1
	case r < 0x800:
		return 2
	case r < 0x10000:
		return 3
	}
	return 4
}

// exactInFloat is the largest number up to which a float64 holds every whole number.
const exactInFloat = 1 << 53

// intTraits returns what a whole number is beside being one.
func intTraits(text []byte) (mask uint16) {
	negative := text[0] == '-'
	if negative {
		text = text[1:]
	}
	v, err := strconv.ParseUint(string(text), 10, 64)
	switch {
	case err != nil:
		return 1<<hasBeyond | 1<<hasInexact
	case negative && v > -math.MinInt64:
		mask = 1 << hasBeyond
	case negative && v > 0:
		mask = 1 << hasNegative
	case v > math.MaxInt64:
		mask = 1 << hasHigh
	}
	if v > exactInFloat {
		mask |= 1 << hasInexact
	}
	return mask
}

// settle counts the last value.
func (g *guess) settle() {
	s := &g.last
	g.chars, g.bytes, g.spelled = max(g.chars, s.chars), max(g.bytes, s.bytes), max(g.spelled, s.spelled)
	if fresh := s.mask &^ g.mask; fresh != 0 {
		for t := range traits {
			if fresh&(1<<t) != 0 {
				g.first[t] = spot{g.row, s.offset}
			}
		}
		g.mask |= s.mask
	}
}

// finish ends the column at its number of rows.
func (g *guess) finish(rows int64) {
	g.settle()
	g.last = seen{}
	if g.row < rows-1 && g.absent < 0 {
		g.absent = g.row + 1
	}
	if g.has(hasNull) && (g.absent < 0 || g.first[hasNull].row < g.absent) {
		g.absent = g.first[hasNull].row
	}
}
