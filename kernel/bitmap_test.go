package kernel_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

func TestBitmapTwins(t *testing.T) {
	for name, k := range map[string]func(dst, a, b []uint64){
		"And": kernel.And, "Or": kernel.Or, "Xor": kernel.Xor, "AndNot": kernel.AndNot,
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 9))
			a, b := mixed[uint64](r, longest), mixed[uint64](r, longest)
			want := make([]uint64, longest)
			plainly(func() { k(want, a, b) })
			eachFast(t, func(t *testing.T) {
				for n := range longest + 1 {
					for _, offset := range []int{0, 8, 40} {
						fa, fb, dst := fill(raw(a[:n]), offset), fill(raw(b[:n]), 56-offset), fence(8*n, offset)
						if k(typed[uint64](dst.data), typed[uint64](fa.data), typed[uint64](fb.data)); !bytes.Equal(dst.data, raw(want[:n])) || !dst.intact() {
							t.Fatalf("%d words, offset %d", n, offset)
						}
						if k(typed[uint64](fb.data), typed[uint64](fa.data), typed[uint64](fb.data)); !bytes.Equal(fb.data, raw(want[:n])) || !fb.intact() {
							t.Fatalf("%d words in place, offset %d", n, offset)
						}
					}
				}
			})
		})
	}
}

func TestBytesFromBitsTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	bits := mixed[uint64](r, kernel.Words(longest))
	want := make([]uint8, longest)
	plainly(func() { kernel.BytesFromBits(want, bits) })
	eachFast(t, func(t *testing.T) {
		for n := range longest + 1 {
			for offset := range 64 {
				dst := fence(n, offset)
				if kernel.BytesFromBits(dst.data, bits[:kernel.Words(n)]); !bytes.Equal(dst.data, want[:n]) || !dst.intact() {
					t.Fatalf("%d rows, offset %d", n, offset)
				}
			}
		}
	})
}

// BenchmarkBitmap runs over the bitmaps of chunks, and of a million rows.
func BenchmarkBitmap(b *testing.B) {
	for _, rows := range []struct {
		name string
		n    int
	}{{"chunk", benchRows}, {"million", 1_000_000}} {
		x, y, dst, out := make([]uint64, kernel.Words(rows.n)), make([]uint64, kernel.Words(rows.n)), make([]uint64, kernel.Words(rows.n)), make([]uint8, rows.n)
		for i := range x {
			x[i], y[i] = uint64(i)*0x9e3779b97f4a7c15, uint64(i)*0xbf58476d1ce4e5b9
		}
		benchRowsOf(b, "And/"+rows.name, rows.n, func() { kernel.And(dst, x, y) })
		benchRowsOf(b, "Not/"+rows.name, rows.n, func() { kernel.Not(dst, x, rows.n) })
		benchRowsOf(b, "Count/"+rows.name, rows.n, func() { kernel.Count(x) })
		benchRowsOf(b, "BytesFromBits/"+rows.name, rows.n, func() { kernel.BytesFromBits(out, x) })
		benchRowsOf(b, "Nonzero/bytes/"+rows.name, rows.n, func() { kernel.Nonzero(dst, out, rows.n) })
	}
}
