package encoding

import (
	"encoding/binary"
	"math/bits"
)

// A Delta reads integers written as differences in blocks of packed miniblocks: DELTA_BINARY_PACKED. Arithmetic wraps at
// 64 bits, which for 32-bit columns leaves the right low half.
type Delta struct {
	b      []byte // what follows the current miniblock
	total  int    // values not read yet
	last   int64  // the value before the next one
	first  bool   // the next value is the first, which is in the header
	per    int    // values a miniblock
	minis  int    // miniblocks a block
	widths []byte // of the miniblocks of the block that are not begun
	least  int64  // the block's least difference
	width  int    // bits of a packed difference
	packed []byte // of the current miniblock
	at     int    // the next value of the current miniblock
	left   int    // values left in the current miniblock
}

// maxMini bounds the values of a miniblock: writers use 32 or 64, and the specification sets no limit.
const maxMini = 1 << 16

// Reset starts reading b.
//
// Errors: colstore.ErrFormat.
func (d *Delta) Reset(b []byte) error {
	*d = Delta{first: true}
	var head [3]uint64
	for i := range head {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return bad("the header of delta-packed values is cut")
		}
		head[i], b = v, b[n:]
	}
	zigzag, n := binary.Uvarint(b)
	if n <= 0 {
		return bad("the header of delta-packed values is cut")
	}
	block, minis, total := head[0], head[1], head[2]
	if minis == 0 || minis > block || block > maxMini || block%minis != 0 || block/minis%8 != 0 || total > 1<<40 {
		return bad("delta-packed values in blocks of %d in %d parts, %d in all", block, minis, total)
	}
	d.b, d.total, d.last = b[n:], int(total), unzigzag(zigzag)
	d.minis, d.per = int(minis), int(block/minis)
	return nil
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// Len returns how many values are left.
func (d *Delta) Len() int { return d.total }

// mini makes sure that there is a current miniblock with values left.
func (d *Delta) mini() error {
	if d.left > 0 {
		return nil
	}
	if len(d.widths) == 0 {
		zigzag, n := binary.Uvarint(d.b)
		if n <= 0 || len(d.b)-n < d.minis {
			return bad("a block of delta-packed values is cut")
		}
		d.least = unzigzag(zigzag)
		d.widths, d.b = d.b[n:n+d.minis], d.b[n+d.minis:]
	}
	d.width = int(d.widths[0])
	d.widths = d.widths[1:]
	size := d.per / 8 * d.width
	if d.width > 64 {
		return bad("delta-packed values of %d bits", d.width)
	}
	if size > len(d.b) {
		// The last miniblock may come without its padding.
		if need := (min(d.per, d.total)*d.width + 7) / 8; need > len(d.b) {
			return bad("a block of delta-packed values is cut")
		}
		size = len(d.b)
	}
	d.packed, d.b = d.b[:size:size], d.b[size:]
	d.at, d.left = 0, d.per
	return nil
}

// Read sets every value of dst.
//
// Errors: colstore.ErrFormat when there are not so many.
func (d *Delta) Read(dst []int64) error {
	if len(dst) > d.total {
		return errShort
	}
	if d.first && len(dst) > 0 {
		d.first = false
		dst[0], dst = d.last, dst[1:]
		d.total--
	}
	for len(dst) > 0 {
		if err := d.mini(); err != nil {
			return err
		}
		n := min(len(dst), d.left)
		d.unpack(dst[:n])
		d.at += n
		d.left -= n
		d.total -= n
		dst = dst[n:]
	}
	return nil
}

// unpack sets dst to the next values of the current miniblock.
func (d *Delta) unpack(dst []int64) {
	last := d.last
	switch {
	case d.width == 0:
		for i := range dst {
			last += d.least
			dst[i] = last
		}
	case d.width <= 32:
		var few [64]uint32
		for at := 0; at < len(dst); at += len(few) {
			k := min(len(few), len(dst)-at)
			unpack(few[:k], d.packed, (d.at+at)*d.width, d.width)
			for i, v := range few[:k] {
				last += d.least + int64(v)
				dst[at+i] = last
			}
		}
	default:
		for i := range dst {
			last += d.least + int64(unpackWide(d.packed, (d.at+i)*d.width, d.width))
			dst[i] = last
		}
	}
	d.last = last
}

