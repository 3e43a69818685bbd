package source_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fault"
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
		{"a mask", mask(func(i int64) bool { return i%3 < 2 }), true},
		{"a mask without its last row", mask(func(i int64) bool { return i%3 > 0 }), false},
		{"many numbers but its last", source.Rows(slices.DeleteFunc(numbers(1), func(i int64) bool { return i == cut*rows+rows-1 })...), false},
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

// A file that was cut concerns only those who read rows of it, also if that was before any rows were asked for, and its name
// is told; of few files and of many, of which some gave their descriptors back.
func TestDatasetOneCut(t *testing.T) {
	for name, c := range map[string]struct {
		files, rows int
		touched     bool // rows are read before the cut
	}{
		"few":           {4, 20_000, false},
		"few, touched":  {4, 20_000, true},
		"many":          {40, 100, false},
		"many, touched": {40, 100, true},
	} {
		t.Run(name, func(t *testing.T) {
			const cut = 1
			var d source.Dataset
			defer d.Close()
			paths := make([]string, c.files)
			dir := t.TempDir()
			for i := range paths {
				x := make([]int64, c.rows)
				for j := range x {
					x[j] = int64(i*c.rows + j)
				}
				b, err := colstore.BatchOf(colstore.Name("x", colstore.Wrap(x)), colstore.Name("y", colstore.Wrap(x)))
				if err != nil {
					t.Fatal(err)
				}
				paths[i] = filepath.Join(dir, strconv.Itoa(1000+i)+".cstore")
				if err := cstore.Store(t.Context(), paths[i], b, nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Append(t.Context(), source.Spec{Paths: paths}); err != nil {
				t.Fatal(err)
			}
			src, err := d.Source()
			if err != nil {
				t.Fatal(err)
			}
			all := source.ViewOf(src)
			prepared := all
			if c.touched {
				if prepared, err = all.Prepare(t.Context()); err != nil {
					t.Fatal(err)
				}
				defer prepared.Close()
			}
			if err := os.Truncate(paths[cut], 1000); err != nil {
				t.Fatal(err)
			}
			rows, size := all.Rows(), int64(c.rows)
			var beside, among []int64 // no row of the file, and its last one too
			mask, wider := make([]bool, rows), make([]bool, rows)
			for i := rows - 1; i >= 0; i-- {
				if i/size != cut {
					beside, mask[i] = append(beside, i), i%3 > 0
				}
			}
			among = append(slices.Clone(beside), (cut+1)*size-1)
			copy(wider, mask)
			wider[(cut+1)*size-1] = true
			for _, s := range []struct {
				name  string
				sel   source.Selection
				fails bool
			}{
				{"a list beside", source.Rows(beside...), false},
				{"a list among", source.Rows(among...), true},
				{"a mask beside", source.Mask(mask), false},
				{"a mask among", source.Mask(wider), true},
				{"a slice behind", source.From((cut + 1) * size), false},
				{"a slice over", source.From(cut), true},
				{"few before", source.Rows(size-1, 0), false},
			} {
				for _, whole := range []*source.View{all, prepared} {
					v := whole.Pick(s.sel)
					want, err := v.Positions(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					check := func(how string, got []int64, err error) {
						t.Helper()
						switch {
						case s.fails:
							if !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), paths[cut]) {
								t.Errorf("%s, %s: %v", s.name, how, err)
							}
						case err != nil:
							t.Errorf("%s, %s: %v", s.name, how, err)
						case !slices.Equal(got, want):
							t.Errorf("%s, %s: other values", s.name, how)
						}
					}
					got, err := source.Values[int64](t.Context(), v, "x")
					check("values", got, err)
					records, err := v.Select("x").Records(t.Context())
					got = nil
					for i := range want {
						if err == nil {
							got = append(got, int64(binary.NativeEndian.Uint64(records.Row(i))))
						}
					}
					check("records", got, err)
					for _, once := range []bool{false, true} {
						got, err = nil, nil
						for b, e := range v.Scan(t.Context(), colstore.Scan{Columns: []string{"x"}, BatchRows: 1 << 12, Once: once}) {
							if err = e; err == nil {
								err = fault.Guard(func() error {
									x, err := colstore.CopyOf[int64](b.At(0))
									got = append(got, x...)
									return err
								})
							}
							if err != nil {
								break
							}
						}
						check(fmt.Sprint("scan, once ", once), got, err)
					}
				}
			}
			if p, err := all.Pick(source.Rows(beside...)).Prepare(t.Context()); err != nil {
				t.Error("prepare:", err)
			} else {
				p.Close()
			}
		})
	}
}
