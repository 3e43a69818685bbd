package recipes_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/recipes"
)

// Two outputs that links make one file are as wrong as two of one path.
func TestLinkedOutputs(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.Mkdir(at("real"), 0o777), os.Symlink("real", at("dir")), os.Symlink("b.cstore", at("a.cstore")),
		os.WriteFile(at("c.cstore"), nil, 0o666), os.Link(at("c.cstore"), at("d.cstore")),
	); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		to    string
		first string // the path that the error names; "" for no error
	}{
		{"[a.cstore, b.cstore]", "a.cstore"},
		{"[b.cstore, a.cstore]", "b.cstore"},
		{"[dir/x.cstore, real/x.cstore]", "dir/x.cstore"},
		{"[dir/, real/]", "dir"},
		{"[c.cstore, d.cstore]", "c.cstore"},
		{"[x.cstore, " + at("real/../x.cstore") + "]", "x.cstore"},
		{"[a.cstore, c.cstore, dir/a.cstore]", ""},
		{`["dir/{stem}.cstore", "real/{stem}.cstore"]`, ""}, // what they become is found out when they run
	} {
		_, err := recipes.Parse(at("r.yaml"), []byte("recipe: 1\nfrom: in.csv\nto: "+c.to+"\n"), nil)
		if c.first == "" {
			if err != nil {
				t.Errorf("%s: %v", c.to, err)
			}
			continue
		}
		problems, ok := errors.AsType[recipes.Errors](err)
		if !ok || len(problems) != 1 || problems[0].Code != "R214" || c.first != "x.cstore" && !strings.HasSuffix(problems[0].Message, at(c.first)) {
			t.Errorf("%s: %v", c.to, err)
		}
	}
}
