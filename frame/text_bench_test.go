package frame_test

import (
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

// BenchmarkTextQuery counts the rows of a query on text. One row in eight has each of eight words.
func BenchmarkTextQuery(b *testing.B) {
	const rows = 1 << 20
	words := []string{"SR", "CR", "VR", "ttbar", "signal", "diboson", "QCD", ""}
	for _, code := range []string{"S2", "S8", "S16", "U8"} {
		dtype, err := colstore.ParseDType(code)
		if err != nil {
			b.Fatal(err)
		}
		unit := dtype.Size() / dtype.Width()
		data := make([]byte, rows*dtype.Size())
		state := uint32(1)
		for i := range rows {
			state = state*1664525 + 1013904223
			for j, c := range []byte(words[state>>29]) {
				if j < dtype.Width() {
					data[i*dtype.Size()+j*unit] = c
				}
			}
		}
		c, err := colstore.NewColumn(dtype, rows, data)
		if err != nil {
			b.Fatal(err)
		}
		batch, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "s", Type: dtype}), c)
		if err != nil {
			b.Fatal(err)
		}
		src := source.Memory(batch)
		for _, query := range []string{"s == 'SR'", "s in ['SR', 'CR']", "s < 'SR'", "startswith(s, 'S')", "contains(s, 'R')"} {
			f := frame.From(src).Where(frame.MustParse(query))
			b.Run(code+"/"+query, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					if _, err := f.Count(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
	}
}
