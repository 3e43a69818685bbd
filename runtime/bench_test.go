package runtime_test

import (
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
)

// BenchmarkRange reads one percent of 10 million rows that are sorted by id, with and without statistics.
func BenchmarkRange(b *testing.B) {
	const rows, group = 10_000_000, 1 << 17
	schema := colstore.MustSchema(
		colstore.Field{Name: "id", Type: colstore.Int64}, colstore.Field{Name: "x", Type: colstore.Float64},
		colstore.Field{Name: "y", Type: colstore.Float32}, colstore.Field{Name: "k", Type: colstore.Int32},
	)
	dir := b.TempDir()
	paths := map[string]string{"records": filepath.Join(dir, "a.cstore")}
	record, err := cstore.Create(paths["records"], schema, &cstore.WriteOptions{Stats: true})
	if err != nil {
		b.Fatal(err)
	}
	writers := []colstore.Sink{record}
	for name, o := range map[string]map[string]any{
		"row groups": {"row_group": "131072"}, "pages": nil, "large pages": {"page": "1 MiB"},
	} {
		paths[name] = filepath.Join(dir, name+".parquet")
		w, err := sink.Create(b.Context(), sink.Spec{Path: paths[name], Schema: schema, Options: o})
		if err != nil {
			b.Fatal(err)
		}
		writers = append(writers, w)
	}
	id, x, y, k := make([]int64, group), make([]float64, group), make([]float32, group), make([]int32, group)
	for at := 0; at < rows; at += group {
		n := min(group, rows-at)
		for i := range n {
			id[i], x[i], y[i], k[i] = int64(at+i), float64(i*7919%group), float32(i%1009), int32(i%977)
		}
		batch, err := colstore.NewBatch(schema, colstore.Wrap(id[:n]), colstore.Wrap(x[:n]), colstore.Wrap(y[:n]), colstore.Wrap(k[:n]))
		if err != nil {
			b.Fatal(err)
		}
		for _, w := range writers {
			if err := w.Write(b.Context(), batch); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, w := range writers {
		if err := w.Commit(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	for kind, path := range paths {
		src, err := source.OpenPath(b.Context(), path)
		if err != nil {
			b.Fatal(err)
		}
		defer src.Close()
		for name, src := range map[string]colstore.Source{"with statistics": src, "without": blinded{src}} {
			b.Run(kind+" "+name, func(b *testing.B) {
				f := frame.From(src).Where(frame.MustParse("id >= 5_000_000 and id < 5_100_000"))
				for b.Loop() {
					n := 0
					for batch, err := range runtime.Batches(b.Context(), f, &runtime.Options{Workers: 1}) {
						if err != nil {
							b.Fatal(err)
						}
						n += batch.Rows()
					}
					if n != rows/100 {
						b.Fatalf("%d rows", n)
					}
				}
			})
		}
	}
}
