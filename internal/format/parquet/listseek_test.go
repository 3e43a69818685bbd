package parquet

import (
	"slices"
	"testing"

	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// A reader of a list goes on from where it stands, or starts over, and finds the same rows.
func TestListSeek(t *testing.T) {
	opened, err := open(t.Context(), &format.OpenRequest{
		Path: golden.Path(t, "jagged/plain_pages_v2.parquet"), Jagged: format.Jagged{Mode: format.JaggedPad, Width: 2}, Limits: format.DefaultLimits,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	f := opened.(*file)
	u, err := f.columns.Find("li_0")
	if err != nil {
		t.Fatal(err)
	}
	col, err := f.column(u)
	if err != nil {
		t.Fatal(err)
	}
	var w workspace
	read := func(r *listReader, row int64, rows int) ([]int64, []int32) {
		if err := r.seek(row, &w); err != nil {
			t.Fatal(err)
		}
		var values []int32
		win := r.begin(rows, 2)
		for more := true; more; {
			if more, err = r.step(&win, &w); err != nil {
				t.Fatal(err)
			}
			for _, run := range r.runs {
				raw := make([]byte, 4*run.kept)
				if err := r.values(raw, run.kept); err != nil {
					t.Fatal(err)
				}
				values = append(values, view[int32](raw)...)
				if err := r.skipValues(run.left); err != nil {
					t.Fatal(err)
				}
			}
		}
		return slices.Clone(r.counts), values
	}
	going := &listReader{columnReader: columnReader{f: f, col: col}}
	for _, x := range []struct {
		row  int64
		rows int
	}{{0, 3}, {3, 1}, {9, 4}, {30, 2}, {31, 5}, {39, 4}, {50, 11}, {5, 1}, {6, 1}} {
		fresh := &listReader{columnReader: columnReader{f: f, col: col}}
		counts, values := read(going, x.row, x.rows)
		if wantCounts, want := read(fresh, x.row, x.rows); !slices.Equal(counts, wantCounts) || !slices.Equal(values, want) {
			t.Errorf("rows %d to %d: %v %v, want %v %v", x.row, x.row+int64(x.rows), counts, values, wantCounts, want)
		}
	}
}
