package ops

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/kernel"
)

// The parts of a date are float64 with NaN for NaT, although they are whole: integers have no missing value, and one
// that stood for it would pass a cut like year(d) < 2000.
var _ = builtin(
	datePart("year", "the year of a datetime; NaN for NaT", func(t calendar.Instant) int64 { y, _, _ := t.Date(); return y }),
	datePart("month", "the month of a datetime, 1 to 12", func(t calendar.Instant) int64 { _, m, _ := t.Date(); return int64(m) }),
	datePart("day", "the day of the month, 1 to 31", func(t calendar.Instant) int64 { _, _, d := t.Date(); return int64(d) }),
	datePart("hour", "the hour of the day, 0 to 23", func(t calendar.Instant) int64 { return t.Second / 3600 }),
	datePart("minute", "the minute of the hour, 0 to 59", func(t calendar.Instant) int64 { return t.Second / 60 % 60 }),
	datePart("second", "the whole second of the minute, 0 to 59", func(t calendar.Instant) int64 { return t.Second % 60 }),
	datePart("weekday", "the day of the week, 0 for Monday to 6 for Sunday", func(t calendar.Instant) int64 { return int64(t.Weekday()) }),
	datePart("dayofyear", "the day of the year, 1 to 366", func(t calendar.Instant) int64 { return int64(t.YearDay()) }),
	Func{Name: "date", Doc: "the day of a datetime, datetime64[D]", MinArgs: 1, MaxArgs: 1, Resolve: resolveDate},
)

// instantRows is how many datetimes are taken apart at a time.
const instantRows = 128

func datePart(name, doc string, part func(calendar.Instant) int64) Func {
	return Func{Name: name, Doc: doc, MinArgs: 1, MaxArgs: 1, Resolve: func(args []Operand) (Overload, error) {
		if !args[0].moment() {
			return Overload{}, refused(name, args, dateAdvice(args[0]))
		}
		t := args[0].Type
		return Overload{Args: []colstore.DType{t}, Result: colstore.Float64, Kernel: func(dst colstore.Column, args []colstore.Column) error {
			var buf [instantRows]calendar.Instant
			out, in := kernel.Out[float64](dst), kernel.In[int64](args[0])
			for len(in) > 0 {
				n := min(len(in), instantRows)
				calendar.Instants(buf[:n], in[:n], t.Unit())
				for i, tick := range in[:n] {
					if out[i] = float64(part(buf[i])); tick == colstore.NaT {
						out[i] = kernel.NaN()
					}
				}
				in, out = in[n:], out[n:]
			}
			return nil
		}}, nil
	}}
}

func dateAdvice(o Operand) string {
	switch {
	case o.span():
		return "a timedelta is on no day; divide it by a timedelta"
	case o.isString():
		return "it takes a datetime; astype(…, 'datetime64[s]') reads one from text"
	}
	return "it takes a datetime"
}

func resolveDate(args []Operand) (Overload, error) {
	if !args[0].moment() {
		return Overload{}, refused("date", args, dateAdvice(args[0]))
	}
	t := colstore.DatetimeOf(colstore.Day)
	return Overload{Args: []colstore.DType{t}, Result: t, Kernel: copyValues}, nil
}
