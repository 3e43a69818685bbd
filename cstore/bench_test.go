package cstore_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

var tenColumns = func() *colstore.Schema {
	fields := make([]colstore.Field, 10)
	for i := range fields {
		fields[i] = colstore.Field{Name: "c" + strconv.Itoa(i), Type: []colstore.DType{colstore.Float64, colstore.Int32}[i%2]}
	}
	return colstore.MustSchema(fields...)
}()

// BenchmarkSmallRecords streams 10,000 records of 20 rows, committed durably.
func BenchmarkSmallRecords(b *testing.B) {
	for _, stats := range []bool{false, true} {
		b.Run("stats "+strconv.FormatBool(stats), func(b *testing.B) {
			batch := randomBatch(b, tenColumns, 20, 1)
			path := filepath.Join(b.TempDir(), "x.cstore")
			b.SetBytes(10_000 * 20 * int64(tenColumns.RowBytes()))
			b.ReportAllocs()
			for b.Loop() {
				w, err := cstore.Create(path, tenColumns, &cstore.WriteOptions{Mode: cstore.ModeReplace, Stats: stats})
				if err != nil {
					b.Fatal(err)
				}
				for range 10_000 {
					if err := w.Write(b.Context(), batch); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Commit(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkOpen opens and closes files of many records.
func BenchmarkOpen(b *testing.B) {
	for _, records := range []int{1, 1024} {
		for _, rows := range []int{20, 5000} {
			b.Run(strconv.Itoa(records)+" records of "+strconv.Itoa(rows), func(b *testing.B) {
				batch := randomBatch(b, tenColumns, rows, 1)
				path := filepath.Join(b.TempDir(), "x.cstore")
				w, err := cstore.Create(path, tenColumns, nil)
				if err != nil {
					b.Fatal(err)
				}
				for range records {
					if err := w.Write(b.Context(), batch); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Commit(b.Context()); err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					r, err := cstore.Open(path, nil)
					if err != nil {
						b.Fatal(err)
					}
					r.Close()
				}
			})
		}
	}
}
