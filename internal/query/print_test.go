package query_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/internal/query"
)

func TestPrint(t *testing.T) {
	whole := func(v int64) query.Node { return &query.Int{Value: big.NewInt(v)} }
	float := func(v float64) query.Node { return &query.Float{Value: v} }
	pow := func(x, y query.Node) query.Node { return &query.Binary{Op: query.Pow, X: x, Y: y} }
	tests := []struct {
		n    query.Node
		want string
	}{
		{float(0), "0.0"},
		{float(3), "3.0"},
		{float(0.1), "0.1"},
		{float(1e15), "1000000000000000.0"},
		{float(1e16), "1e+16"},
		{float(0.0001), "0.0001"},
		{float(1e-5), "1e-05"},
		{float(5e-324), "5e-324"},
		{float(math.Inf(1)), "1e400"},
		{float(math.MaxFloat64), "1.7976931348623157e+308"},

		// Of no text, but of the same value.
		{float(-1.5), "-1.5"},
		{float(math.Copysign(0, -1)), "-0.0"},
		{float(math.Inf(-1)), "-1e400"},
		{pow(float(-1.5), float(-1.5)), "(-1.5) ** -1.5"},
		{pow(whole(-2), whole(-2)), "(-2) ** -2"},
		{float(math.NaN()), "1e400 - 1e400"},
		{pow(float(math.NaN()), whole(2)), "(1e400 - 1e400) ** 2"},
		{&query.List{Items: []query.Node{whole(-1), float(math.NaN())}}, "[-1, 1e400 - 1e400]"},

		{&query.Name{Name: "true"}, "true"},
		{&query.Name{Name: "true", Quoted: true}, "`true`"},
		{&query.Name{Name: "a", Quoted: true}, "a"},
		{&query.Name{Name: "a b"}, "`a b`"},
		{&query.Name{}, "``"},
		{&query.Name{Name: "`"}, "````"},
		{&query.Name{Name: "in"}, "`in`"},
		{&query.Name{Name: "1a"}, "`1a`"},
		{&query.Name{Name: "a\u0301"}, "a\u0301"},
		{&query.Name{Name: "\u0301a"}, "`\u0301a`"},
		{&query.Tuple{}, "()"},

		{&query.Text{Value: "it's"}, `"it's"`},
		{&query.Text{Value: `it's "`}, `'it\'s "'`},
		{&query.Text{Value: "a\\\n\r\t\x00\x7f\u00a0\u200b\U000e0001é😀"}, `'a\\\n\r\t\x00\x7f\xa0\u200b\U000e0001é😀'`},
		{&query.Bytes{Value: []byte("it's\\\n\x00\xff~")}, `b"it's\\\n\x00\xff~"`},
	}
	for _, c := range tests {
		got := query.Print(c.n)
		if got != c.want {
			t.Errorf("%s prints %s, want %s", tree(c.n), got, c.want)
		}
		if back, err := query.Parse(got); err != nil {
			t.Error(err)
		} else if again := query.Print(back); again != got {
			t.Errorf("%s prints %s after reading", got, again)
		}
	}
}

// TestPrintParses is the oracle of both: any tree, printed, reads back as that tree.
func TestPrintParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := trees(leaves(), 5).Draw(t, "tree")
		text := query.Print(n)
		back, err := query.Parse(text)
		if err != nil {
			t.Fatalf("%s: %s: %v", tree(n), text, err)
		}
		if diff := cmp.Diff(n, back, same); diff != "" {
			t.Fatalf("%s is another tree (-printed +read):\n%s", text, diff)
		}
	})
}

// TestPrintNeedsItsBrackets takes any pair of brackets out of a printed text: no text with the same tree is left.
func TestPrintNeedsItsBrackets(t *testing.T) {
	plain := rapid.SampledFrom([]query.Node{&query.Name{Name: "a"}, &query.Name{Name: "b"}})
	rapid.Check(t, func(t *rapid.T) {
		n := trees(plain, 4).Draw(t, "tree")
		text := query.Print(n)
		var open []int
		for i, c := range text {
			switch c {
			case '(':
				open = append(open, i)
			case ')':
				begin := open[len(open)-1]
				open = open[:len(open)-1]
				less := text[:begin] + " " + text[begin+1:i] + " " + text[i+1:]
				if back, err := query.Parse(less); err == nil && cmp.Equal(n, back, same) {
					t.Fatalf("%s is no other tree than %s", less, text)
				}
			}
		}
	})
}

