package csv

import (
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// cellsOf returns cells that stand side by side, with other bytes behind.
func cellsOf(texts ...string) *cells {
	c := &cells{}
	for _, s := range texts {
		c.lo = append(c.lo, uint32(len(c.text)))
		c.text = append(c.text, s...)
		c.hi = append(c.hi, uint32(len(c.text)))
		c.text = append(c.text, ',')
	}
	c.text = append(c.text, slices.Repeat([]byte("e"), pad)...)
	return c
}

// Eight bytes at a time or one: ASCII becomes the same code points, and what is not is left.
func TestASCIIText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.StringMatching(`[ -~]{0,40}`), rapid.StringMatching(`[a-z]{0,30}[é東]?[a-z]{0,10}`)).Draw(t, "s")
		width := rapid.IntRange(0, 40).Draw(t, "width")
		var want []uint32
		for i := 0; i < len(s) && i < width && s[i] < utf8.RuneSelf; i++ {
			want = append(want, uint32(s[i]))
		}
		row := slices.Repeat([]uint32{7}, width)
		c := cellsOf("x", s, "y")
		n := asciiText(row, c.text, int(c.lo[1]), int(c.hi[1]))
		if !slices.Equal(want, row[:n]) {
			t.Fatalf("%q in %d: %v, want %v", s, width, row[:n], want)
		}
	})
}

// The word of a cell is found in one comparison as it is letter by letter.
func TestIsBool(t *testing.T) {
	t.Parallel()
	check := func(t rapid.TB, s string) {
		yes, no := cellsOf("t", s, "rue").isBool(1)
		if isWord([]byte(s), "true") != (yes == 1) || isWord([]byte(s), "false") != (no == 1) {
			t.Fatalf("%q is true: %d, false: %d", s, yes, no)
		}
	}
	for _, word := range []string{"true", "false", "TRUE", "fAlSe"} {
		check(t, word)
		check(t, word[:len(word)-1])
		check(t, word[1:])
		for i := range len(word) {
			for b := range 256 {
				check(t, word[:i]+string([]byte{byte(b)})+word[i+1:])
				check(t, word[:i]+string([]byte{byte(b)})+word[i:])
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.StringMatching(`[tTfF]?[rRaA]?[uUlL]?[eEsS]?[eE \x00]{0,5}`).Draw(t, "s"))
	})
}

// Which bytes are delimiters, line breaks or quotes, byte by byte.
func TestMasks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		delimiter, quote := rapid.SampledFrom([]byte(",;\t|\x00\x7f")).Draw(t, "delimiter"), rapid.SampledFrom([]byte("\"'\x01")).Draw(t, "quote")
		some := []byte{delimiter, quote, '\n', delimiter ^ 1, quote ^ 1, delimiter | 0x80, quote | 0x80, '\n' | 0x80, '\r'}
		var p [maskBits]byte
		var places, quotes uint64
		for i := range p {
			p[i] = rapid.OneOf(rapid.SampledFrom(some), rapid.Byte()).Draw(t, "byte")
			if p[i] == delimiter || p[i] == '\n' {
				places |= 1 << i
			}
			if p[i] == quote {
				quotes |= 1 << i
			}
		}
		gotPlaces, gotQuotes := masks(&p, pattern(delimiter), pattern(quote))
		if gotPlaces != places || gotQuotes != quotes || placesMask(&p, pattern(delimiter)) != places {
			t.Fatalf("%q: %x, %x", p, gotPlaces, gotQuotes)
		}
	})
}
