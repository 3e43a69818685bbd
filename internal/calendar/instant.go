package calendar

import "github.com/colstore/colstore-go"

// An Instant is a datetime taken apart: eras of 400 years since 1970, the day of the era, the second of the day. Every
// tick of every unit has one: an era holds whole weeks, so nothing of it overflows.
type Instant struct {
	Era    int64
	Day    int64
	Second int64
}

const (
	eraDays   = 146097
	eraYears  = 400
	daySecond = 86400
)

// Instants takes ticks of a unit apart. A NaT gives what its number would.
//
// Shapes: len(dst) = len(ticks).
func Instants(dst []Instant, ticks []int64, u colstore.Unit) {
	switch u {
	case colstore.Year, colstore.Month:
		perYear := int64(1)
		if u == colstore.Month {
			perYear = 12
		}
		for i, v := range ticks {
			era := floorDiv(v, eraYears*perYear)
			v -= era * eraYears * perYear
			dst[i] = Instant{Era: era, Day: DaysFromCivil(1970+v/perYear, 1+int(v%perYear), 1)}
		}
	case colstore.Week:
		for i, v := range ticks {
			era := floorDiv(v, eraDays/7)
			dst[i] = Instant{Era: era, Day: (v - era*(eraDays/7)) * 7}
		}
	default:
		// Ticks finer than seconds are made seconds first: no unit has too many ticks a second.
		perDay, perSecond := uint64(daySecond), uint64(1)
		if u > colstore.Second {
			perSecond, _ = Ratio(colstore.Second, u)
		} else {
			perDay, _ = Ratio(colstore.Day, u)
		}
		second := int64(daySecond / perDay)
		for i, v := range ticks {
			if perSecond > 1 {
				v = floorDiv(v, int64(perSecond))
			}
			day := floorDiv(v, int64(perDay))
			era := floorDiv(day, eraDays)
			dst[i] = Instant{era, day - era*eraDays, (v - day*int64(perDay)) * second}
		}
	}
}

// Date returns the day's civil date.
func (t Instant) Date() (year int64, month, day int) {
	year, month, day = CivilFromDays(t.Day)
	return year + eraYears*t.Era, month, day
}

// Weekday returns 0 for a Monday to 6 for a Sunday.
func (t Instant) Weekday() int { return int((t.Day + 3) % 7) } // 1970-01-01 was a Thursday

// YearDay returns the day of the year, 1 to 366.
func (t Instant) YearDay() int {
	year, _, _ := CivilFromDays(t.Day)
	return int(t.Day-DaysFromCivil(year, 1, 1)) + 1
}
