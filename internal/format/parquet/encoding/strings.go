package encoding

import "encoding/binary"

// A Span is where one byte array lies in the bytes that come with it.
type Span struct{ Begin, End uint32 }

// Strings reads byte arrays in one of their three layouts.
type Strings struct {
	b        []byte // plain: what is left; delta lengths: the bytes of all values
	at       uint32 // delta lengths: where the next value begins
	lengths  Delta  // delta lengths
	prefixes Delta  // front coding
	front    []byte // front coding: the value before the next one
	scratch  []byte // front coding: the values of one Next
	layout   layout
}

type layout uint8

const (
	layoutPlain layout = iota
	layoutLengths
	layoutFront
)

// ResetPlain starts reading b, in which every value follows its length: PLAIN.
func (s *Strings) ResetPlain(b []byte) {
	s.b, s.layout = b, layoutPlain
}

// ResetLengths starts reading b, which holds all lengths and then all bytes: DELTA_LENGTH_BYTE_ARRAY.
//
// Errors: colstore.ErrFormat.
func (s *Strings) ResetLengths(b []byte) error {
	s.layout, s.at = layoutLengths, 0
	if err := s.lengths.Reset(b); err != nil {
		return err
	}
	ahead := s.lengths
	var err error
	s.b, err = ahead.rest()
	return err
}

// ResetFront starts reading b, in which every value is how much it shares with the one before and the rest:
// DELTA_BYTE_ARRAY.
//
// Errors: colstore.ErrFormat.
func (s *Strings) ResetFront(b []byte) error {
	if err := s.prefixes.Reset(b); err != nil {
		return err
	}
	ahead := s.prefixes
	suffixes, err := ahead.rest()
	if err != nil {
		return err
	}
	if err := s.ResetLengths(suffixes); err != nil {
		return err
	}
	s.layout, s.front = layoutFront, s.front[:0]
	return nil
}

// Next finds the next values, at least one and at most len(spans). They lie in data, which lasts until the next call.
//
// Errors: colstore.ErrFormat when there is none.
func (s *Strings) Next(spans []Span) (data []byte, n int, err error) {
	switch s.layout {
	case layoutPlain:
		return s.nextPlain(spans)
	case layoutLengths:
		return s.nextLengths(spans)
	default:
		return s.nextFront(spans)
	}
}

func (s *Strings) nextPlain(spans []Span) ([]byte, int, error) {
	data := s.b
	at := uint64(0)
	for i := range spans {
		if at+4 > uint64(len(data)) {
			if i > 0 && at == uint64(len(data)) {
				s.b = nil
				return data, i, nil
			}
			return nil, 0, errShort
		}
		begin := at + 4
		at = begin + uint64(binary.LittleEndian.Uint32(data[at:]))
		if at > uint64(len(data)) {
			return nil, 0, bad("a value of %d bytes reaches past the end of its page", at-begin)
		}
		spans[i] = Span{uint32(begin), uint32(at)}
	}
	s.b = data[at:]
	return data, len(spans), nil
}

func (s *Strings) nextLengths(spans []Span) ([]byte, int, error) {
	var lengths [64]int64
	n := min(len(spans), len(lengths), s.lengths.Len())
	if n == 0 {
		return nil, 0, errShort
	}
	if err := s.lengths.Read(lengths[:n]); err != nil {
		return nil, 0, err
	}
	for i, l := range lengths[:n] {
		if l < 0 || l > int64(len(s.b))-int64(s.at) {
			return nil, 0, bad("a value of %d bytes reaches past the end of its page", l)
		}
		spans[i] = Span{s.at, s.at + uint32(l)}
		s.at += uint32(l)
	}
	return s.b, n, nil
}

// maxFront is how many bytes of front-coded values one Next makes beyond its first value: they may be many more than
// what encodes them.
const maxFront = 64 << 10

func (s *Strings) nextFront(spans []Span) ([]byte, int, error) {
	s.scratch = s.scratch[:0]
	n := 0
	for n < len(spans) && (n == 0 || len(s.scratch)+len(s.front) < maxFront && s.prefixes.Len() > 0) {
		var prefix [1]int64
		if err := s.prefixes.Read(prefix[:]); err != nil {
			return nil, 0, err
		}
		var suffix [1]Span
		data, _, err := s.nextLengths(suffix[:])
		if err != nil {
			return nil, 0, err
		}
		if prefix[0] < 0 || prefix[0] > int64(len(s.front)) {
			return nil, 0, bad("a value shares %d bytes with one of %d", prefix[0], len(s.front))
		}
		s.front = append(s.front[:prefix[0]], data[suffix[0].Begin:suffix[0].End]...)
		begin := len(s.scratch)
		s.scratch = append(s.scratch, s.front...)
		spans[n] = Span{uint32(begin), uint32(len(s.scratch))}
		n++
	}
	return s.scratch, n, nil
}

// Skip passes over n values.
func (s *Strings) Skip(n int) error {
	var few [64]Span
	for n > 0 {
		_, k, err := s.Next(few[:min(n, len(few))])
		if err != nil {
			return err
		}
		n -= k
	}
	return nil
}

// AppendString appends one value in the plain layout.
func AppendString(dst, v []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(v)))
	return append(dst, v...)
}
