package encoding

import "encoding/binary"

// A Hybrid reads numbers of a fixed width of up to 32 bits, written as runs of one repeated number and runs of packed
// ones: levels, dictionary indices, bools.
type Hybrid struct {
	b      []byte // what follows the current run
	width  int
	value  uint32 // of a repeated run
	left   int    // numbers left in the current run
	packed []byte // of a packed run
	at     int    // the next number of the packed run
}

// Reset starts reading b, numbers of width bits.
//
// Errors: colstore.ErrFormat for a width above 32.
func (h *Hybrid) Reset(b []byte, width int) error {
	*h = Hybrid{b: b, width: width}
	if width < 0 || width > 32 {
		return bad("numbers of %d bits", width)
	}
	return nil
}

// run makes sure that there is a current run.
func (h *Hybrid) run() error {
	for h.left == 0 {
		head, n := binary.Uvarint(h.b)
		if n <= 0 {
			if len(h.b) == 0 {
				return errShort
			}
			return bad("the length of a run is cut or too long")
		}
		h.b = h.b[n:]
		count := head >> 1
		if head&1 == 0 {
			size := (h.width + 7) / 8
			if len(h.b) < size {
				return bad("a run lacks its value")
			}
			h.value = 0
			for i, c := range h.b[:size] {
				h.value |= uint32(c) << (8 * i)
			}
			if h.width < 32 && h.value>>h.width != 0 {
				return bad("a run of %d, which has more than %d bits", h.value, h.width)
			}
			h.b, h.packed = h.b[size:], nil
			h.left = int(min(count, 1<<40))
			continue
		}
		// The last run of a page may be cut where its padding begins.
		count = min(count, 1<<32)
		size := int(count) * h.width
		h.left = int(count) * 8
		if size > len(h.b) {
			size = len(h.b)
			h.left = size * 8 / h.width
		}
		h.packed, h.b, h.at = h.b[:size:size], h.b[size:], 0
		if h.width == 0 {
			h.packed, h.value = nil, 0
		}
	}
	return nil
}

// Repeats reports whether the next number is one of a repeated run.
func (h *Hybrid) Repeats() (bool, error) {
	err := h.run()
	return h.packed == nil, err
}

// Repeated takes up to most numbers off the current repeated run: all are value. It must not be called where
// [Hybrid.Repeats] is false.
func (h *Hybrid) Repeated(most int) (value uint32, n int) {
	n = min(most, h.left)
	h.left -= n
	return h.value, n
}

// Packed sets the first numbers of dst from the current packed run, as many as it has, and returns how many. It must
// not be called where [Hybrid.Repeats] is true.
func (h *Hybrid) Packed(dst []uint32) int {
	n := min(len(dst), h.left)
	unpack(dst[:n], h.packed, h.at*h.width, h.width)
	h.at += n
	h.left -= n
	return n
}

// Read sets every number of dst.
//
// Errors: colstore.ErrFormat when there are not so many.
func (h *Hybrid) Read(dst []uint32) error {
	for len(dst) > 0 {
		repeats, err := h.Repeats()
		if err != nil {
			return err
		}
		if !repeats {
			dst = dst[h.Packed(dst):]
			continue
		}
		value, n := h.Repeated(len(dst))
		for i := range dst[:n] {
			dst[i] = value
		}
		dst = dst[n:]
	}
	return nil
}

// Skip passes over n numbers.
func (h *Hybrid) Skip(n int) error {
	for n > 0 {
		if err := h.run(); err != nil {
			return err
		}
		k := min(n, h.left)
		h.left -= k
		h.at += k
		n -= k
	}
	return nil
}

// Mask sets bit i of dst where number i is want, for n numbers, and returns how many are.
//
// Shapes: len(dst) ≥ n/64 rounded up; bits past n in the words in use become zero.
func (h *Hybrid) Mask(dst []uint64, n int, want uint32) (set int, err error) {
	clear(dst[:(n+63)/64])
	var few [64]uint32
	for at := 0; at < n; {
		repeats, err := h.Repeats()
		if err != nil {
			return set, err
		}
		k := min(n-at, h.left)
		switch {
		case repeats && h.value == want:
			setBits(dst, at, k)
			set += k
			fallthrough
		case repeats:
			h.left -= k
		default:
			k = h.Packed(few[:min(k, len(few))])
			var word uint64
			for i, v := range few[:k] {
				if v == want {
					word |= 1 << i
					set++
				}
			}
			dst[at/64] |= word << (at % 64)
			if at%64+k > 64 {
				dst[at/64+1] |= word >> (64 - at%64)
			}
		}
		at += k
	}
	return set, nil
}

// Count passes over n numbers and returns how many are want. A repeated run takes no time.
func (h *Hybrid) Count(n int, want uint32) (count int, err error) {
	var few [64]uint32
	for n > 0 {
		repeats, err := h.Repeats()
		if err != nil {
			return count, err
		}
		if repeats {
			v, k := h.Repeated(n)
			if v == want {
				count += k
			}
			n -= k
			continue
		}
		k := h.Packed(few[:min(n, len(few))])
		for _, v := range few[:k] {
			if v == want {
				count++
			}
		}
		n -= k
	}
	return count, nil
}

// setBits sets the bits from begin on, n of them.
func setBits(dst []uint64, begin, n int) {
	for n > 0 {
		k := min(64-begin%64, n)
		dst[begin/64] |= (^uint64(0) >> (64 - k)) << (begin % 64)
		begin += k
		n -= k
	}
}

// longRun is how often a number must come in a row to be written as a repeated run: a packed run ends only after a
// multiple of eight numbers.
const longRun = 8

// AppendHybrid appends the numbers in the layout that [Hybrid] reads.
func AppendHybrid(dst []byte, src []uint32, width int) []byte {
	begin := 0 // of the packed run that is not written yet
	for i := 0; i < len(src); {
		n := repeats(src[i:])
		if n < longRun {
			i = min(i+8, len(src))
			continue
		}
		dst = appendPackedRun(dst, src[begin:i], width)
		dst = AppendRepeated(dst, src[i], n, width)
		i += n
		begin = i
	}
	return appendPackedRun(dst, src[begin:], width)
}

// repeats returns how often the first number comes in a row.
func repeats(src []uint32) int {
	for i, v := range src {
		if v != src[0] {
			return i
		}
	}
	return len(src)
}

func appendPackedRun(dst []byte, src []uint32, width int) []byte {
	if len(src) == 0 {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64((len(src)+7)/8)<<1|1)
	return appendPacked(dst, src, width)
}

// AppendRepeated appends a run of n times the number v.
func AppendRepeated(dst []byte, v uint32, n, width int) []byte {
	dst = binary.AppendUvarint(dst, uint64(n)<<1)
	for i := range (width + 7) / 8 {
		dst = append(dst, byte(v>>(8*i)))
	}
	return dst
}
