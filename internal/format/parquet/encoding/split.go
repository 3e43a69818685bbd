package encoding

// A Split reads fixed-width values whose first bytes lie together, then their second bytes, and so on:
// BYTE_STREAM_SPLIT.
type Split struct {
	b    []byte
	n    int // values of the page
	at   int // the next one
	size int
}

// Reset starts reading b, values of size bytes each.
//
// Errors: colstore.ErrFormat when b is no whole number of values.
func (s *Split) Reset(b []byte, size int) error {
	*s = Split{b: b, size: size}
	if size <= 0 || len(b)%size != 0 {
		return bad("%d bytes split into streams of %d", len(b), size)
	}
	s.n = len(b) / size
	return nil
}

// Read sets dst to the next values, back to back.
//
// Shapes: len(dst) is a multiple of the size.
// Errors: colstore.ErrFormat when there are not so many.
func (s *Split) Read(dst []byte) error {
	n := len(dst) / s.size
	if n > s.n-s.at {
		return errShort
	}
	for k := range s.size {
		stream := s.b[k*s.n+s.at:][:n]
		out := dst[k:]
		for i, v := range stream {
			out[i*s.size] = v
		}
	}
	s.at += n
	return nil
}

// Skip passes over n values.
func (s *Split) Skip(n int) error {
	if n > s.n-s.at {
		return errShort
	}
	s.at += n
	return nil
}
