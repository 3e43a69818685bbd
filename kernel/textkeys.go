package kernel

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// A key is the beginning of a string as a number whose order is that of the strings: eight bytes, or two code points,
// the first one highest, with zeros after the end.
//
// Keys compare without a branch a row, which text that is in no order would mispredict.

// keyRows is how many keys are made at a time: the rows of a word of a bitmap.
const keyRows = 64

// byteKeys makes the keys of values of size bytes; v holds len(dst) of them.
func byteKeys(dst []uint64, v []byte, size int) {
	switch {
	case size >= 8:
		for i := range dst {
			dst[i] = binary.BigEndian.Uint64(v[i*size:])
		}
	case size >= 4: // two words that overlap
		shift := 8 * (8 - size)
		for i := range dst {
			x := v[i*size:][:size]
			dst[i] = uint64(binary.BigEndian.Uint32(x))<<32 | uint64(binary.BigEndian.Uint32(x[size-4:]))<<shift
		}
	case size >= 2:
		shift := 8 * (8 - size)
		for i := range dst {
			x := v[i*size:][:size]
			dst[i] = uint64(binary.BigEndian.Uint16(x))<<48 | uint64(binary.BigEndian.Uint16(x[size-2:]))<<shift
		}
	default:
		for i := range dst {
			dst[i] = uint64(v[i]) << 56
		}
	}
}

// pointKeys is [byteKeys] for text; width is the code points of a value.
func pointKeys(dst []uint64, v []uint32, width int) {
	if width == 1 {
		for i := range dst {
			dst[i] = uint64(v[i]) << 32
		}
		return
	}
	for i := range dst {
		x := v[i*width:][:2]
		dst[i] = uint64(x[0])<<32 | uint64(x[1])
	}
}

// keysOf makes the keys of len(dst) values of width characters.
func keysOf[T uint8 | uint32](dst []uint64, v []T, width int) {
	switch v := any(v).(type) {
	case []uint8:
		byteKeys(dst, v, width)
	case []uint32:
		pointKeys(dst, v, width)
	}
}

// keyChars is how many characters a key holds.
func keyChars[T uint8 | uint32](v []T) int {
	if _, wide := any(v).([]uint32); wide {
		return 2
	}
	return 8
}

// A keyed operand gives the keys of its values, a word of a bitmap at a time.
type keyed[T uint8 | uint32] struct {
	v     []T
	width int
	step  int // width, or 0 if the one value repeats
	buf   [keyRows]uint64
}

func (k *keyed[T]) init(v []T, width, n int) {
	k.v, k.width, k.step = v, width, width*step(len(v)/width, n)
	if k.step == 0 {
		keysOf(k.buf[:1], v, width)
		for i := range k.buf {
			k.buf[i] = k.buf[0]
		}
	}
}

// block returns the keys of rows at to at+n.
func (k *keyed[T]) block(at, n int) []uint64 {
	if k.step != 0 {
		keysOf(k.buf[:n], k.v[at*k.width:], k.width)
	}
	return k.buf[:n]
}

// rest returns the characters of a row behind its key.
func (k *keyed[T]) rest(row, chars int) []T {
	v := k.v[row*k.step:][:k.width]
	return v[min(chars, len(v)):]
}

// orderKeys is [orderStrings] by keys: what they do not decide is compared character by character.
func orderKeys[T uint8 | uint32](dst []uint64, a []T, widthA int, b []T, widthB, n int, accept Accept) {
	var left, right keyed[T]
	left.init(a, widthA, n)
	right.init(b, widthB, n)
	chars := keyChars(a)
	long := widthA > chars || widthB > chars
	below, same, above := uint64(accept&Below), uint64(accept>>1&1), uint64(accept>>2&1)
	for w := range dst {
		at := w * keyRows
		rows := min(keyRows, n-at)
		x, y := left.block(at, rows), right.block(at, rows)
		var word, ties uint64
		for i, u := range x {
			_, lt := bits.Sub64(u, y[i], 0)
			_, gt := bits.Sub64(y[i], u, 0)
			tie := (lt | gt) ^ 1
			word = word>>1 | (lt&below|gt&above|tie&same)<<63
			ties = ties>>1 | tie<<63
		}
		word >>= keyRows - rows
		ties >>= keyRows - rows
		for ; long && ties != 0; ties &= ties - 1 {
			i := bits.TrailingZeros64(ties)
			order := orderPadded(left.rest(at+i, chars), right.rest(at+i, chars))
			word = word&^(1<<i) | accept.has(order)<<i
		}
		dst[w] = word
	}
}

// hasPrefixKey sets bit i where value i of a begins with y, which has no padding and is no longer than the values.
func hasPrefixKey[T uint8 | uint32](dst []uint64, a []T, width int, y []T, n int) {
	var values keyed[T]
	values.init(a, width, n)
	chars := keyChars(a)
	var padded [8]T
	copy(padded[:], y)
	var key [1]uint64
	keysOf(key[:], padded[:], len(padded))
	used := min(len(y), chars)
	mask := ^uint64(0) << (64 - used*(64/chars)) // none for an empty y
	want := key[0] & mask
	for w := range dst {
		at := w * keyRows
		rows := min(keyRows, n-at)
		word := uint64(0)
		for _, u := range values.block(at, rows) {
			differ := u&mask ^ want
			word = word>>1 | ^(differ|-differ)&(1<<63)
		}
		word >>= keyRows - rows
		for left := word; len(y) > chars && left != 0; left &= left - 1 {
			i := bits.TrailingZeros64(left)
			if !equalRun(values.rest(at+i, chars), y[chars:]) {
				word &^= left & -left
			}
		}
		dst[w] = word
	}
}

// containsAnywhere sets bit i where value i of a contains y, by one search through all values. y has no padding and is
// not empty, so what is found within a value is not in its padding either.
//
// Units: size is the bytes of a value, unit those of a character.
func containsAnywhere(dst []uint64, a []byte, size int, y []byte, n, unit int) {
	clear(dst)
	for at := 0; at < n*size; {
		found := bytes.Index(a[at:n*size], y)
		if found < 0 {
			return
		}
		at += found
		row := at / size
		if offset := at - row*size; offset%unit != 0 || offset+len(y) > size {
			at++ // across the border of characters or of values
			continue
		}
		dst[row/64] |= 1 << (row % 64)
		at = (row + 1) * size
	}
}
