package frame_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// TestQueryErrors holds every kind of mistake in an expression to its message, which names the types and the operator or
// what was probably meant, and to the place it points at.
func TestQueryErrors(t *testing.T) {
	t.Parallel()
	src := open(t, "expr.cstore")
	tests := []struct {
		expr, at, msg string
		kind          error
	}{
		// Names.
		{"sqrt(f9) > 1", "f9", `no column "f9" here; did you mean "f2"?`, colstore.ErrNoColumn},
		{"F8 > 1", "F8", `no column "F8" here; did you mean "f8"?`, colstore.ErrNoColumn},
		{"f8 > @cutt", "@cutt", `no parameter "cutt"; did you mean "cut"?`, colstore.ErrValue},
		{"f8 > @elsewhere", "@elsewhere", `no parameter "elsewhere"; there is cut, other`, colstore.ErrValue},
		{"sqr(f8) > 1", "sqr", `no function "sqr"; did you mean "sqrt"?`, colstore.ErrValue},
		{"lenn(u) > 1", "lenn", `no function "lenn"; did you mean "len"?`, colstore.ErrValue},
		{"is_in(u, ['a'])", "is_in", `no function "is_in"; did you mean "isin"?`, colstore.ErrValue},
		{"clipp(f8, 0, 1) > 0", "clipp", `no function "clipp"; did you mean "clip"?`, colstore.ErrValue},
		{"mean(f8) > 1", "mean", `row-dependent: "mean" needs other rows, and an expression sees one row at a time; it is one value of all rows; use Frame.Reduce, or colstore stats`, colstore.ErrValue},
		// Numbers of arguments.
		{"sqrt(f8, 2) > 1", "sqrt(f8, 2)", "sqrt takes 1 argument, not 2", colstore.ErrValue},
		{"sqrt() > 1", "sqrt()", "sqrt takes 1 argument, not 0", colstore.ErrValue},
		{"round(f8, 1, 2) > 1", "round(f8, 1, 2)", "round takes 1 or 2 arguments, not 3", colstore.ErrValue},
		{"isin(f8) == True", "isin", "isin takes a value and a list, not 1 argument", colstore.ErrValue},
		{"clip(f8, 1) > 1", "clip", "clip takes a value, a lower and an upper bound, not 2 arguments", colstore.ErrValue},
		{"astype(f8) > 1", "astype", "astype takes a value and a dtype in quotes, not 1 argument", colstore.ErrValue},
		// Types that an operator does not have.
		{"b and u > 3", "u > 3", "type error: > has no meaning for U3 and the number 3; text compares with text only; cast one side", colstore.ErrType},
		{"s < i4", "s < i4", "type error: < has no meaning for S4 and int32; text compares with text only; cast one side", colstore.ErrType},
		{"d + d > d", "d + d", "type error: + has no meaning for datetime64[D] and datetime64[D]", colstore.ErrType},
		{"dt * dt > dt", "dt * dt", "type error: * has no meaning for timedelta64[s] and timedelta64[s]", colstore.ErrType},
		{"d > '2020-01-01'", "d > '2020-01-01'", "type error: > has no meaning for datetime64[D] and the text \"2020-01-01\"; text is not read as a date; write astype('2024-01-31', 'datetime64[D]') or pass a typed parameter", colstore.ErrType},
		{"d > 5", "d > 5", "type error: > has no meaning for datetime64[D] and the number 5", colstore.ErrType},
		{"~f8 > 1", "~f8", "type error: ~ has no meaning for float64", colstore.ErrType},
		{"f8 & 1 > 0", "f8 & 1", "type error: & has no meaning for float64 and the number 1", colstore.ErrType},
		{"b - b", "b - b", "type error: - has no meaning for bool and bool; use ^ to find where bools differ", colstore.ErrType},
		{"not d", "not d", "type error: not has no meaning for datetime64[D]; a date is neither true nor false; compare it", colstore.ErrType},
		{"None > f8", "None > f8", "type error: > has no meaning for None and float64", colstore.ErrType},
		{"i4 in ['a']", "i4 in ['a']", "type error: in has no meaning for int32 and the text \"a\"; write numbers without quotes", colstore.ErrType},
		{"u + s == 'a'", "u + s", "type error: + has no meaning for U3 and S4; cast one side, for instance to U16", colstore.ErrType},
		// Types that a function does not have.
		{"hypot(u, 1) > 1", "hypot(u, 1)", "type error: hypot has no meaning for U3 and the number 1", colstore.ErrType},
		{"startswith(u, 3)", "startswith(u, 3)", "type error: startswith has no meaning for U3 and the number 3; it takes text; astype(…, 'U') makes text of a number", colstore.ErrType},
		{"startswith(u, s)", "startswith(u, s)", "type error: startswith has no meaning for U3 and S4; cast one side, for instance with astype(…, 'U16')", colstore.ErrType},
		{"upper(i4) == 'A'", "upper(i4)", "type error: upper has no meaning for int32; it takes text; astype(…, 'U') makes text of a number", colstore.ErrType},
		{"year(f8) > 1", "year(f8)", "type error: year has no meaning for float64; it takes a datetime", colstore.ErrType},
		{"year(dt) > 1", "year(dt)", "type error: year has no meaning for timedelta64[s]; a timedelta is on no day; divide it by a timedelta", colstore.ErrType},
		{"hour(u) > 1", "hour(u)", "type error: hour has no meaning for U3; it takes a datetime; astype(…, 'datetime64[s]') reads one from text", colstore.ErrType},
		{"isnat(f8)", "isnat(f8)", "type error: isnat has no meaning for float64; only times can be NaT; isnan tests numbers", colstore.ErrType},
		{"where(u, 1, 2) > 1", "where(u, 1, 2)", "type error: where has no meaning for U3; the condition is a bool", colstore.ErrType},
		{"where(b, u, 1) == 'a'", "where(b, u, 1)", "type error: where has no meaning for U3 and the number 1; both values are of one kind", colstore.ErrType},
		{"round(f8, i4) > 1", "round(f8, i4)", "type error: round has no meaning for float64 and int32; the number of decimals is a plain whole number", colstore.ErrType},
		// Values.
		{"i1 + 300 > 1", "i1 + 300", "bad value: 300 does not fit the column's int8; widen that, for instance with astype(…, 'int64')", colstore.ErrValue},
		{"2 ** 70 + i8 > 1", "2 ** 70 + i8", "bad value: 1180591620717411303424 does not fit the column's int64; widen that, for instance with astype(…, 'float64')", colstore.ErrValue},
		{"i4 ** -1 > 2", "i4 ** -1", "bad value: an integer to the negative power -1 is no integer; write the base as a float", colstore.ErrValue},
		{"f8 > 1 / 0", "1 / 0", "bad value: division by zero in a constant", colstore.ErrValue},
		{"astype(f8, i4) > 1", "i4", "the dtype of astype is a text such as 'float32'", colstore.ErrType},
		{"astype(f8, 'in4') > 1", "'in4'", `type error: unknown dtype "in4"`, colstore.ErrType},
		{"d > astype('2020-13-01', 'datetime64[D]')", "astype('2020-13-01', 'datetime64[D]')", `bad value: "2020-13-01" is not a date (examples: 2020-05-17, 2020-05-17T03:04:05.25)`, colstore.ErrValue},
		// Conditions.
		{"f8", "f8", "the condition is float64, not bool; compare it with something", colstore.ErrType},
		{"i4 & 1", "i4 & 1", "the condition is int32, not bool; compare it with something", colstore.ErrType},
	}
	for _, test := range tests {
		t.Run(test.expr, func(t *testing.T) {
			t.Parallel()
			e, err := frame.Parse(test.expr, frame.Params{"other": 2, "cut": 1})
			if err == nil {
				err = frame.From(src).Where(e).Err()
			}
			q, ok := errors.AsType[*frame.QueryError](err)
			if !ok {
				t.Fatalf("%v is no query error", err)
			}
			if q.Msg != test.msg {
				t.Errorf("message %q\nwant    %q", q.Msg, test.msg)
			}
			if got := q.Text[q.Offset:q.End]; got != test.at {
				t.Errorf("points at %q, want %q", got, test.at)
			}
			if !errors.Is(err, test.kind) {
				t.Errorf("%v is not %v", err, test.kind)
			}
			if caret := q.Caret(); strings.Count(caret, "\n") != 1 || !strings.Contains(caret, "^") {
				t.Errorf("caret %q", caret)
			}
		})
	}
}

// TestCallErrors is about functions called from Go, which have no text to point at.
func TestCallErrors(t *testing.T) {
	t.Parallel()
	src := open(t, "expr.cstore")
	tests := []struct {
		e    frame.Expr
		want string
	}{
		{frame.Call("sqr", frame.Col("f8")), `no function "sqr"; did you mean "sqrt"?`},
		{frame.Call("sqrt"), "sqrt takes 1 argument, not 0"},
		{frame.Call("where", frame.Col("b"), 1), "where takes 3 arguments, not 2"},
		{frame.Call("astype", frame.Col("f8")), "astype is a method of Expr: Cast, Clip, IsIn"},
		{frame.Col("u").Abs(), "absolute has no meaning for U3"},
		{frame.Col("f8").Add(make(chan int)), "a Go chan int is no literal"},
	}
	for _, test := range tests {
		if err := frame.From(src).Assign("x", test.e).Err(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q in it", err, test.want)
		}
	}
}
