package query

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// number reads a whole number or a float that begins at l.at.
func (l *lexer) number() (token, error) {
	begin := l.at
	if base := radix(l.text[begin:]); base != 10 {
		end := begin + 2
		if l.charAt(end) == '_' { // 0x_ff is fine
			end++
		}
		end = l.digits(end, base)
		if isDigitOf(l.text[end-1], base) && !l.nameGoesOn(end) {
			return l.whole(begin+2, end, base)
		}
		return token{}, l.badNumber(end)
	}

	end, isFloat := l.digits(begin, 10), false
	if l.charAt(end) == '.' {
		isFloat = true
		end = l.digits(end+1, 10)
	}
	if c := l.charAt(end); c == 'e' || c == 'E' {
		sign := end + 1
		if c := l.charAt(sign); c == '+' || c == '-' {
			sign++
		}
		if isDigit(l.charAt(sign)) {
			isFloat = true
			end = l.digits(sign, 10)
		}
	}
	if l.nameGoesOn(end) {
		return token{}, l.badNumber(end)
	}
	if !isFloat {
		if digits := l.text[begin:end]; digits[0] == '0' && strings.Trim(digits, "0_") != "" {
			return token{}, l.fail(begin, end, "a number has no leading zeros; write %s",
				clip(strings.TrimLeft(digits, "0_")))
		}
		return l.whole(begin, end, 10)
	}
	l.at = end
	// The only error is that the number is out of range, and then the value is an infinity, as it should be.
	value, _ := strconv.ParseFloat(strings.ReplaceAll(l.text[begin:end], "_", ""), 64)
	return token{kind: tokFloat, begin: begin, float: value}, nil
}

// whole returns the token of a whole number, whose digits are text[first:end].
func (l *lexer) whole(first, end, base int) (token, error) {
	begin := l.at
	digits := strings.ReplaceAll(l.text[first:end], "_", "")
	if len(digits) > maxDigits {
		return token{}, l.fail(begin, end, "the number has %d digits, more than %d; write it as a float",
			len(digits), maxDigits)
	}
	l.at = end
	value, _ := new(big.Int).SetString(digits, base) // the digits were checked
	return token{kind: tokInt, begin: begin, whole: value}, nil
}

// digits returns the end of the digits from at on, with single underscores between them.
func (l *lexer) digits(at, base int) (end int) {
	for isDigitOf(l.charAt(at), base) {
		at++
		if l.charAt(at) == '_' && isDigitOf(l.charAt(at+1), base) {
			at++
		}
	}
	return at
}

// badNumber says what is wrong with a number that was read up to end, and has no digit there or runs into a name.
func (l *lexer) badNumber(end int) error {
	begin := l.at
	stop := end + nameTail(l.text[end:])
	rest, all, base := l.text[end:stop], l.text[begin:stop], radix(l.text[begin:])
	switch {
	case words[rest] != 0:
		return l.fail(end, stop, "a blank is missing before %s; add it", rest)
	case strings.HasSuffix(all, "_") || strings.Contains(all, "__") || strings.Contains(all, "._"):
		return l.fail(begin, stop, "an underscore of %s is not between two digits; remove it", brief(all))
	case base != 10 && len(all) == 2:
		return l.fail(begin, stop, "%s has no digits; add them", brief(all))
	case base != 10:
		return l.fail(begin, stop, "%s has a digit that base %d does not have; correct it", brief(all), base)
	case rest == "j" || rest == "J":
		return l.fail(begin, stop, "there are no complex numbers; remove the %s", rest)
	case rest == "e" || rest == "E":
		return l.fail(begin, stop, "the exponent of %s has no digits; add them", brief(all))
	}
	return l.fail(begin, stop, "%s is neither a number nor a name; if a column is called so, write it in back-quotes",
		brief(all))
}

// nameGoesOn tells whether the character at the byte at could be part of a name.
func (l *lexer) nameGoesOn(at int) bool {
	return nameTail(l.text[at:min(len(l.text), at+utf8.UTFMax)]) > 0
}

// charAt returns a byte, NUL at the end of the text.
func (l *lexer) charAt(at int) byte {
	if at < len(l.text) {
		return l.text[at]
	}
	return 0
}

// radix returns the base that the prefix of a number announces.
func radix(s string) int {
	if len(s) > 1 && s[0] == '0' {
		switch s[1] | 0x20 {
		case 'x':
			return 16
		case 'o':
			return 8
		case 'b':
			return 2
		}
	}
	return 10
}

func isDigitOf(c byte, base int) bool {
	switch {
	case base == 16 && c|0x20 >= 'a' && c|0x20 <= 'f':
		return true
	case base < 10:
		return c >= '0' && int(c-'0') < base
	}
	return isDigit(c)
}
