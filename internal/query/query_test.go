package query_test

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/colstore/colstore-go/internal/query"
)

var update = flag.Bool("update", false, "rewrite the golden texts")

// cases holds every case of a golden text against what answer makes of it. A case is a text, a line ----, the answer
// and an empty line.
func cases(t *testing.T, path string, answer func(text string) string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for c := range strings.SplitSeq(strings.TrimSuffix(string(old), "\n"), "\n\n") {
		text, _, ok := strings.Cut(c, "\n----")
		if !ok {
			t.Fatalf("%s: no ---- in %q", path, c)
		}
		fmt.Fprintf(&b, "%s\n----\n%s\n\n", text, answer(text))
	}
	got := strings.TrimSuffix(b.String(), "\n")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(old), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// texts returns the texts of a golden text, as seeds.
func texts(tb testing.TB, path string) (list []string) {
	tb.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	for c := range strings.SplitSeq(string(b), "\n\n") {
		text, _, _ := strings.Cut(c, "\n----")
		list = append(list, text)
	}
	return list
}

// same compares trees but for their spans.
var same = cmp.Options{
	cmpopts.IgnoreTypes(query.Pos{}),
	cmpopts.EquateEmpty(),
	cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 }),
}

// sameNames is same, but back-quotes around names do not matter.
var sameNames = append(slices.Clip(same), cmpopts.IgnoreFields(query.Name{}, "Quoted"))

// children returns the nodes below n.
func children(n query.Node) []query.Node {
	switch n := n.(type) {
	case *query.Unary:
		return []query.Node{n.X}
	case *query.Binary:
		return []query.Node{n.X, n.Y}
	case *query.Compare:
		return append([]query.Node{n.First}, n.Rest...)
	case *query.BoolOp:
		return n.Items
	case *query.Not:
		return []query.Node{n.X}
	case *query.List:
		return n.Items
	case *query.Tuple:
		return n.Items
	case *query.Call:
		return n.Args
	}
	return nil
}

// tree spells a node with everything in brackets.
func tree(n query.Node) string {
	list := func(items []query.Node) string {
		var b strings.Builder
		for _, item := range items {
			b.WriteString(" " + tree(item))
		}
		return b.String()
	}
	switch n := n.(type) {
	case *query.Name:
		if n.Quoted {
			return fmt.Sprintf("`%q", n.Name)
		}
		return n.Name
	case *query.Param:
		return "@" + n.Name
	case *query.Int:
		return n.Value.String()
	case *query.Float:
		return fmt.Sprintf("float:%g", n.Value)
	case *query.Text:
		return fmt.Sprintf("%+q", n.Value)
	case *query.Bytes:
		return fmt.Sprintf("b%q", n.Value)
	case *query.Bool:
		return fmt.Sprintf("bool:%t", n.Value)
	case *query.None:
		return "none"
	case *query.Ellipsis:
		return "ellipsis"
	case *query.Unary:
		return fmt.Sprintf("(%v %s)", n.Op, tree(n.X))
	case *query.Binary:
		return fmt.Sprintf("(%v %s %s)", n.Op, tree(n.X), tree(n.Y))
	case *query.Compare:
		s := "(compare " + tree(n.First)
		for i, op := range n.Ops {
			s += fmt.Sprintf(" %q %s", op.String(), tree(n.Rest[i]))
		}
		return s + ")"
	case *query.BoolOp:
		return fmt.Sprintf("(%v%s)", n.Op, list(n.Items))
	case *query.Not:
		return "(not " + tree(n.X) + ")"
	case *query.List:
		return "(list" + list(n.Items) + ")"
	case *query.Tuple:
		return "(tuple" + list(n.Items) + ")"
	case *query.Call:
		return "(call " + n.Func + list(n.Args) + ")"
	}
	return fmt.Sprintf("%T", n)
}
