package cstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/golden"
)

// FuzzOpen opens any bytes as a file: they are refused as a format error, or every column of every row can be read.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"all_dtypes.cstore", "all_dtypes_multi.cstore", "expr.cstore", "crashed.cstore", "empty_records.cstore", "compacted.cstore"} {
		f.Add(golden.Bytes(f, name))
	}
	for _, b := range golden.LoadBad(f) {
		f.Add(golden.Bytes(f, "bad/"+b.Name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "f.cstore")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		_, statErr := cstore.Stat(path)
		r, err := cstore.Open(path, nil)
		if err != nil {
			if !errors.Is(err, colstore.ErrFormat) && !errors.Is(err, colstore.ErrTruncated) {
				t.Fatalf("not a format error: %v", err)
			}
			return
		}
		defer r.Close()
		if statErr != nil {
			t.Fatalf("it opens, but Stat says %v", statErr)
		}
		rows := int64(0)
		for b, err := range r.Scan(t.Context(), colstore.Scan{}) {
			if err != nil {
				t.Fatal(err)
			}
			rows += int64(b.Rows())
			for i := range b.Schema().Len() {
				if c := b.At(i); c.Rows() > 0 {
					_, _ = c.At(0), c.At(c.Rows()-1)
				}
			}
			b.Detach()
		}
		if rows != r.Rows() {
			t.Fatalf("%d rows read, %d declared", rows, r.Rows())
		}
		for i := range r.Records() {
			for c := range r.Schema().Len() {
				r.Bounds(c, i)
			}
		}
	})
}
