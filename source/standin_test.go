package source_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/source"
)

// Files that were cut and that a step passes over, or that have no rows, concern no read of the others, by whatever way.
func TestStepsOverCutFiles(t *testing.T) {
	const files, rows = 30, 10
	dir := t.TempDir()
	paths := make([]string, files)
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprint(1000+i, ".cstore"))
		records := 1
		if i == 1 {
			records = 0
		}
		writeShard(t, paths[i], int64(i*rows), records)
	}
	src, err := source.Open(t.Context(), source.Spec{Paths: paths})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for _, i := range []int{1, 4, 20} {
		if err := os.Truncate(paths[i], 100); err != nil {
			t.Fatal(err)
		}
	}
	all := source.ViewOf(src)
	for name, s := range map[string]source.Selection{
		"over the empty one":  source.To(2 * rows),
		"step":                source.From(5).By(2 * rows),
		"step backwards":      source.From(28*rows + 2).By(-2 * rows),
		"long step":           source.From(rows - 1).By(7 * rows),
		"step within, behind": source.From(20 * rows).By(3),
		"step within, before": source.To(3 * rows).By(3),
	} {
		v := all.Pick(s)
		want, err := v.Positions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range want {
			if want[i] = row; row >= rows {
				want[i] += rows // of the file without rows
			}
		}
		if got, err := source.Values[int64](t.Context(), v, "x"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, expected %v", name, got, err, want)
		}
		for _, once := range []bool{false, true} {
			var got []int64
			for b, err := range v.Scan(t.Context(), colstore.Scan{BatchRows: 7, Once: once}) {
				if err == nil {
					err = fault.Guard(func() error {
						x, err := colstore.CopyOf[int64](b.At(0))
						got = append(got, x...)
						return err
					})
				}
				if err != nil {
					t.Errorf("%s, once %v: %v", name, once, err)
					break
				}
			}
			if !t.Failed() && !slices.Equal(got, want) {
				t.Errorf("%s, once %v: %v, expected %v", name, once, got, want)
			}
		}
	}
}
