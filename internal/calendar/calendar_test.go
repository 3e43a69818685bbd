package calendar_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
)

func TestCivilAgainstTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.Int64Range(-800_000, 3_000_000).Draw(t, "days")
		y, m, d := calendar.CivilFromDays(days)
		want := time.Unix(days*86400, 0).UTC()
		if int(y) != want.Year() || m != int(want.Month()) || d != want.Day() {
			t.Fatalf("day %d is %d-%d-%d, want %s", days, y, m, d, want)
		}
		if back := calendar.DaysFromCivil(y, m, d); back != days {
			t.Fatalf("%d-%d-%d is day %d, want %d", y, m, d, back, days)
		}
	})
}

// The wanted values were printed by NumPy 2.4, but for hours from attoseconds, which it refuses to convert.
func TestConvert(t *testing.T) {
	tests := []struct {
		kind     colstore.Kind
		from, to colstore.Unit
		tick     int64
		want     int64
	}{
		{colstore.KindDatetime, colstore.Second, colstore.Day, -1, -1},
		{colstore.KindDatetime, colstore.Day, colstore.Second, 3, 259200},
		{colstore.KindDatetime, colstore.Month, colstore.Day, 14, 424},
		{colstore.KindDatetime, colstore.Day, colstore.Month, -1, -1},
		{colstore.KindDatetime, colstore.Day, colstore.Year, -1, -1},
		{colstore.KindDatetime, colstore.Year, colstore.Nanosecond, 1, 31536000000000000},
		{colstore.KindDatetime, colstore.Nanosecond, colstore.Week, -1, -1},
		{colstore.KindDatetime, colstore.Attosecond, colstore.Hour, -5, -1},
		{colstore.KindDatetime, colstore.Attosecond, colstore.Hour, 5, 0},
		{colstore.KindTimedelta, colstore.Millisecond, colstore.Second, -1500, -2},
		{colstore.KindTimedelta, colstore.Month, colstore.Day, 5, 152},
		{colstore.KindTimedelta, colstore.Year, colstore.Day, 1, 365},
		{colstore.KindTimedelta, colstore.Year, colstore.Month, 2, 24},
		{colstore.KindTimedelta, colstore.Week, colstore.Hour, 1, 168},
		{colstore.KindTimedelta, colstore.Year, colstore.Microsecond, 86399, 2726489095848000000},
		{colstore.KindTimedelta, colstore.Month, colstore.Microsecond, 1036788, 2726489095848000000},
		{colstore.KindTimedelta, colstore.Year, colstore.Nanosecond, -60, -1893417120000000000},
		{colstore.KindTimedelta, colstore.Month, colstore.Nanosecond, -700, -1840822200000000000},
		{colstore.KindTimedelta, colstore.Year, colstore.Nanosecond, 300, -8979658473709551616},
		{colstore.KindTimedelta, colstore.Year, colstore.Second, 9e18, 2987253797557895168},
		{colstore.KindTimedelta, colstore.Second, colstore.Year, 9e18, 285198646561},
		{colstore.KindTimedelta, colstore.Second, colstore.Month, -9e18, -3422383758736},
		{colstore.KindTimedelta, colstore.Second, colstore.Minute, colstore.NaT, colstore.NaT},
	}
	for _, c := range tests {
		if got := calendar.Converter(c.kind, c.from, c.to)(c.tick); got != c.want {
			t.Errorf("%v %d %v -> %v: %d, want %d", c.kind, c.tick, c.from, c.to, got, c.want)
		}
	}
}

