package feather_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/source/format"
)

// A file that is cut while it is open is an error that names it, and no crash, whatever was about to be decoded.
func TestCutWhileOpen(t *testing.T) {
	types := []colstore.DType{colstore.Int64, colstore.TextOf(6), colstore.Bool, colstore.DatetimeOf(colstore.Second)}
	for _, compression := range []string{"none", "lz4", "zstd"} {
		path := filepath.Join(t.TempDir(), "f.feather")
		if err := store(path, anyBatch(t, types, 200_000, 1), writing{compression: compression}); err != nil {
			t.Fatal(err)
		}
		f, err := openFile(path, format.Nulls{Mode: format.NullFill})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		src, err := f.Source(t.Context(), format.Projection{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 4096); err != nil {
			t.Fatal(err)
		}
		for _, field := range src.Schema().All() {
			err = fault.Guard(func() error {
				for b, err := range src.Scan(t.Context(), colstore.Scan{Columns: []string{field.Name}, Threads: 2}) {
					if err != nil {
						return err
					}
					b.At(0).Copy()
				}
				return nil
			})
			if !errors.Is(err, colstore.ErrTruncated) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: %v", compression, field.Name, err)
			}
		}
	}
}

// Columns that are shown as they lie in the file outlive it; batches then end where record batches do.
func TestShown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.feather")
	want := anyBatch(t, []colstore.DType{colstore.Int64, colstore.Float32}, 150_000, 1)
	if err := store(path, want, writing{compression: "none"}); err != nil {
		t.Fatal(err)
	}
	f, err := openFile(path, format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	if c := src.(colstore.Coster).Cost(nil); c != (colstore.Cost{Rescan: true}) {
		t.Errorf("stored numbers cost %+v", c)
	}
	mem := &counting{}
	var batches []*colstore.Batch
	for b, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: 40_000, Mem: mem, Once: true}) {
		if err != nil {
			t.Fatal(err)
		}
		b.Retain()
		batches = append(batches, b)
	}
	if err := errors.Join(src.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, b := range batches {
		for i := range b.Schema().Len() {
			got, expected := bytesOf(b.At(i)), bytesOf(want.At(i).Slice(rows, rows+b.Rows(), 1))
			if !bytes.Equal(got, expected) {
				t.Errorf("rows from %d on of column %d are others", rows, i)
			}
		}
		rows += b.Rows()
		b.Release()
	}
	if rows != want.Rows() || mem.most != 0 {
		t.Errorf("%d rows, %d bytes", rows, mem.most)
	}
}

func bytesOf(c colstore.Column) []byte {
	b, _ := c.Copy().Bytes()
	return b
}
