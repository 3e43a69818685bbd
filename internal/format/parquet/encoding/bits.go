package encoding

import "encoding/binary"

// unpack sets dst to numbers of width bits each, packed from the least significant bit up, the first at bit number from.
//
//	for i := range dst {
//		dst[i] = bits of src from (from + i*width) on
//	}
//
// Shapes: src holds all of them; width ≤ 32.
func unpack(dst []uint32, src []byte, from, width int) {
	if width == 0 {
		clear(dst)
		return
	}
	// One at a time until the numbers begin at a byte, and again where a whole word would reach past the end.
	i := 0
	for ; i < len(dst) && (from+i*width)%8 != 0; i++ {
		dst[i] = unpackOne(src, from+i*width, width)
	}
	// Eight numbers take width bytes; loads of a word must stay inside src.
	groups := (len(dst) - i) / 8
	if spare := len(src) - (from+i*width)/8 - 8; spare < 0 {
		groups = 0
	} else {
		groups = min(groups, spare/width)
	}
	at := (from + i*width) / 8
	switch {
	case width <= 8:
		i += unpack8(dst[i:i+8*groups], src[at:], width)
	case width <= 16:
		i += unpack16(dst[i:i+8*groups], src[at:], width)
	default:
		i += unpack32(dst[i:i+8*groups], src[at:], width)
	}
	for ; i < len(dst); i++ {
		dst[i] = unpackOne(src, from+i*width, width)
	}
}

func unpackOne(src []byte, bit, width int) uint32 {
	var v uint64
	at := bit / 8
	if at+8 <= len(src) {
		v = binary.LittleEndian.Uint64(src[at:])
	} else {
		for k := range len(src) - at {
			v |= uint64(src[at+k]) << (8 * k)
		}
	}
	return uint32(v >> (bit % 8) & (1<<width - 1))
}

// unpack8 takes eight numbers from each word.
func unpack8(dst []uint32, src []byte, width int) int {
	mask := uint32(1)<<width - 1
	w := uint(width) & 15
	for i := 0; i+8 <= len(dst); i += 8 {
		v := binary.LittleEndian.Uint64(src)
		src = src[width:]
		d := dst[i : i+8 : i+8]
		d[0] = uint32(v) & mask
		d[1] = uint32(v>>w) & mask
		d[2] = uint32(v>>(2*w)) & mask
		d[3] = uint32(v>>(3*w)) & mask
		d[4] = uint32(v>>(4*w)) & mask
		d[5] = uint32(v>>(5*w)) & mask
		d[6] = uint32(v>>(6*w)) & mask
		d[7] = uint32(v>>(7*w)) & mask
	}
	return len(dst)
}

// unpack16 takes four numbers from each of two words.
func unpack16(dst []uint32, src []byte, width int) int {
	mask := uint32(1)<<width - 1
	w := uint(width) & 31
	half, shift := width/2, uint(width%2)*4 // the second four begin at byte half, bit shift
	for i := 0; i+8 <= len(dst); i += 8 {
		v := binary.LittleEndian.Uint64(src)
		u := binary.LittleEndian.Uint64(src[half:]) >> shift
		src = src[width:]
		d := dst[i : i+8 : i+8]
		d[0] = uint32(v) & mask
		d[1] = uint32(v>>w) & mask
		d[2] = uint32(v>>(2*w)) & mask
		d[3] = uint32(v>>(3*w)) & mask
		d[4] = uint32(u) & mask
		d[5] = uint32(u>>w) & mask
		d[6] = uint32(u>>(2*w)) & mask
		d[7] = uint32(u>>(3*w)) & mask
	}
	return len(dst)
}

// unpack32 takes every number from a word of its own.
func unpack32(dst []uint32, src []byte, width int) int {
	mask := uint64(1)<<width - 1
	for i := 0; i+8 <= len(dst); i += 8 {
		d := dst[i : i+8 : i+8]
		for k := range d {
			bit := k * width
			d[k] = uint32(binary.LittleEndian.Uint64(src[bit/8:]) >> (bit % 8) & mask)
		}
		src = src[width:]
	}
	return len(dst)
}

// appendPacked appends the numbers packed in width bits each, padded with zeros to a multiple of eight numbers.
//
// Shapes: width ≤ 32; every number fits it.
func appendPacked(dst []byte, src []uint32, width int) []byte {
	end := len(dst) + (len(src)+7)/8*width
	var word uint64
	n := 0
	for _, v := range src {
		word |= uint64(v) << n
		if n += width; n >= 32 {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(word))
			word >>= 32
			n -= 32
		}
	}
	for ; n > 0; n -= 8 {
		dst = append(dst, byte(word))
		word >>= 8
	}
	for len(dst) < end {
		dst = append(dst, 0)
	}
	return dst
}
