package text_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/internal/text"
)

// plainFloat spells a number as AppendFloat does, the plain way.
func plainFloat(v float64) string {
	format := byte('f')
	if a := math.Abs(v); a < 1e-4 || a >= 1e16 {
		format = 'e'
	}
	s := strconv.FormatFloat(v, format, -1, 64)
	if format == 'f' && !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// Numbers of few decimals are spelled as all others are: by the shortest decimal that reads as the same number.
func TestFewDecimals(t *testing.T) {
	t.Parallel()
	check := func(v float64) {
		t.Helper()
		for _, v := range []float64{v, -v, math.Nextafter(v, 0), math.Nextafter(v, math.Inf(1))} {
			if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			if got, want := string(text.AppendFloat([]byte("x"), v, 64)), "x"+plainFloat(v); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
		}
	}
	for _, scale := range []float64{1, 10, 100, 1000, 10_000} {
		for i := range 20_000 {
			check(float64(i) / scale)
			check(float64(i) * scale)
			check(float64(i)*9_999_999/scale + 123_456)
		}
		for p := 1.0; p < 1e17; p *= 10 {
			check(p / scale)
			check((p - 1) / scale)
			check((p + 1) / scale)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		check(rapid.Float64().Draw(t, "v"))
		check(float64(rapid.Int64Range(0, 1<<53).Draw(t, "n")) / rapid.SampledFrom([]float64{1, 10, 100, 1000, 1e4}).Draw(t, "scale"))
	})
}

func BenchmarkAppendFloat(b *testing.B) {
	for _, k := range []struct {
		name string
		make func(i int) float64
	}{
		{"price", func(i int) float64 { return float64(i*7919%1_000_000) / 100 }},
		{"noise", func(i int) float64 { return math.Sqrt(float64(i) + 2) }},
		{"whole", func(i int) float64 { return float64(i * 31) }},
	} {
		var values []float64
		for i := range 1 << 12 {
			values = append(values, k.make(i))
		}
		for name, f := range map[string]func(dst []byte, v float64) []byte{
			"fast":    func(dst []byte, v float64) []byte { return text.AppendFloat(dst, v, 64) },
			"strconv": func(dst []byte, v float64) []byte { return strconv.AppendFloat(dst, v, 'f', -1, 64) },
		} {
			b.Run(k.name+"/"+name, func(b *testing.B) {
				buf := make([]byte, 0, 64<<12)
				for b.Loop() {
					dst := buf
					for _, v := range values {
						dst = append(f(dst, v), ',')
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(values)), "ns/value")
			})
		}
	}
}
