package feather

// bits is a buffer of one bit a row, read from front to back.
type bits struct {
	s     *stream
	begun bool
	last  byte // the byte that was read last, which further rows may share
	buf   []byte
}

// take returns the bits of n rows from row at on, from bit 0 on; nil for no buffer. The next call goes on behind them.
func (b *bits) take(at int64, n int) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	first, end := at/8, (at+int64(n)+7)/8
	size := int(end - first)
	if cap(b.buf) < size {
		b.buf = make([]byte, size, size+1)
	}
	b.buf = b.buf[:size]
	rest := b.buf
	switch {
	case !b.begun:
		if err := b.s.skip(first); err != nil {
			return nil, err
		}
	case at%8 != 0:
		b.buf[0], rest = b.last, b.buf[1:]
	}
	b.begun = true
	if err := b.s.read(rest); err != nil {
		return nil, err
	}
	b.last = b.buf[size-1]
	return slideBits(b.buf, int(at%8), n), nil
}

// slideBits returns n bits from bit at on, from bit 0 on. They are a view if they begin at a byte.
func slideBits(b []byte, at, n int) []byte {
	if b == nil || at%8 == 0 {
		return b[min(at/8, len(b)):]
	}
	out := make([]byte, (n+7)/8)
	for i := range n {
		out[i/8] |= b[(at+i)/8] >> ((at + i) % 8) & 1 << (i % 8)
	}
	return out
}
