package parquet

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/kernel"
)

// maxBound is the most bytes of a bound. Longer text is cut, longer bytes have no bounds.
const maxBound = 64

// extremes returns the least and the greatest of some values of the dtype, none of them null. They are nil where there is
// none: no value, or none but NaN. Code points have the order of their UTF-8.
func (p *plan) extremes(values []byte) (lo, hi []byte) {
	if len(values) == 0 {
		return nil, nil
	}
	switch p.typ {
	case colstore.Int8:
		return wordExtremes(view[int8](values))
	case colstore.Int16:
		return wordExtremes(view[int16](values))
	case colstore.Int32:
		return wordExtremes(view[int32](values))
	case colstore.Uint8, colstore.Bool: // any byte but 0 is true
		return wordExtremes(view[uint8](values))
	case colstore.Uint16:
		return wordExtremes(view[uint16](values))
	case colstore.Uint32:
		return wordExtremes(view[uint32](values))
	case colstore.Uint64:
		return wordExtremes(view[uint64](values))
	case colstore.Float16:
		return halfExtremes(view[uint16](values))
	case colstore.Float32:
		return floatExtremes(view[float32](values))
	case colstore.Float64:
		return floatExtremes(view[float64](values))
	}
	switch p.typ.Kind() {
	case colstore.KindText:
		return p.stringExtremes(values, func(a, b []byte) int { return slices.Compare(view[uint32](a), view[uint32](b)) })
	case colstore.KindBytes:
		return p.stringExtremes(values, bytes.Compare)
	default:
		return wordExtremes(view[int64](values))
	}
}

func wordExtremes[T kernel.Integer](v []T) (lo, hi []byte) {
	a, b := kernel.MinMax(v)
	return cell(a), cell(b)
}

// cell returns the bytes of a value.
func cell[T kernel.Number](v T) []byte {
	raw, _ := colstore.Wrap([]T{v}).Bytes()
	return raw
}

func floatExtremes[T kernel.Float](values []T) (lo, hi []byte) {
	a, b := T(math.Inf(1)), T(math.Inf(-1))
	some := false
	for _, v := range values {
		// Both comparisons are false for NaN.
		if v <= a {
			a, some = v, true
		}
		if v >= b {
			b, some = v, true
		}
	}
	if !some {
		return nil, nil
	}
	return cell(a), cell(b)
}

func halfExtremes(values []uint16) (lo, hi []byte) {
	wide := make([]float32, len(values))
	kernel.FromHalf(wide, values)
	if lo, hi = floatExtremes(wide); lo == nil {
		return nil, nil
	}
	return cell(half.From32(view[float32](lo)[0])), cell(half.From32(view[float32](hi)[0]))
}

func (p *plan) stringExtremes(values []byte, compare func(a, b []byte) int) (lo, hi []byte) {
	size := p.typ.Size()
	lo, hi = values[:size], values[:size]
	for v := values[size:]; len(v) > 0; v = v[size:] {
		if compare(v[:size], lo) < 0 {
			lo = v[:size]
		} else if compare(v[:size], hi) > 0 {
			hi = v[:size]
		}
	}
	return lo, hi
}

// bounds turns extremes of values into bounds as the file gives them; nil extremes, and those that cannot be given, have
// none.
//
// A zero of floats is given the sign that makes the bound hold for both zeros.
func (p *plan) bounds(lo, hi []byte, s *meta.Statistics) {
	if lo == nil {
		return
	}
	switch {
	case p.typ.Kind() == colstore.KindText:
		p.textBounds(lo, hi, s)
		return
	case p.typ.Kind() == colstore.KindBytes && len(lo) > maxBound:
		return
	case p.typ.Kind() == colstore.KindBool:
		s.Min, s.Max = []byte{min(lo[0], 1)}, []byte{min(hi[0], 1)}
	case p.typ.Kind() == colstore.KindFloat:
		s.Min, s.Max = signed(lo, true), signed(hi, false)
	default:
		var errLo, errHi error
		s.Min, errLo = p.appendPlain(nil, lo)
		if s.Max, errHi = p.appendPlain(nil, hi); errLo != nil || errHi != nil {
			s.Min, s.Max = nil, nil
			return
		}
	}
	s.MinExact, s.MaxExact = true, true
}

// signed returns the bytes of a float; of a zero with that sign.
func signed(float []byte, negative bool) []byte {
	v := bytes.Clone(float)
	last := len(v) - 1
	for i, b := range v {
		if i < last && b != 0 || i == last && b&0x7f != 0 {
			return v
		}
	}
	v[last] = 0
	if negative {
		v[last] = 0x80
	}
	return v
}

func (p *plan) textBounds(lo, hi []byte, s *meta.Statistics) {
	raw := func(v []byte) []byte {
		bound, err := text.AppendUTF8(nil, view[uint32](v))
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
