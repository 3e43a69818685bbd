package query_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/colstore/colstore-go/internal/query"
)

// TestErrors has one case for every refusal: the message, and the mark under the text.
func TestErrors(t *testing.T) {
	cases(t, "testdata/errors.txt", func(text string) string {
		n, err := query.Parse(text)
		var e *query.Error
		if !errors.As(err, &e) {
			t.Errorf("%q parses to %s, %v", text, tree(n), err)
			return ""
		}
		if e.Text != text {
			t.Errorf("the error of %q has the text %q", text, e.Text)
		}
		var caret strings.Builder // a line that is empty would end the case
		for line := range strings.Lines(e.Caret()) {
			caret.WriteString("|" + line)
		}
		return e.Error() + "\n" + caret.String()
	})
}

// Texts that a golden text cannot hold, by the offsets of the error.
func TestErrorOffsets(t *testing.T) {
	tests := []struct {
		text       string
		begin, end int
		msg        string
	}{
		{"", 0, 0, "the expression is empty; write a condition or a value"},
		{" \n# remark\n", 0, 0, "the expression is empty; write a condition or a value"},
		{"a > 'x\x00'", 6, 7, `the expression holds a NUL byte; remove it, or write \x00 inside a text`},
		{"a # \x00", 4, 5, `the expression holds a NUL byte; remove it, or write \x00 inside a text`},
		{"a > '\xff'", 5, 6, "the byte 0xff is not UTF-8; save the expression as UTF-8"},
		{"`\xe9`", 1, 2, "the byte 0xe9 is not UTF-8; save the expression as UTF-8"},
		{"a\xed\xa0\x80", 1, 2, "the byte 0xed is not UTF-8; save the expression as UTF-8"},
		{"\ufeffa > 1", 0, 3, "the invisible character U+FEFF is not allowed; remove it"},
		{"a > \u200b1", 4, 7, "the invisible character U+200B is not allowed; remove it"},
		{"a\u00a0> 1", 1, 3, "the blank U+00A0 is not allowed; use a plain one"},
		{"a\v> 1", 1, 2, "the blank U+000B is not allowed; use a plain one"},
		{"a \x1b[1m", 2, 3, "the invisible character U+001B is not allowed; remove it"},
		{"'\\\x07'", 1, 3, "there is no escape \\\uFFFD; write \\\\\uFFFD, or put r before the text"},
		{"é > é = 1", 8, 9, "use == to compare"},
		{"a\r\n> 1", 1, 2, `the expression goes on after the end of its line; put it in brackets, or end the line with \`},
		{"a\n\n\n> 1", 1, 2, `the expression goes on after the end of its line; put it in brackets, or end the line with \`},
		{"a \\", 2, 3, `a \ outside of a text may only end a line; remove it`},
		{"a \\\n", 2, 3, `no line follows this \; remove it`},
		{"a \\ \n+ 1", 2, 3, `a \ outside of a text may only end a line; remove it`},
		{"'a\nb'", 0, 1, "this text is not closed on its line; add a '"},
		{"'a\\\n", 0, 1, "this text is not closed on its line; add a '"},
		{"'a\\", 0, 1, "this text is not closed on its line; add a '"},
		{"r'a\\", 0, 2, "this text is not closed on its line; add a '"},
		{"b\"\"\"a\r", 0, 4, `this text is not closed; add """`},
		{"a >  \n ", 2, 3, "a value is missing after >; add it"},
		{"b'\ue5e5'", 2, 5, `bytes hold ASCII characters only; write \xee\x97\xa5 instead`},
		{
			"a " + strings.Repeat("é", 60) + "\n", 2, 122,
			"an operator is missing before " + strings.Repeat("é", 40) + "…; add it",
		},
		{"a '\x1b'", 2, 5, "an operator is missing before '\uFFFD'; add it"},
		{"(a is\nnot b)", 3, 9, "use != instead of is not"},
	}
	for _, c := range tests {
		n, err := query.Parse(c.text)
		var e *query.Error
		if !errors.As(err, &e) {
			t.Errorf("%q parses to %s, %v", c.text, tree(n), err)
			continue
		}
		if e.Offset != c.begin || e.End != c.end || e.Msg != c.msg {
			t.Errorf("%q is refused at %d to %d: %s", c.text, e.Offset, e.End, e.Msg)
		}
	}
}

// Every word of Python that has no use is refused as an operand and as an operator.
func TestReservedWords(t *testing.T) {
	for word := range strings.FieldsSeq(`as assert async await break class continue def del elif else except finally for
		from global if import is lambda nonlocal pass raise return try while with yield`) {
		for _, text := range []string{word, "a > " + word, "a " + word + " b", "f(" + word + ")"} {
			if n, err := query.Parse(text); err == nil {
				t.Errorf("%q parses to %s", text, tree(n))
			}
		}
		if n, err := query.Parse("`" + word + "` > 1"); err != nil {
			t.Error(err)
		} else if got := query.Print(n); got != "`"+word+"` > 1" {
			t.Errorf("the name %s prints %s", word, got)
		}
	}
}

func TestErrorText(t *testing.T) {
	tests := []struct {
		e    query.Error
		want string
	}{
		{query.Error{Text: "ab", Offset: 1, End: 2, Msg: "m"}, "at column 2: m"},
		{query.Error{Text: "aé名b", Offset: 6, End: 7, Msg: "m"}, "at column 4: m"},
		{query.Error{Text: "a\nb\r\nc\rd", Offset: 7, End: 8, Msg: "m"}, "at line 4, column 1: m"},
		{query.Error{Text: "a", Offset: 9, End: 3, Msg: "m"}, "at column 2: m"},
	}
	for _, c := range tests {
		if got := c.e.Error(); got != c.want {
			t.Errorf("%+v prints %q, want %q", c.e, got, c.want)
		}
	}
}

func TestCaret(t *testing.T) {
	long := strings.Repeat("é", 500)
	tests := []struct {
		e    query.Error
		want string
	}{
		{query.Error{Text: "a = b", Offset: 2, End: 3}, "a = b\n  ^"},
		{query.Error{Text: "a", Offset: 1, End: 1}, "a\n ^"},
		{query.Error{Text: "", Offset: 0, End: 0}, "\n^"},
		{query.Error{Text: "a", Offset: 7, End: 2}, "a\n ^"},
		{query.Error{Text: "\té\tx = 1", Offset: 6, End: 7}, "\té\tx = 1\n\t \t  ^"},
		{query.Error{Text: "名 é == 1", Offset: 4, End: 6}, "名 é == 1\n  ^"},
		{query.Error{Text: "one\r\ntwo three\nfour", Offset: 9, End: 18}, "two three\n    ^^^^^"},
		{query.Error{Text: "a\xff\x1b", Offset: 1, End: 3}, "a\uFFFD\uFFFD\n ^^"},
		{query.Error{Text: "a " + long, Offset: 0, End: 1}, "a " + long[:236] + "…\n^"},
		{query.Error{Text: long + " b", Offset: 1001, End: 1002}, "…" + long[:98] + " b\n" + strings.Repeat(" ", 51) + "^"},
		{query.Error{Text: long, Offset: 0, End: 1000}, long[:100] + "…\n" + strings.Repeat("^", 51)},
	}
	for _, c := range tests {
		if got := c.e.Caret(); got != c.want {
			t.Errorf("%q at %d to %d shows\n%s\nwant\n%s", c.e.Text, c.e.Offset, c.e.End, got, c.want)
		}
	}
}

// checkError holds what is true of every error.
func checkError(t *testing.T, text string, err error) {
	t.Helper()
	var e *query.Error
	if !errors.As(err, &e) {
		t.Fatalf("%q: %T", text, err)
	}
	if e.Offset < 0 || e.End < e.Offset || e.End > len(text) || e.Msg == "" || unicode.IsUpper(rune(e.Msg[0])) {
		t.Fatalf("%q: %d to %d: %q", text, e.Offset, e.End, e.Msg)
	}
	for _, s := range []string{e.Error(), e.Caret()} {
		if strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }) {
			t.Fatalf("%q: %q does not print", text, s)
		}
	}
}
