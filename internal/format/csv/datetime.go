package csv

import (
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
)

// datetimeDecoder reads ISO 8601 as ticks of u. A moment that such ticks cannot count is bad: it would wrap.
func datetimeDecoder(u colstore.Unit, fill colstore.Scalar) decoder {
	missing, filled := filling[int64](fill.Type(), fill)
	p := newStamps(u)
	return func(dst colstore.Column, c *cells) int {
		out := values[int64](dst)
		for i := range out {
			cell := c.at(i)
			if len(cell) == 0 && filled {
				out[i] = missing
				continue
			}
			v, ok := p.parse(cell)
			if !ok {
				if v, ok = calendar.ParseFitting(string(cell), u); !ok {
					return i
				}
			}
			out[i] = v
		}
		return -1
	}
}

// stamps parses the usual form of datetimes, with years of four digits, as ticks of a unit from days to attoseconds.
type stamps struct {
	perDay   int64 // ticks a day, of units of a second and coarser; 0 for finer ones
	perSec   int64 // ticks a second, of units of a second and finer
	decimals int   // digits behind the point that a tick has
	most     int64 // seconds that surely fit
}

func newStamps(u colstore.Unit) stamps {
	switch {
	case u < colstore.Day:
		return stamps{}
	case u <= colstore.Second:
		n, _ := calendar.Ratio(colstore.Day, u)
		return stamps{perDay: int64(n)}
	}
	n, _ := calendar.Ratio(colstore.Second, u)
	return stamps{perSec: int64(n), decimals: 3 * int(u-colstore.Second), most: math.MaxInt64/int64(n) - 1}
}

// parse reads "2020-05-17", "2020-05-17T03:04:05" and "2020-05-17 03:04:05.25". It declines everything else.
func (p stamps) parse(cell []byte) (int64, bool) {
	if p.perDay == 0 && p.perSec == 0 || len(cell) < 10 || cell[4] != '-' || cell[7] != '-' {
		return 0, false
	}
	year, ok1 := number2(cell, 0, 99)
	years, ok2 := number2(cell, 2, 99)
	month, ok3 := number2(cell, 5, 12)
	day, ok4 := number2(cell, 8, 31)
	if !(ok1 && ok2 && ok3 && ok4) || month == 0 || day == 0 {
		return 0, false
	}
	year = 100*year + years
	if day > 28 && day > daysIn(year, month) {
		return 0, false
	}
	days := calendar.DaysFromCivil(int64(year), month, day)
	seconds := 0
	var fraction []byte
	if len(cell) > 10 {
		if len(cell) < 19 || cell[10] != 'T' && cell[10] != ' ' || cell[13] != ':' || cell[16] != ':' {
			return 0, false
		}
		hour, ok1 := number2(cell, 11, 23)
		minute, ok2 := number2(cell, 14, 59)
		second, ok3 := number2(cell, 17, 59)
		if !(ok1 && ok2 && ok3) {
			return 0, false
		}
		seconds = 3600*hour + 60*minute + second
		if fraction = cell[19:]; len(fraction) > 0 {
			if fraction[0] != '.' || len(fraction) == 1 || leadingDigits(fraction[1:]) != len(fraction)-1 {
				return 0, false
			}
			fraction = fraction[1:]
		}
	}
	if p.perDay > 0 {
		return days*p.perDay + int64(seconds)*p.perDay/86400, true
	}
	total := 86400*days + int64(seconds)
	if total > p.most || total < -p.most {
		return 0, false
	}
	ticks := int64(0)
	for i := range p.decimals {
		ticks *= 10
		if i < len(fraction) {
			ticks += int64(fraction[i] - '0')
		}
	}
	return total*p.perSec + ticks, true
}

// number2 returns the number of two digits at cell[i], if it is one and at most limit.
func number2(cell []byte, i, limit int) (int, bool) {
	tens, ones := cell[i]-'0', cell[i+1]-'0'
	v := 10*int(tens) + int(ones)
	return v, tens <= 9 && ones <= 9 && v <= limit
}

// daysIn returns the length of a month.
func daysIn(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4, month == 6, month == 9, month == 11:
		return 30
	}
	return 31
}
