package frame_test

import (
	"math"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/ops"
)

// cell is a value as a column of one row.
func cell[T colstore.Native](v T) colstore.Column { return colstore.ScalarOf(v).Cell() }

func between[T colstore.Native](lo, hi T) colstore.Bounds {
	return colstore.Bounds{Lo: cell(lo), Hi: cell(hi)}
}

func halves(lo, hi float32) colstore.Bounds {
	b := between(half.From32(lo), half.From32(hi))
	return colstore.Bounds{Lo: b.Lo.As(colstore.Float16), Hi: b.Hi.As(colstore.Float16)}
}

func ticks(unit colstore.Unit, lo, hi int64) colstore.Bounds {
	t := colstore.DatetimeOf(unit)
	return colstore.Bounds{Lo: colstore.TimeScalar(t, lo).Cell(), Hi: colstore.TimeScalar(t, hi).Cell()}
}

func chars(lo, hi string) colstore.Bounds {
	widen := func(s string) colstore.Column {
		v, err := colstore.NewScalar(colstore.BytesOf(4), []byte(s))
		if err != nil {
			panic(err)
		}
		return v.Cell()
	}
	return colstore.Bounds{Lo: widen(lo), Hi: widen(hi)}
}

func orMissing(b colstore.Bounds) colstore.Bounds {
	b.NaN = true
	return b
}

// Which groups are left out by one condition on x, whose bounds are known, and y, whose are not.
func TestSkipEdges(t *testing.T) {
	inf, negZero := math.Inf(1), math.Copysign(0, -1)
	tests := []struct {
		where string
		x     colstore.Bounds
		skip  bool
	}{
		{"x > 10", between(int32(0), int32(10)), true},
		{"x >= 10", between(int32(0), int32(10)), false},
		{"10 < x", between(int32(0), int32(10)), true},
		{"x == 11", between(int32(0), int32(10)), true},
		{"x == 5", between(int32(0), int32(10)), false},
		{"x != 5", between(int32(5), int32(5)), true},
		{"x != 5", between(int32(5), int32(6)), false},
		{"not x < 3", between(int32(0), int32(2)), true},
		{"not (x < 3 and y > 0)", between(int32(0), int32(2)), false},
		{"not (x < 3 or y > 0)", between(int32(0), int32(2)), true},
		{"x > 10 or y > 0", between(int32(0), int32(10)), false},
		{"x > 10 and y > 0", between(int32(0), int32(10)), true},
		{"(x > 10) ^ True", between(int32(0), int32(10)), false},
		{"(x > 10) ^ (x < 0)", between(int32(0), int32(10)), true},
		{"2 < x < y", between(int32(0), int32(2)), true},
		{"x in [1, 20, 300]", between(int32(2), int32(19)), true},
		{"x in [1, 20, 300]", between(int32(2), int32(20)), false},
		{"x not in [7]", between(int32(7), int32(7)), true},
		{"x not in [7]", between(int32(7), int32(8)), false},
		{"x in [5000000000]", between(int32(0), int32(10)), true},
		// Literals beyond the type, signed and unsigned.
		{"x > 300", between(uint8(0), uint8(255)), true},
		{"x > -1", between(uint8(0), uint8(255)), false},
		{"x < -1", between(uint8(0), uint8(255)), true},
		{"x < 18446744073709551615", between(int64(0), int64(1)), false},
		{"x > 9223372036854775807", between(uint64(1), uint64(math.MaxUint64)), false},
		{"x > 9223372036854775807", between(uint64(1), uint64(math.MaxInt64)), true},
		{"x < 0.5", between(uint64(1), uint64(math.MaxUint64)), true},
		// An integer beside a float is compared as a float: 2⁵³ + 1 is 2⁵³ then.
		{"x == 9007199254740992.0", between(int64(1<<53+1), int64(1<<53+1)), false},
		{"x < 9007199254740993.0", between(int64(1<<53+1), int64(1<<53+1)), true},
		// Both zeros are one.
		{"x < 0", between(negZero, 5.0), true},
		{"x < 0", between(0.0, 5.0), true},
		{"x == 0", between(negZero, negZero), false},
		{"x > 0", between(-5.0, negZero), true},
		// NaN fails every comparison but !=.
		{"x > 10", orMissing(between(0.0, 10.0)), true},
		{"not x <= 10", orMissing(between(0.0, 10.0)), false},
		{"x != 5", orMissing(between(5.0, 5.0)), false},
		{"not x == 5", orMissing(between(5.0, 5.0)), false},
		{"x in [11]", orMissing(between(0.0, 10.0)), true},
		{"x not in [5]", orMissing(between(5.0, 5.0)), false},
		{"isnan(x)", orMissing(between(5.0, 5.0)), false},
		{"isnan(x)", between(5.0, 5.0), true},
		{"not x", orMissing(between(0.0, 0.0)), false},
		{"not x", between(1.0, 2.0), true},
		{"not x", between(-1.0, 2.0), false},
		{"x > 1e308", between(0.0, inf), false},
		{"x > 10", between(0.0, math.NaN()), false},
		{"x > 10", between(5.0, 0.0), false}, // no bounds
		// Rounding is that of the column's type.
		{"x > 0.1", between(float32(0.1), float32(0.1)), true},
		{"x > 2048", halves(0, 2048), true},
		// Functions.
		{"-x > 3", between(int32(-3), int32(5)), true},
		{"-x > 3", between(int8(-128), int8(5)), false}, // -(-128) wraps
		{"abs(x) < 3", between(-9.0, -3.0), true},
		{"abs(x) > 5", between(-5.0, 4.0), true},
		{"abs(x) > 5", between(-5.0, 6.0), false},
		{"abs(x) < 0", between(int8(-128), int8(3)), false},
		{"x + 1 > 5", between(1.0, 4.0), true},
		{"x + 1 > 127", between(int8(1), int8(126)), true},
		{"x + 1 < 0", between(int8(1), int8(127)), false}, // wraps
		{"x - 2 < 0", between(uint16(2), uint16(9)), true},
		{"x - 2 > 100", between(uint16(1), uint16(9)), false},
		{"x * 2 > 10", between(-1.0, 5.0), true},
		{"1 / x > 2", between(0.5, 9.0), true},
		{"1 / x > 2", between(-0.5, 9.0), false},
		{"x / 1000 > 25", between(int32(0), int32(25_000)), true},
		{"floor(x) > 2", between(0.0, 2.9), true},
		{"sqrt(x) > 2", between(0.0, 4.0), true},
		{"sqrt(x) > 2", between(-1.0, 4.0), false},
		{"exp(x) > 3", between(0.0, 1.0), false}, // not monotone by construction
		// Text, times, bools.
		{"x < b'b'", chars("b", "c"), true},
		{"x == b'b'", chars("b", "c"), false},
		{"x == b'bb'", chars("bba", "c"), true},
		{"x in [b'a', b'd']", chars("b", "c"), true},
		{"x or False", chars("", ""), true},
		{"not x", chars("b", "c"), true},
		{"x", between(false, false), true},
		{"not x", between(true, true), true},
		{"x", between(false, true), false},
		{"x > True", between(false, true), true},
		{"isnan(x)", ticks(colstore.Day, 0, 10), true},
		{"isnan(x)", orMissing(ticks(colstore.Day, 0, 10)), false},
	}
	for _, test := range tests {
		b := test.x
		s := colstore.MustSchema(colstore.Field{Name: "x", Type: b.Lo.Type()}, colstore.Field{Name: "y", Type: colstore.Int32})
		p, err := frame.New().Where(frame.MustParse(test.where)).Bind(s)
		if err != nil {
			t.Fatalf("%s: %v", test.where, err)
		}
		if got := skips(p.Skipper(0), b); got != test.skip {
			t.Errorf("%s between %v and %v (NaN %v): left out is %v", test.where, values(b.Lo), values(b.Hi), b.NaN, got)
		}
	}
}

