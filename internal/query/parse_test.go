package query_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/internal/query"
)

// TestTrees has one case for every construct: its tree, then its canonical text where that is another.
func TestTrees(t *testing.T) {
	cases(t, "testdata/trees.txt", func(text string) string {
		n, err := query.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			return err.Error()
		}
		answer := tree(n)
		if p := query.Print(n); p != text {
			answer += "\n" + p
		}
		return answer
	})
}

// Blanks, remarks, line breaks and escapes that a golden text would not show.
func TestBlanks(t *testing.T) {
	tests := []struct{ text, want string }{
		{"  \t\fa", "a"},
		{"\n\r\n # remark\n a", "a"},
		{"a \t\f\n", "a"},
		{"a\r\n\r\n  # remark\n\t\n ", "a"},
		{"a # remark", "a"},
		{"a # 'not a text\\", "a"},
		{"\\\na \\\r\n + \\\r b", "(+ a b)"},
		{"a+\\\nb\n", "(+ a b)"},
		{"(a # one\n\n + \r\n b) # two", "(+ a b)"},
		{"[a,\n # none\n b,\n]", "(list a b)"},
		{"f(\n)", "(call f)"},
		{"a not\\\nin b", `(compare a "not in" b)`},
		{"(a not # remark\n in b)", `(compare a "not in" b)`},
		{"'''a\r\nb\rc\nd'''", `"a\nb\nc\nd"`},
		{"'a\\\r\nb\\\nc'", `"abc"`},
		{"r'a\\\r\nb'", `"a\\\nb"`},
		{"`a\r\nb`", "`\"a\\r\\nb\""},
		{"'a\tb\x01\x7f'", `"a\tb\x01\x7f"`},
		{"'\uFFFD'", `"\ufffd"`},
	}
	for _, c := range tests {
		n, err := query.Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := tree(n); got != c.want {
			t.Errorf("%q parses to %s, want %s", c.text, got, c.want)
		}
	}
}

// TestFixtures parses the texts that were given to the Python package.
func TestFixtures(t *testing.T) {
	// The reasons for which the Python package refuses a text that is a tree here; whoever gives it a meaning refuses
	// it, or has one for it.
	meaning := []string{
		"unknown name", "no column", "a list holding a column", "not a boolean", "undefined parameter",
		"left of 'in'", "list members", "function call", "same rules", "syntax: leading white space",
	}
	n := 0
	for _, c := range golden.Load(t).Cases {
		refused := false
		switch c.Kind {
		case "query_error":
			refused = true
			for _, m := range meaning {
				refused = refused && !strings.HasPrefix(c.Reason, m)
			}
		case "query", "value", "value_error", "type_error":
		default:
			continue
		}
		n++
		if _, err := query.Parse(c.Expr); (err != nil) != refused {
			t.Errorf("%q (%s %s): %v", c.Expr, c.Kind, c.Reason, err)
		}
	}
	if n < 300 {
		t.Errorf("only %d texts", n)
	}
}

// TestSpans cuts every node out of the text: alone in brackets it is the same node, and without blanks around.
func TestSpans(t *testing.T) {
	list := append(texts(t, "testdata/trees.txt"), "(a # one\n\n + \r\n (b)) * c", "\n ( a , ) # x\n", " `a`  in ( 1 , 2 ) ,")
	for _, text := range list {
		n, err := query.Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		spans(t, text, n)
	}
}

func spans(t *testing.T, text string, n query.Node) {
	t.Helper()
	begin, end := n.Span()
	cut := text[begin:end]
	if strings.Trim(cut, " \t\r\n") != cut {
		t.Errorf("%q: the span of %s is %q", text, tree(n), cut)
	}
	alone, err := query.Parse("(" + cut + ")")
	if err != nil {
		t.Errorf("%q: %q: %v", text, cut, err)
		return
	}
	if diff := cmp.Diff(n, alone, same); diff != "" {
		t.Errorf("%q: %q is another node:\n%s", text, cut, diff)
	}
	if call, ok := n.(*query.Call); ok {
		if f := text[call.FuncSpan.Begin:call.FuncSpan.End]; f != call.Func {
			t.Errorf("%q: the function %s has the span %q", text, call.Func, f)
		}
	}
	for _, c := range children(n) {
		if b, e := c.Span(); b < begin || e > end {
			t.Errorf("%q: %s is not within %q", text, tree(c), cut)
		}
		spans(t, text, c)
	}
}

