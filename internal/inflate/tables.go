package inflate

import (
	"io"
	"math/bits"
)

// An entry of a table tells what a code stands for:
//
//	bits 0–4    bits of the code, in a second table those behind the first table's
//	bits 8–11   bits behind the code that are added to the value, or that a second table is indexed by
//	bits 12–15  flags
//	bits 16–30  value: a length, a distance, a literal, or where a second table begins
//	bit 31      it is a literal
const (
	isTable   = 1 << 12
	isEnd     = 1 << 13
	isBad     = 1 << 14
	isLiteral = 1 << 31
)

const (
	litBits  = 11
	distBits = 8
	codeBits = 7
	// Both tables with all of their second tables: at most 2342 and 402 entries for complete codes.
	litTable  = 4096
	distTable = 512
)

var (
	lengthBase  = [...]uint32{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra = [...]uint32{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	codeOrder   = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
)

// endOfBlock is the symbol behind the literals.
const endOfBlock = 256

// litEntry returns the entry of a literal or length, without its code.
func litEntry(symbol int) uint32 {
	switch {
	case symbol < endOfBlock:
		return isLiteral | uint32(symbol)<<16
	case symbol == endOfBlock:
		return isEnd
	case symbol-endOfBlock-1 < len(lengthBase):
		i := symbol - endOfBlock - 1
		return lengthBase[i]<<16 | lengthExtra[i]<<8
	}
	return isBad
}

func distEntry(symbol int) uint32 {
	switch {
	case symbol < 4:
		return uint32(symbol+1) << 16
	case symbol < 30:
		extra := uint32(symbol/2 - 1)
		return (1+uint32(2+symbol&1)<<extra)<<16 | extra<<8
	}
	return isBad
}

func codeEntry(symbol int) uint32 { return uint32(symbol) << 16 }

// fixed makes the tables those of the codes that RFC 1951, 3.2.6 names.
func (d *Decoder) fixed() {
	if d.isFixed {
		return
	}
	sizes := d.sizes[:maxLit+maxDist]
	for i := range sizes {
		switch {
		case i < 144, i >= 280 && i < maxLit:
			sizes[i] = 8
		case i < 256:
			sizes[i] = 9
		case i < 280:
			sizes[i] = 7
		default:
			sizes[i] = 5
		}
	}
	build(d.lengths[:], litBits, sizes[:maxLit], litEntry)
	build(d.distances[:], distBits, sizes[maxLit:], distEntry)
	d.isFixed = true
}

// dynamic reads the codes of a block.
func (d *Decoder) dynamic(s *stream) error {
	d.isFixed = false
	s.refill()
	if s.n < 14 {
		return io.ErrUnexpectedEOF
	}
	lits, dists, codes := int(s.take(5))+257, int(s.take(5))+1, int(s.take(4))+4
	if lits > 286 || dists > 30 {
		return ErrData
	}
	var sizes [len(codeOrder)]uint8
	for _, i := range codeOrder[:codes] {
		s.refill()
		if s.n < 3 {
			return io.ErrUnexpectedEOF
		}
		sizes[i] = uint8(s.take(3))
	}
	if !build(d.codes[:], codeBits, sizes[:], codeEntry) {
		return ErrData
	}
	all := d.sizes[:lits+dists]
	for i := 0; i < len(all); {
		s.refill()
		e := d.codes[s.bits&(1<<codeBits-1)]
		if s.n < uint(e&31)+repeatBits(e) {
			return io.ErrUnexpectedEOF
		}
		if e&isBad != 0 {
			return ErrData
		}
		s.take(uint(e & 31))
		symbol := e >> 16
		if symbol < 16 {
			all[i] = uint8(symbol)
			i++
			continue
		}
		var value uint8
		n := 0
		switch symbol {
		case 16:
			if i == 0 {
				return ErrData
			}
			value, n = all[i-1], 3+int(s.take(2))
		case 17:
			n = 3 + int(s.take(3))
		default:
			n = 11 + int(s.take(7))
		}
		if n > len(all)-i {
			return ErrData
		}
		for range n {
			all[i] = value
			i++
		}
	}
	if all[endOfBlock] == 0 || !build(d.lengths[:], litBits, all[:lits], litEntry) || !build(d.distances[:], distBits, all[lits:], distEntry) {
		return ErrData
	}
	return nil
}

// repeatBits returns how many bits follow a code that repeats a length.
func repeatBits(e uint32) uint {
	switch e >> 16 {
	case 16:
		return 2
	case 17:
		return 3
	case 18:
		return 7
	}
	return 0
}

// build makes the table of a canonical code, of which sizes are the bits of each symbol's code, 0 for none. It reports
// whether they are those of a code: complete, or without any symbol, or with one of one bit.
func build(table []uint32, first uint, sizes []uint8, entry func(symbol int) uint32) bool {
	var count [maxCode + 1]int
	for _, n := range sizes {
		count[n]++
	}
	longest := maxCode
	for longest > 0 && count[longest] == 0 {
		longest--
	}
	left := 1
	for n := 1; n <= maxCode; n++ {
		if left = 2*left - count[n]; left < 0 {
			return false
		}
	}
	if left > 0 && longest > 1 {
		return false
	}
	for i := range table[:1<<first] {
		table[i] = isBad
	}
	// Symbols by the lengths of their codes.
	var next [maxCode + 2]int
	for n := 1; n <= maxCode; n++ {
		next[n+1] = next[n] + count[n]
	}
	var symbols [maxLit]uint16
	for symbol, n := range sizes {
		if n > 0 {
			symbols[next[n]] = uint16(symbol)
			next[n]++
		}
	}
	total := len(sizes) - count[0]
	free := 1 << first // behind the tables that there are
	code, size := 0, uint(0)
	low, second, secondBits := -1, 0, uint(0)
	for i, symbol := range symbols[:total] {
		for n := uint(sizes[symbol]); size < n; size++ {
			code <<= 1
		}
		e := entry(int(symbol))
		rev := int(bits.Reverse16(uint16(code)) >> (16 - size))
		code++
		if size <= first {
			for j := rev; j < 1<<first; j += 1 << size {
				table[j] = e | uint32(size)
			}
			continue
		}
		if rev&(1<<first-1) != low {
			low = rev & (1<<first - 1)
			second = free
			secondBits = secondTable(sizes, symbols[i:total], size-first, first)
			free += 1 << secondBits
			table[low] = isTable | uint32(second)<<16 | uint32(secondBits)<<8
		}
		for j := rev >> first; j < 1<<secondBits; j += 1 << (size - first) {
			table[second+j] = e | uint32(size-first)
		}
	}
	return true
}

// secondTable returns how many bits index the table of the codes that begin as that of the first of symbols, which are
// sorted by code: enough that these codes fill it.
func secondTable(sizes []uint8, symbols []uint16, n, first uint) uint {
	left := 1 << n
	for _, symbol := range symbols {
		for ; uint(sizes[symbol])-first > n; n++ {
			left <<= 1
		}
		if left--; left == 0 {
			break
		}
	}
	return n
}
