package source_test

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
)

// write writes columns to a file of a format and returns its path.
func write(tb testing.TB, name string, cols map[string]colstore.Column, order ...string) string {
	tb.Helper()
	var fields []colstore.Field
	var list []colstore.Column
	for _, n := range order {
		fields, list = append(fields, colstore.Field{Name: n, Type: cols[n].Type()}), append(list, cols[n])
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), list...)
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), name)
	w, err := sink.Create(tb.Context(), sink.Spec{Path: path, Schema: b.Schema()})
	if err != nil {
		tb.Fatal(err)
	}
	if err := errors.Join(w.Write(tb.Context(), b), w.Commit(tb.Context())); err != nil {
		tb.Fatal(err)
	}
	return path
}

func texts(width int, values ...string) colstore.Column {
	var data []byte
	for _, v := range values {
		cell := make([]byte, 4*width)
		copy(cell, colstore.AppendText(nil, v))
		data = append(data, cell...)
	}
	c, err := colstore.NewColumn(colstore.TextOf(width), len(values), data)
	if err != nil {
		panic(err)
	}
	return c
}

func TestUnion(t *testing.T) {
	day := colstore.DatetimeOf(colstore.Day)
	for _, ext := range []string{".cstore", ".parquet"} {
		a := write(t, "a"+ext, map[string]colstore.Column{
			"run": colstore.Wrap([]int32{1, 2}), "tag": texts(2, "ab", "c"), "w": colstore.Wrap([]float64{0.5, 1.5}),
		}, "run", "tag", "w")
		b := write(t, "b"+ext, map[string]colstore.Column{
			"ok": colstore.Wrap([]bool{true}), "tag": texts(5, "xyzäb"), "run": colstore.Wrap([]int32{3}),
			"when": colstore.TimeScalar(day, 5).Column(1).Copy(),
		}, "ok", "tag", "run", "when")
		src, err := source.Open(t.Context(), source.Spec{Paths: []string{a, b}, Mismatch: source.Union})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		if diff := cmp.Diff([]string{"run", "tag", "w", "ok", "when"}, src.Schema().Names()); diff != "" {
			t.Errorf("%s: %s", ext, diff)
		}
		v := source.ViewOf(src)
		for _, view := range []*source.View{v, v.Pick(source.Rows(0, 1, 2)), v.Pick(source.Mask([]bool{true, true, true}))} {
			all, err := view.Collect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			run, _ := colstore.Values[int32](all.At(0))
			w, _ := colstore.Values[float64](all.At(2))
			ok, _ := colstore.Values[bool](all.At(3))
			when, _ := colstore.Values[int64](all.At(4))
			var tags []string
			for _, s := range all.At(1).Strings() {
				tags = append(tags, s)
			}
			if !slices.Equal(run, []int32{1, 2, 3}) || w[0] != 0.5 || w[1] != 1.5 || !math.IsNaN(w[2]) ||
				!slices.Equal(ok, []bool{false, false, true}) || when[0] != colstore.NaT || when[2] == colstore.NaT ||
				!slices.Equal(tags, []string{"ab", "c", "xyzäb"}) {
				t.Errorf("%s: %v %v %v %v %v", ext, run, tags, w, ok, when)
			}
		}
		// A column that only one file has, and none at all.
		for _, columns := range [][]string{{"w"}, {}} {
			n := 0
			for b, err := range src.Scan(t.Context(), colstore.Scan{Columns: columns, BatchRows: 1}) {
				if err != nil {
					t.Fatal(err)
				}
				n += b.Rows()
			}
			if n != 3 {
				t.Errorf("%s: %v: %d rows", ext, columns, n)
			}
		}
		only, err := source.Open(t.Context(), source.Spec{Paths: []string{a, b}, Mismatch: source.Union, Columns: []string{"when", "w"}})
		if err != nil {
			t.Fatal(err)
		}
		defer only.Close()
		if got := only.Schema().Names(); !slices.Equal(got, []string{"w", "when"}) && !slices.Equal(got, []string{"when", "w"}) {
			t.Errorf("%s: the columns asked for are %v", ext, got)
		}
	}
}

func TestUnionErrors(t *testing.T) {
	a := write(t, "a.cstore", map[string]colstore.Column{"x": colstore.Wrap([]int32{1})}, "x")
	b := write(t, "b.cstore", map[string]colstore.Column{"x": colstore.Wrap([]int64{1})}, "x")
	_, err := source.Open(t.Context(), source.Spec{Paths: []string{a, b}, Mismatch: source.Union})
	if !errors.Is(err, colstore.ErrMismatch) || !strings.Contains(err.Error(), b) || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("dtypes that differ: %v", err)
	}
	if _, err := source.Open(t.Context(), source.Spec{Paths: []string{a, a}, Mismatch: source.Union, Columns: []string{"y"}}); !errors.Is(err, colstore.ErrNoColumn) {
		t.Errorf("a column that none has: %v", err)
	}
}
