package recipes_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/recipes"
	"github.com/colstore/colstore-go/runtime"
)

// events makes a file of a few rows, and one of other columns.
func events(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	store := func(name string, fields []colstore.Field, cols ...colstore.Column) {
		b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
		if err != nil {
			t.Fatal(err)
		}
		if err := cstore.Store(t.Context(), filepath.Join(dir, name), b, nil); err != nil {
			t.Fatal(err)
		}
	}
	id := colstore.Wrap([]int32{1, 2, 300})
	pt := colstore.Wrap([]float64{10, 20, 30})
	good := colstore.Wrap([]bool{true, false, true})
	region := colstore.BytesScalar([]byte("SR")).Column(3)
	ts := colstore.TimeScalar(colstore.DatetimeOf(colstore.Second), 0).Column(3)
	fields := []colstore.Field{
		{Name: "id", Type: id.Type()},
		{Name: "pt", Type: pt.Type()},
		{Name: "good", Type: good.Type()},
		{Name: "region", Type: region.Type()},
		{Name: "ts", Type: ts.Type()},
	}
	store("a.cstore", fields, id, pt, good, region, ts)
	store("b.cstore", fields[:2], id, pt)
	if err := os.WriteFile(filepath.Join(dir, "c.csv"), []byte("id,x\n1,\n2,3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What only the input shows to be wrong has its place in the recipe too.
func TestLocate(t *testing.T) {
	t.Parallel()
	golden(t, "testdata/located/messages.txt", func(t *testing.T, name, text string) string {
		dir := events(t)
		r, err := recipes.Parse(name, []byte(text), &recipes.Options{Env: func(string) (string, bool) { return dir, true }})
		if err != nil {
			return err.Error()
		}
		report, err := runtime.Run(t.Context(), r.Pipeline, nil)
		if err == nil {
			return report.Cutflow.Text(frame.ShowAll)
		}
		located := r.Locate(err)
		if list, ok := errors.AsType[recipes.Errors](located); ok {
			for _, e := range list {
				inside(t, text, e)
				if e.Err == nil {
					t.Errorf("%v lost its cause %v", e, err)
				}
			}
		} else if located != err { //nolint:errorlint // the very same error is wanted
			t.Errorf("%v became %v", err, located)
		}
		for _, kind := range []error{colstore.ErrNoColumn, colstore.ErrType, colstore.ErrNull, colstore.ErrValue, colstore.ErrDuplicate} {
			if errors.Is(err, kind) != errors.Is(located, kind) {
				t.Errorf("%v is %v, and no longer is when located", err, kind)
			}
		}
		return strings.ReplaceAll(located.Error(), dir, "DIR")
	})
}

// Errors that are not about what the recipe says stay as they are.
func TestLocateLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	r, err := parse("r.yaml", "recipe: 1\nfrom: a.cstore\nto: b.cstore\nsteps: [where: a > 1]\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		nil, errors.New("disk on fire"), &colstore.Error{Path: "a.cstore", Err: colstore.ErrChecksum},
		&colstore.Error{Column: "x", Err: colstore.ErrNoColumn}, &frame.QueryError{Text: "a > 1", Msg: "odd"},
		&frame.QueryError{Text: "b > 1", Msg: "odd", StepPos: frame.StepPos{Index: 7}},
		&frame.StepError{Step: "drop", Err: colstore.ErrType, StepPos: frame.StepPos{Index: 2}},
	} {
		if got := r.Locate(err); got != err { //nolint:errorlint // the very same error is wanted
			t.Errorf("%v became %v", err, got)
		}
	}
}
