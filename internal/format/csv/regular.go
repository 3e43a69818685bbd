package csv

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// maskBits is how many bytes of text are looked at together: one bit each of a mask.
const maskBits = 64

const (
	lowBits  = 0x7f7f7f7f7f7f7f7f // of each of eight bytes, all but the highest
	highBits = 0x8080808080808080
	eachByte = 0x0101010101010101
)

// load8 returns the eight bytes of p from i on, the first in the lowest bits.
func load8(p []byte, i int) uint64 { return binary.LittleEndian.Uint64(p[i : i+8]) }

// pattern returns what [equal] compares with: an ASCII byte, eight times, with its seven bits turned over.
func pattern(c byte) uint64 { return uint64(c)*eachByte ^ lowBits }

// equal sets the high bit of each byte of low that is the pattern's; other bits mean nothing. The high bits of low are 0.
// What is equal becomes 0x7f, and only that carries into the high bit, and nothing farther.
func equal(low, pattern uint64) uint64 { return (low ^ pattern) + eachByte }

// ascii returns the high bit of each byte of x that is ASCII.
func ascii(x uint64) uint64 { return ^x & highBits }

// push moves the mask of the bytes before down by eight bits and puts above it which of eight bytes have their high bit
// set. Other bits of them are 0.
func push(mask, high uint64) uint64 {
	return mask>>8 | high*0x0002040810204081&(0xff<<56)
}

const lineFeeds = '\n'*eachByte ^ lowBits // pattern('\n')

// pushBoth is [push] for which of eight bytes are delimiters or LFs, and which are quotes.
func pushBoth(places, quotes, x, delimiter, quote uint64) (p, q uint64) {
	low, high := x&lowBits, ascii(x)
	return push(places, (equal(low, delimiter)|equal(low, lineFeeds))&high), push(quotes, equal(low, quote)&high)
}

// pushPlaces is [push] for which of eight bytes are delimiters or LFs.
func pushPlaces(places, x, delimiter uint64) uint64 {
	return push(places, (equal(x&lowBits, delimiter)|equal(x&lowBits, lineFeeds))&ascii(x))
}

// masks returns which of 64 bytes are delimiters or LFs, and which are quotes; the first byte's is the lowest bit.
func masks(p *[maskBits]byte, delimiter, quote uint64) (places, quotes uint64) {
	places, quotes = pushBoth(places, quotes, load8(p[:], 0), delimiter, quote)
	places, quotes = pushBoth(places, quotes, load8(p[:], 8), delimiter, quote)
	places, quotes = pushBoth(places, quotes, load8(p[:], 16), delimiter, quote)
	places, quotes = pushBoth(places, quotes, load8(p[:], 24), delimiter, quote)
	places, quotes = pushBoth(places, quotes, load8(p[:], 32), delimiter, quote)
	places, quotes = pushBoth(places, quotes, load8(p[:], 40), delimiter, quote)
	places, quotes = pushBoth(places, quotes, load8(p[:], 48), delimiter, quote)
	places, quotes = pushBoth(places, quotes, load8(p[:], 56), delimiter, quote)
	return places, quotes
}

// placesMask is [masks] without quotes.
func placesMask(p *[maskBits]byte, delimiter uint64) (places uint64) {
	places = pushPlaces(places, load8(p[:], 0), delimiter)
	places = pushPlaces(places, load8(p[:], 8), delimiter)
	places = pushPlaces(places, load8(p[:], 16), delimiter)
	places = pushPlaces(places, load8(p[:], 24), delimiter)
	places = pushPlaces(places, load8(p[:], 32), delimiter)
	places = pushPlaces(places, load8(p[:], 40), delimiter)
	places = pushPlaces(places, load8(p[:], 48), delimiter)
	places = pushPlaces(places, load8(p[:], 56), delimiter)
	return places
}

// regular is [block.tokenize] for rows that all have as many cells as there are columns, end with LF or CR LF, and whose
// quotes stand where RFC 4180 has them. It reports whether the rows are such, as far as it got; if not, what the
// block holds means nothing and [block.plain] has to do it.
func (b *block) regular(d *dialect) bool {
	b.quotes = d.quoting && bytes.IndexByte(b.text, d.quote) >= 0
	var found int
	if b.quotes {
		var ok bool
		if found, ok = b.quotedPlaces(d); !ok {
			return false
		}
	} else {
		found = b.places(d)
	}
	if b.rows = found / b.columns; b.rows == 0 {
		return false
	}
	// The places are regular if every row's last one is a line break and there is no other line break.
	start, breaks := uint32(0), 0
	last := b.columns - 1
	for r := range b.starts[:b.rows] {
		end := b.ends[last]
		if b.text[end] != '\n' {
			return false
		}
		b.starts[r] = start
		if end > start && b.text[end-1] == '\r' {
			b.ends[last] = end - 1
			breaks++
		}
		if b.columns == 1 && b.ends[last] == start {
			return false // a blank line
		}
		start = end + 1
		last += b.columns
	}
	b.next = int(start)
	b.full = found+maskBits > len(b.ends)
	b.ragged = false
	rows := b.text[:b.next]
	lines := bytes.Count(rows, []byte{'\n'})
	if lines != b.rows && !b.onlyLast() {
		return false
	}
	b.lines = int64(lines)
	// A CR elsewhere ends a line too, or is text within quotes.
	return bytes.Count(rows, []byte{'\r'}) == breaks
}

