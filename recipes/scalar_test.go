package recipes_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/recipes"
)

func TestScalarsAreFollowed(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, value, from string }{
		{"plain", "k: pt > 3", "pt > 3", "p t _ > _ 3"},
		{"plain folded", "k: a\n  b\n\n\n   c  # end", "a b\n\nc", "a _ b _ _ c"},
		{"plain in flow", "k: [x, a  b,c]", "a  b", "a _ _ b"},
		{"anchored", "k: &x pt", "pt", "p t"},
		{"anchored below", "k: &x # remark\n  pt", "pt", "p t"},
		{"single", "k: 'it''s'", "it's", "i t '' s"},
		{"single folded", "k: 'a \n\n  b'", "a\nb", "a _ b"},
		{"double", `k: "a\tb\x41\u00e9\"é"`, "a\tbAé\"é", `a \t b \x41 \u00e9 \" é`},
		{"double folded", "k: \"a  \n b\\\n   c\\\n\n d\"", "a bc\nd", "a _ b c _ d"},
		{"literal", "k: |\n  a\n   b\n\n  c\n", "a\n b\n\nc\n", "a _ _ b _ _ c _"},
		{"literal kept", "k: |+\n  a\n\n\n", "a\n\n\n", "a _ _ _"},
		{"literal indented", "k: |2-\n    a\n", "  a", "_ _ a"},
		{"folded", "k: >\n  a\n  b\n\n  c\n   d\n  e\n", "a b\nc\n d\ne\n", "a _ b _ c _ _ d _ e _"},
		{"folded stripped", "k: >-\n\n  a\n  b", "\na b", "_ a _ b"},
		{"carriage returns", "k: |\r\n  a\r\n  b\r\n", "a\nb\n", "a _ b _"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			values, parts := recipes.Scalars(c.text)
			i := slices.Index(values, c.value)
			if i < 0 {
				t.Fatalf("%q has no %q, only %q", c.text, c.value, values)
			}
			var got []string
			for j := range c.value {
				part := parts[i][j]
				if strings.TrimSpace(part) == "" {
					part = "_"
				}
				got = append(got, part)
			}
			if text := strings.Join(got, " "); text != c.from {
				t.Errorf("%q is from %q, want %q", c.value, text, c.from)
			}
		})
	}
}

// Whatever is written in quotes or in a block, the bytes of the value are found where they are written.
func TestScalarsAreFollowedAnywhere(t *testing.T) {
	t.Parallel()
	styles := []struct {
		name  string
		piece []string
		write func(pieces []string) string
	}{
		{
			"double",
			[]string{"a", " ", "é", `\"`, `\\`, `\n`, `\x41`, `\u00e9`, "\n  ", "\n\n ", "\\\n ", "\t", "'", "#", ": "},
			func(p []string) string { return `k: "` + strings.Join(p, "") + `"` },
		},
		{
			"single",
			[]string{"a", " ", "é", "''", `"`, `\`, "\n  ", "\n\n ", "\t", " #", ": "},
			func(p []string) string { return "k: '" + strings.Join(p, "") + "'" },
		},
		{
			"plain",
			[]string{"a", "b c", "é", "\n  ", "\n\n  ", "  ", "x", "'", "y"},
			func(p []string) string { return "k: s" + strings.Join(p, "") + "e" },
		},
		{
			"literal",
			[]string{"a", " ", "é", "\n  ", "\n\n  ", "\n   ", "# ", "'", "\t"},
			func(p []string) string { return "k: |\n  s" + strings.Join(p, "") },
		},
		{
			"folded",
			[]string{"a", " ", "é", "\n  ", "\n\n  ", "\n   ", "# ", "'", "\t"},
			func(p []string) string { return "k: >+\n  s" + strings.Join(p, "") },
		},
		{
			"indicated",
			[]string{"a", " ", "\n  ", "\n\n  ", "\n   ", "\n"},
			func(p []string) string {
				return "k:\n - j: |2+\n     " + strings.ReplaceAll(strings.Join(p, ""), "\n", "\n   ")
			},
		},
	}
	for _, s := range styles {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				text := s.write(rapid.SliceOf(rapid.SampledFrom(s.piece)).Draw(t, "pieces"))
				values, parts := recipes.Scalars(text)
				for i, v := range values {
					if parts[i] == nil {
						t.Fatalf("%q: %q is not followed", text, v)
					}
					for j, r := range v {
						if part := parts[i][j]; r > ' ' && part != string(r) && !strings.HasPrefix(part, `\`) && part != "''" {
							t.Fatalf("%q: %q of %q is from %q", text, r, v, part)
						}
					}
				}
			})
		})
	}
}
