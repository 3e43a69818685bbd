package json_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// The files of the benchmarks: numbers and text as they mostly are, in the layouts that are read in different ways.
func benchmarked(b *testing.B, orient string) (path string, size int64) {
	b.Helper()
	var types []colstore.DType
	for range 4 {
		types = append(types, colstore.Float64, colstore.Float64, colstore.Float32, colstore.Int64, colstore.Int32)
	}
	types = append(types, colstore.TextOf(6), colstore.Bool)
	path = filepath.Join(b.TempDir(), "f.json")
	var how writing
	if err := how.choose(orient).store(path, anyBatch(b, types, 20_000, 1).Detach()); err != nil {
		b.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return path, st.Size()
}

func BenchmarkOpen(b *testing.B) {
	for _, orient := range []string{"records", "columns"} {
		b.Run(orient, func(b *testing.B) {
			path, size := benchmarked(b, orient)
			b.SetBytes(size)
			for b.Loop() {
				f, err := reading{orient: orient}.open(b.Context(), path)
				if err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
	}
}

func BenchmarkScan(b *testing.B) {
	for _, orient := range []string{"records", "columns"} {
		b.Run(orient, func(b *testing.B) {
			path, size := benchmarked(b, orient)
			f, err := reading{orient: orient}.open(b.Context(), path)
			if err != nil {
				b.Fatal(err)
			}
			defer f.Close()
			src, err := f.Source(b.Context(), format.Projection{})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(size)
			for b.Loop() {
				for batch, err := range src.Scan(b.Context(), colstore.Scan{BatchRows: 4096}) {
					if err != nil {
						b.Fatal(err)
					}
					_ = batch
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	path, size := benchmarked(b, "records")
	batch, err := reading{}.read(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	for b.Loop() {
		if err := (writing{}).store(path, batch); err != nil {
			b.Fatal(err)
		}
	}
}
