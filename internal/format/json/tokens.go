package json

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// kind is what a value is, as far as its spelling tells.
type kind uint8

const (
	kindMissing kind = iota // there is none
	kindNull
	kindFalse
	kindTrue
	kindInt     // a number without fraction and exponent
	kindFloat   // any other number, NaN, Infinity, -Infinity
	kindText    // text as it lies
	kindEscaped // text with escapes
	kindList
	kindObject
	kindBeyond // there is none: the list is too short
)

var kindNames = [...]string{"nothing", "null", "false", "true", "a whole number", "a number", "text", "text", "a list", "an object", "nothing"}

// A cell is a value: where it is in the text, without its quotes.
type cell struct {
	lo, hi uint32
	kind   kind
}

// maxDepth is how deep lists and objects may be nested in each other.
const maxDepth = 512

// A scanner finds the values of JSON text, which may go on behind what there is of it. Its methods take the place where
// something begins and return the place behind it, or -1: then what says what is wrong at at, or is empty if the text ended
// before that could be told.
type scanner struct {
	p    []byte // the text, and slack zero bytes
	n    int    // the length of the text
	at   int
	what string
}

// fail refuses what is at a place. At the end of the text nothing is wrong yet.
func (s *scanner) fail(at int, what string) int {
	s.at, s.what = at, what
	if at >= s.n {
		s.what = ""
	}
	return -1
}

// space returns the place of the next byte that is no blank.
func (s *scanner) space(i int) int {
	for {
		switch s.p[i] {
		case ' ', '\n', '\r', '\t':
			i++
		default:
			return i
		}
	}
}

// value finds the value at i, whatever it is. Lists and objects are looked through.
func (s *scanner) value(i int, c *cell) int { return s.valueIn(i, c, 0) }

func (s *scanner) valueIn(i int, c *cell, depth int) int {
	c.lo = uint32(i)
	next := 0
	switch s.p[i] {
	case '"':
		c.lo++
		c.kind = kindText
		next = s.text(i+1, &c.kind)
		c.hi = uint32(max(next-1, 0))
		return next
	case '{':
		c.kind = kindObject
		next = s.nested(i, '}', depth)
	case '[':
		c.kind = kindList
		next = s.nested(i, ']', depth)
	case 't':
		c.kind = kindTrue
		next = s.word(i, "true")
	case 'f':
		c.kind = kindFalse
		next = s.word(i, "false")
	case 'n':
		c.kind = kindNull
		next = s.word(i, "null")
	case 'N':
		c.kind = kindFloat
		next = s.word(i, "NaN")
	case 'I':
		c.kind = kindFloat
		next = s.word(i, "Infinity")
	default:
		next = s.number(i, &c.kind)
	}
	c.hi = uint32(max(next, 0))
	return next
}

const noValue = "there should be a value"

func (s *scanner) word(i int, word string) int {
	for j := range len(word) {
		if s.p[i+j] != word[j] {
			return s.fail(i+j, noValue)
		}
	}
	return i + len(word)
}

// number finds a number. One that ends where the text does might go on.
func (s *scanner) number(i int, k *kind) int {
	*k = kindInt
	if s.p[i] == '-' {
		if i++; s.p[i] == 'I' {
			*k = kindFloat
			return s.word(i, "Infinity")
		}
	}
	first := s.p[i]
	if !isDigit(first) {
		return s.fail(i, noValue)
	}
	for i++; isDigit(s.p[i]); i++ {
		if first == '0' {
			return s.fail(i, "a number has a zero before other digits")
		}
	}
	if s.p[i] == '.' {
		*k = kindFloat
		if i++; !isDigit(s.p[i]) {
			return s.fail(i, "a number has no digit behind its point")
		}
		for i++; isDigit(s.p[i]); i++ {
		}
	}
	if s.p[i]|0x20 == 'e' {
		*k = kindFloat
		if i++; s.p[i] == '+' || s.p[i] == '-' {
			i++
		}
		if !isDigit(s.p[i]) {
			return s.fail(i, "a number has no digit in its exponent")
		}
		for i++; isDigit(s.p[i]); i++ {
		}
	}
	if i >= s.n {
		return s.fail(i, "")
	}
	return i
}

func isDigit(c byte) bool { return c-'0' <= 9 }

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// unusual returns a number whose lowest set bit is in the first byte of x that is a quote, a backslash, a control character
// or no ASCII; 0 if there is none.
func unusual(x uint64) uint64 {
	quote, slash := x^'"'*eachByte, x^'\\'*eachByte
	return (x | (quote - eachByte) | (slash - eachByte) | (x - 0x20*eachByte)) & highBits
}

