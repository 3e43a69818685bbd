package query_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/internal/query"
)

// FuzzParse: a text is refused in good order, or its canonical text has the same tree and is its own canonical text.
func FuzzParse(f *testing.F) {
	for _, path := range []string{"testdata/trees.txt", "testdata/errors.txt"} {
		for _, text := range texts(f, path) {
			f.Add(text)
		}
	}
	for _, c := range golden.Load(f).Cases {
		if c.Expr != "" {
			f.Add(c.Expr)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := query.Parse(text)
		if err != nil {
			if n != nil {
				t.Fatalf("%q gives a node and %v", text, err)
			}
			checkError(t, text, err)
			return
		}
		within(t, n, 0, len(text))
		canonical := query.Print(n)
		if len(canonical) > 1<<20 {
			return
		}
		back, err := query.Parse(canonical)
		if err != nil {
			t.Fatalf("%q prints %q: %v", text, canonical, err)
		}
		if diff := cmp.Diff(n, back, sameNames); diff != "" {
			t.Fatalf("%q prints %q, another tree:\n%s", text, canonical, diff)
		}
		if again := query.Print(back); again != canonical {
			t.Fatalf("%q prints %q, which prints %q", text, canonical, again)
		}
	})
}

// within holds the span of n, and those of the nodes below it, between begin and end.
func within(t *testing.T, n query.Node, begin, end int) {
	t.Helper()
	b, e := n.Span()
	if b < begin || e <= b || e > end {
		t.Fatalf("the span %d to %d of %s is not within %d to %d", b, e, tree(n), begin, end)
	}
	for _, c := range children(n) {
		within(t, c, b, e)
	}
}