// onlyLast reports whether no place is an LF but the last of each row.
func (b *block) onlyLast() bool {
	for r := range b.rows {
		for _, end := range b.ends[r*b.columns : (r+1)*b.columns-1] {
			if b.text[end] == '\n' {
				return false
			}
		}
	}
	return true
}

// places sets ends to where delimiters and LFs are in a text without quotes, in order, as many as there is room for, and
// returns their number.
func (b *block) places(d *dialect) (found int) {
	delimiter := pattern(d.delimiter)
	text, n := b.text[:len(b.text)+pad], len(b.text)
	for i := 0; i < n && found+maskBits <= len(b.ends); i += maskBits {
		mask := placesMask((*[maskBits]byte)(text[i:]), delimiter)
		if i+maskBits > n {
			mask &= 1<<(n-i) - 1
		}
		found = store(b.ends, found, mask, i)
	}
	return found
}

// store appends the places of the bits of mask, of which the first is i, to the found ones.
func store(ends []uint32, found int, mask uint64, i int) int {
	out := (*[maskBits]uint32)(ends[found:])
	n := bits.OnesCount64(mask)
	// How many there are is as good as random: a few too many, which are overwritten, cost less than guessing wrong.
	const most = 8
	for k := range most {
		out[k] = uint32(i + bits.TrailingZeros64(mask))
		mask &= mask - 1
	}
	for k := most; k < n; k++ {
		out[k&(maskBits-1)] = uint32(i + bits.TrailingZeros64(mask))
		mask &= mask - 1
	}
	return found + n
}

// quotedPlaces is [block.places] for a text with quotes: what is within them is no place. It reports whether the quotes
// are regular: each opens at the beginning of a cell and closes at its end, or is one of two within quotes. Then a byte is
// within quotes if the number of quotes up to it is odd.
func (b *block) quotedPlaces(d *dialect) (found int, regular bool) {
	delimiter, quote := pattern(d.delimiter), pattern(d.quote)
	text, n := b.text[:len(b.text)+pad], len(b.text)
	clear(b.quoted)
	// The remainder of a division by the number of columns is that fraction of it which is left of the product with the
	// reciprocal, rounded up. Source: D. Lemire et al., "Faster Remainder by Direct Computation", 2019.
	reciprocal := math.MaxUint64/uint64(b.columns) + 1
	inside := uint64(0)  // all ones if the byte before i is within quotes
	opening := uint64(1) // bit 0: a quote at i may open
	closed := uint64(0)  // bit 0: the byte before i is a closing quote
	for i := 0; i < n && found+maskBits <= len(b.ends); i += maskBits {
		p := (*[maskBits]byte)(text[i:])
		mask, quotes := masks(p, delimiter, quote)
		valid := ^uint64(0)
		if i+maskBits > n {
			valid = 1<<(n-i) - 1
			quotes &= valid
		}
		if quotes|inside|closed == 0 {
			mask &= valid
			opening = mask >> 63
			found = store(b.ends, found, mask, i)
			continue
		}
		within := parity(quotes) ^ inside
		inside = uint64(int64(within) >> 63)
		mask &= valid &^ within
		opens, closes := quotes&within, quotes&^within
		// Behind a closing quote there may be a CR, which is too rare to have a mask.
		for other := (closes<<1 | closed) & valid &^ (mask | quotes); other != 0; other &= other - 1 {
			if p[bits.TrailingZeros64(other)] != '\r' {
				return 0, false
			}
		}
		begins := mask<<1 | opening
		if opens&^(begins|quotes<<1) != 0 {
			return 0, false
		}
		for first := opens & begins; first != 0; first &= first - 1 {
			cell := found + bits.OnesCount64(mask&(first&-first-1))
			column, _ := bits.Mul64(reciprocal*uint64(cell), uint64(b.columns))
			b.quoted[column] = true
		}
		opening, closed = mask>>63, closes>>63
		found = store(b.ends, found, mask, i)
	}
	return found, true
}

// parity returns, in each bit, whether the number of bits of x up to and including it is odd.
func parity(x uint64) uint64 {
	for shift := 1; shift < maskBits; shift *= 2 {
		x ^= x << shift
	}
	return x
}
