package columnar

import "math/bits"

// A bitmap tells which rows have a value, a bit a row from bit offset on; without bits all of them have.
type bitmap struct {
	bits   []byte
	offset int
}

// has reports whether bit i is set.
func (m bitmap) has(i int) bool {
	i += m.offset
	return m.bits == nil || m.bits[i/8]>>(i%8)&1 != 0
}

// count returns the number of set bits from begin to end.
func (m bitmap) count(begin, end int) int {
	if m.bits == nil {
		return end - begin
	}
	n, at, end := 0, begin+m.offset, end+m.offset
	for ; at < end && at%8 != 0; at++ {
		n += int(m.bits[at/8] >> (at % 8) & 1)
	}
	for ; at+8 <= end; at += 8 {
		n += bits.OnesCount8(m.bits[at/8])
	}
	for ; at < end; at++ {
		n += int(m.bits[at/8] >> (at % 8) & 1)
	}
	return n
}

// firstClear returns the first row from begin on without a value, if there is one before end.
func (m bitmap) firstClear(begin, end int) int {
	for i := begin; i < end; i++ {
		if !m.has(i) {
			return i
		}
	}
	return end
}

// unpack writes the bits from begin on as bytes 0 and 1.
func (m bitmap) unpack(dst []byte, begin int) {
	if m.bits == nil {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	for i := range dst {
		at := m.offset + begin + i
		dst[i] = m.bits[at/8] >> (at % 8) & 1
	}
}
