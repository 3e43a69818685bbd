package text

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/decimal"
	"github.com/colstore/colstore-go/internal/half"
)

// AppendFloat appends the shortest decimal that reads back as v, a float of bits 16, 32 or 64, spelled as NumPy does:
// "1.5", "3.0", "1e+22", "1e-07", "nan", "-inf".
func AppendFloat(dst []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, "nan"...)
	case math.IsInf(v, 1):
		return append(dst, "inf"...)
	case math.IsInf(v, -1):
		return append(dst, "-inf"...)
	case v == 0:
		if math.Signbit(v) {
			dst = append(dst, '-')
		}
		return append(dst, "0.0"...)
	}
	if bits == 16 {
		v, bits = shortest16(v), 64
	}
	if a := math.Abs(v); a < 1e-4 || a >= 1e16 {
		return strconv.AppendFloat(dst, v, 'e', -1, bits)
	}
	if bits == 64 {
		if short, ok := appendFewDecimals(dst, v); ok {
			return short
		}
	}
	dst = strconv.AppendFloat(dst, v, 'f', -1, bits)
	if v == math.Trunc(v) {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendFewDecimals appends a number of at most three decimals, and reports whether v is one; v is not 0. Most prices and
// readings are such, and for them it takes a third of the time.
//
// If a decimal of at most 15 digits reads as v, it is the shortest: all others of so many digits read as other numbers. That
// it does is seen by a division of two numbers that are exact, which is rounded as a decimal is.
func appendFewDecimals(dst []byte, v float64) ([]byte, bool) {
	const most = 1e12
	a := math.Abs(v)
	if a >= most {
		return dst, false
	}
	n := uint64(float64(a*1000) + 0.5)
	if float64(n)/1000 != a {
		return dst, false
	}
	if v < 0 {
		dst = append(dst, '-')
	}
	whole, thousandths := n/1000, n%1000
	dst = append(decimal.AppendUint(dst, whole), '.')
	switch {
	case thousandths%100 == 0:
		return append(dst, '0'+byte(thousandths/100)), true
	case thousandths%10 == 0:
		return decimal.AppendPadded(dst, thousandths/10, 2), true
	}
	return decimal.AppendPadded(dst, thousandths, 3), true
}

// shortest16 returns the decimal with the fewest digits that the float16 v is nearest to.
func shortest16(v float64) float64 {
	want := half.From64(v)
	for precision := range 5 {
		s := strconv.FormatFloat(v, 'e', precision, 64)
		if f, err := strconv.ParseFloat(s, 64); err == nil && half.From64(f) == want {
			return f
		}
	}
	return v
}

// ParseFloat reads a decimal float with blanks around it, "inf", "infinity" or "nan" in any case, with or without a sign.
// A number beyond the float's range is an infinity, as it is in Python; a NaN has the bits it has there.
//
// Errors: [colstore.ErrValue].
func ParseFloat(s string) (float64, error) {
	trimmed := trim(s)
	for i := range len(trimmed) {
		// strconv also takes hexadecimal and underscores.
		if c := trimmed[i]; c == 'x' || c == 'X' || c == '_' || c == 'p' || c == 'P' {
			return 0, notA("number", s)
		}
	}
	if word := strings.TrimLeft(trimmed, "+-"); len(word) >= len(trimmed)-1 && strings.EqualFold(word, "nan") {
		// Go's own NaN has another payload, and strconv takes no sign here.
		v := math.Float64frombits(0x7ff8 << 48)
		if trimmed[0] == '-' {
			v = math.Copysign(v, -1)
		}
		return v, nil
	}
	v, err := strconv.ParseFloat(trimmed, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, notA("number", s)
	}
	return v, nil
}

// ParseInt reads a decimal integer of the given number of bits with blanks around it.
//
// Errors: [colstore.ErrValue].
func ParseInt(s string, bits int) (int64, error) {
	v, err := strconv.ParseInt(trim(s), 10, bits)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%w: %q does not fit int%d", colstore.ErrValue, Clip(s), bits)
	}
	if err != nil {
		return 0, notA("whole number", s)
	}
	return v, nil
}

// ParseUint is [ParseInt] for unsigned integers.
func ParseUint(s string, bits int) (uint64, error) {
	trimmed := trim(s)
	if len(trimmed) > 1 && trimmed[0] == '+' {
		trimmed = trimmed[1:]
	}
	v, err := strconv.ParseUint(trimmed, 10, bits)
	if errors.Is(err, strconv.ErrRange) || err != nil && isNegative(trimmed) {
		return 0, fmt.Errorf("%w: %q does not fit uint%d", colstore.ErrValue, Clip(s), bits)
	}
	if err != nil {
		return 0, notA("whole number", s)
	}
	return v, nil
}

func isNegative(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	return len(s) > 1 && s[0] == '-' && (err == nil || errors.Is(err, strconv.ErrRange))
}

func notA(what, s string) error {
	return fmt.Errorf("%w: %q is not a %s", colstore.ErrValue, Clip(s), what)
}

// trim removes the ASCII blanks Python strips from a number.
func trim(s string) string {
	for s != "" && isBlank(s[0]) {
		s = s[1:]
	}
	for s != "" && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
