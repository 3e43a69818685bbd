package csv

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
)

func TestDatetimesAgainstCalendar(t *testing.T) {
	check := func(t rapid.TB, s string, u colstore.Unit) {
		want, err := calendar.ParseISO(s, u)
		if got, ok := newStamps(u).parse([]byte(s)); ok && (err != nil || got != want) {
			t.Fatalf("%q [%s] reads as %d, want %d, %v", s, u, got, want, err)
		}
		got, ok := calendar.ParseFitting(s, u)
		if ok && got != want || ok && err != nil {
			t.Fatalf("%q [%s] reads as %d the slow way, want %d, %v", s, u, got, want, err)
		}
		// What is in range prints as the moment it was read from.
		if coarse, err := calendar.ParseISO(s, colstore.Second); ok && err == nil && u >= colstore.Second {
			if back := calendar.Converter(colstore.KindDatetime, u, colstore.Second)(got); back != coarse {
				t.Fatalf("%q [%s] reads as %d, second %d instead of %d", s, u, got, back, coarse)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		u := colstore.Unit(rapid.IntRange(int(colstore.Year), int(colstore.Attosecond)).Draw(t, "unit"))
		s := rapid.StringMatching(`(00|1[5-9]|20|2[1-9]|99)[0-9]{2}(-[01][0-9](-[0-3][0-9])?)?`).Draw(t, "date")
		if rapid.Bool().Draw(t, "clock") {
			s += rapid.StringMatching(`[T ][0-2][0-9](:[0-6][0-9](:[0-6][0-9](\.[0-9]{0,20})?)?)?Z?`).Draw(t, "clock")
		}
		check(t, s, u)
	})
	for _, s := range []string{
		"2262-04-11T23:47:16.854775807", "2262-04-11T23:47:16.854775808", "1677-09-21T00:12:43.145224193", "1677-09-21T00:12:43.145224192",
		"1970-01-01T00:00:09.223372036854775807", "1970-01-01T00:01:00", "1969-12-31T23:59:50", "999999999999-01-01", "2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "2020-04-31",
	} {
		for u := colstore.Year; u <= colstore.Attosecond; u++ {
			check(t, s, u)
		}
	}
	for s, u := range map[string]colstore.Unit{
		"2262-04-12": colstore.Nanosecond, "1600-01-01": colstore.Nanosecond, "1970-01-01T00:01:00": colstore.Attosecond,
		"999999999999-01-01": colstore.Second, "2020-05-17": colstore.Femtosecond,
	} {
		if v, ok := calendar.ParseFitting(s, u); ok {
			t.Errorf("%q [%s] reads as %d", s, u, v)
		}
		if v, ok := newStamps(u).parse([]byte(s)); ok {
			t.Errorf("%q [%s] reads as %d the fast way", s, u, v)
		}
	}
}