// text finds the end of the text whose first character is at i, and returns the place behind the quote that closes it.
func (s *scanner) text(i int, k *kind) int {
	for {
		m := unusual(binary.LittleEndian.Uint64(s.p[i : i+8]))
		if m == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(m) / 8
		switch c := s.p[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			*k = kindEscaped
			if i = s.escape(i + 1); i < 0 {
				return i
			}
		case c < ' ':
			return s.fail(i, "text has a control character, which must be escaped; or its closing quote is missing")
		default:
			_, size := utf8.DecodeRune(s.p[i:s.n])
			if size <= 1 {
				if !utf8.FullRune(s.p[i:s.n]) {
					return s.fail(s.n, "")
				}
				return s.fail(i, "the text is not UTF-8; convert the file first")
			}
			i += size
		}
	}
}

// escape finds what follows a backslash.
func (s *scanner) escape(i int) int {
	switch s.p[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for range 4 {
			if i++; hexDigit(s.p[i]) < 0 {
				return s.fail(i, `\u needs four hexadecimal digits`)
			}
		}
		return i + 1
	}
	return s.fail(i, "a backslash is followed by what is no escape")
}

func hexDigit(c byte) rune {
	switch {
	case isDigit(c):
		return rune(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}

const (
	noName  = "there should be a name in double quotes"
	noColon = "there should be a colon"
	noComma = "there should be a comma or the closing bracket"
)

// nested looks through the list or object at i, which closer closes.
func (s *scanner) nested(i int, closer byte, depth int) int {
	if depth >= maxDepth {
		return s.fail(i, "lists and objects are nested too deeply")
	}
	if i = s.space(i + 1); s.p[i] == closer {
		return i + 1
	}
	var c cell
	for {
		if closer == '}' {
			if i = s.name(i); i < 0 {
				return i
			}
		}
		if i = s.valueIn(i, &c, depth+1); i < 0 {
			return i
		}
		switch i = s.space(i); s.p[i] {
		case ',':
			i = s.space(i + 1)
		case closer:
			return i + 1
		default:
			return s.fail(i, noComma)
		}
	}
}

// name finds a name and its colon, and returns the place of the value.
func (s *scanner) name(i int) int {
	if s.p[i] != '"' {
		return s.fail(i, noName)
	}
	var k kind
	if i = s.text(i+1, &k); i < 0 {
		return i
	}
	return s.colon(i)
}

// colon finds a colon, and returns the place of the value behind it.
func (s *scanner) colon(i int) int {
	if i = s.space(i); s.p[i] != ':' {
		return s.fail(i, noColon)
	}
	return s.space(i + 1)
}

// next returns the rune at p[i], escaped or not, and the place behind it. It is -1 for half of a surrogate pair. The text
// is one that [scanner.text] has found.
func nextRune(p []byte, i int) (r rune, next int) {
	if p[i] < utf8.RuneSelf && p[i] != '\\' {
		return rune(p[i]), i + 1
	}
	if p[i] != '\\' {
		r, size := utf8.DecodeRune(p[i:])
		return r, i + size
	}
	switch c := p[i+1]; c {
	case 'b':
		return '\b', i + 2
	case 'f':
		return '\f', i + 2
	case 'n':
		return '\n', i + 2
	case 'r':
		return '\r', i + 2
	case 't':
		return '\t', i + 2
	case 'u':
	default:
		return rune(c), i + 2
	}
	r = hex4(p[i+2:])
	const (
		high = 0xd800
		low  = 0xdc00
		end  = 0xe000
	)
	switch i += 6; {
	case r < high || r >= end:
		return r, i
	case r < low && len(p) >= i+6 && p[i] == '\\' && p[i+1] == 'u':
		if other := hex4(p[i+2:]); other >= low && other < end {
			return 0x10000 + (r-high)<<10 + other - low, i + 6
		}
	}
	return -1, i
}

func hex4(p []byte) rune {
	return hexDigit(p[0])<<12 | hexDigit(p[1])<<8 | hexDigit(p[2])<<4 | hexDigit(p[3])
}

// unescape returns text without its escapes; ok is false if it holds half of a surrogate pair.
func unescape(dst, p []byte) (_ []byte, ok bool) {
	for i := 0; i < len(p); {
		var r rune
		if r, i = nextRune(p, i); r < 0 {
			return dst, false
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst, true
}
