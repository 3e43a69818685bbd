package arrow_test

import (
	"testing"

	"github.com/colstore/colstore-go"
	sink "github.com/colstore/colstore-go/sink/arrow"
	source "github.com/colstore/colstore-go/source/arrow"
)

// benchRows is a batch of a usual size.
const benchRows = 1 << 16

func BenchmarkRecord(b *testing.B) { benchColumns(b, true) }

func BenchmarkFromRecord(b *testing.B) { benchColumns(b, false) }

func benchColumns(b *testing.B, out bool) {
	ticks := make([]int64, benchRows)
	bools := make([]uint8, benchRows)
	var text []byte
	for i := range benchRows {
		ticks[i] = int64(i % 10_000)
		bools[i] = uint8(i % 3)
		text = append(text, colstore.AppendText(nil, []string{"signal\x00\x00", "control\x00", "sideband"}[i%3])...)
	}
	for name, c := range map[string]colstore.Column{
		"int64":     colstore.Wrap(ticks),
		"times":     colstore.Wrap(ticks).As(colstore.DatetimeOf(colstore.Nanosecond)),
		"days":      colstore.Wrap(ticks).As(colstore.DatetimeOf(colstore.Day)),
		"bool":      colstore.Wrap(bools).As(colstore.Bool),
		"text":      colstore.Wrap(text).As(colstore.Uint8),
		"constants": colstore.ScalarOf(1.5).Column(benchRows),
	} {
		if name == "text" {
			var err error
			if c, err = colstore.NewColumn(colstore.TextOf(8), benchRows, text); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(name, func(b *testing.B) {
			batch, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "x", Type: c.Type()}), c)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(benchRows * c.Type().Size()))
			b.ReportAllocs()
			rec, err := sink.Record(batch)
			if err != nil {
				b.Fatal(err)
			}
			defer rec.Release()
			for b.Loop() {
				if out {
					one, err := sink.Record(batch)
					if err != nil {
						b.Fatal(err)
					}
					one.Release()
					continue
				}
				one, err := source.FromRecord(rec, nil)
				if err != nil {
					b.Fatal(err)
				}
				one.Release()
			}
		})
	}
}
