package source_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/source"
)

// Of many small files one that is cut concerns those who read rows of it, by whatever way, and slices and few rows of others
// are read as before.
func TestViewOfManyFilesOneCut(t *testing.T) {
	const files, rows = 300, 20
	dir := t.TempDir()
	x, y := make([]int64, rows), make([]int64, rows)
	for i := range x {
		x[i], y[i] = int64(i)-1<<40, int64(i)-1<<50 // the last byte is not zero
	}
	b, err := colstore.BatchOf(colstore.Name("x", colstore.Wrap(x)), colstore.Name("y", colstore.Wrap(y)))
	if err != nil {
		t.Fatal(err)
	}
	paths := make([]string, files)
	for i := range paths {
		paths[i] = filepath.Join(dir, strconv.Itoa(1000+i)+".cstore")
		if err := cstore.Store(t.Context(), paths[i], b, nil); err != nil {
			t.Fatal(err)
		}
	}
	src, err := source.Open(t.Context(), source.Spec{Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	all, err := source.ViewOf(src).Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	const cut = 100 // the file that is, behind its first rows
	n := all.Rows()
	mask := func(keep func(i int64) bool) source.Selection {
		m := make([]bool, n)
		for i := range m {
			m[i] = keep(int64(i))
		}
		return source.Mask(m)
	}
	numbers := func(step int64) (out []int64) {
		for i := n - 1; i >= 0; i -= step {
			out = append(out, i)
		}
		return out
	}
	views := []struct {
		name  string
		sel   source.Selection
		fails bool
	}{
		{"all", source.All(), true},
		{"backwards", source.All().By(-1), true},
		{"a step", source.From(rows - 1).By(rows), true},
		{"a step backwards", source.From(n - 1).By(-rows), true},
		{"a step past the end of the file", source.All().By(rows), false},
		{"a step past the file", source.All().By(2*rows*cut - rows), false},
		{"before", source.Slice(0, cut*rows), false},
		{"its first rows", source.Slice(rows, cut*rows+2), false},
		{"its last row", source.Slice(cut*rows+rows-1, n), true},
		{"behind", source.From((cut + 1) * rows), false},
		{"many numbers", source.Rows(numbers(1)...), true},
		{"a number a file", source.Rows(numbers(rows)...), true},
		{"few numbers", source.Rows(n-1, 0, cut*rows), false},
		{"its last number", source.Rows(n-1, 0, cut*rows+rows-1), true},
		{"a mask", mask(func(i int64) bool { return i%3 > 0 }), true},
		{"a mask of few in a file", mask(func(i int64) bool { return i%rows == rows-1 }), true},
		{"a mask of few", mask(func(i int64) bool { return i%(rows*50) == 1 }), false},
	}
	read := func(when string, want func(fails bool) error) {
		t.Helper()
		for _, c := range views {
			for _, v := range []*source.View{all.Pick(c.sel), all.Select("y").Pick(c.sel)} {
				if _, err := v.Collect(t.Context()); !errors.Is(err, want(c.fails)) {
					t.Errorf("%s, %s: %v", when, c.name, err)
				}
				if _, err := v.Records(t.Context()); !errors.Is(err, want(c.fails)) {
					t.Errorf("%s, records of %s: %v", when, c.name, err)
				}
				if _, err := source.Structs[struct {
					Y int64 `colstore:"y"`
				}](t.Context(), v); !errors.Is(err, want(c.fails)) {
					t.Errorf("%s, structs of %s: %v", when, c.name, err)
				}
			}
		}
	}
	read("whole", func(bool) error { return nil })
	st, err := os.Stat(paths[cut])
	if err != nil {
		t.Fatal(err)
	}
	if st.Size() > 4096 {
		t.Fatalf("the file of %d bytes has more than a page", st.Size())
	}
	if err := os.Truncate(paths[cut], endOfRows(t, paths[cut], y)-8); err != nil {
		t.Fatal(err)
	}
	read("cut", func(fails bool) error {
		if fails {
			return colstore.ErrTruncated
		}
		return nil
	})
}