// Brackets belong to the node that holds the bracketed one, as they do in Python.
func TestSpanOfBrackets(t *testing.T) {
	n, err := query.Parse(" (a + b) * (c) ")
	if err != nil {
		t.Fatal(err)
	}
	product := n.(*query.Binary)
	got := []query.Pos{product.Pos, product.X.(*query.Binary).Pos, product.Y.(*query.Name).Pos}
	if diff := cmp.Diff([]query.Pos{{1, 14}, {2, 7}, {12, 13}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestBounds holds the limits: what reaches one parses and prints, one more is refused, and texts made to cost much
// time or stack end soon.
func TestBounds(t *testing.T) {
	const size = 1 << 20
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	wrap := func(n int, left, middle, right string) string {
		return strings.Repeat(left, n) + middle + strings.Repeat(right, n)
	}
	deep, many := "nested deeper than 200 levels", "more than 10000 arithmetic operators"
	tests := []struct{ name, text, msg string }{
		{"brackets", wrap(200, "(", "a", ")"), ""},
		{"brackets too many", wrap(201, "(", "a", ")"), deep},
		{"lists", wrap(200, "[", "a", "]"), ""},
		{"lists too many", wrap(201, "[", "a", "]"), deep},
		{"calls", wrap(200, "f(", "a", ")"), ""},
		{"calls too many", wrap(201, "f(", "a", ")"), deep},
		{"tuples", wrap(200, "(", "a", ",)") + ",", ""},
		{"signs", wrap(200, "-", "a", ""), ""},
		{"signs too many", wrap(201, "-", "a", ""), deep},
		{"not", wrap(201, "not ", "a", ""), deep},
		{"powers", wrap(200, "2**", "a", ""), ""},
		{"powers too many", wrap(201, "2**", "a", ""), deep},
		{"sum", "a" + wrap(10_000, "+a", "", ""), ""},
		{"sum too long", "a" + wrap(10_001, "+a", "", ""), many},
		{"digits", wrap(4096, "9", "", ""), ""},
		{"digits too many", wrap(4097, "9", "", ""), "the number has 4097 digits, more than 4096"},
		{"hexadecimal digits too many", "0x" + wrap(4097, "f", "", ""), "the number has 4097 digits, more than 4096"},
		{"digits and underscores", "1" + wrap(4095, "_1", "", ""), ""},
		{"text", "'" + strings.Repeat("a", size-2) + "'", ""},
		{"text too long", "'" + strings.Repeat("a", size-1) + "'", "has 1048577 bytes, more than 1048576"},
		{"list", "x in [" + strings.Repeat("1,", size/2-10) + "]", ""},
		{"or", strings.Repeat("a or ", size/5-1) + "a", ""},
		{"chain", strings.Repeat("a<", size/2-1) + "a", ""},
		{"texts", fill("'a' "), ""},
		{"remarks", fill("#\n"), "the expression is empty"},
		{"open brackets", fill("("), deep},
		{"open calls", fill("f("), deep},
		{"back-quotes", fill("`"), ""},
		{"open back-quotes", fill("`")[1:], "this name is not closed"},
		{"line ends", fill("\\\n"), `no line follows this \`},
		{"quotes", fill("'"), "this text is not closed"},
		{"names", fill("a"), ""},
		{"names without operator", fill("a "), "an operator is missing before a"},
		{"digits of a float", strings.Repeat("9", size-2) + ".5", ""},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n, err := query.Parse(c.text)
			if c.msg == "" {
				if err != nil {
					t.Fatal(err)
				}
				if canonical := query.Print(n); len(canonical) <= size {
					if _, err := query.Parse(canonical); err != nil {
						t.Error(err)
					}
				}
				return
			}
			var e *query.Error
			if !errors.As(err, &e) || !strings.Contains(e.Msg, c.msg) {
				t.Fatalf("got %v, want %q", err, c.msg)
			}
			if caret := e.Caret(); len(caret) > 1000 || len(e.Error()) > 300 {
				t.Errorf("%v takes %d bytes to show", e, len(caret))
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	tests := []struct{ name, text string }{
		{"cut", "pt > @cut and abs(eta) < 2.5 and region in ['SR', 'CR'] or not (0.1 < iso <= 0.2)"},
		{"list", "run in [" + strings.Repeat("123456, ", 10_000) + "]"},
	}
	for _, c := range tests {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := query.Parse(c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
