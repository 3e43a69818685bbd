package lz4

import (
	"encoding/binary"
	"math/bits"
)

const (
	// blockBytes is the size of the blocks that are written. None refers to another, so that a reader holds one; and
	// positions have 16 bits, which keeps the table of a block in the nearest cache.
	blockBytes = 64 << 10
	tableBits  = 13
	minMatch   = 4
	// The last match begins at least so many bytes before the end of a block, and leaves the last 5 alone.
	lastMatch    = 12
	lastLiterals = 5
	// skipAfter is after how many places without a match, as a power of two, the search takes larger steps.
	skipAfter = 6
	// wild is how far behind its end a short run of bytes may be copied.
	wild = 16
)

// A table holds the last places of a block where values hash to its indices.
type table [1 << tableBits]uint16

// hash returns the place in the table of the first five of some bytes. Four would find more matches, most of which save
// nothing.
func hash(v uint64) uint64 { return (v << 24) * 889523592379 >> (64 - tableBits) }

func load64(p []byte, i int) uint64 { return binary.LittleEndian.Uint64(p[i:]) }
func load32(p []byte, i int) uint32 { return binary.LittleEndian.Uint32(p[i:]) }

// bound is the most bytes that a block takes, and those that are written behind it.
const bound = blockBytes + blockBytes/255 + 16 + wild

// compress compresses a block and returns the bytes that it takes, or 0 for one that gets no smaller.
//
// Shapes: len(src) ≤ blockBytes; len(dst) ≥ bound.
func (t *table) compress(dst, src []byte) int {
	limit := len(src) - lastMatch
	if limit <= 0 {
		return 0
	}
	*t = table{}
	di, anchor, si := 0, 0, 1
	for {
		// Look for a place whose bytes were seen before.
		ref, ahead, probes := 0, si, 1<<skipAfter
		if ahead > limit {
			break
		}
		v := load64(src, ahead)
		for {
			si = ahead
			ahead += probes >> skipAfter
			probes++
			if ahead > limit {
				return finish(dst, src, di, anchor)
			}
			h := hash(v)
			ref = int(t[h])
			t[h] = uint16(si)
			if load32(src, ref) == uint32(v) {
				break
			}
			v = load64(src, ahead)
		}
		for si > anchor && ref > 0 && src[si-1] == src[ref-1] {
			si--
			ref--
		}
		// Write what is before the match, and the match; and matches that follow it at once.
		literals := si - anchor
		token := di
		if literals < 15 && anchor+wild <= len(src) {
			dst[di] = byte(literals << 4)
			di++
			copy(dst[di:di+wild], src[anchor:anchor+wild])
		} else {
			di = putLength(dst, di, literals)
			copy(dst[di:], src[anchor:si])
		}
		di += literals
		for {
			dst[di], dst[di+1] = byte(si-ref), byte((si-ref)>>8)
			di += 2
			x := uint64(0)
			if si < limit-minMatch {
				x = load64(src, si+minMatch) ^ load64(src, ref+minMatch)
			}
			if x != 0 {
				n := bits.TrailingZeros64(x) >> 3
				dst[token] |= byte(n)
				si += minMatch + n
			} else {
				n := same(src[:len(src)-lastLiterals], si+minMatch, ref+minMatch)
				dst[token] |= byte(min(n, 15))
				if n >= 15 {
					di = putRest(dst, di, n-15)
				}
				si += minMatch + n
			}
			anchor = si
			if si > limit || di > len(src) {
				return finish(dst, src, di, anchor)
			}
			t[hash(load64(src, si-2))] = uint16(si - 2)
			v := load64(src, si)
			h := hash(v)
			ref = int(t[h])
			t[h] = uint16(si)
			if load32(src, ref) != uint32(v) {
				break
			}
			token = di
			dst[di] = 0
			di++
		}
		si++
	}
	return finish(dst, src, di, anchor)
}

// finish writes the bytes behind the last match.
func finish(dst, src []byte, di, anchor int) int {
	n := len(src) - anchor
	if di+1+n/255+n >= len(src) {
		return 0
	}
	di = putLength(dst, di, n)
	return di + copy(dst[di:], src[anchor:])
}

// putLength writes a token with the number of literals, and what of the number does not fit it.
func putLength(dst []byte, di, n int) int {
	if n < 15 {
		dst[di] = byte(n << 4)
		return di + 1
	}
	dst[di] = 15 << 4
	return putRest(dst, di+1, n-15)
}

func putRest(dst []byte, di, n int) int {
	for ; n >= 255; n -= 255 {
		dst[di] = 255
		di++
	}
	dst[di] = byte(n)
	return di + 1
}

// same returns how many bytes from i on are those from j on, j < i.
func same(src []byte, i, j int) int {
	begin := i
	for i+8 <= len(src) {
		if x := load64(src, i) ^ load64(src, j); x != 0 {
			return i - begin + bits.TrailingZeros64(x)>>3
		}
		i, j = i+8, j+8
	}
	for i < len(src) && src[i] == src[j] {
		i, j = i+1, j+1
	}
	return i - begin
}
