package source_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
)

// columnOf reads a column of whole numbers.
func columnOf(tb testing.TB, src colstore.Source, name string) []int64 {
	tb.Helper()
	v, err := source.Values[int64](tb.Context(), source.ViewOf(src), name)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// A dataset grows by files and by borrowed sources, in order; what does not fit changes nothing; what was borrowed stays
// open.
func TestDatasetGrows(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writeShard(t, path("a-1.cstore"), 0, 1)
	writeShard(t, path("a-2.cstore"), 10, 2)
	writeShard(t, path("b.cstore"), 100, 1)
	var d source.Dataset
	if _, err := d.Source(); !errors.Is(err, colstore.ErrValue) {
		t.Errorf("an empty dataset: %v", err)
	}
	if err := d.Append(t.Context(), source.Spec{Paths: []string{path("a-*.cstore")}}); err != nil {
		t.Fatal(err)
	}
	before, err := d.Source()
	if err != nil {
		t.Fatal(err)
	}
	b, err := source.OpenPath(t.Context(), path("b.cstore"))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := d.Borrow("b", b); err != nil {
		t.Fatal(err)
	}
	other := source.Memory(batchOf(t, "y", 1, 2))
	defer other.Close()
	if err := d.Borrow("other", other); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("other columns: %v", err)
	}
	if err := d.Append(t.Context(), source.Spec{Paths: []string{path("none.cstore")}}); err == nil {
		t.Error("a file that is not there is appended")
	}
	if err := d.Borrow("nothing", nil); !errors.Is(err, colstore.ErrValue) {
		t.Errorf("no source: %v", err)
	}
	if d.Len() != 3 {
		t.Errorf("%d parts", d.Len())
	}
	after, err := d.Source()
	if err != nil {
		t.Fatal(err)
	}
	want := []int64{}
	for i := range int64(30) {
		want = append(want, i)
	}
	if got := columnOf(t, before, "x"); !slices.Equal(got, want) {
		t.Errorf("before %v", got)
	}
	for i := range int64(10) {
		want = append(want, 100+i)
	}
	if got := columnOf(t, after, "x"); !slices.Equal(got, want) {
		t.Errorf("after %v", got)
	}
	if file, row := after.(colstore.Locator).Locate(35); file != path("b.cstore") || row != 5 {
		t.Errorf("row 35 is row %d of %s", row, file)
	}
	if err := errors.Join(after.Close(), d.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	if got := columnOf(t, b, "x"); len(got) != 10 {
		t.Errorf("what was borrowed has %d rows", len(got))
	}
	if err := d.Borrow("b", b); !errors.Is(err, colstore.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := d.Source(); !errors.Is(err, colstore.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// A dataset that drops what its parts do not share has fewer columns with every part; one that unites them has more.
func TestDatasetMismatch(t *testing.T) {
	for mismatch, want := range map[source.Mismatch]string{source.Drop: "x <i8", source.Union: "x <i8, y <i8"} {
		d := source.Dataset{Mismatch: mismatch}
		defer d.Close()
		both, err := source.Beside(source.Memory(batchOf(t, "x", 1, 2)), batchOf(t, "y", 3, 4))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.Borrow("both", both), d.Borrow("x", source.Memory(batchOf(t, "x", 5)))); err != nil {
			t.Fatal(err)
		}
		src, err := d.Source()
		if err != nil {
			t.Fatal(err)
		}
		if got := src.Schema().String(); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
		if got := columnOf(t, src, "x"); !slices.Equal(got, []int64{1, 2, 5}) {
			t.Errorf("x is %v", got)
		}
	}
}

func batchOf(tb testing.TB, name string, values ...int64) *colstore.Batch {
	tb.Helper()
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: name, Type: colstore.Int64}), colstore.Wrap(values))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}
