package query

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What a text may have at most; doc.go tells the user.
const (
	maxText      = 1 << 20
	maxDepth     = 200
	maxOperators = 10_000
	maxDigits    = 4096
)

// A lexer cuts a text that check has passed into tokens.
type lexer struct {
	text  string
	at    int   // the next byte to read
	open  []int // where the brackets stand that are not closed yet
	last  int   // where the last token ended
	begun bool  // a token was read
}

// check refuses texts that no later step should have to deal with.
func (l *lexer) check() error {
	if n := len(l.text); n > maxText {
		l.text = l.text[:maxText] // so that showing the error takes no more memory than showing another
		return l.fail(maxText, maxText, "the expression has %d bytes, more than %d; pass long lists as a parameter", n, maxText)
	}
	if i := strings.IndexByte(l.text, 0); i >= 0 {
		return l.fail(i, i+1, `the expression holds a NUL byte; remove it, or write \x00 inside a text`)
	}
	for i, r := range l.text {
		if r == utf8.RuneError && !strings.HasPrefix(l.text[i:], string(utf8.RuneError)) {
			return l.fail(i, i+1, "the byte 0x%02x is not UTF-8; save the expression as UTF-8", l.text[i])
		}
	}
	return nil
}

// fail returns the error for text[begin:end].
func (l *lexer) fail(begin, end int, format string, args ...any) error {
	return &Error{Text: l.text, Offset: begin, End: end, Msg: fmt.Sprintf(format, args...)}
}

