package query

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// literal reads a text or bytes literal that begins at begin with a prefix, maybe empty, and at l.at with its quote.
func (l *lexer) literal(begin int) (token, error) {
	prefix := strings.ToLower(l.text[begin:l.at])
	quote := l.text[l.at : l.at+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(l.text[l.at:], triple) {
		quote = triple
	}
	body := l.at + len(quote)
	raw, kind := false, tokText
	switch prefix {
	case "", "u":
	case "r":
		raw = true
	case "b":
		kind = tokBytes
	case "br", "rb":
		raw, kind = true, tokBytes
	case "f", "fr", "rf":
		return token{}, l.fail(begin, body, "there are no f-texts; pass the text as a parameter, @name")
	default:
		return token{}, l.fail(begin, body, "%s is no prefix of a text; remove it, or write r, u, b or br",
			brief(l.text[begin:l.at]))
	}

	var value strings.Builder
	for at := body; ; {
		// Up to here, a run of characters that stand for themselves.
		n := strings.IndexAny(l.text[at:], "\\\r\n"+quote[:1])
		run := l.text[at:]
		if n >= 0 {
			run = run[:n]
		}
		if kind == tokBytes {
			if i := strings.IndexFunc(run, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
				_, size := utf8.DecodeRuneInString(run[i:])
				return token{}, l.fail(at+i, at+i+size, "bytes hold ASCII characters only; write %s instead",
					escapedBytes(run[i:i+size]))
			}
		}
		value.WriteString(run)
		at += len(run)
		if n < 0 {
			return token{}, l.unclosed(begin, body, quote)
		}

		switch rest := l.text[at:]; rest[0] {
		case '\\':
			size, err := l.escape(&value, at, kind, raw)
			if err != nil {
				return token{}, err
			}
			at += size
		case '\n', '\r':
			if len(quote) == 1 {
				return token{}, l.unclosed(begin, body, quote)
			}
			value.WriteByte('\n') // however the file spells its line breaks
			at += lineBreak(rest)
		default:
			if strings.HasPrefix(rest, quote) {
				l.at = at + len(quote)
				return token{kind: kind, begin: begin, value: value.String()}, nil
			}
			value.WriteByte(rest[0])
			at++
		}
	}
}

// unclosed returns the error of a text whose opening quote is text[...:body].
func (l *lexer) unclosed(begin, body int, quote string) error {
	if len(quote) == 1 {
		return l.fail(begin, body, "this text is not closed on its line; add a %s", quote)
	}
	return l.fail(begin, body, "this text is not closed; add %s", quote)
}

// escape writes what the backslash at the byte at and the characters after it stand for, and returns how many bytes
// they are.
func (l *lexer) escape(value *strings.Builder, at int, kind kind, raw bool) (size int, err error) {
	after := l.text[at+1:]
	if n := lineBreak(after); n > 0 {
		if raw {
			value.WriteString("\\\n")
		}
		return 1 + n, nil
	}
	if after == "" { // the caller finds the text not closed
		return 1, nil
	}
	r, width := utf8.DecodeRuneInString(after)
	if raw {
		if kind == tokBytes && r >= utf8.RuneSelf { // refused as any other character of bytes
			width = 0
		}
		value.WriteByte('\\')
		value.WriteString(after[:width])
		return 1 + width, nil
	}
	if simple, ok := escapes[r]; ok {
		value.WriteByte(simple)
		return 1 + width, nil
	}
	if r >= '0' && r <= '7' {
		return l.octal(value, at, kind)
	}
	if digits := hexDigits(r, kind); digits > 0 {
		return l.hex(value, at, digits, kind)
	}
	switch {
	case kind == tokText && r == 'N':
		return 0, l.fail(at, at+2, `there are no characters by name; write the character itself, or \u and 4 digits`)
	case kind == tokBytes && (r == 'u' || r == 'U' || r == 'N'):
		return 0, l.fail(at, at+2, `bytes have no escape \%c; write \x and 2 digits for each byte`, r)
	}
	shown := clip(after[:width])
	return 0, l.fail(at, at+1+width, `there is no escape \%s; write \\%s, or put r before the text`, shown, shown)
}

// escapes are the characters behind a backslash that stand for another one.
var escapes = map[rune]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// hexDigits returns how many digits follow \r, or 0 if r begins no such escape.
func hexDigits(r rune, kind kind) int {
	switch {
	case r == 'x':
		return 2
	case r == 'u' && kind == tokText:
		return 4
	case r == 'U' && kind == tokText:
		return 8
	}
	return 0
}

// octal reads \1, \12 or \123.
func (l *lexer) octal(value *strings.Builder, at int, kind kind) (size int, err error) {
	code := rune(0)
	for size = 1; size <= 3; size++ {
		c := l.charAt(at + size)
		if !isDigitOf(c, 8) {
			break
		}
		code = code<<3 | rune(c-'0')
	}
	if code > 0xff {
		return 0, l.fail(at, at+size, `the octal escape \%o is above \377; write \u%04x`, code, code)
	}
	writeCode(value, code, kind)
	return size, nil
}

// hex reads \x, \u or \U with its digits.
func (l *lexer) hex(value *strings.Builder, at, digits int, kind kind) (size int, err error) {
	letter := l.text[at+1]
	end := at + 2
	for end < at+2+digits && isDigitOf(l.charAt(end), 16) {
		end++
	}
	if end < at+2+digits {
		return 0, l.fail(at, end, `the escape \%c takes %d hexadecimal digits; add those that are missing`, letter, digits)
	}
	code, _ := strconv.ParseUint(l.text[at+2:end], 16, 32) // the digits were checked
	switch {
	case code > utf8.MaxRune:
		return 0, l.fail(at, end, `there is no character beyond \U0010ffff; correct the digits`)
	case kind == tokText && !utf8.ValidRune(rune(code)):
		return 0, l.fail(at, end, `%s is half of a surrogate pair and no character; write \U and 8 digits`, l.text[at:end])
	}
	writeCode(value, rune(code), kind)
	return end - at, nil
}

// writeCode writes a code as the character or as the byte that it stands for.
func writeCode(value *strings.Builder, code rune, kind kind) {
	if kind == tokBytes {
		value.WriteByte(byte(code))
		return
	}
	value.WriteRune(code)
}

// escapedBytes spells every byte of s as \xhh.
func escapedBytes(s string) string {
	var b strings.Builder
	for i := range len(s) {
		const hex = "0123456789abcdef"
		b.WriteString(`\x`)
		b.WriteByte(hex[s[i]>>4])
		b.WriteByte(hex[s[i]&0xf])
	}
	return b.String()
}
