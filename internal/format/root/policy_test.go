package root_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// A branch that has the name of a column which a list becomes is never read in its place.
func TestNamesOfParts(t *testing.T) {
	m, tree := good()
	tree.branches[0].name = "v_0"
	path := m.write(t)
	for name, c := range map[string]struct {
		r    reading
		want string // of the error, empty if there is none
	}{
		"list":              {reading{jagged: "explode"}, `column "v_0" and the list "v" are both read as a column of this name`},
		"columns of it":     {reading{jagged: "explode", columns: []string{"v_0", "v_1", "v_n"}}, `column "v_0" and the list "v"`},
		"pad":               {reading{jagged: "pad=1", columns: []string{"v_0"}}, `column "v_0" and the list "v"`},
		"another column":    {reading{jagged: "explode", columns: []string{"v_1"}}, ""},
		"asked for twice":   {reading{jagged: "explode", columns: []string{"v_1", "v_1"}}, "it is asked for twice"},
		"lists are skipped": {reading{jagged: "skip", columns: []string{"v_0"}}, ""},
	} {
		_, _, err := readTable(path, c.r)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, colstore.ErrDuplicate) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Where lists are refused, one is an error when it is asked for, and only then.
func TestJaggedError(t *testing.T) {
	m, _ := good()
	path := m.write(t)
	f, err := openFile(path, reading{jagged: "error"})
	if err != nil {
		t.Fatal(err)
	}
	kept, warnings, err := f.(format.Selective).Select(nil)
	if err != nil || warnings != nil || !slices.Equal(kept, f.Names()) {
		t.Errorf("to choose from: %q, %q, %v", kept, warnings, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readTable(path, reading{jagged: "error", columns: []string{"x", "n"}}); err != nil {
		t.Errorf("columns of one value: %v", err)
	}
	for _, columns := range [][]string{nil, {"x", "v"}} {
		_, _, err := readTable(path, reading{jagged: "error", columns: columns})
		if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Column != "v" || !errors.Is(err, colstore.ErrType) {
			t.Errorf("%q: %v", columns, err)
		}
	}
}
