package inflate

import (
	"encoding/binary"
	"errors"
	"io"
)

// Errors of data that are not what they should be. Data that end too early are io.ErrUnexpectedEOF.
var (
	ErrData = errors.New("invalid deflate data")
	ErrSize = errors.New("deflate data of more bytes than there is room for")
)

// A Decoder decompresses deflate data. The zero Decoder is ready. It is not safe for concurrent use.
type Decoder struct {
	lengths   [litTable]uint32 // literals and lengths
	distances [distTable]uint32
	codes     [1 << codeBits]uint32 // of the lengths of codes
	isFixed   bool                  // the tables are those of fixed codes
	sizes     [maxLit + maxDist]uint8
}

const (
	maxLit  = 288
	maxDist = 32
	maxCode = 15 // bits
	// A match is copied eight bytes at a time, up to so many past its end.
	spare    = 8
	maxMatch = 258
)

// A stream is data under way.
type stream struct {
	src  []byte
	at   int    // of the next byte that is not in bits
	bits uint64 // the next bits, lowest first; those from n on are not valid
	n    uint
	dst  []byte
	out  int
}

// Inflate decompresses src into dst. It returns how many bytes of dst it filled and of src it read; both may be longer.
//
// Memory: dst must not overlap src; bytes of dst past the first out have any content.
// Errors: ErrData, ErrSize, io.ErrUnexpectedEOF.
// Source: RFC 1951.
func (d *Decoder) Inflate(dst, src []byte) (out, in int, err error) {
	s := &stream{src: src, dst: dst}
	for last := false; !last && err == nil; {
		s.refill()
		if s.n < 3 {
			return s.out, s.at, io.ErrUnexpectedEOF
		}
		last = s.take(1) != 0
		switch s.take(2) {
		case 0:
			err = s.stored()
		case 1:
			d.fixed()
			err = d.block(s)
		case 2:
			if err = d.dynamic(s); err == nil {
				err = d.block(s)
			}
		default:
			err = ErrData
		}
	}
	return s.out, s.at - int(s.n/8), err
}

// refill makes at least 56 bits valid, or all that there are.
func (s *stream) refill() {
	if s.at+8 <= len(s.src) {
		s.bits |= binary.LittleEndian.Uint64(s.src[s.at:]) << s.n
		s.at += int((63 - s.n) / 8)
		s.n |= 56
		return
	}
	s.bits &= 1<<s.n - 1
	for ; s.n <= 56 && s.at < len(s.src); s.at++ {
		s.bits |= uint64(s.src[s.at]) << s.n
		s.n += 8
	}
}

// take returns the next n bits, which must be valid.
func (s *stream) take(n uint) uint64 {
	v := s.bits & (1<<n - 1)
	s.bits >>= n
	s.n -= n
	return v
}

// stored copies a block that is not compressed.
func (s *stream) stored() error {
	s.at -= int(s.n / 8)
	s.bits, s.n = 0, 0
	if len(s.src)-s.at < 4 {
		return io.ErrUnexpectedEOF
	}
	size, not := binary.LittleEndian.Uint16(s.src[s.at:]), binary.LittleEndian.Uint16(s.src[s.at+2:])
	if size != ^not {
		return ErrData
	}
	s.at += 4
	n := int(size)
	switch {
	case n > len(s.src)-s.at:
		return io.ErrUnexpectedEOF
	case n > len(s.dst)-s.out:
		return ErrSize
	}
	s.out += copy(s.dst[s.out:], s.src[s.at:s.at+n])
	s.at += n
	return nil
}

// block decodes the symbols of a block, up to its end.
func (d *Decoder) block(s *stream) error {
	if end, err := d.fast(s); end || err != nil {
		return err
	}
	for {
		s.refill()
		e := d.lengths[s.bits&(1<<litBits-1)]
		if e&isTable != 0 {
			s.bits >>= litBits
			if s.n < litBits {
				return io.ErrUnexpectedEOF
			}
			s.n -= litBits
			e = d.lengths[(e>>16+uint32(s.bits)&(1<<(e>>8&15)-1))&(litTable-1)]
		}
		if bits := uint(e&31 + e>>8&15); s.n < bits {
			return io.ErrUnexpectedEOF
		}
		s.take(uint(e & 31))
		switch {
		case e&isLiteral != 0:
			if s.out == len(s.dst) {
				return ErrSize
			}
			s.dst[s.out] = byte(e >> 16)
			s.out++
			continue
		case e&isEnd != 0:
			return nil
		case e&isBad != 0:
			return ErrData
		}
		length := int(e>>16) + int(s.take(uint(e>>8&15)))
		distance, err := d.distance(s)
		switch {
		case err != nil:
			return err
		case distance > s.out:
			return ErrData
		case length > len(s.dst)-s.out:
			return ErrSize
		}
		for range length {
			s.dst[s.out] = s.dst[s.out-distance]
			s.out++
		}
	}
}

// distance decodes how far back a match is.
func (d *Decoder) distance(s *stream) (int, error) {
	s.refill()
	e := d.distances[s.bits&(1<<distBits-1)]
	if e&isTable != 0 {
		if s.n < distBits {
			return 0, io.ErrUnexpectedEOF
		}
		s.take(distBits)
		e = d.distances[(e>>16+uint32(s.bits)&(1<<(e>>8&15)-1))&(distTable-1)]
	}
	if s.n < uint(e&31+e>>8&15) {
		return 0, io.ErrUnexpectedEOF
	}
	if e&isBad != 0 {
		return 0, ErrData
	}
	s.take(uint(e & 31))
	return int(e>>16) + int(s.take(uint(e>>8&15))), nil
}
