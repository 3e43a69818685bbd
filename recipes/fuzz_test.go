package recipes_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/recipes"
)

// Any bytes end in a recipe whose pipeline is whole, or in errors that point into the text.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range append(files, "flights.yaml", "weather.yaml") {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		if filepath.Ext(path) == ".yaml" {
			f.Add(text)
			continue
		}
		for _, text := range cases(f, string(text)) {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		values, parts := recipes.Scalars(string(text))
		for i, v := range values {
			if parts[i] == nil {
				t.Errorf("the scalar %q cannot be followed through the text", v)
			}
		}
		r, err := parse("fuzz.yaml", string(text), map[string]any{"given": "3"})
		if err == nil {
			if err := r.Pipeline.Validate(); err != nil {
				t.Error(err)
			}
			for _, w := range r.Warnings {
				inside(t, string(text), w)
			}
			return
		}
		list, ok := errors.AsType[recipes.Errors](err)
		if !ok || len(list) == 0 || r != nil {
			t.Fatalf("%v, %T %v", r, err, err)
		}
		for i, e := range list {
			inside(t, string(text), e)
			if i > 0 && (e.Line < list[i-1].Line || e.Line == list[i-1].Line && e.Column < list[i-1].Column) {
				t.Errorf("%v comes after %v", e, list[i-1])
			}
		}
	})
}

// inside checks that an error points into a text.
func inside(t rapid.TB, text string, e *recipes.Error) {
	t.Helper()
	text = strings.TrimPrefix(text, "\ufeff")
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	if e.Line < 1 || e.Line > len(lines) || e.Column < 1 || e.Message == "" {
		t.Fatalf("%+v points nowhere", e)
	}
	if n := 1 + utf8.RuneCountInString(lines[e.Line-1]); e.Column > n || e.EndColumn > n || e.EndColumn < e.Column {
		t.Errorf("%+v points out of its line, which has %d characters", e, n-1)
	}
	if _, ok := recipes.Explain(e.Code); !ok {
		t.Errorf("%+v has a code without a meaning", e)
	}
	if _, text, ok := strings.Cut(e.Error(), ": "); !ok || text == "" {
		t.Errorf("%+v prints %q", e, e.Error())
	}
}