// unpackWide reads a number of up to 64 bits.
func unpackWide(src []byte, bit, width int) uint64 {
	var b [16]byte
	copy(b[:9], src[min(bit/8, len(src)):])
	s := uint(bit % 8)
	v := binary.LittleEndian.Uint64(b[:]) >> s
	if s > 0 {
		v |= uint64(b[8]) << (64 - s)
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}

// Skip passes over n values.
func (d *Delta) Skip(n int) error {
	var few [64]int64
	for n > 0 {
		k := min(n, len(few))
		if err := d.Read(few[:k]); err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// rest passes over all values without adding them up and returns the bytes that follow the stream.
func (d *Delta) rest() ([]byte, error) {
	n := d.total
	if d.first && n > 0 {
		n--
	}
	for n > 0 {
		d.total = n
		if err := d.mini(); err != nil {
			return nil, err
		}
		n -= min(n, d.left)
		d.left = 0
	}
	d.total = 0
	return d.b, nil
}

const (
	deltaBlock = 128
	deltaMini  = 32
)

// AppendDelta appends the values in the layout that [Delta] reads.
func AppendDelta[T int32 | int64](dst []byte, src []T) []byte {
	dst = binary.AppendUvarint(dst, deltaBlock)
	dst = binary.AppendUvarint(dst, deltaBlock/deltaMini)
	dst = binary.AppendUvarint(dst, uint64(len(src)))
	if len(src) == 0 {
		return append(dst, 0)
	}
	dst = binary.AppendVarint(dst, int64(src[0]))
	for i := 1; i < len(src); i += deltaBlock {
		dst = appendDeltaBlock(dst, src[i-1:min(i+deltaBlock, len(src))])
	}
	return dst
}

// appendDeltaBlock appends the differences between neighbours. They wrap in the type's own bits, so that none needs more.
func appendDeltaBlock[T int32 | int64](dst []byte, src []T) []byte {
	var diffs [deltaBlock]T
	n := len(src) - 1
	for i := range n {
		diffs[i] = src[i+1] - src[i]
	}
	least := diffs[0]
	for _, v := range diffs[:n] {
		least = min(least, v)
	}
	dst = binary.AppendVarint(dst, int64(least))
	widths := len(dst)
	dst = append(dst, make([]byte, deltaBlock/deltaMini)...)
	for m := 0; m*deltaMini < n; m++ {
		var mini [deltaMini]uint64
		var all uint64
		for i, v := range diffs[m*deltaMini : min((m+1)*deltaMini, n)] {
			mini[i] = uint64(int64(v) - int64(least))
			all |= mini[i]
		}
		width := bits.Len64(all)
		dst[widths+m] = byte(width)
		dst = appendWide(dst, mini[:], width)
	}
	return dst
}

// appendWide appends numbers packed in up to 64 bits each, a whole number of bytes in all.
func appendWide(dst []byte, src []uint64, width int) []byte {
	var word uint64
	n := 0
	for _, v := range src {
		word |= v << n
		if n += width; n >= 64 {
			dst = binary.LittleEndian.AppendUint64(dst, word)
			n -= 64
			word = 0
			if n > 0 {
				word = v >> (width - n)
			}
		}
	}
	for ; n > 0; n -= 8 {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst
}

// DeltaBits returns about how many bits a value takes as a difference, from a sample of runs of neighbours.
func DeltaBits[T int32 | int64](src []T) int {
	const runs = 64
	n := max(1, len(src)/runs)
	total, count := 0, 0
	for at := 0; at+deltaMini < len(src); at += max(n, deltaMini) {
		least, most := src[at+1]-src[at], src[at+1]-src[at]
		for i := at + 1; i < at+deltaMini; i++ {
			d := src[i+1] - src[i]
			least, most = min(least, d), max(most, d)
		}
		total += bits.Len64(uint64(int64(most) - int64(least)))
		count++
	}
	if count == 0 {
		return 64
	}
	return total / count
}
