package fsx_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx"
)

// What follows a colon picks a part, unless a file has that name.
func TestInside(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.npz", "b.npz", "a.npz:real", "c:d.npz"} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct{ path, file, part, expanded string }{
		{"a.npz", "a.npz", "", "a.npz"},
		{"a.npz:x", "a.npz", "x", "a.npz:x"},
		{"a.npz:dir/x y", "a.npz", "dir/x y", "a.npz:dir/x y"},
		{"a.npz:real", "a.npz:real", "", "a.npz:real"},
		{"a.npz:real:x", "a.npz:real", "x", "a.npz:real:x"},
		{"c:d.npz", "c:d.npz", "", "c:d.npz"},
		{"c:d.npz:x", "c:d.npz", "x", "c:d.npz:x"},
		{"b.npz:x:y", "b.npz", "x:y", "b.npz:x:y"},
		{"a.npz:", "a.npz:", "", ""},
		{"none.npz:x", "none.npz:x", "", ""},
		{strings.Repeat(":", 300), strings.Repeat(":", 300), "", ""},
		{"[ab].npz:x", "[ab].npz:x", "", "a.npz:x,b.npz:x"},
		{"[ab].npz:[x]", "[ab].npz:[x]", "", "a.npz:[x],b.npz:[x]"},
		{"z*.npz:x", "z*.npz:x", "", ""},
	}
	for _, c := range tests {
		if file, part := fsx.Inside(c.path); file != c.file || part != c.part {
			t.Errorf("%q is %q of %q, want %q of %q", c.path, part, file, c.part, c.file)
		}
		got, err := fsx.Expand(c.path, true)
		if text := strings.Join(got, ","); text != c.expanded || (err != nil) != (c.expanded == "") {
			t.Errorf("%q expands to %q, %v; want %q", c.path, text, err, c.expanded)
		}
	}
	if got, err := fsx.Expand("[ab].npz:x", false); err == nil {
		t.Errorf("a pattern that is none expands to %q", got)
	}
	folder := filepath.Join("deep", "er")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "z.npz"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got, err := fsx.Expand("deep/**/*.npz:x/y", true); err != nil || !slices.Equal(got, []string{filepath.Join(folder, "z.npz") + ":x/y"}) {
		t.Errorf("%q, %v", got, err)
	}
}
