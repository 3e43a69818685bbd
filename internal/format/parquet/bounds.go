package parquet

import (
	"bytes"
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/kernel"
)

// maxBound is the most bytes of a bound. Longer text is cut, longer bytes have no bounds.
const maxBound = 64

// bounds returns the least and the greatest of some values of the dtype, none of them null, as a chunk's statistics give
// them. They are nil where there is none: no value, or none but NaN.
//
// A float's NaN is no bound, and a zero is given the sign that makes the bound hold for both zeros.
func (p *plan) bounds(values []byte, s *meta.Statistics) {
	if len(values) == 0 {
		return
	}
	s.MinExact, s.MaxExact = true, true
	switch p.typ {
	case colstore.Bool:
		lo, hi := uint8(1), uint8(0)
		for _, v := range values {
			if v != 0 {
				v = 1
			}
			lo, hi = min(lo, v), max(hi, v)
		}
		s.Min, s.Max = []byte{lo}, []byte{hi}
		return
	case colstore.Float16:
		floatBounds(s, half32(values), func(v float32) []byte { return binary.LittleEndian.AppendUint16(nil, half.From32(v)) })
		return
	case colstore.Float32:
		floatBounds(s, view[float32](values), func(v float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)) })
		return
	case colstore.Float64:
		floatBounds(s, view[float64](values), func(v float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)) })
		return
	}
	switch p.typ.Kind() {
	case colstore.KindText:
		p.textBounds(values, s)
		return
	case colstore.KindBytes:
		p.bytesBounds(values, s)
		return
	}
	// Integers and ticks: the bound in the dtype becomes one in the physical type.
	var lo, hi []byte
	switch p.typ {
	case colstore.Int8:
		lo, hi = wordBounds(view[int8](values))
	case colstore.Int16:
		lo, hi = wordBounds(view[int16](values))
	case colstore.Int32:
		lo, hi = wordBounds(view[int32](values))
	case colstore.Uint8:
		lo, hi = wordBounds(view[uint8](values))
	case colstore.Uint16:
		lo, hi = wordBounds(view[uint16](values))
	case colstore.Uint32:
		lo, hi = wordBounds(view[uint32](values))
	case colstore.Uint64:
		lo, hi = wordBounds(view[uint64](values))
	default:
		lo, hi = wordBounds(view[int64](values))
	}
	var errLo, errHi error
	s.Min, errLo = p.appendPlain(nil, lo)
	if s.Max, errHi = p.appendPlain(nil, hi); errLo != nil || errHi != nil {
		s.Min, s.Max = nil, nil
	}
}

func wordBounds[T kernel.Integer](v []T) (lo, hi []byte) {
	a, b := kernel.MinMax(v)
	lo, _ = colstore.Wrap([]T{a}).Bytes()
	hi, _ = colstore.Wrap([]T{b}).Bytes()
	return lo, hi
}

func half32(values []byte) []float32 {
	out := make([]float32, len(values)/2)
	kernel.FromHalf(out, view[uint16](values))
	return out
}

func floatBounds[T kernel.Float](s *meta.Statistics, values []T, bytes func(T) []byte) {
	lo, hi := T(math.Inf(1)), T(math.Inf(-1))
	some := false
	for _, v := range values {
		// Both comparisons are false for NaN.
		if v <= lo {
			lo, some = v, true
		}
		if v >= hi {
			hi, some = v, true
		}
	}
	if !some {
		return
	}
	if lo == 0 {
		lo = T(math.Copysign(0, -1))
	}
	if hi == 0 {
		hi = 0
	}
	s.Min, s.Max = bytes(lo), bytes(hi)
}

func (p *plan) bytesBounds(values []byte, s *meta.Statistics) {
	size := p.typ.Size()
	if size > maxBound {
		return
	}
	lo, hi := values[:size], values[:size]
	for v := values[size:]; len(v) > 0; v = v[size:] {
		if bytes.Compare(v[:size], lo) < 0 {
			lo = v[:size]
		}
		if bytes.Compare(v[:size], hi) > 0 {
			hi = v[:size]
		}
	}
	s.Min, s.Max = bytes.Clone(lo), bytes.Clone(hi)
}

// textBounds uses that code points have the order of their UTF-8.
func (p *plan) textBounds(values []byte, s *meta.Statistics) {
	width := p.typ.Width()
	points := view[uint32](values)
	lo, hi := points[:width], points[:width]
	for v := points[width:]; len(v) > 0; v = v[width:] {
		if comparePoints(v[:width], lo) < 0 {
			lo = v[:width]
		} else if comparePoints(v[:width], hi) > 0 {
			hi = v[:width]
		}
	}
	raw := func(points []uint32) []byte {
		bound, err := text.AppendUTF8(nil, points)
		if err != nil {
			return nil
		}
		return bound
	}
	s.Min, s.MinExact = cutDown(raw(lo))
	s.Max, s.MaxExact = cutUp(raw(hi))
	if s.Min == nil || s.Max == nil {
		s.Min, s.Max = nil, nil
	}
}

func comparePoints(a, b []uint32) int {
	for i, v := range a {
		if v != b[i] {
			if v < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// cutDown shortens a lower bound: what begins it is below it.
func cutDown(text []byte) (bound []byte, exact bool) {
	if text == nil {
		return []byte{}, true
	}
	if len(text) <= maxBound {
		return text, true
	}
	return text[:cutAt(text)], false
}

// cutUp shortens an upper bound: what begins it, with its last character raised, is above it. nil if none can be raised.
func cutUp(text []byte) (bound []byte, exact bool) {
	if text == nil {
		return []byte{}, true
	}
	if len(text) <= maxBound {
		return text, true
	}
	for n := cutAt(text); n > 0; {
		r, size := utf8.DecodeLastRune(text[:n])
		n -= size
		if r++; r == 0xd800 {
			r = 0xe000 // what lies between is no text
		}
		if r <= utf8.MaxRune {
			return utf8.AppendRune(bytes.Clone(text[:n]), r), false
		}
	}
	return nil, false
}

// cutAt returns where text can be cut between characters, at most maxBound.
func cutAt(text []byte) int {
	n := maxBound
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}
