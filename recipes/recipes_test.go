package recipes_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/recipes"
)

var update = flag.Bool("update", false, "rewrite the golden texts")

// env is the environment of all tests.
func env(name string) (string, bool) {
	v, ok := map[string]string{"LANDING": "/data/landing", "EMPTY": ""}[name]
	return v, ok
}

var now = time.Date(2026, 3, 29, 2, 5, 7, 0, time.UTC)

func parse(name, text string, params map[string]any) (*recipes.Recipe, error) {
	return recipes.Parse(name, []byte(text), &recipes.Options{Env: env, Now: now, Params: params})
}

// golden holds every case of a golden text against what answer makes of it. A case is a file name, the recipe, a line
// ----, the answer and a line ====.
func golden(t *testing.T, path string, answer func(t *testing.T, name, text string) string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for name, text := range cases(t, string(old)) {
		fmt.Fprintf(&b, "%s\n%s----\n%s\n====\n", name, text, answer(t, name, text))
	}
	same(t, path, b.String())
}

// same holds a text against a golden one.
func same(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// cases yields the names and texts of a golden text.
func cases(tb testing.TB, golden string) func(yield func(name, text string) bool) {
	tb.Helper()
	return func(yield func(name, text string) bool) {
		for c := range strings.SplitSeq(strings.TrimSuffix(golden, "\n====\n"), "\n====\n") {
			head, _, ok := strings.Cut(c, "\n----")
			name, text, _ := strings.Cut(head, "\n")
			if !ok {
				tb.Fatalf("no ---- in %q", c)
			}
			if !yield(name, text+"\n") {
				return
			}
		}
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			golden(t, path, func(_ *testing.T, name, text string) string {
				r, err := parse(name, text, nil)
				if err != nil {
					return err.Error()
				}
				return describe(r)
			})
		})
	}
}

// describe shows a recipe.
func describe(r *recipes.Recipe) string {
	var b strings.Builder
	fmt.Fprintf(&b, "name %s\n", r.Name)
	if r.About != "" {
		fmt.Fprintf(&b, "about %q\n", r.About)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Params)) {
		fmt.Fprintf(&b, "param %s = %s\n", name, value(r.Params[name]))
	}
	p := *r.Pipeline
	fmt.Fprintf(&b, "from %s\n", fields(p.Input))
	for _, o := range p.Branches {
		fmt.Fprintf(&b, "to %s\n", fields(o.Output))
	}
	fmt.Fprintf(&b, "report %s limits %s", fields(p.Reports), fields(p.Limits))
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "\n%v", w)
	}
	return b.String()
}

// fields shows the fields of a struct that are not zero.
func fields(v any) string {
	text, _ := json.Marshal(v)
	all := map[string]any{}
	_ = json.Unmarshal(text, &all)
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == nil || v == "" || v == false || v == 0.0 || v == "0" })
	text, _ = json.Marshal(all)
	return string(text)
}

// value shows the value of a parameter with its type.
func value(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("text %q", v)
	case *big.Int:
		return "big " + v.String()
	case colstore.Scalar:
		return v.Type().Name() + " " + string(text.AppendPlain(nil, v.Cell(), 0))
	case []any:
		items := make([]string, len(v))
		for i, x := range v {
			items[i] = value(x)
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return fmt.Sprintf("%T %v", v, v)
}
