package json

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/internal/text"
)

// A column that is declared takes more spellings of its values than the one by which a column of its dtype is found: a number
// may be text, as it is in CSV, and a whole number may have a fraction of zeros or an exponent, since JSON has one kind of
// number. What does not fit is refused, never cut or wrapped.

// plainText returns a text without escapes. Half of a surrogate pair is left as it is spelled: it is no value of any dtype
// but text.
func plainText(p []byte, c *cell) []byte {
	word := p[c.lo:c.hi]
	if c.kind != kindEscaped {
		return word
	}
	plain, ok := unescape(make([]byte, 0, len(word)), word)
	if !ok {
		return word
	}
	return plain
}

// mostDigits bounds the spelling of a whole number that is looked at as such: sign, 64 bits, a fraction of zeros.
const mostDigits = 64

// slowInt reads a whole number in any spelling but the plain one of few digits.
func slowInt(p []byte, c *cell) (int64, bool) {
	word, ok := wholeNumber(p, c)
	if !ok {
		return 0, false
	}
	v, err := text.ParseInt(word, 64)
	return v, err == nil
}

// slowUint is [slowInt] for unsigned numbers.
func slowUint(p []byte, c *cell) (uint64, bool) {
	word, ok := wholeNumber(p, c)
	switch {
	case !ok:
		return 0, false
	case word == "-0":
		return 0, true
	}
	v, err := text.ParseUint(word, 64)
	return v, err == nil
}

// slowBool reads a bool that is neither true nor false: 1 and 0, and what package text reads.
func slowBool(p []byte, c *cell) (uint8, bool) {
	const longest = 16 // more than any word has with a few blanks
	if c.kind == kindInt || c.kind == kindText || c.kind == kindEscaped {
		if word := plainText(p, c); len(word) <= longest {
			s, err := text.ParseScalar(colstore.Bool, string(word))
			if err == nil {
				return s.Cell().At(0)[0], true
			}
		}
	}
	return 0, false
}

// wholeNumber returns a number as digits with or without a sign; true and false are 1 and 0.
func wholeNumber(p []byte, c *cell) (string, bool) {
	switch c.kind {
	case kindTrue:
		return "1", true
	case kindFalse:
		return "0", true
	case kindInt:
		return string(p[c.lo:c.hi]), true
	case kindText, kindEscaped:
		word := plainText(p, c)
		return string(word[:min(len(word), mostDigits)]), len(word) <= mostDigits
	case kindFloat:
		return withoutFraction(string(p[c.lo:min(c.hi, c.lo+mostDigits+1)]))
	}
	return "", false
}

// withoutFraction spells a number that has a point or an exponent with neither, if it is whole and not much longer than 64
// bits are.
func withoutFraction(number string) (string, bool) {
	if len(number) > mostDigits {
		return "", false
	}
	mantissa, power, _ := strings.Cut(strings.ToLower(number), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent := 0
	if power != "" {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			return "", false
		}
	}
	fraction = strings.TrimRight(fraction, "0")
	digits, exponent := whole+fraction, exponent-len(fraction)
	for exponent < 0 && strings.HasSuffix(digits, "0") {
		digits, exponent = digits[:len(digits)-1], exponent+1
	}
	if zero := strings.Trim(digits, "-0") == ""; zero {
		return strings.TrimRight(digits, "0") + "0", true
	}
	if exponent < 0 || exponent > mostDigits {
		return "", false
	}
	return digits + strings.Repeat("0", exponent), true
}

// spelledNumber returns text, true or false as a number for a float, spelled as JSON has them.
func spelledNumber(p []byte, c *cell) ([]byte, bool) {
	switch c.kind {
	case kindTrue:
		return []byte("1"), true
	case kindFalse:
		return []byte("0"), true
	case kindText, kindEscaped:
		word := bytes.Trim(plainText(p, c), " \t\n\v\f\r")
		switch v, err := text.ParseFloat(string(word)); {
		case err != nil:
			return nil, false
		case math.IsNaN(v):
			return []byte("NaN"), true
		case math.IsInf(v, 0):
			return []byte(map[bool]string{false: "Infinity", true: "-Infinity"}[v < 0]), true
		}
		return word, true
	}
	return nil, false
}

// timeText reads a datetime as ISO 8601, a timedelta as ticks, and NaT.
func timeText(t colstore.DType, word string) (int64, bool) {
	switch {
	case word == "NaT":
		return colstore.NaT, true
	case t.Kind() == colstore.KindDatetime:
		return calendar.ParseFitting(word, t.Unit())
	}
	v, err := text.ParseInt(word, 64)
	return v, err == nil
}

// badValue returns why a value is none of dtype t.
func badValue(t colstore.DType, c *cell, p []byte) error {
	switch shown := text.Clip(p); {
	case c.kind >= kindList:
		return errors.New(kindNames[c.kind] + " has no place in a column")
	case t.IsString():
		return fmt.Errorf("%q is too long for %s", shown, t.Name())
	case t.Kind() == colstore.KindDatetime:
		return fmt.Errorf("%q is no date that %s can hold", shown, t.Name())
	case c.kind == kindText, c.kind == kindEscaped:
		return fmt.Errorf("%q is not %s", shown, t.Name())
	case c.kind == kindInt && t.Kind() != colstore.KindBool:
		return fmt.Errorf("%s does not fit %s", shown, t.Name())
	default:
		return fmt.Errorf("%s is not %s", shown, t.Name())
	}
}
