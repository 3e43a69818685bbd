package formattest_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/recipes"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/formattest"
)

// register adds the format of rowfile_test.go, once.
var register = sync.OnceValue(func() error { return source.Register(rowsFormat) })

// A format from outside the module takes part in everything: here a run filters a CSV file, in parallel and within a
// budget, into a file of it, and reads that.
func Example() {
	if err := register(); err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "rows")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.rows")
	if err := os.WriteFile(in, []byte("pt,name\n12.5,mu\n40.5,e\n31,tau\n"), 0o666); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	_, err = runtime.Run(ctx, &pipeline.Pipeline{
		Input:    pipeline.Input{Paths: []string{in}},
		Frame:    frame.New().Where(frame.Col("pt").Gt(30)),
		Branches: []pipeline.Branch{{Output: pipeline.Output{Path: out, Options: map[string]any{"buffer": 4096}}}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}

	src, err := source.OpenPath(ctx, out)
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	for b, err := range src.Scan(ctx, colstore.Scan{}) {
		if err != nil {
			log.Fatal(err)
		}
		pt, err := colstore.Values[float64](b.At(0))
		if err != nil {
			log.Fatal(err)
		}
		for i, name := range b.At(1).Strings() {
			fmt.Println(name, pt[i])
		}
	}
	// Output:
	// e 40.5
	// tau 31
}

// The suite is one call.
func TestRows(t *testing.T) {
	if err := register(); err != nil {
		t.Fatal(err)
	}
	formattest.Run(t, formattest.Config{Format: "rows", Truncation: true})
}

// Two files of the format are one input of a recipe, whose options are those of the format.
func TestRowsInRecipes(t *testing.T) {
	if err := register(); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for i, name := range []string{"a1.rows", "a2.rows"} {
		b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int64}), colstore.Wrap([]int64{int64(10 * i), int64(10*i + 1)}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := runtime.WriteFile(t.Context(), frame.From(source.Memory(b)), name); err != nil {
			t.Fatal(err)
		}
	}
	parse := func(buffer string) (*recipes.Recipe, error) {
		return recipes.Parse("r.yaml", []byte(`recipe: 1
from: "a*.rows"
steps:
  - where: x != 1
to: {path: out.rows, buffer: `+buffer+`}
`), nil)
	}
	if _, err := parse("many"); err == nil {
		t.Error("a value that the option does not take is taken")
	}
	r, err := parse("512")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.Run(t.Context(), r.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	src, err := source.OpenPath(t.Context(), "out.rows")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	b, err := frame.From(src).Collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, err := colstore.Values[int64](b.At(0))
	if err != nil || !slices.Equal(got, []int64{0, 10, 11}) {
		t.Errorf("%v, %v", got, err)
	}
}
