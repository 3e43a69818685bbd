package decimal

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/internal/half"
)

// pad is how many bytes there are behind a number.
const pad = 8

// behind returns text in a buffer where other bytes follow.
func behind(text, rest string) []byte {
	b := append([]byte(text), rest...)
	return append(b, slices.Repeat([]byte("9"), pad)...)
}

// checkFloat demands that whatever the fast way reads is what strconv reads, for all three widths.
func checkFloat(t rapid.TB, s, rest string) (fast bool) {
	_, ok := parseDecimal(behind(s, rest), 0, len(s))
	want, err := strconv.ParseFloat(s, 64)
	if ok && err != nil && !errors.Is(err, strconv.ErrRange) {
		t.Fatalf("%q is taken for a number", s)
	}
	if ok != IsNumber(behind(s, rest), 0, len(s)) && len(s) <= MaxDigits {
		t.Fatalf("%q is a number: %v, or not", s, ok)
	}
	if !ok {
		return false
	}
	powers := Powers()
	got, ok64 := Float64(behind(s, rest), 0, len(s), powers)
	if ok64 && got != math.Float64bits(want) {
		t.Fatalf("%q reads as %x, want %x", s, got, math.Float64bits(want))
	}
	narrow, _ := strconv.ParseFloat(s, 32)
	if got, ok := Float32(behind(s, rest), 0, len(s), powers); ok && got != uint64(math.Float32bits(float32(narrow))) {
		t.Fatalf("%q reads as float32 %x, want %x", s, got, math.Float32bits(float32(narrow)))
	}
	// A float64 that lies exactly between two float16 may have been rounded to there.
	if got, ok := Float16(behind(s, rest), 0, len(s), powers); ok && got != uint64(half.From64(want)) && math.Float64bits(want)&(1<<42-1) != 1<<41 {
		t.Fatalf("%q reads as float16 %x, want %x", s, got, half.From64(want))
	}
	return ok64
}

func TestFloatsAgainstStrconv(t *testing.T) {
	for _, s := range []string{
		"0", "-0", "0.0", "1", "-1.5", ".5", "5.", ".", "-", "-.", "1e5", "1E+5", "1e-5", "1e", "1e+", "00", "01.5", "0e0", "-0e5", "+1",
		"9007199254740993", "9007199254740991.5", "0.3", "0.5", "1.25", "123456789012345678", "1234567890123456789", "12345678901234567890",
		"0.00000000000000000000000000012345678901234567", "18446744073709551615", "9999999999999999999", "1e64", "1e65", "1e-64", "1e-65",
		"2.2250738585072011e-308", "5e-324", "1.7976931348623157e308", "1e309", "6.0221407623e23", "1e22", "1e23", "4.35", "0.1", "100000.0",
		"1.00048828125", "65504", "65520", "0.000061035", "3.4028235e38", "3.4028236e38", "1e-45", "16777217", "inf", "nan", "1_0", "0x1p3", "1 ",
		"8.5", "12345678", "123456789", "12345678.12345678", "1234567.1234567e10", "1e0005", "1e-0005", "1e999",
	} {
		for _, rest := range []string{",", "\n", "5", ".5"} {
			checkFloat(t, s, rest)
		}
	}
	fast, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var s string
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0: // any float as it is printed
			v := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
			s = strconv.FormatFloat(v, rapid.SampledFrom([]byte("efg")).Draw(t, "form"), -1, 64)
		case 1: // usual ones
			v := rapid.Float64Range(-1e6, 1e6).Draw(t, "v")
			s = strconv.FormatFloat(v, 'f', rapid.IntRange(-1, 9).Draw(t, "digits"), 64)
		case 2: // any spelling
			s = rapid.StringMatching(`-?[0-9]{0,12}(\.[0-9]{0,12})?([eE][-+]?[0-9]{1,3})?`).Draw(t, "s")
		case 3: // near the middle of two floats
			f := math.Abs(rapid.Float64Range(1e-30, 1e30).Draw(t, "f"))
			up := math.Nextafter(f, math.Inf(1))
			middle := new(big.Float).SetPrec(200).Add(big.NewFloat(f), big.NewFloat(up))
			s = middle.Quo(middle, big.NewFloat(2)).Text('e', rapid.IntRange(14, 18).Draw(t, "digits"))
		case 4: // exactly there
			n := rapid.Uint64Range(1<<53, 1<<54).Draw(t, "n") | 1
			s = strconv.FormatUint(n, 10) + rapid.SampledFrom([]string{"", ".0", "e0", "e3", ".00"}).Draw(t, "more")
		}
		all++
		if checkFloat(t, s, rapid.SampledFrom([]string{",", "\n", "7", ".", "e5"}).Draw(t, "behind")) {
			fast++
		}
	})
	if fast < all/3 {
		t.Errorf("only %d of %d numbers took the fast way", fast, all)
	}
}

func FuzzFloat(f *testing.F) {
	for _, s := range []string{"0.1", "-12.5e-3", "9007199254740993", "1e23", ".5", "5."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// strconv takes more than decimals.
		if s != "" && strings.Trim(s, "0123456789.eE+-") == "" {
			checkFloat(t, s, ",")
		}
	})
}

func TestIntegersAgainstStrconv(t *testing.T) {
	check := func(t rapid.TB, s, rest string) {
		p := behind(s, rest)
		v, ok := ParseInt(p, 0, len(s))
		want, err := strconv.ParseInt(s, 10, 64)
		if ok && (err != nil || v != want) {
			t.Fatalf("%q reads as %d, want %d, %v", s, v, want, err)
		}
		u, ok := ParseUint(p, 0, len(s))
		wantU, err := strconv.ParseUint(s, 10, 64)
		if ok && (err != nil || u != wantU) {
			t.Fatalf("%q reads as %d, want %d, %v", s, u, wantU, err)
		}
		if ok != IsUint(p, 0, len(s)) && len(s) <= MaxDigits {
			t.Fatalf("%q is all digits: %v, or not", s, ok)
		}
		if plain := err == nil && len(s) <= MaxDigits && s[0] != '+' && (s[0] != '0' || len(s) == 1); ok != plain {
			t.Fatalf("%q takes the fast way: %v", s, ok)
		}
	}
	for _, s := range []string{
		"", "0", "-", "-0", "00", "9", "12345678", "123456789", "1234567a", "a2345678", "1234567890123456789", "9223372036854775807",
		"9223372036854775808", "-9223372036854775807", "-9223372036854775808", "9999999999999999999", "12345678901234567890", "+5", " 5", "5 ", "1:", "1/", "12345678/",
	} {
		for _, rest := range []string{",", "1", "\xff"} {
			check(t, s, rest)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`-?[0-9]{0,20}`).Draw(t, "s")
		if rapid.IntRange(0, 3).Draw(t, "spoil") == 0 && s != "" {
			i := rapid.IntRange(0, len(s)-1).Draw(t, "at")
			s = s[:i] + string(rapid.Byte().Draw(t, "byte")) + s[i+1:]
		}
		check(t, s, rapid.SampledFrom([]string{",", "1", "\xff"}).Draw(t, "behind"))
	})
}