// skips asks for rows 100 to 199.
func skips(s *frame.Skipper, x colstore.Bounds) bool {
	return s.Skip(colstore.Range{Begin: 100, End: 200}, func(name string) (colstore.Bounds, bool) { return x, name == "x" })
}

func values(c colstore.Column) []byte { return c.At(0) }

func TestSkipTimesAndCasts(t *testing.T) {
	day := colstore.DatetimeOf(colstore.Day)
	at := func(tick int64) any { return colstore.TimeScalar(colstore.DatetimeOf(colstore.Nanosecond), tick) }
	x := frame.Col("x")
	tests := []struct {
		name string
		e    frame.Expr
		x    colstore.Bounds
		skip bool
	}{
		{"a finer unit", x.Gt(at(86400e9)), ticks(colstore.Day, 0, 1), true},
		{"a finer unit, not below", x.Ge(at(86400e9)), ticks(colstore.Day, 0, 1), false},
		{"a unit that wraps", x.Lt(at(0)), ticks(colstore.Day, 0, 1<<40), false},
		{"NaT may be there", x.Gt(at(86400e9)), orMissing(ticks(colstore.Day, 0, 1)), true},
		{"NaT differs", x.Ne(at(0)), orMissing(ticks(colstore.Day, 0, 0)), false},
		{"a coarser unit", x.Cast(day).Eq(colstore.TimeScalar(day, 0)), ticks(colstore.Second, 86400, 90000), true},
		{"ticks", x.Cast(colstore.Int64).Gt(5), ticks(colstore.Second, 0, 5), true},
		{"ticks of NaT", x.Cast(colstore.Int64).Lt(0), orMissing(ticks(colstore.Second, 0, 5)), false},
		{"a narrow integer", x.Cast(colstore.Int8).Gt(100), between(int32(0), int32(100)), true},
		{"low bits", x.Cast(colstore.Int8).Gt(100), between(int32(0), int32(356)), false},
		{"low bits that look in order", x.Cast(colstore.Int8).Gt(100), between(int32(0), int32(256)), false},
		{"another sign", x.Cast(colstore.Uint32).Gt(10), between(int32(-1), int32(5)), false},
		{"another sign, held", x.Cast(colstore.Uint32).Gt(10), between(int32(1), int32(5)), true},
		{"a float cut to an integer", x.Cast(colstore.Int32).Gt(10), between(0.0, 5.0), false},
		{"row numbers", frame.Row().Ge(200), between(0.0, 1.0), true},
		{"row numbers, the last", frame.Row().Ge(199), between(0.0, 1.0), false},
		{"row numbers in a product", frame.Row().Mul(x).Gt(398), between(int64(1), int64(2)), true},
		{"a narrow float", x.Cast(colstore.Float32).Gt(10), orMissing(between(0.0, 5.0)), true},
	}
	for _, test := range tests {
		p, err := frame.New().Where(test.e).Bind(colstore.MustSchema(colstore.Field{Name: "x", Type: test.x.Lo.Type()}))
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := skips(p.Skipper(0), test.x); got != test.skip {
			t.Errorf("%s: left out is %v", test.name, got)
		}
	}
}

