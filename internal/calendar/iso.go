package calendar

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

// AppendISO appends a datetime tick as NumPy prints it: as many fields as the unit has, "2020-05",
// "2020-05-17T03:04:05.250", and "NaT".
func AppendISO(dst []byte, tick int64, u colstore.Unit) []byte {
	if tick == colstore.NaT {
		return append(dst, "NaT"...)
	}
	days, seconds, frac := split(tick, u)
	year, month, day := CivilFromDays(days)
	dst = appendYear(dst, year)
	if u == colstore.Year {
		return dst
	}
	dst = appendPadded(append(dst, '-'), uint64(month), 2)
	if u == colstore.Month {
		return dst
	}
	dst = appendPadded(append(dst, '-'), uint64(day), 2)
	if u <= colstore.Day {
		return dst
	}
	dst = appendPadded(append(dst, 'T'), uint64(seconds/3600), 2)
	if u == colstore.Hour {
		return dst
	}
	dst = appendPadded(append(dst, ':'), uint64(seconds/60%60), 2)
	if u == colstore.Minute {
		return dst
	}
	dst = appendPadded(append(dst, ':'), uint64(seconds%60), 2)
	return appendFraction(dst, uint64(frac), u)
}

// split takes a tick apart into its day, the second of that day, and the ticks since that second.
func split(tick int64, u colstore.Unit) (days, seconds, frac int64) {
	switch {
	case IsCalendar(u):
		return firstDay(u, tick), 0, 0
	case u <= colstore.Day:
		return fixed(u, colstore.Day)(tick), 0, 0
	case u <= colstore.Second:
		n, _ := Ratio(colstore.Day, u)
		days = floorDiv(tick, int64(n))
		return days, fixed(u, colstore.Second)(tick - days*int64(n)), 0
	}
	n, _ := Ratio(colstore.Second, u)
	s := floorDiv(tick, int64(n))
	days = floorDiv(s, 86400)
	return days, s - days*86400, tick - s*int64(n)
}

func appendFraction(dst []byte, frac uint64, u colstore.Unit) []byte {
	if u > colstore.Second {
		dst = appendPadded(append(dst, '.'), frac, 3*int(u-colstore.Second))
	}
	return dst
}

func appendYear(dst []byte, y int64) []byte {
	if y < 0 {
		return appendPadded(append(dst, '-'), uint64(-y), 4)
	}
	return appendPadded(dst, uint64(y), 4)
}

// appendPadded appends a number with zeros before it, so that it has at least width digits; width is at most 20.
func appendPadded(dst []byte, v uint64, width int) []byte {
	if width == 2 && v < 100 {
		return append(dst, '0'+byte(v/10), '0'+byte(v%10))
	}
	var buf [20]byte
	i := len(buf)
	for v > 0 || len(buf)-i < width {
		i--
		buf[i] = '0' + byte(v%10)
		v /= 10
	}
	return append(dst, buf[i:]...)
}

// ParseISO reads a date or time ("2020", "2020-05", "2020-05-17", "2020-05-17T03:04:05.25", a blank in place of T,
// a final Z, "NaT") as ticks of u; finer digits than u has are cut off.
//
// Errors: [colstore.ErrValue].
func ParseISO(s string, u colstore.Unit) (int64, error) {
	text := strings.TrimSpace(s)
	if strings.EqualFold(text, "nat") || text == "" {
		return colstore.NaT, nil
	}
	bad := func() (int64, error) {
		return 0, fmt.Errorf("%w: %q is not a date (examples: 2020-05-17, 2020-05-17T03:04:05.25)", colstore.ErrValue, s)
	}
	text = strings.TrimSuffix(text, "Z")
	date, clock := text, ""
	if i := strings.IndexAny(text, "T "); i > 0 {
		date, clock = text[:i], text[i+1:]
		if clock == "" {
			return bad()
		}
	}
	negative := strings.HasPrefix(date, "-")
	fields := strings.Split(strings.TrimPrefix(strings.TrimPrefix(date, "-"), "+"), "-")
	if len(fields) > 3 || len(fields[0]) < 4 {
		return bad()
	}
	year, err := strconv.ParseUint(fields[0], 10, 40)
	month, day := uint64(1), uint64(1)
	ok := err == nil
	if len(fields) > 1 {
		month, ok = twoDigits(fields[1], 1, 12, ok)
	}
	y := int64(year)
	if negative {
		y = -y
	}
	if len(fields) > 2 {
		day, ok = twoDigits(fields[2], 1, uint64(daysIn(y, int(month))), ok)
	}
	if !ok || clock != "" && len(fields) < 3 {
		return bad()
	}
	switch u {
	case colstore.Year:
		return y - 1970, nil
	case colstore.Month:
		return (y-1970)*12 + int64(month) - 1, nil
	}
	days := DaysFromCivil(y, int(month), int(day))
	if u <= colstore.Day {
		if clock != "" {
			if _, _, ok := parseClock(clock); !ok {
				return bad()
			}
		}
		return fixed(colstore.Day, u)(days), nil
	}
	seconds, frac, ok := parseClock(clock)
	if !ok {
		return bad()
	}
	if u <= colstore.Second {
		return fixed(colstore.Day, u)(days) + fixed(colstore.Second, u)(seconds), nil
	}
	v := uint64(fixed(colstore.Day, u)(days)) + uint64(fixed(colstore.Second, u)(seconds))
	return int64(v + fraction(frac, 3*int(u-colstore.Second))), nil
}

// daysIn returns the length of a month; 31 for a month out of range, which is refused elsewhere.
func daysIn(year int64, month int) int64 {
	if month < 1 || month > 12 {
		return 31
	}
	next, m := year, month+1
	if m > 12 {
		next, m = year+1, 1
	}
	return DaysFromCivil(next, m, 1) - DaysFromCivil(year, month, 1)
}

func twoDigits(s string, lo, hi uint64, ok bool) (uint64, bool) {
	v, err := strconv.ParseUint(s, 10, 8)
	return v, ok && err == nil && len(s) == 2 && v >= lo && v <= hi
}

// parseClock reads "03", "03:04", "03:04:05" and "03:04:05.25".
func parseClock(s string) (seconds int64, frac string, ok bool) {
	if s == "" {
		return 0, "", true
	}
	s, frac, hasFrac := strings.Cut(s, ".")
	parts := strings.Split(s, ":")
	if len(parts) > 3 || hasFrac && (len(parts) != 3 || frac == "" || strings.Trim(frac, "0123456789") != "") {
		return 0, "", false
	}
	ok = true
	for i, limit := range []uint64{23, 59, 59} {
		v := uint64(0)
		if i < len(parts) {
			v, ok = twoDigits(parts[i], 0, limit, ok)
		}
		seconds = seconds*60 + int64(v)
	}
	return seconds, frac, ok
}

// fraction returns the first n decimal digits of frac as a number.
func fraction(frac string, n int) uint64 {
	v := uint64(0)
	for i := range n {
		v *= 10
		if i < len(frac) {
			v += uint64(frac[i] - '0')
		}
	}
	return v
}
