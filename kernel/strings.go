package kernel

import (
	"bytes"
	"unicode"
)

// An Affix is where a needle is looked for.
type Affix uint8

// The places.
const (
	Prefix Affix = iota
	Suffix
	Anywhere
)

// HasAffix sets bit i where value i of b is found in value i of a; an empty one is found everywhere.
//
// Shapes: a and b hold n values or one; len(dst) = Words(n).
func HasAffix(dst []uint64, a []byte, sizeA int, b []byte, sizeB, n, unit int, where Affix) {
	if len(b) == sizeB && n > 1 && len(a) > sizeA {
		y := TrimPadding(b, unit)
		switch {
		case len(y) > sizeA:
			clear(dst)
			return
		case where == Prefix && unit == 1:
			hasPrefixKey(dst, a, sizeA, y, n)
			return
		case where == Prefix:
			hasPrefixKey(dst, points(a), sizeA/4, points(y), n)
			return
		case where == Anywhere && len(y) > 0:
			containsAnywhere(dst, a, sizeA, y, n, unit)
			return
		}
	}
	clear(dst)
	if unit == 1 {
		hasAffix(dst, a, sizeA, b, sizeB, n, where, indexBytes)
		return
	}
	hasAffix(dst, points(a), sizeA/4, points(b), sizeB/4, n, where, indexPoints)
}

func hasAffix[T uint8 | uint32](dst []uint64, a []T, widthA int, b []T, widthB, n int, where Affix, index func(x, y []T) int) {
	stepA, stepB := widthA*step(len(a)/widthA, n), widthB*step(len(b)/widthB, n)
	y := trimmed(b[:widthB])
	for i := range n {
		x := a[i*stepA:][:widthA]
		if stepB != 0 {
			y = trimmed(b[i*stepB:][:widthB])
		}
		var found bool
		switch where {
		case Prefix: // y does not end in NUL, so x needs no trimming
			found = len(y) <= len(x) && equalRun(x, y)
		case Suffix:
			x = trimmed(x)
			found = len(y) <= len(x) && equalRun(x[len(x)-len(y):], y)
		default:
			found = index(x, y) >= 0 // nor can it be in the padding
		}
		dst[i/64] |= bit(found) << (i % 64)
	}
}

// Find is the character at which value i of b is first found in value i of a, or -1.
//
// Shapes: a and b hold len(dst) values or one.
func Find(dst []int64, a []byte, sizeA int, b []byte, sizeB, unit int) {
	if unit == 1 {
		find(dst, a, sizeA, b, sizeB, indexBytes)
		return
	}
	find(dst, points(a), sizeA/4, points(b), sizeB/4, indexPoints)
}

func find[T uint8 | uint32](dst []int64, a []T, widthA int, b []T, widthB int, index func(x, y []T) int) {
	stepA, stepB := widthA*step(len(a)/widthA, len(dst)), widthB*step(len(b)/widthB, len(dst))
	for i := range dst {
		// What is looked for does not end in NUL, so nothing is found in the padding.
		dst[i] = int64(index(a[i*stepA:][:widthA], trimmed(b[i*stepB:][:widthB])))
	}
}

// trimmed is [TrimPadding] for characters.
func trimmed[T uint8 | uint32](v []T) []T {
	n := len(v)
	for n > 0 && v[n-1] == 0 {
		n--
	}
	return v[:n]
}

// equalRun reports whether x begins with y, which is no longer.
func equalRun[T uint8 | uint32](x, y []T) bool {
	for i, c := range x[:len(y)] {
		if c != y[i] {
			return false
		}
	}
	return true
}

func indexBytes(x, y []byte) int { return bytes.Index(x, y) }

func indexPoints(x, y []uint32) int {
	for at := range len(x) - len(y) + 1 {
		if equalRun(x[at:], y) {
			return at
		}
	}
	return -1
}

// Length is the number of characters of each value.
//
// Shapes: a holds len(dst) values.
func Length(dst []int64, a []byte, size, unit int) {
	if unit == 1 {
		for i := range dst {
			dst[i] = int64(len(trimmed(a[i*size:][:size])))
		}
		return
	}
	text, width := points(a), size/4
	for i := range dst {
		dst[i] = int64(len(trimmed(text[i*width:][:width])))
	}
}

// Lower makes letters small: of bytes the ASCII ones, of text those that Unicode maps to one character.
//
// Shapes: dst and a hold as many values of one size.
func Lower(dst, a []byte, unit int) {
	if unit == 1 {
		for i, c := range a[:len(dst)] {
			if c-'A' < 26 {
				c += 'a' - 'A'
			}
			dst[i] = c
		}
		return
	}
	mapText(points(dst), points(a), unicode.ToLower)
}

// Upper makes letters capital, like [Lower].
func Upper(dst, a []byte, unit int) {
	if unit == 1 {
		for i, c := range a[:len(dst)] {
			if c-'a' < 26 {
				c -= 'a' - 'A'
			}
			dst[i] = c
		}
		return
	}
	mapText(points(dst), points(a), unicode.ToUpper)
}

// mapText maps code points; what is none stays.
func mapText(dst, a []uint32, to func(rune) rune) {
	var ascii [128]uint32
	for c := range ascii {
		ascii[c] = uint32(to(rune(c)))
	}
	for i, c := range a[:len(dst)] {
		switch {
		case c < 128:
			c = ascii[c]
		case c <= unicode.MaxRune:
			c = uint32(to(rune(c)))
		}
		dst[i] = c
	}
}

// Strip removes blanks at the ends of each value, moves the rest to its front and pads it.
//
// Shapes: dst and a hold as many values of size bytes.
func Strip(dst, a []byte, size, unit int, left, right bool) {
	if unit == 1 {
		strip(dst, a, size, left, right, func(c byte) bool { return c == ' ' || c-'\t' < 5 })
		return
	}
	strip(points(dst), points(a), size/4, left, right, isSpace)
}

// isSpace is what Python calls a space: Unicode's white space and four separators of ASCII.
func isSpace(c uint32) bool {
	if c < 128 {
		return c == ' ' || c-'\t' < 5 || c-0x1c < 4
	}
	return c <= unicode.MaxRune && unicode.IsSpace(rune(c))
}

func strip[T uint8 | uint32](dst, a []T, width int, left, right bool, blank func(T) bool) {
	for at := 0; at < len(dst); at += width {
		v := trimmed(a[at:][:width])
		for right && len(v) > 0 && blank(v[len(v)-1]) {
			v = v[:len(v)-1]
		}
		for left && len(v) > 0 && blank(v[0]) {
			v = v[1:]
		}
		out := dst[at:][:width]
		clear(out[copy(out, v):])
	}
}