// leaves draws the nodes that hold no other.
func leaves() *rapid.Generator[query.Node] {
	special := []string{"", "'", `"`, `'"`, "'''", `\`, "\n", "\r\n", "@x", "`", "\x00"}
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom(special))
	return rapid.OneOf(
		rapid.Custom(func(t *rapid.T) query.Node {
			name := rapid.SampledFrom([]string{"a", "pt", "_", "x1", "é", "名", "true", "match", "f"}).Draw(t, "name")
			return &query.Name{Name: name}
		}),
		rapid.Custom(func(t *rapid.T) query.Node {
			odd := []string{"", "`", "a``b", "1x", "if", "True", "a.b", "true", "false", "\r\n", "'"}
			name := rapid.SampledFrom(odd).Draw(t, "name")
			if rapid.Bool().Draw(t, "any") {
				name = " " + strings.ReplaceAll(rapid.String().Draw(t, "any name"), "\x00", "")
			}
			return &query.Name{Name: name, Quoted: true}
		}),
		rapid.Custom(func(t *rapid.T) query.Node {
			return &query.Param{Name: rapid.SampledFrom([]string{"x", "_", "in", "a1", "aé²"}).Draw(t, "parameter")}
		}),
		rapid.Custom(func(t *rapid.T) query.Node {
			v := new(big.Int).SetUint64(rapid.Uint64().Draw(t, "whole"))
			return &query.Int{Value: v.Lsh(v, rapid.SampledFrom([]uint{0, 1, 100}).Draw(t, "shift"))}
		}),
		rapid.Custom(func(t *rapid.T) query.Node {
			return &query.Float{Value: math.Abs(rapid.Float64().Draw(t, "float"))}
		}),
		rapid.Custom(func(t *rapid.T) query.Node { return &query.Text{Value: texts.Draw(t, "text")} }),
		rapid.Custom(func(t *rapid.T) query.Node {
			return &query.Bytes{Value: rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")}
		}),
		rapid.Custom(func(t *rapid.T) query.Node { return &query.Bool{Value: rapid.Bool().Draw(t, "bool")} }),
		rapid.SampledFrom([]query.Node{&query.None{}, &query.Ellipsis{}}),
	)
}

// trees draws nodes of at most depth levels over leaves.
func trees(leaves *rapid.Generator[query.Node], depth int) *rapid.Generator[query.Node] {
	if depth == 0 {
		return leaves
	}
	sub := trees(leaves, depth-1)
	return rapid.Custom(func(t *rapid.T) query.Node {
		one := func() query.Node { return sub.Draw(t, "node") }
		some := func(least int) []query.Node { return rapid.SliceOfN(sub, least, 3).Draw(t, "nodes") }
		switch rapid.IntRange(0, 8).Draw(t, "kind") {
		case 0:
			return &query.Unary{Op: query.UnaryOp(rapid.IntRange(0, int(query.Invert)).Draw(t, "op")), X: one()}
		case 1, 2:
			return &query.Binary{Op: query.BinaryOp(rapid.IntRange(0, int(query.BitXor)).Draw(t, "op")), X: one(), Y: one()}
		case 3:
			c := &query.Compare{First: one(), Rest: some(1)}
			for range c.Rest {
				c.Ops = append(c.Ops, query.CmpOp(rapid.IntRange(0, int(query.NotIn)).Draw(t, "op")))
			}
			return c
		case 4:
			return &query.BoolOp{Op: query.LogicOp(rapid.IntRange(0, int(query.Or)).Draw(t, "op")), Items: some(2)}
		case 5:
			return &query.Not{X: one()}
		case 6:
			return &query.List{Items: some(0)}
		case 7:
			return &query.Tuple{Items: some(0)}
		}
		return &query.Call{Func: rapid.SampledFrom([]string{"f", "where", "é"}).Draw(t, "function"), Args: some(0)}
	})
}
