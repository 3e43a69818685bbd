package feather_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
)

// benchBatch returns rows of numbers, times, text and bools.
func benchBatch(b *testing.B) *colstore.Batch {
	types := []colstore.DType{colstore.Bool, colstore.TextOf(13), colstore.DatetimeOf(colstore.Nanosecond)}
	for range 8 {
		types = append(types, colstore.Float64)
	}
	fields, cols := make([]colstore.Field, len(types)), make([]colstore.Column, len(types))
	const rows = 500_000
	for i, t := range types {
		fields[i] = colstore.Field{Name: fmt.Sprint("c", i), Type: t}
		data := make([]byte, rows*t.Size())
		state := uint64(i)
		for at := 0; at < len(data); at += max(4, t.Size()/8*8) {
			state = state*6364136223846793005 + 1442695040888963407
			switch {
			case t.Kind() == colstore.KindBool:
				data[at] = byte(state >> 63)
			case t.Kind() == colstore.KindText:
				for k := range 4 + int(state>>61) {
					data[at+4*k] = byte('a' + state>>(40+k)&15)
				}
			default:
				data[at+2], data[at+3], data[at+7] = byte(state>>40), byte(state>>48), 0x3f
			}
		}
		var err error
		if cols[i], err = colstore.NewColumn(t, rows, data); err != nil {
			b.Fatal(err)
		}
	}
	out, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func BenchmarkWrite(b *testing.B) {
	batch := benchBatch(b)
	for _, compression := range []string{"none", "lz4", "zstd"} {
		b.Run(compression, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "f.feather")
			b.SetBytes(int64(batch.Rows() * batch.Schema().RowBytes()))
			b.ReportAllocs()
			for b.Loop() {
				if err := store(path, batch, writing{compression: compression, rows: 1 << 16}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	batch := benchBatch(b)
	for _, compression := range []string{"none", "lz4", "zstd"} {
		b.Run(compression, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "f.feather")
			if err := store(path, batch, writing{compression: compression}); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(batch.Rows() * batch.Schema().RowBytes()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := readTable(path, reading{scan: colstore.Scan{BatchRows: 1 << 16}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