// What values can make fail excludes nothing, and a cutflow is kept as it is.
func TestSkipKeepsErrorsAndCutflow(t *testing.T) {
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int32}, colstore.Field{Name: "y", Type: colstore.Int32})
	x := between(int32(0), int32(10))
	tests := []struct {
		name       string
		f          *frame.Frame
		rows, flow bool // left out for rows alone, with the counts of all cuts
	}{
		{"one cut", frame.New().Where(frame.MustParse("x > 10")), true, true},
		{"a later cut", frame.New().Where(frame.MustParse("y > 10")).Where(frame.MustParse("x > 10")), true, false},
		{"after one that all pass", frame.New().Where(frame.MustParse("x >= 0")).Where(frame.MustParse("x > 10")), true, true},
		{"a weight", frame.New().Where(frame.MustParse("x > 10"), frame.Weighted("y")), true, false},
		{"a weight later", frame.New().Where(frame.MustParse("x > 10")).Where(frame.MustParse("y > 0"), frame.Weighted("y")), true, true},
		{"a cut that may fail", frame.New().Where(frame.MustParse("x > 10")).Where(frame.MustParse("y ** x > 0")), false, false},
		{"an output that may fail", frame.New().Where(frame.MustParse("x > 10")).Assign("z", frame.MustParse("y ** x")), true, true},
		{"no cut", frame.New(), false, false},
		{"the column as it was", frame.New().Assign("x", frame.MustParse("y")).Where(frame.MustParse("x > 10")), false, false},
		{"renamed", frame.New().Rename(map[string]string{"x": "y", "y": "x"}).Where(frame.MustParse("y > 10")), true, true},
		{"cast while reading", frame.New().CastWith(map[string]colstore.DType{"x": colstore.Float64}, ops.CastMissing).Where(frame.MustParse("x > 10")), true, true},
	}
	for _, test := range tests {
		p, err := test.f.Bind(s)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := skips(p.Skipper(0), x); got != test.rows {
			t.Errorf("%s: left out is %v", test.name, got)
		}
		skip := p.Skipper(test.f.Cuts())
		if got := skips(skip, x); got != test.flow {
			t.Errorf("%s: left out of a cutflow is %v", test.name, got)
		}
		tally := p.NewTally(0)
		skip.AddTo(tally)
		flow := p.Cutflow(tally)
		if test.flow && (flow.Cuts[0].Entering != 100 || flow.Cuts[len(flow.Cuts)-1].Passing != 0) {
			t.Errorf("%s: cutflow %+v", test.name, flow)
		}
	}
}

// Two programs over one scan leave out what neither wants.
func TestSkipWith(t *testing.T) {
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int32})
	bind := func(where string) *frame.Program {
		p, err := frame.New().Where(frame.MustParse(where)).Bind(s)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	skip := bind("x > 10").Skipper(0).With(bind("x < 0"))
	for _, test := range []struct {
		x    colstore.Bounds
		skip bool
	}{{between(int32(0), int32(10)), true}, {between(int32(-1), int32(10)), false}, {between(int32(0), int32(11)), false}} {
		if got := skips(skip, test.x); got != test.skip {
			t.Errorf("%v: left out is %v", test.x, got)
		}
	}
	if skip.Rows() != 100 {
		t.Errorf("%d rows left out", skip.Rows())
	}
}
