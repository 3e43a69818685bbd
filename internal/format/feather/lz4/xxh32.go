package lz4

import (
	"encoding/binary"
	"math/bits"
)

// The constants of XXH32, whose seed is 0 in frames.
const (
	prime1 uint32 = 2654435761
	prime2 uint32 = 2246822519
	prime3 uint32 = 3266489917
	prime4 uint32 = 668265263
	prime5 uint32 = 374761393
)

// A sum is an XXH32 checksum of bytes that come piece by piece. It begins with reset.
type sum struct {
	v     [4]uint32
	total uint64
	tail  [16]byte // the last total%16 bytes
}

func (s *sum) reset() {
	p1, p2 := prime1, prime2 // as variables: their sum wraps
	*s = sum{v: [4]uint32{p1 + p2, p2, 0, -p1}}
}

func (s *sum) write(p []byte) {
	had := int(s.total % 16)
	s.total += uint64(len(p))
	if had > 0 {
		n := copy(s.tail[had:], p)
		if had+n < 16 {
			return
		}
		s.rounds(s.tail[:])
		p = p[n:]
	}
	whole := len(p) &^ 15
	s.rounds(p[:whole])
	copy(s.tail[:], p[whole:])
}

// rounds takes whole groups of 16 bytes.
func (s *sum) rounds(p []byte) {
	v0, v1, v2, v3 := s.v[0], s.v[1], s.v[2], s.v[3]
	for ; len(p) >= 16; p = p[16:] {
		v0 = bits.RotateLeft32(v0+binary.LittleEndian.Uint32(p)*prime2, 13) * prime1
		v1 = bits.RotateLeft32(v1+binary.LittleEndian.Uint32(p[4:])*prime2, 13) * prime1
		v2 = bits.RotateLeft32(v2+binary.LittleEndian.Uint32(p[8:])*prime2, 13) * prime1
		v3 = bits.RotateLeft32(v3+binary.LittleEndian.Uint32(p[12:16])*prime2, 13) * prime1
	}
	s.v = [4]uint32{v0, v1, v2, v3}
}

func (s *sum) value() uint32 {
	h := prime5
	if s.total >= 16 {
		h = bits.RotateLeft32(s.v[0], 1) + bits.RotateLeft32(s.v[1], 7) + bits.RotateLeft32(s.v[2], 12) + bits.RotateLeft32(s.v[3], 18)
	}
	h += uint32(s.total)
	p := s.tail[:s.total%16]
	for ; len(p) >= 4; p = p[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(p)*prime3, 17) * prime4
	}
	for _, b := range p {
		h = bits.RotateLeft32(h+uint32(b)*prime5, 11) * prime1
	}
	h = (h ^ h>>15) * prime2
	h = (h ^ h>>13) * prime3
	return h ^ h>>16
}

func sumOf(p []byte) uint32 {
	var s sum
	s.reset()
	s.write(p)
	return s.value()
}
