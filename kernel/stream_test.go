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

// Records of columns of all widths are the values one after the other, at every level, past the caches or not.
func TestPackTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(75, 76))
	types := []colstore.DType{
		colstore.Int8, colstore.Uint8, colstore.Bool, colstore.Int16, colstore.Uint16, colstore.Float32, colstore.Int32,
		colstore.Float32, colstore.Float64, colstore.Int64, colstore.BytesOf(3), colstore.BytesOf(16), colstore.Int16.Swapped(),
	}
	for round := range 60 {
		n := []int{1, 63, 64, 65, 128, 200, 256, 257}[round%8]
		var cols []colstore.Column
		width := 0
		for range 1 + r.IntN(14) {
			typ := types[r.IntN(len(types))]
			step := 1
			if r.IntN(8) == 0 {
				step = []int{2, -1}[r.IntN(2)]
			}
			cols = append(cols, scattered(t, r, typ, n, r.IntN(64), step))
			width += typ.Size()
		}
		want := make([]byte, 0, n*width)
		for i := range n {
			for _, c := range cols {
				cell, _ := c.Slice(i, i+1, 1).Copy().Bytes()
				want = append(want, cell...)
			}
		}
		eachLevel(t, func(t *testing.T) {
			for offset := 0; offset < 64; offset += 1 + offset%7 {
				for _, pack := range []func([]byte, []colstore.Column){kernel.Interleave, kernel.InterleavePast} {
					dst := fence(n*width, offset)
					if pack(dst.data, cols); !bytes.Equal(dst.data, want) || !dst.intact() {
						t.Fatalf("%d records of %d bytes, %d columns, offset %d", n, width, len(cols), offset)
					}
				}
			}
		})
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
