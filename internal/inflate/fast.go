package inflate

import "encoding/binary"

// fast decodes symbols while there are bytes enough on both sides not to ask for each of them. end tells that the block
// is over; otherwise block goes on.
//
//	the loop of block, without its checks for the end of the data
func (d *Decoder) fast(s *stream) (end bool, err error) {
	src, dst := s.src, s.dst
	at, out := s.at, s.out
	bits, n := s.bits, s.n
	// Once round the loop reads 2 × 7 bytes, of the 8 that it looks at, and writes two literals and a match.
	lastIn, lastOut := len(src)-16, len(dst)-(2+maxMatch+spare)
	for at <= lastIn && out <= lastOut {
		bits |= binary.LittleEndian.Uint64(src[at:]) << (n & 63)
		at += int((63 - n) / 8)
		n |= 56
		e := d.lengths[bits&(1<<litBits-1)]
		if e&isLiteral != 0 {
			bits >>= e & 31
			n -= uint(e & 31)
			dst[out] = byte(e >> 16)
			out++
			e = d.lengths[bits&(1<<litBits-1)]
			if e&isLiteral != 0 {
				bits >>= e & 31
				n -= uint(e & 31)
				dst[out] = byte(e >> 16)
				out++
				e = d.lengths[bits&(1<<litBits-1)]
				if e&isLiteral != 0 {
					bits >>= e & 31
					n -= uint(e & 31)
					dst[out] = byte(e >> 16)
					out++
					continue
				}
			}
		}
		if e&isTable != 0 {
			bits >>= litBits
			n -= litBits
			e = d.lengths[(e>>16+uint32(bits)&(1<<(e>>8&15)-1))&(litTable-1)]
		}
		bits >>= e & 31
		n -= uint(e & 31)
		if e&(isLiteral|isEnd|isBad) != 0 {
			if e&isLiteral != 0 {
				dst[out] = byte(e >> 16)
				out++
				continue
			}
			end = e&isEnd != 0
			if !end {
				err = ErrData
			}
			break
		}
		extra := e >> 8 & 15
		length := int(e>>16) + int(bits&(1<<extra-1))
		bits >>= extra
		n -= uint(extra)

		bits |= binary.LittleEndian.Uint64(src[at:]) << (n & 63)
		at += int((63 - n) / 8)
		n |= 56
		e = d.distances[bits&(1<<distBits-1)]
		if e&isTable != 0 {
			bits >>= distBits
			n -= distBits
			e = d.distances[(e>>16+uint32(bits)&(1<<(e>>8&15)-1))&(distTable-1)]
		}
		bits >>= e & 31
		extra = e >> 8 & 15
		distance := int(e>>16) + int(bits&(1<<extra-1))
		bits >>= extra
		n -= uint(e&31 + extra)
		if e&isBad != 0 || distance > out {
			err = ErrData
			break
		}
		repeat(dst[out-distance:out+length+spare], distance, length)
		out += length
	}
	s.at, s.out = at, out
	s.bits, s.n = bits, n
	return end, err
}

// repeat continues b, of which the first distance bytes are there, by what they repeat to. It may write up to spare bytes
// more than length.
//
// Shapes: len(b) == distance + length + spare.
func repeat(b []byte, distance, length int) {
	to := b[distance:]
	switch {
	case distance >= 8:
		for i := 0; i < length; i += 8 {
			binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(b[i:]))
		}
	case distance == 1:
		word := uint64(b[0]) * 0x0101010101010101
		for i := 0; i < length; i += 8 {
			binary.LittleEndian.PutUint64(to[i:], word)
		}
	default:
		to = to[:length]
		for i := range to {
			to[i] = b[i]
		}
	}
}
