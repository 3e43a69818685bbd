package calendar

import (
	"math/bits"

	"github.com/colstore/colstore-go"
)

// DaysFromCivil returns the days from 1970-01-01 to year-month-day.
func DaysFromCivil(year int64, month, day int) int64 {
	// Years are counted from March of year 0, in eras of 400 years (146097 days).
	y := year
	if month <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yoe := y - era*400
	doy := int64((153*((month+9)%12)+2)/5 + day - 1)
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// CivilFromDays is the inverse of DaysFromCivil.
func CivilFromDays(days int64) (year int64, month, day int) {
	z := days + 719468
	era := floorDiv(z, 146097)
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy-(153*mp+2)/5) + 1
	month = int(mp) + 3
	if month > 12 {
		month -= 12
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// steps holds how many ticks of the unit make one of the unit before it; Week is the coarsest with a fixed length.
var steps = [...]uint64{
	colstore.Day: 7, colstore.Hour: 24, colstore.Minute: 60, colstore.Second: 60,
	colstore.Millisecond: 1000, colstore.Microsecond: 1000, colstore.Nanosecond: 1000,
	colstore.Picosecond: 1000, colstore.Femtosecond: 1000, colstore.Attosecond: 1000,
}

// Ratio returns how many ticks of fine make one of coarse, both Week or finer. huge tells that the true number is
// beyond an int64; n is then its low 64 bits.
func Ratio(coarse, fine colstore.Unit) (n uint64, huge bool) {
	n = 1
	for u := coarse + 1; u <= fine; u++ {
		hi, lo := bits.Mul64(n, steps[u])
		huge = huge || hi != 0 || lo > 1<<63-1
		n = lo
	}
	return n, huge
}

// Finer returns the finer of two units.
func Finer(a, b colstore.Unit) colstore.Unit { return max(a, b) }

// IsCalendar reports whether the unit has no fixed length: years and months.
func IsCalendar(u colstore.Unit) bool { return u == colstore.Year || u == colstore.Month }

// Converter returns the function that turns ticks of from into ticks of to, for datetimes or for timedeltas.
func Converter(kind colstore.Kind, from, to colstore.Unit) func(int64) int64 {
	var f func(int64) int64
	switch {
	case from == to:
		return func(v int64) int64 { return v }
	case from == colstore.Year && to == colstore.Month:
		f = func(v int64) int64 { return v * 12 }
	case from == colstore.Month && to == colstore.Year:
		f = func(v int64) int64 { return floorDiv(v, 12) }
	case !IsCalendar(from) && !IsCalendar(to):
		f = fixed(from, to)
	case kind == colstore.KindTimedelta:
		f = meanLength(from, to)
	case IsCalendar(from):
		days := fixed(colstore.Day, to)
		f = func(v int64) int64 { return days(firstDay(from, v)) }
	default:
		days := fixed(from, colstore.Day)
		f = func(v int64) int64 {
			y, m, _ := CivilFromDays(days(v))
			if to == colstore.Year {
				return y - 1970
			}
			return (y-1970)*12 + int64(m) - 1
		}
	}
	return func(v int64) int64 {
		if v == colstore.NaT {
			return v
		}
		return f(v)
	}
}

// firstDay returns the day on which the year or month v begins.
func firstDay(u colstore.Unit, v int64) int64 {
	if u == colstore.Year {
		return DaysFromCivil(1970+v, 1, 1)
	}
	y := floorDiv(v, 12)
	return DaysFromCivil(1970+y, int(v-12*y)+1, 1)
}

func fixed(from, to colstore.Unit) func(int64) int64 {
	if from <= to {
		n, _ := Ratio(from, to)
		return func(v int64) int64 { return int64(uint64(v) * n) }
	}
	n, huge := Ratio(to, from)
	if huge {
		return func(v int64) int64 { return v >> 63 }
	}
	return func(v int64) int64 { return floorDiv(v, int64(n)) }
}
