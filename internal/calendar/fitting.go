package calendar

import (
	"strings"

	"github.com/colstore/colstore-go"
)

// ParseFitting is [ParseISO] for what ticks of u can count. For a moment beyond that, which would wrap, for text that is no
// date and for none, ok is false.
func ParseFitting(s string, u colstore.Unit) (tick int64, ok bool) {
	v, err := ParseISO(s, u)
	if err != nil || strings.TrimSpace(s) == "" {
		return 0, false
	}
	// Years have at most forty bits, so that days do not wrap; ticks that wrapped are another day, or at least another
	// second, since the shortest range is eighteen of these.
	for _, coarse := range []colstore.Unit{colstore.Day, colstore.Second} {
		if u <= coarse {
			break
		}
		want, err := ParseISO(s, coarse)
		if err != nil || Converter(colstore.KindDatetime, u, coarse)(v) != want {
			return 0, false
		}
	}
	return v, true
}