func TestISO(t *testing.T) {
	tests := []struct {
		unit colstore.Unit
		tick int64
		want string
	}{
		{colstore.Year, 50, "2020"},
		{colstore.Month, 604, "2020-05"},
		{colstore.Week, 1, "1970-01-08"},
		{colstore.Day, -1, "1969-12-31"},
		{colstore.Day, -719528, "0000-01-01"},
		{colstore.Hour, -1, "1969-12-31T23"},
		{colstore.Minute, 61, "1970-01-01T01:01"},
		{colstore.Second, 1589684645, "2020-05-17T03:04:05"},
		{colstore.Millisecond, -1, "1969-12-31T23:59:59.999"},
		{colstore.Microsecond, 1589684645250000, "2020-05-17T03:04:05.250000"},
		{colstore.Nanosecond, 1, "1970-01-01T00:00:00.000000001"},
		{colstore.Femtosecond, -1, "1969-12-31T23:59:59.999999999999999"},
		{colstore.Attosecond, math.MaxInt64, "1970-01-01T00:00:09.223372036854775807"},
		{colstore.Second, colstore.NaT, "NaT"},
	}
	for _, c := range tests {
		if got := string(calendar.AppendISO(nil, c.tick, c.unit)); got != c.want {
			t.Errorf("%d [%v] prints %q, want %q", c.tick, c.unit, got, c.want)
		}
		if back, err := calendar.ParseISO(c.want, c.unit); err != nil || back != c.tick {
			t.Errorf("%q [%v] reads %d (%v), want %d", c.want, c.unit, back, err, c.tick)
		}
	}
	for _, bad := range []string{"x", "2020-13", "2020-02-30", "2020-1-1", "20", "2020-05-17T", "2020-05-17T25", "2020-05-17T01:60", "2020T05", "2020-05-17T01:02:03.", "2020-05-17T01.5", "2020-05-17 01:02:03.4x"} {
		if v, err := calendar.ParseISO(bad, colstore.Second); err == nil {
			t.Errorf("%q reads %d, want an error", bad, v)
		}
	}
	if v, err := calendar.ParseISO("2020-05-17 03:04:05.259Z", colstore.Millisecond); err != nil || v != 1589684645259 {
		t.Errorf("blank and Z: %d, %v", v, err)
	}
}

func FuzzParseISO(f *testing.F) {
	f.Add("2020-05-17T03:04:05.25", uint8(7))
	f.Fuzz(func(t *testing.T, s string, u uint8) {
		unit := colstore.Unit(u%uint8(colstore.Attosecond)) + 1
		v, err := calendar.ParseISO(s, unit)
		if err != nil || v == colstore.NaT {
			return
		}
		// What was read prints as something that reads the same, unless it left the int64.
		again, err := calendar.ParseISO(string(calendar.AppendISO(nil, v, unit)), unit)
		if err == nil && again != v {
			t.Errorf("%q [%v] is %d, but reads back as %d", s, unit, v, again)
		}
	})
}

// Between years or months and other units a timedelta is scaled exactly, by the mean length, and rounded down; what does
// not fit wraps.
func TestMeanLengths(t *testing.T) {
	seconds := map[colstore.Unit]*big.Rat{
		colstore.Year: big.NewRat(31556952, 1), colstore.Month: big.NewRat(2629746, 1), colstore.Week: big.NewRat(604800, 1),
		colstore.Day: big.NewRat(86400, 1), colstore.Hour: big.NewRat(3600, 1), colstore.Minute: big.NewRat(60, 1),
		colstore.Second: big.NewRat(1, 1), colstore.Millisecond: big.NewRat(1, 1e3), colstore.Microsecond: big.NewRat(1, 1e6),
		colstore.Nanosecond: big.NewRat(1, 1e9), colstore.Picosecond: big.NewRat(1, 1e12), colstore.Femtosecond: big.NewRat(1, 1e15),
		colstore.Attosecond: big.NewRat(1, 1e18),
	}
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.SampledFrom([]colstore.Unit{colstore.Year, colstore.Month}).Draw(t, "calendar")
		to := colstore.Unit(rapid.IntRange(int(colstore.Week), int(colstore.Attosecond)).Draw(t, "fixed"))
		if rapid.Bool().Draw(t, "back") {
			from, to = to, from
		}
		v := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-100_000, 100_000)).Draw(t, "ticks")
		if v == colstore.NaT {
			return
		}
		exact := new(big.Rat).SetInt64(v)
		exact.Mul(exact, seconds[from]).Quo(exact, seconds[to])
		want := new(big.Int).Div(exact.Num(), exact.Denom()) // rounds down, the denominator being positive
		low := new(big.Int).And(want, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
		got := calendar.Converter(colstore.KindTimedelta, from, to)(v)
		if got != int64(low) {
			t.Fatalf("%d %v in %v is %d, want %v", v, from, to, got, want)
		}
	})
}