// next returns the next token; after the last one it returns tokEnd, placed right behind the last.
func (l *lexer) next() (token, error) {
	broken, err := l.skip()
	if err != nil {
		return token{}, err
	}
	if l.at == len(l.text) {
		if n := len(l.open); n > 0 {
			i := l.open[n-1]
			return token{}, l.fail(i, i+1, "this %c is not closed; add a %c", l.text[i], closing(l.text[i]))
		}
		return token{kind: tokEnd, begin: l.last, end: l.last}, nil
	}
	if broken >= 0 {
		return token{}, l.fail(broken, broken+1,
			`the expression goes on after the end of its line; put it in brackets, or end the line with \`)
	}
	tok, err := l.scan()
	tok.end, l.last, l.begun = l.at, l.at, true
	return tok, err
}

// skip passes over blanks, remarks and line breaks. It returns where the first line break is that only the end of the
// text may follow, or -1.
func (l *lexer) skip() (broken int, err error) {
	broken = -1
	for l.at < len(l.text) {
		switch l.text[l.at] {
		case ' ', '\t', '\f':
			l.at++
		case '#':
			l.at = lineEnd(l.text, l.at)
		case '\n', '\r':
			if broken < 0 && l.begun && len(l.open) == 0 {
				broken = l.at
			}
			l.at++
		case '\\':
			n := lineBreak(l.text[l.at+1:])
			if n == 0 {
				return broken, l.fail(l.at, l.at+1, `a \ outside of a text may only end a line; remove it`)
			}
			if l.at+1+n == len(l.text) {
				return broken, l.fail(l.at, l.at+1, `no line follows this \; remove it`)
			}
			l.at += 1 + n
		default:
			return broken, nil
		}
	}
	return broken, nil
}

// lineBreak returns the bytes of the line break that s begins with, or 0.
func lineBreak(s string) int {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return 2
	case s != "" && (s[0] == '\n' || s[0] == '\r'):
		return 1
	}
	return 0
}

// scan reads the token that begins at l.at.
func (l *lexer) scan() (token, error) {
	begin := l.at
	c := l.text[begin]
	switch {
	case isDigit(c), c == '.' && begin+1 < len(l.text) && isDigit(l.text[begin+1]):
		return l.number()
	case c == '\'' || c == '"':
		return l.literal(begin)
	case c == '`':
		return l.quotedName()
	case c == '@':
		return l.param(), nil
	}
	if n := nameLen(l.text[begin:]); n > 0 {
		return l.word(n)
	}
	if c < utf8.RuneSelf {
		for _, op := range operators[c] {
			if strings.HasPrefix(l.text[begin:], op.text) {
				return l.operator(op)
			}
		}
	}
	return token{}, l.stray()
}

// operator reads op, and keeps account of the brackets.
func (l *lexer) operator(op operator) (token, error) {
	begin, end := l.at, l.at+len(op.text)
	if op.msg != "" {
		return token{}, l.fail(begin, end, "%s", op.msg)
	}
	switch op.kind {
	case tokLeftParen, tokLeftBracket:
		l.open = append(l.open, begin)
	case tokRightParen, tokRightBracket:
		n := len(l.open)
		if n == 0 {
			return token{}, l.fail(begin, end, "this %s closes nothing; remove it or open it", op.text)
		}
		if want := closing(l.text[l.open[n-1]]); want != op.text[0] {
			opener := &Error{Text: l.text, Offset: l.open[n-1]}
			return token{}, l.fail(begin, end, "this %s cannot close the %c at %s; write %c",
				op.text, l.text[opener.Offset], opener.place(), want)
		}
		l.open = l.open[:n-1]
	}
	l.at = end
	return token{kind: op.kind, begin: begin}, nil
}

func closing(open byte) byte {
	if open == '(' {
		return ')'
	}
	return ']'
}

// word reads a name or keyword of n bytes, or the text that it is the prefix of.
func (l *lexer) word(n int) (token, error) {
	begin := l.at
	l.at += n
	word := l.text[begin:l.at]
	kind, reserved := words[word]
	if !reserved {
		kind = tokName
		if l.at < len(l.text) && (l.text[l.at] == '\'' || l.text[l.at] == '"') {
			return l.literal(begin)
		}
	}
	return token{kind: kind, begin: begin, value: word}, nil
}

// quotedName reads a name in back-quotes. Every character but NUL may be in it, a line break too: columns have such
// names.
func (l *lexer) quotedName() (token, error) {
	begin := l.at
	var name strings.Builder
	for at := begin + 1; ; {
		n := strings.IndexByte(l.text[at:], '`')
		if n < 0 {
			return token{}, l.fail(begin, begin+1, "this name is not closed; add a `, and double those inside the name")
		}
		name.WriteString(l.text[at : at+n])
		at += n + 1
		if at == len(l.text) || l.text[at] != '`' {
			l.at = at
			return token{kind: tokQuoted, begin: begin, value: name.String()}, nil
		}
		name.WriteByte('`')
		at++
	}
}

// param reads @name, or the @ alone if no name touches it.
func (l *lexer) param() token {
	begin := l.at
	l.at++
	rest := l.text[l.at:]
	if rest == "" || !isASCIILetter(rest[0]) && rest[0] != '_' {
		return token{kind: tokAt, begin: begin}
	}
	n := strings.IndexFunc(rest, func(r rune) bool { return !continuesName(r) && !unicode.IsNumber(r) })
	if n < 0 {
		n = len(rest)
	}
	l.at += n
	return token{kind: tokParam, begin: begin, value: rest[:n]}
}

// stray returns the error for the character at l.at, which begins no token.
func (l *lexer) stray() error {
	r, size := utf8.DecodeRuneInString(l.text[l.at:])
	end := l.at + size
	if use, ok := lookalikes[r]; ok {
		return l.fail(l.at, end, "use %s instead of %c", use, r)
	}
	switch {
	case unicode.IsSpace(r):
		return l.fail(l.at, end, "the blank %U is not allowed; use a plain one", r)
	case !unicode.IsPrint(r):
		return l.fail(l.at, end, "the invisible character %U is not allowed; remove it", r)
	}
	return l.fail(l.at, end, "the character %c has no meaning; if a column has it in its name, back-quote the name", r)
}

// nameLen returns the bytes of the identifier that s begins with, or 0.
func nameLen(s string) int {
	if r, _ := utf8.DecodeRuneInString(s); !beginsName(r) {
		return 0
	}
	return nameTail(s)
}

// nameTail returns the bytes of the characters that s begins with and that may follow the first of an identifier.
func nameTail(s string) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !continuesName(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// beginsName is Unicode's ID_Start, and the underscore.
func beginsName(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || isASCIILetter(byte(r))
	}
	return unicode.IsLetter(r) && !unicode.Is(unicode.Pattern_Syntax, r) ||
		unicode.In(r, unicode.Nl, unicode.Other_ID_Start)
}

// continuesName is Unicode's ID_Continue.
func continuesName(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '_' || isASCIILetter(byte(r)) || isDigit(byte(r))
	}
	return beginsName(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// brief quotes what the user wrote, cut where it is long.
func brief(s string) string { return fmt.Sprintf("%q", clip(s)) }

// clip cuts what the user wrote where it is long and replaces what does not print, so that a message stays a line.
func clip(s string) string {
	const most = 40
	runes := printable(s[:min(len(s), utf8.UTFMax*(most+1))])
	if len(runes) > most {
		runes = append(runes[:most], '…')
	}
	return string(runes)
}
