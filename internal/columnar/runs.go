package columnar

import (
	"fmt"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// A run is values that lie one behind the other, none of them null: what most columns of text are. It does what [spans] do
// for rows that follow one another.
type run interface {
	longestOf(known int, isText bool, begin, end int) (int, error)
	putRun(dst []byte, t colstore.DType, begin, end int) error
}

// run returns the values from begin to end as a run, if they are one.
func (v *Values) run(begin, end int) (run, bool) {
	if v.where != nil || v.Nulls(begin, end) > 0 {
		return nil, false
	}
	r, ok := v.long.(run)
	return r, ok
}

func (o offsets[O]) longestOf(known int, isText bool, begin, end int) (int, error) {
	at := o.begins[begin]
	for i, next := range o.begins[begin+1 : end+1] {
		if int(next-at) > known || next < at {
			s, ok := o.at(begin + i)
			if !ok {
				return 0, outside(begin + i)
			}
			n := len(s)
			if isText {
				n = utf8.RuneCount(s)
			}
			known = max(known, n)
		}
		at = next
	}
	return known, nil
}

func (o offsets[O]) putRun(dst []byte, t colstore.DType, begin, end int) error {
	size := t.Size()
	if t.Kind() == colstore.KindText {
		return o.putText(pointsOf(dst), t.Width(), begin, end)
	}
	at := o.begins[begin]
	for i, next := range o.begins[begin+1 : end+1] {
		if at < 0 || next < at || int64(next) > int64(len(o.data)) {
			return outside(begin + i)
		}
		s, to := o.data[at:next], dst[i*size:(i+1)*size]
		if len(s) > size {
			return &BadValue{begin + i, fmt.Errorf("%w: %d bytes do not fit %s", colstore.ErrValue, len(s), t.Name())}
		}
		clear(to[copy(to, s):])
		at = next
	}
	return nil
}

// putText writes text as code points, width of them a value. ASCII, which most text is, takes a loop of its own.
func (o offsets[O]) putText(dst []uint32, width, begin, end int) error {
	clear(dst)
	at := o.begins[begin]
	for i, next := range o.begins[begin+1 : end+1] {
		if at < 0 || next < at || int64(next) > int64(len(o.data)) {
			return outside(begin + i)
		}
		s, to := o.data[at:next], dst[i*width:(i+1)*width]
		at = next
		if len(s) <= len(to) {
			seen := byte(0)
			for j, c := range s {
				to[j] = uint32(c)
				seen |= c
			}
			if seen < utf8.RuneSelf {
				continue
			}
		}
		if err := text.PutUTF8(to, s); err != nil {
			return &BadValue{begin + i, err}
		}
	}
	return nil
}
