package kernel

import (
	"fmt"
	"testing"
)

// BenchmarkEqualStrings compares values with a constant, by words and by characters.
func BenchmarkEqualStrings(b *testing.B) {
	const rows = 512
	for _, c := range []struct {
		name       string
		size, unit int
	}{{"S2", 2, 1}, {"S8", 8, 1}, {"S16", 16, 1}, {"S5", 5, 1}, {"U8", 32, 4}} {
		values := make([]byte, rows*c.size)
		for i := range rows {
			for at := 0; at < c.size; at += c.unit {
				values[i*c.size+at] = 'a' + byte(i*7+at)%3
			}
		}
		constant := append([]byte(nil), values[:c.size]...)
		bits := make([]uint64, Words(rows))
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%s", c.name, name), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
		run("words", func() { EqualStrings(bits, values, c.size, constant, c.size, rows) })
		if c.unit == 4 {
			run("characters", func() { OrderText(bits, values, c.size, constant, c.size, rows, AcceptEqual) })
		} else {
			run("characters", func() { OrderBytes(bits, values, c.size, constant, c.size, rows, AcceptEqual) })
		}
	}
}
