package recipes_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/recipes"
)

// Recipes with lines and pieces exchanged are as harmless as any bytes, and come closer to what people write.
func TestMutatedRecipes(t *testing.T) {
	t.Parallel()
	var texts []string
	for _, name := range []string{"steps", "params", "values", "structure", "quoting"} {
		golden, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range cases(t, string(golden)) {
			texts = append(texts, text)
		}
	}
	flights, err := os.ReadFile("flights.yaml")
	if err != nil {
		t.Fatal(err)
	}
	texts = append(texts, string(flights))
	pieces := []string{
		"", " ", "  ", "\t", "\n", "- ", ": ", "{", "}", "[", "]", "'", `"`, "|\n", ">\n", "&a ", "*a", "<<: *a", "!x ", "#", "@x", "${x}",
		"${env:X:-y}", "true", "yes", "017", "1e3", "~", "null", "é", "\\", ",", "%", "---\n", "...\n", "? ", "where: ", "steps:\n", "x-a: &a\n",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(texts).Draw(t, "text")
		for range rapid.IntRange(1, 6).Draw(t, "mutations") {
			lines := strings.SplitAfter(text, "\n")
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			at := rapid.IntRange(0, len(lines[i])).Draw(t, "at")
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				lines[i] = lines[i][:at] + rapid.SampledFrom(pieces).Draw(t, "piece") + lines[i][at:]
			case 1:
				lines[i] = lines[i][:at] + lines[i][min(len(lines[i]), at+rapid.IntRange(1, 8).Draw(t, "length")):]
			case 2:
				lines[i] = strings.Repeat(lines[i], 2)
			case 3:
				other := rapid.SampledFrom(texts).Draw(t, "other")
				lines[i] += rapid.SampledFrom(strings.SplitAfter(other, "\n")).Draw(t, "added")
			}
			text = strings.Join(lines, "")
		}
		values, parts := recipes.Scalars(text)
		for i, v := range values {
			if parts[i] == nil {
				t.Fatalf("%q: the scalar %q cannot be followed", text, v)
			}
		}
		r, err := parse("mutated.yaml", text, nil)
		if err == nil {
			if err := r.Pipeline.Validate(); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		list, ok := errors.AsType[recipes.Errors](err)
		if !ok {
			t.Fatalf("%q: %T %v", text, err, err)
		}
		for _, e := range list {
			inside(t, text, e)
		}
	})
}
