package ops_test

import (
	"errors"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// apply computes a function of columns and literals.
func apply(t *testing.T, f *ops.Func, args ...any) (colstore.Column, error) {
	t.Helper()
	rows := 0
	operands := make([]ops.Operand, len(args))
	for i, a := range args {
		if c, ok := a.(colstore.Column); ok {
			rows = c.Rows()
			operands[i] = ops.Typed(c.Type())
		} else {
			operands[i] = ops.Operand{Lit: a}
		}
	}
	o, err := f.Resolve(operands)
	if err != nil {
		return colstore.Column{}, err
	}
	use := o.Use
	if use == nil {
		for i := range args {
			use = append(use, i)
		}
	}
	in := make([]colstore.Column, len(use))
	for i, u := range use {
		c, ok := args[u].(colstore.Column)
		if !ok {
			v, err := ops.Constant(args[u], o.Args[i])
			if err != nil {
				t.Fatal(err)
			}
			c = v.Cell()
		}
		in[i] = cast(t, c, o.Args[i])
	}
	dst := empty(t, o.Result, rows)
	return dst, o.Kernel(dst, in)
}

func cast(t *testing.T, c colstore.Column, to colstore.DType) colstore.Column {
	t.Helper()
	to = ops.CastType(c.Type(), to)
	k, _, err := ops.Cast(c.Type(), to)
	if err != nil {
		t.Fatal(err)
	}
	dst := empty(t, to, c.Rows())
	if err := k(dst, []colstore.Column{c}); err != nil {
		t.Fatal(err)
	}
	return dst
}

func empty(t *testing.T, dtype colstore.DType, rows int) colstore.Column {
	t.Helper()
	c, err := colstore.NewColumn(dtype, rows, make([]byte, rows*dtype.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func function(t *testing.T, name string) *ops.Func {
	t.Helper()
	f, ok := ops.Lookup(name)
	if !ok {
		t.Fatal("no function", name)
	}
	return f
}

// The wanted values are NumPy's.
func TestRoundToTens(t *testing.T) {
	tests := []struct {
		in     any
		digits int64
		want   any
	}{
		{[]int64{15, 25, 35, 45, 5, 96, -25, math.MaxInt64/2 + 1}, -1, []int64{20, 20, 40, 40, 0, 100, -20, 1 << 62}},
		{[]int64{math.MaxInt64, 1 << 62}, -19, []int64{math.MinInt64, 0}},
		{[]int8{127, -128, 15, 96}, -1, []int8{-126, 126, 20, 100}},
		{[]uint8{255, 25, 127}, -1, []uint8{4, 20, 130}},
		{[]uint32{math.MaxUint32, 45}, -3, []uint32{4294967000, 0}},
		{[]int32{math.MaxInt32, -449}, -2, []int32{2147483600, -400}},
		{[]int16{1249, 1250}, -30, []int16{0, 0}},
		{[]int64{15}, 1, []int64{15}},
		{[]float64{15, 25, 149.5, -25, math.Inf(1)}, -1, []float64{20, 20, 150, -20, math.Inf(1)}},
		{[]float64{2.5, 1.15}, 0, []float64{2, 1}},
	}
	for _, c := range tests {
		want := wrap(c.want)
		got, err := apply(t, function(t, "round"), wrap(c.in), big.NewInt(c.digits))
		if err != nil || got.Type() != want.Type() || !sameBytes(got, want) {
			t.Errorf("round(%v, %d) = %v, %v; want %v", c.in, c.digits, got, err, c.want)
		}
	}
}

func sameBytes(a, b colstore.Column) bool {
	x, _ := a.Bytes()
	y, _ := b.Bytes()
	return string(x) == string(y)
}

func wrap(v any) colstore.Column {
	switch v := v.(type) {
	case []int8:
		return colstore.Wrap(v)
	case []int16:
		return colstore.Wrap(v)
	case []int32:
		return colstore.Wrap(v)
	case []int64:
		return colstore.Wrap(v)
	case []uint8:
		return colstore.Wrap(v)
	case []uint32:
		return colstore.Wrap(v)
	case []float32:
		return colstore.Wrap(v)
	}
	return colstore.Wrap(v.([]float64))
}

// An integer literal takes the float of the column beside it, whatever its size.
func TestLiteralsOfFloatFunctions(t *testing.T) {
	tests := []struct {
		name string
		args []any
		want colstore.DType
	}{
		{"copysign", []any{wrap([]int8{1}), big.NewInt(1000)}, colstore.Float16},
		{"hypot", []any{wrap([]int8{1}), big.NewInt(70000)}, colstore.Float16},
		{"heaviside", []any{wrap([]uint8{1}), big.NewInt(-5)}, colstore.Float16},
		{"nextafter", []any{wrap([]int16{1}), big.NewInt(70000)}, colstore.Float32},
		{"arctan2", []any{big.NewInt(1 << 40), wrap([]int32{1})}, colstore.Float64},
		{"hypot", []any{wrap([]int8{1}), 1.5}, colstore.Float64},
		{"ldexp", []any{big.NewInt(3), wrap([]int64{1})}, colstore.Float16},
		{"ldexp", []any{true, wrap([]int8{1})}, colstore.Float16},
		{"ldexp", []any{1.5, wrap([]int8{1})}, colstore.Float64},
		{"ldexp", []any{wrap([]int16{1}), big.NewInt(3)}, colstore.Float32},
	}
	for _, c := range tests {
		got, err := apply(t, function(t, c.name), c.args...)
		if err != nil || got.Type() != c.want {
			t.Errorf("%s(%v): %v %v, want %v", c.name, c.args, got.Type(), err, c.want)
		}
	}
	got, err := apply(t, function(t, "hypot"), wrap([]int8{1}), big.NewInt(70000))
	if data, _ := got.Bytes(); err != nil || string(data) != "\x00\x7c" {
		t.Errorf("hypot beyond float16: % x, %v", data, err)
	}
}

// Text is read as NumPy reads it, and as it is written here.
func TestReadTextOfNumbersAndTimes(t *testing.T) {
	span := colstore.TimedeltaOf(colstore.Second)
	tests := []struct {
		s    string
		to   colstore.DType
		want int64
	}{
		{"NaT", span, math.MinInt64},
		{"nat", span, math.MinInt64},
		{"", span, math.MinInt64},
		{"-5", span, -5},
		{"-0", colstore.Uint8, 0},
		{" -00 ", colstore.Uint64, 0},
		{"+7", colstore.Uint8, 7},
	}
	for _, c := range tests {
		for _, text := range []colstore.Scalar{colstore.TextScalar(c.s), colstore.BytesScalar([]byte(c.s))} {
			got := cast(t, cast(t, text.Cell(), c.to), colstore.Int64)
			v, err := colstore.CopyOf[int64](got)
			if err != nil || v[0] != c.want {
				t.Errorf("%q as %s: %v %v, want %d", c.s, c.to.Name(), v, err, c.want)
			}
		}
	}
	for _, s := range []string{"-1", "--0", "-", "-0x0"} {
		k, _, err := ops.Cast(colstore.TextOf(4), colstore.Uint8)
		if err != nil {
			t.Fatal(err)
		}
		in := cast(t, colstore.TextScalar(s).Cell(), colstore.TextOf(4))
		if err := k(empty(t, colstore.Uint8, 1), []colstore.Column{in}); !errors.Is(err, colstore.ErrValue) {
			t.Errorf("%q as uint8: %v", s, err)
		}
	}
	// Back and forth.
	ticks := []int64{0, -1, math.MinInt64, math.MaxInt64}
	back := cast(t, cast(t, cast(t, wrap(ticks), span), colstore.TextOf(0)), span)
	v, err := colstore.CopyOf[int64](cast(t, back, colstore.Int64))
	if err != nil || !reflect.DeepEqual(v, ticks) {
		t.Errorf("ticks through text: %v %v", v, err)
	}
}

// A NaN of no NaN has the bits of NumPy's, and one of a NaN those of that.
func TestNaNBits(t *testing.T) {
	const quiet, payload = 0x7ff8 << 48, 0xfff8<<48 | 0x1234
	nan := math.Float64frombits(payload)
	inf := math.Inf(1)
	unary := map[string]float64{
		"log": -1, "log2": -1, "log10": -1, "log1p": -2, "arcsin": 2, "arccos": 2, "arccosh": 0, "arctanh": 2, "sin": inf,
		"cos": inf, "tan": inf, "spacing": inf,
	}
	for name, x := range unary {
		checkNaN(t, name, quiet, colstore.Wrap([]float64{x}))
		checkNaN(t, name, payload, colstore.Wrap([]float64{nan}))
	}
	binary := map[string][2]float64{
		"remainder": {1, 0}, "floor_divide": {0, 0}, "fmod": {inf, 1}, "power": {-1, 0.5}, "float_power": {-1, 0.5},
	}
	for name, v := range binary {
		checkNaN(t, name, quiet, colstore.Wrap([]float64{v[0]}), colstore.Wrap([]float64{v[1]}))
	}
	for _, name := range []string{"remainder", "floor_divide", "fmod", "power", "nextafter", "arctan2", "hypot", "heaviside"} {
		checkNaN(t, name, payload, colstore.Wrap([]float64{nan}), colstore.Wrap([]float64{2}))
		if name != "heaviside" {
			checkNaN(t, name, payload, colstore.Wrap([]float64{2}), colstore.Wrap([]float64{nan}))
		}
	}
	checkNaN(t, "remainder", quiet, colstore.Wrap([]float64{inf}), colstore.Wrap([]float64{1}))
	checkNaN(t, "floor_divide", quiet, colstore.Wrap([]float64{inf}), colstore.Wrap([]float64{1}))
}

func checkNaN(t *testing.T, name string, want uint64, args ...any) {
	t.Helper()
	got, err := apply(t, function(t, name), args...)
	if err != nil {
		t.Fatal(name, err)
	}
	v, err := colstore.Values[float64](got)
	if err != nil || math.Float64bits(v[0]) != want {
		t.Errorf("%s: %#x %v, want %#x", name, math.Float64bits(v[0]), err, want)
	}
}

// What a program's function does wrong is an error with its name.
func TestOwnFunctionsFail(t *testing.T) {
	mine := errors.New("my error")
	float := func([]colstore.DType) (colstore.DType, error) { return colstore.Float64, nil }
	nothing := func(colstore.Column, []colstore.Column) error { return nil }
	x := colstore.Wrap([]float64{1, 2})
	tests := []struct {
		f    ops.Func
		args []any
		want string
	}{
		{ops.Map1("m1", "", func(in, _ []float64) { _ = in[len(in)] }), []any{x}, "m1: panic: runtime error: index out of range"},
		{ops.Map2("m2", "", func(_, _, _ []float64) { panic("no") }), []any{x, x}, "m2: panic: no"},
		{ops.Vectorized("v1", "", 1, float, func(colstore.Column, []colstore.Column) error { panic("no") }), []any{x}, "v1: panic: no"},
		{ops.Vectorized("v2", "", 1, float, func(colstore.Column, []colstore.Column) error { return mine }), []any{x}, "v2: my error"},
		{ops.Vectorized("v3", "", 1, func([]colstore.DType) (colstore.DType, error) { return colstore.DType{}, mine }, nothing), []any{x}, "v3: my error"},
		{ops.Vectorized("v4", "", 1, func([]colstore.DType) (colstore.DType, error) { panic("no") }, nothing), []any{x}, "v4: panic: no"},
	}
	for _, c := range tests {
		_, err := apply(t, &c.f, c.args...)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if strings.HasSuffix(c.want, "my error") && !errors.Is(err, mine) {
			t.Errorf("%v does not wrap the function's error", err)
		}
	}
	row := &ops.RowError{Row: 1, Err: mine}
	f := ops.Vectorized("v5", "", 1, float, func(colstore.Column, []colstore.Column) error { return row })
	if _, err := apply(t, &f, x); !errors.Is(err, row) || err.Error() != "my error" {
		t.Errorf("the error of a row is %v", err)
	}
}

func TestRegisterRefuses(t *testing.T) {
	resolve := func([]ops.Operand) (ops.Overload, error) { return ops.Overload{}, nil }
	for want, f := range map[string]ops.Func{
		`by the name ""`:              {},
		`by the name "a b"`:           {Name: "a b", Resolve: resolve},
		`by the name "1a"`:            {Name: "1a", Resolve: resolve},
		`by the name "not"`:           {Name: "not", Resolve: resolve},
		`by the name "a.b"`:           {Name: "a.b", Resolve: resolve},
		"none has no Resolve":         {Name: "none"},
		"takes from 2 to 1 arguments": {Name: "few", MinArgs: 2, MaxArgs: 1, Resolve: resolve},
		"sqrt is registered twice":    {Name: "sqrt", Resolve: resolve},
		"isin is a name":              {Name: "isin", Resolve: resolve},
	} {
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.Contains(r, want) {
					t.Errorf("%q: panic %q, want %q", f.Name, r, want)
				}
			}()
			ops.Register(f)
		}()
	}
}
