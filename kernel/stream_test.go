package kernel_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// What goes past the caches is the bytes of a copy, at every level, of lengths around those that do, at every alignment.
func TestStreamTwins(t *testing.T) {
	data := randomBytes(rand.New(rand.NewPCG(71, 72)), 5000)
	eachLevel(t, func(t *testing.T) {
		for n := 0; n <= len(data); n += 1 + n/8 {
			for offset := range 64 {
				src, dst := fill(data[:n], (offset*7+n)%64), fence(n, offset)
				if kernel.Stream(dst.data, src.data); !bytes.Equal(dst.data, data[:n]) || !dst.intact() {
					t.Fatalf("%d bytes, offset %d", n, offset)
				}
			}
		}
	})
}

// Every so many values are those that stand there, at every level, past the caches or not.
func TestStepTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	for _, typ := range []colstore.DType{colstore.Float32, colstore.Float64} {
		size := typ.Size()
		for step := 2; step <= 9; step++ {
			values := fill(randomBytes(r, (257*step+1)*size), step)
			eachLevel(t, func(t *testing.T) {
				alignments(func(n, offset int) {
					c := colstore.RawColumn(typ, n, step*size, unsafe.Pointer(unsafe.SliceData(values.data)))
					want, _ := c.Copy().Bytes()
					for _, load := range []func([]byte, colstore.Column){kernel.Load, kernel.LoadPast} {
						dst := fence(n*size, offset)
						if load(dst.data, c); !bytes.Equal(dst.data, want) || !dst.intact() {
							t.Fatalf("%s: %d rows, step %d, offset %d", typ, n, step, offset)
						}
					}
				})
			})
		}
	}
}

func BenchmarkStream(b *testing.B) {
	for _, n := range []int{20_000, 300_000, 20_000_000} {
		src, dst := make([]byte, n), make([]byte, n)
		benchLevels(b, fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				kernel.Stream(dst, src)
			}
		})
	}
}
