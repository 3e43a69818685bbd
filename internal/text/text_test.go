package text_test

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/internal/text"
)

func TestAppendFloat(t *testing.T) {
	tests := []struct {
		v    float64
		bits int
		want string
	}{
		{1.5, 64, "1.5"},
		{3, 64, "3.0"},
		{1e22, 64, "1e+22"},
		{1e-7, 64, "1e-07"},
		{1e16, 64, "1e+16"},
		{123456789012345680, 64, "1.2345678901234568e+17"},
		{9999999999999998, 64, "9999999999999998.0"},
		{0.0001, 64, "0.0001"},
		{0.00001, 64, "1e-05"},
		{math.Copysign(0, -1), 64, "-0.0"},
		{math.Inf(-1), 64, "-inf"},
		{math.NaN(), 64, "nan"},
		{5e-324, 64, "5e-324"},
		{float64(float32(0.1)), 32, "0.1"},
		{1e10, 32, "10000000000.0"},
		{float64(half.To32(half.From64(0.1))), 16, "0.1"},
		{65504, 16, "65500.0"},
		{6e-8, 16, "6e-08"},
		{1000, 16, "1000.0"},
	}
	for _, c := range tests {
		if got := string(text.AppendFloat(nil, c.v, c.bits)); got != c.want {
			t.Errorf("%v (%d bits) prints %q, want %q", c.v, c.bits, got, c.want)
		}
	}
	for i := range 1 << 16 {
		v := half.To32(uint16(i))
		if v != v {
			continue
		}
		s := string(text.AppendFloat(nil, float64(v), 16))
		if back, err := text.ParseFloat(s); err != nil || half.From64(back) != uint16(i) {
			t.Fatalf("float16 %04x prints %q, which reads %v, %v", i, s, back, err)
		}
	}
}

func TestParseNumbers(t *testing.T) {
	for _, s := range []string{"", " ", "x", "1_0", "0x10", "1e", "--1", "1 2", "infin", "0x1p3"} {
		if v, err := text.ParseFloat(s); !errors.Is(err, colstore.ErrValue) {
			t.Errorf("float %q reads %v, %v", s, v, err)
		}
		if v, err := text.ParseInt(s, 64); !errors.Is(err, colstore.ErrValue) {
			t.Errorf("int %q reads %v, %v", s, v, err)
		}
	}
	if v, err := text.ParseFloat("\t1e400 "); err != nil || !math.IsInf(v, 1) {
		t.Error(v, err)
	}
	for s, want := range map[string]uint64{"NaN": 0x7ff8 << 48, " +nan": 0x7ff8 << 48, "-nan": 0xfff8 << 48} {
		if v, err := text.ParseFloat(s); err != nil || math.Float64bits(v) != want {
			t.Errorf("%q reads %x, %v", s, math.Float64bits(v), err)
		}
	}
	if v, err := text.ParseFloat("+-nan"); err == nil {
		t.Error(v)
	}
	if v, err := text.ParseInt(" -128\n", 8); err != nil || v != -128 {
		t.Error(v, err)
	}
	if _, err := text.ParseInt("128", 8); !errors.Is(err, colstore.ErrValue) {
		t.Error(err)
	}
	if v, err := text.ParseUint("+255", 8); err != nil || v != 255 {
		t.Error(v, err)
	}
	if _, err := text.ParseUint("-1", 8); err == nil || err.Error() != `bad value: "-1" does not fit uint8` {
		t.Error(err)
	}
}

func TestScalarsReadBack(t *testing.T) {
	tests := []struct{ dtype, value string }{
		{"bool", "True"},
		{"int8", "-128"},
		{"uint64", "18446744073709551615"},
		{"float32", "0.1"},
		{"float16", "-inf"},
		{"float64", "nan"},
		{"datetime64[ns]", "2024-01-02T03:04:05.000000000"},
		{"datetime64[s]", "NaT"},
		{"timedelta64[s]", "90"},
		{"timedelta64[s]", "NaT"},
		{"S2", "SR"},
		{"U3", "é日"},
		{"S", "abc"},
		{"U", ""},
	}
	for _, c := range tests {
		dt, err := colstore.ParseDType(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		v, err := text.ParseScalar(dt, c.value)
		if err != nil {
			t.Errorf("%s %q: %v", c.dtype, c.value, err)
			continue
		}
		if got := string(text.AppendPlain(nil, v.Cell(), 0)); got != c.value {
			t.Errorf("%s %q prints %q", c.dtype, c.value, got)
		}
	}
	if _, err := text.ParseScalar(colstore.BytesOf(2), "abc"); !errors.Is(err, colstore.ErrValue) {
		t.Error(err)
	}
}

func FuzzJSONString(f *testing.F) {
	f.Add("a\"\\\n\x00é\xff")
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(text.AppendJSONString(nil, s), &got); err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(s)
		var same string
		json.Unmarshal(want, &same)
		if got != same {
			t.Errorf("%q reads back as %q", s, got)
		}
	})
}

func FuzzFloatRoundTrip(f *testing.F) {
	f.Add(0.1)
	f.Fuzz(func(t *testing.T, v float64) {
		s := string(text.AppendFloat(nil, v, 64))
		back, err := text.ParseFloat(s)
		if err != nil || math.Float64bits(back) != math.Float64bits(v) && v == v {
			t.Errorf("%s reads back as %v, %v", strconv.FormatFloat(v, 'g', -1, 64), back, err)
		}
	})
}
