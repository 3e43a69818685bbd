package query_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/internal/query"
)

// Nothing of a text is passed over: without any of its tokens, or with one more, it is another tree or none. Brackets are held by
// TestPrintNeedsItsBrackets.
func TestEveryTokenCounts(t *testing.T) {
	more := []string{
		"[1]", "[", "]", "{}", "(1)", ".x", ".", "..", "...", ":", ";", "=", ":=", "==", "!", "?", "$", "@", "@a", "a", "`a`", "1", "1.5", "'s'", "b's'", "''",
		"if", "else", "is", "for", "lambda", "and", "or", "not", "in", "True", "None", "+", "~", "*", "**", "/", "%", "&", "|", "<", "<<", "->", ",", "\\",
	}
	rapid.Check(t, func(t *rapid.T) {
		n := trees(leaves(), 3).Draw(t, "tree")
		text := query.Print(n)
		spans := query.Tokens(text)
		differs := func(other, what string, at int) {
			if back, err := query.Parse(other); err == nil && cmp.Equal(n, back, same) {
				t.Fatalf("%s is %s %s at %d", other, text, what, at)
			}
		}
		for _, s := range spans {
			if token := text[s[0]:s[1]]; !strings.Contains("()", token) {
				differs(text[:s[0]]+" "+text[s[1]:], "without "+token, s[0])
			}
		}
		at := len(text)
		if i := rapid.IntRange(0, len(spans)).Draw(t, "place"); i < len(spans) {
			at = spans[i][0]
		}
		// An empty text beside another is nothing, and a comma may end a list or the whole.
		before, after := strings.TrimSpace(text[:at]), text[at:]
		beside := strings.HasSuffix(before, "'") || strings.HasSuffix(before, `"`) || strings.HasPrefix(after, "'") || strings.HasPrefix(after, `"`)
		ends := after == "" || strings.HasPrefix(after, ")") || strings.HasPrefix(after, "]")
		for _, token := range more {
			if !(token == "''" && beside) && !(token == "," && ends) {
				differs(before+" "+token+" "+after, "with "+token, at)
			}
		}
	})
}
