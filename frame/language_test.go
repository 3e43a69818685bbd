package frame_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source"
)

// TestFunctionsAreInTheGuide holds the guide to the functions there are: each name and each second name is in its
// section, and no other name is.
func TestFunctionsAreInTheGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/guide/expressions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(guide), "\n## Functions\n")
	section, _, _ = strings.Cut(section, "\n### ")
	var named []string
	for _, m := range regexp.MustCompile("`([a-z_0-9]+)[(`]").FindAllStringSubmatch(section, -1) {
		named = append(named, m[1])
	}
	var functions []string
	for _, f := range frame.Functions() {
		if f.Name == transverse.Name {
			continue // of the example
		}
		if f.Doc == "" {
			t.Errorf("%s has no description", f.Name)
		}
		functions = append(append(functions, f.Name), f.Aliases...)
	}
	for _, f := range functions {
		if !slices.Contains(named, f) {
			t.Errorf("the guide lacks %s", f)
		}
	}
	elsewhere := []string{"x", "sum", "mean", "cumsum", "stats", "float64", "f4", "f8", "a", "b", "y"}
	for _, n := range named {
		if !slices.Contains(functions, n) && !slices.Contains(elsewhere, n) {
			t.Errorf("the guide has %s, which is no function", n)
		}
	}
}

// TestRegisterRefusesNames is about functions of a program whose name would never be found.
func TestRegisterRefusesNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqrt", "abs", "len", "isin", "clip", "astype"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was registered", name)
				}
			}()
			ops.Register(ops.Func{Name: name})
		}()
	}
}

// TestAstype casts in an expression as the method does.
func TestAstype(t *testing.T) {
	t.Parallel()
	src := open(t, "expr.cstore")
	for _, to := range []string{"int8", "float32", "S", "U4", "bool"} {
		dtype, err := colstore.ParseDType(to)
		if err != nil {
			t.Fatal(err)
		}
		e := frame.MustParse("astype(i2, '" + to + "')")
		got, err := evaluate(t.Context(), frame.From(src).Assign("x", e), "x", 7)
		if err != nil {
			t.Fatal(err)
		}
		want, err := evaluate(t.Context(), frame.From(src).Assign("x", frame.Col("i2").Cast(dtype)), "x", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got.Type() != want.Type() || !slices.Equal(canonical(got), canonical(want)) {
			t.Errorf("%s differs from Cast", e)
		}
		if again, err := frame.Parse(e.String(), nil); err != nil || again.String() != e.String() {
			t.Errorf("%s is printed as %s: %v", e, again, err)
		}
	}
	e := frame.MustParse("d >= astype('2020-01-01', 'datetime64[D]') and d < astype('2100-01-01', 'datetime64[D]')")
	rows, err := selected(t.Context(), src, e.String(), nil, 0)
	if err != nil || len(rows) == 0 {
		t.Errorf("%v %v", rows, err)
	}
}

// TestTextLiterals compares functions of a literal with those of a column that repeats it, which NumPy's answers are about.
func TestTextLiterals(t *testing.T) {
	t.Parallel()
	src := open(t, "expr.cstore")
	for _, column := range []string{"s", "u"} {
		for _, needle := range []string{"", "S", "R", "SR", "CR", "a", "ab", "abcdefgh", "é", "abcdefghij"} {
			literal := frame.Lit(needle)
			// As a function of the row, so that it is no constant.
			repeated := frame.Call("where", frame.Row().Ge(0), literal, literal)
			if column == "s" {
				repeated = frame.Call("where", frame.Row().Ge(0), []byte(needle), []byte(needle))
			}
			for _, fn := range []string{"startswith", "endswith", "contains", "find", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"} {
				f := frame.From(src).Assign("want", frame.Call(fn, frame.Col(column), repeated)).
					Assign("got", frame.Call(fn, frame.Col(column), literal)).
					Assign("turned", frame.Call(fn, literal, frame.Col(column))).
					Assign("turned want", frame.Call(fn, repeated, frame.Col(column)))
				for got, want := range map[string]string{"got": "want", "turned": "turned want"} {
					x, err := evaluate(t.Context(), f, got, 0)
					if err != nil {
						t.Fatal(err)
					}
					y, err := evaluate(t.Context(), f, want, 7)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(canonical(x), canonical(y)) {
						t.Errorf("%s(%s, %q), %s: a literal differs from a column", fn, column, needle, got)
					}
				}
			}
		}
	}
}

// TestMethods compares the methods of Expr with the functions of a query.
func TestMethods(t *testing.T) {
	t.Parallel()
	src := open(t, "expr.cstore")
	for query, e := range map[string]frame.Expr{
		"abs(i4)":                frame.Col("i4").Abs(),
		"round(f8, 1)":           frame.Col("f8").Round(1),
		"clip(f4, -1, 2.5)":      frame.Col("f4").Clip(-1, 2.5),
		"clip(i1, 0.5, 6)":       frame.Col("i1").Clip(0.5, 6),
		"mod(i4, 7)":             frame.Call("mod", frame.Col("i4"), 7),
		"i1 + 5":                 frame.Col("i1").Add(frame.Call("mod", 12, 7)), // folded under either name
		"minimum(d, date(t))":    frame.Call("minimum", frame.Col("d"), frame.Call("date", frame.Col("t"))),
		"isin(u, ['SR', 'CR'])":  frame.Col("u").IsIn("SR", "CR"),
		"year(d) * 100 + day(t)": frame.Call("year", frame.Col("d")).Mul(100).Add(frame.Call("day", frame.Col("t"))),
	} {
		got, err := evaluate(t.Context(), frame.From(src).Assign("x", e), "x", 7)
		if err != nil {
			t.Fatal(err)
		}
		want, err := evaluate(t.Context(), frame.From(src).Assign("x", frame.MustParse(query)), "x", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got.Type() != want.Type() || !slices.Equal(canonical(got), canonical(want)) {
			t.Errorf("%s: %s, want %s", query, got.Type(), want.Type())
		}
	}
}

// transverse is a function of one's own. It takes columns, a chunk of rows at a time; a repeated operand is one value.
var transverse = ops.Vectorized("transverse", "the length of (px, py)", 2,
	func([]colstore.DType) (colstore.DType, error) { return colstore.Float64, nil },
	func(dst colstore.Column, args []colstore.Column) error {
		px, py := kernel.In[float64](args[0]), kernel.In[float64](args[1])
		for i := range dst.Rows() {
			kernel.Out[float64](dst)[i] = math.Hypot(px[min(i, len(px)-1)], py[min(i, len(py)-1)])
		}
		return nil
	})

var register = sync.OnceFunc(func() { ops.Register(transverse) })

// A program registers its functions once, at its start.
func ExampleCall() {
	register()
	s := colstore.MustSchema(colstore.Field{Name: "px", Type: colstore.Float64}, colstore.Field{Name: "py", Type: colstore.Float64})
	b, err := colstore.NewBatch(s, colstore.Wrap([]float64{3, 1, 8}), colstore.Wrap([]float64{4, 1, 6}))
	if err != nil {
		fmt.Println(err)
		return
	}
	events := frame.From(source.Memory(b))
	hard := events.Where(frame.MustParse("transverse(px, py) > 4"))
	soft := events.Where(frame.Call("transverse", frame.Col("px"), frame.Col("py")).Le(4))
	for _, f := range []*frame.Frame{hard, soft} {
		n, err := f.Count(context.Background())
		fmt.Println(n, err)
	}
	// Output:
	// 2 <nil>
	// 1 <nil>
}
