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
			run("characters", func() { orderStrings(bits, points(values), c.size/4, points(constant), c.size/4, rows, AcceptEqual) })
		} else {
			run("characters", func() { orderStrings(bits, values, c.size, constant, c.size, rows, AcceptEqual) })
		}
	}
}

// BenchmarkOrderStrings compares, and searches, values that are in no order.
func BenchmarkOrderStrings(b *testing.B) {
	const rows = 1 << 16
	words := []string{"SR", "CR", "VR", "ttbar", "signal", "diboson", "QCD", ""}
	for _, c := range []struct {
		name       string
		size, unit int
	}{{"S2", 2, 1}, {"S8", 8, 1}, {"S16", 16, 1}, {"U8", 32, 4}} {
		values := make([]byte, rows*c.size)
		state := uint32(1)
		for i := range rows {
			state = state*1664525 + 1013904223
			for j, ch := range []byte(words[state>>29]) {
				if j*c.unit < c.size {
					values[i*c.size+j*c.unit] = ch
				}
			}
		}
		constant, needle := make([]byte, 2*c.unit), make([]byte, c.unit)
		constant[0], constant[c.unit], needle[0] = 'S', 'R', 'R'
		out := make([]uint64, Words(rows))
		run := func(name string, f func()) {
			b.Run(fmt.Sprintf("%s/%s", c.name, name), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
		if c.unit == 4 {
			run("order/keys", func() { OrderText(out, values, c.size, constant, len(constant), rows, AcceptLess) })
			run("order/characters", func() {
				orderStrings(out, points(values), c.size/4, points(constant), len(constant)/4, rows, AcceptLess)
			})
		} else {
			run("order/keys", func() { OrderBytes(out, values, c.size, constant, len(constant), rows, AcceptLess) })
			run("order/characters", func() { orderStrings(out, values, c.size, constant, len(constant), rows, AcceptLess) })
		}
		run("prefix", func() { HasAffix(out, values, c.size, constant, len(constant), rows, c.unit, Prefix) })
		run("suffix", func() { HasAffix(out, values, c.size, constant, len(constant), rows, c.unit, Suffix) })
		run("anywhere", func() { HasAffix(out, values, c.size, needle, len(needle), rows, c.unit, Anywhere) })
	}
}
