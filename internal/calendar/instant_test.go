package calendar

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
)

// TestInstants compares with package time where that has an answer, and with units of the same moment where it has none.
func TestInstants(t *testing.T) {
	t.Parallel()
	one := func(tick int64, u colstore.Unit) Instant {
		var out [1]Instant
		Instants(out[:], []int64{tick}, u)
		return out[0]
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.Int64Range(-1<<37, 1<<37).Draw(t, "second")
		want := time.Unix(s, 0).UTC()
		for u := colstore.Second; u <= colstore.Nanosecond; u++ {
			ratio, _ := Ratio(colstore.Second, u)
			if s > math.MaxInt64/int64(ratio)-1 || s < math.MinInt64/int64(ratio)+1 {
				continue
			}
			got := one(s*int64(ratio)+int64(ratio)/2, u)
			y, m, d := got.Date()
			if y != int64(want.Year()) || m != int(want.Month()) || d != want.Day() || got.YearDay() != want.YearDay() ||
				got.Weekday() != (int(want.Weekday())+6)%7 || got.Second != int64(want.Hour()*3600+want.Minute()*60+want.Second()) {
				t.Fatalf("%v of unit %v is %+v", want, u, got)
			}
		}
		for u, tick := range map[colstore.Unit]int64{
			colstore.Year: int64(want.Year()) - 1970, colstore.Month: 12*(int64(want.Year())-1970) + int64(want.Month()) - 1,
			colstore.Week: floorDiv(s, 7*86400), colstore.Day: floorDiv(s, 86400),
			colstore.Hour: floorDiv(s, 3600), colstore.Minute: floorDiv(s, 60),
		} {
			start := time.Unix(Converter(colstore.KindDatetime, u, colstore.Second)(tick), 0).UTC()
			got := one(tick, u)
			y, m, d := got.Date()
			if y != int64(start.Year()) || m != int(start.Month()) || d != start.Day() || got.Second != int64(start.Hour()*3600+start.Minute()*60) {
				t.Fatalf("%v of unit %v is %+v", start, u, got)
			}
		}
	})
	// The ends of int64, in whatever unit: no overflow anywhere.
	for _, c := range []struct {
		u     colstore.Unit
		tick  int64
		year  int64
		month int
	}{
		{colstore.Year, math.MaxInt64 - 1970, math.MaxInt64, 1},
		{colstore.Month, math.MaxInt64, math.MaxInt64/12 + 1970, 8},
		{colstore.Attosecond, -1, 1969, 12},
		{colstore.Attosecond, math.MaxInt64, 1970, 1},
		{colstore.Femtosecond, math.MinInt64 + 1, 1969, 12},
	} {
		if y, m, _ := one(c.tick, c.u).Date(); y != c.year || m != c.month {
			t.Errorf("tick %d of %v is in %d-%d, want %d-%d", c.tick, c.u, y, m, c.year, c.month)
		}
	}
	week := one(math.MaxInt64, colstore.Week) // weeks begin on the day of the epoch
	if y, _, _ := week.Date(); y != 176769144494367851 || week.Weekday() != 3 {
		t.Errorf("the last week is in %d, weekday %d", y, week.Weekday())
	}
}
