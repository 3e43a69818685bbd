package decimal_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/internal/decimal"
)

func TestAppend(t *testing.T) {
	t.Parallel()
	check := func(v uint64) {
		t.Helper()
		if got, want := string(decimal.AppendUint([]byte("x"), v)), "x"+strconv.FormatUint(v, 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		if got, want := string(decimal.AppendInt([]byte("x"), int64(v))), "x"+strconv.FormatInt(int64(v), 10); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
		for _, width := range []int{0, 2, 3, 9, 18, 20} {
			if got, want := string(decimal.AppendPadded(nil, v, width)), fmt.Sprintf("%0*d", width, v); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
		}
	}
	for v := range uint64(2000) {
		check(v)
		check(-v)
	}
	for p := uint64(1); p <= 1e19 && p != 0; p *= 10 {
		check(p - 1)
		check(p)
		check(p + 1)
		if p > math.MaxUint64/10 {
			break
		}
	}
	for i := range 64 {
		check(1<<i - 1)
		check(1 << i)
	}
	rapid.Check(t, func(t *rapid.T) { check(rapid.Uint64().Draw(t, "v")) })
}

func BenchmarkAppendInt(b *testing.B) {
	var values []int64
	for i := range int64(1 << 12) {
		values = append(values, i*i*i*2654435761>>(i%40))
	}
	for name, f := range map[string]func([]byte, int64) []byte{
		"decimal": decimal.AppendInt, "strconv": func(dst []byte, v int64) []byte { return strconv.AppendInt(dst, v, 10) },
	} {
		b.Run(name, func(b *testing.B) {
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
