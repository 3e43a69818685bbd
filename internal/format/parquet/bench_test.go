package parquet_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// benchTable has one column of each kind of data that real files hold.
func benchTable(b *testing.B, rows int) *colstore.Batch {
	s := colstore.MustSchema(
		colstore.Field{Name: "id", Type: colstore.Int64}, colstore.Field{Name: "noise", Type: colstore.Float64},
		colstore.Field{Name: "price", Type: colstore.Float64}, colstore.Field{Name: "kind", Type: colstore.Int32},
		colstore.Field{Name: "flag", Type: colstore.Bool}, colstore.Field{Name: "time", Type: colstore.DatetimeOf(colstore.Microsecond)},
		colstore.Field{Name: "word", Type: colstore.TextOf(6)}, colstore.Field{Name: "free", Type: colstore.TextOf(12)},
	)
	r := rand.New(rand.NewPCG(1, 1))
	words := make([][]byte, 50)
	for i := range words {
		words[i] = values(colstore.TextOf(6), 1, 0, r)
	}
	data := make([][]byte, s.Len())
	at := int64(1e15)
	for i := range rows {
		le := binary.LittleEndian
		at += r.Int64N(5000)
		data[0] = le.AppendUint64(data[0], uint64(i))
		data[1] = le.AppendUint64(data[1], math.Float64bits(r.NormFloat64()))
		data[2] = le.AppendUint64(data[2], math.Float64bits(math.Round(r.ExpFloat64()*1e4)/100))
		data[3] = le.AppendUint32(data[3], uint32(r.IntN(50)))
		data[4] = append(data[4], byte(r.IntN(2)))
		data[5] = le.AppendUint64(data[5], uint64(at))
		data[6] = append(data[6], words[r.IntN(len(words))]...)
		data[7] = append(data[7], values(colstore.TextOf(12), 1, 0, r)...)
	}
	return batchOf(b, s, data...)
}

func BenchmarkWrite(b *testing.B) {
	table := benchTable(b, 1<<18)
	path := filepath.Join(b.TempDir(), "x.parquet")
	for _, codec := range []string{"none", "snappy", "zstd"} {
		b.Run(codec, func(b *testing.B) {
			b.SetBytes(int64(table.Rows() * table.Schema().RowBytes()))
			b.ReportAllocs()
			for b.Loop() {
				if err := writeTable(b.Context(), path, table, map[string]any{"compression": codec}, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	table := benchTable(b, 1<<18)
	for _, codec := range []string{"none", "snappy", "zstd"} {
		path := filepath.Join(b.TempDir(), codec+".parquet")
		if err := writeTable(b.Context(), path, table, map[string]any{"compression": codec}, 1); err != nil {
			b.Fatal(err)
		}
		f, err := openFile(b, path, format.Nulls{})
		if err != nil {
			b.Fatal(err)
		}
		for _, columns := range [][]string{nil, {"id"}, {"noise"}, {"price"}, {"time"}, {"word"}, {"free"}} {
			src, err := f.Source(b.Context(), format.Projection{Columns: columns})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%v", codec, columns), func(b *testing.B) {
				b.SetBytes(src.Rows() * int64(src.Schema().RowBytes()))
				b.ReportAllocs()
				for b.Loop() {
					for _, err := range src.Scan(b.Context(), colstore.Scan{}) {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
