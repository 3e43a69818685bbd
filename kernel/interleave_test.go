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

// Columns that are fields of the same records come back as what they were, of any widths and orders of bytes.
func TestDeinterleave(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	eachLevel(t, func(t *testing.T) {
		for n := range 100 {
			n = n * n / 5
			var types []colstore.DType
			width := 0
			for _, i := range r.Perm(len(sizes))[:1+r.IntN(len(sizes))] {
				types = append(types, sizes[i])
				width += sizes[i].Size()
			}
			records := randomBytes(r, 3+(n+1)*width)
			var cols []colstore.Column
			var bufs []fenced
			var dst [][]byte
			at := 3
			for _, typ := range types {
				c := colstore.RawColumn(typ, n, width, unsafe.Pointer(&records[at]))
				if n%7 == 1 {
					c = c.Slice(n-1, -1, -1)
				}
				cols = append(cols, c)
				b := fence(n*typ.Size(), r.IntN(64))
				bufs, dst = append(bufs, b), append(dst, b.data)
				at += typ.Size()
			}
			kernel.Deinterleave(dst, cols)
			for i, c := range cols {
				want, _ := c.Copy().Bytes()
				if !bytes.Equal(dst[i], want) || !bufs[i].intact() {
					t.Fatalf("%d records of %d bytes: %s differs", n, width, types[i])
				}
			}
		}
	})
}

// FuzzInterleave brings columns together and apart again, at all levels, and compares with the values taken one by one.
func FuzzInterleave(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), []byte{2, 2, 2, 2, 3, 3}, false)
	f.Add(bytes.Repeat([]byte{1, 2, 3, 4, 5, 6, 7}, 400), []byte{3, 3, 3, 7, 0, 2, 2, 1}, true)
	f.Fuzz(func(t *testing.T, data, kinds []byte, backwards bool) {
		var types []colstore.DType
		width := 0
		for _, k := range kinds[:min(len(kinds), 12)] {
			types = append(types, sizes[int(k)%len(sizes)])
			width += types[len(types)-1].Size()
		}
		if width == 0 {
			return
		}
		n := len(data) / width
		var cols []colstore.Column
		for _, typ := range types {
			c := colstore.RawColumn(typ, n, typ.Size(), unsafe.Pointer(unsafe.SliceData(data)))
			if data = data[n*typ.Size():]; backwards && n > 0 {
				c = c.Slice(n-1, -1, -1)
			}
			cols = append(cols, c)
		}
		var want []byte
		for i := range n {
			for _, c := range cols {
				cell, _ := c.Slice(i, i+1, 1).Copy().Bytes()
				want = append(want, cell...)
			}
		}
		for l := kernel.LevelGo; l <= kernel.Best(); l++ {
			before := kernel.SetLevel(l)
			records := fence(n*width, len(kinds)%64)
			kernel.Interleave(records.data, cols)
			var fields []colstore.Column
			var back [][]byte
			at := 0
			for _, typ := range types {
				fields = append(fields, colstore.RawColumn(typ.Native(), n, width, unsafe.Add(unsafe.Pointer(unsafe.SliceData(records.data)), at)))
				back = append(back, make([]byte, n*typ.Size()))
				at += typ.Size()
			}
			kernel.Deinterleave(back, fields)
			kernel.SetLevel(before)
			if !bytes.Equal(records.data, want) || !records.intact() {
				t.Fatalf("%d records of %v at level %v differ", n, types, l)
			}
			for i, c := range cols {
				if values, _ := c.Copy().Bytes(); !bytes.Equal(back[i], values) {
					t.Fatalf("column %d of %d records of %v at level %v does not come back", i, n, types, l)
				}
			}
		}
	})
}

// Every width is loaded at every stride, and in its own order of bytes.
func TestLoadTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	types := []colstore.DType{colstore.Int16.Swapped(), colstore.Int32.Swapped(), colstore.Float64.Swapped(), colstore.TextOf(5).Swapped()}
	for _, size := range []int{1, 3, 7, 8, 16, 24, 40} {
		types = append(types, colstore.BytesOf(size))
	}
	for _, typ := range types {
		eachLevel(t, func(t *testing.T) {
			alignments(func(n, offset int) {
				c := scattered(t, r, typ, n, (offset*3+n)%64, []int{1, 2, -1}[n%3])
				dst := fence(n*typ.Size(), offset)
				kernel.Load(dst.data, c)
				if want, _ := c.Copy().Bytes(); !bytes.Equal(dst.data, want) || !dst.intact() {
					t.Fatalf("%s: %d rows, stride %d", typ, n, c.Stride())
				}
			})
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 4_000_000} {
		for _, typ := range []colstore.DType{colstore.Float32, colstore.Float64, colstore.Float64.Swapped(), colstore.BytesOf(12)} {
			for _, step := range []int{1, 3, 16} {
				values := make([]byte, n*step*typ.Size())
				c := colstore.RawColumn(typ, n, step*typ.Size(), unsafe.Pointer(unsafe.SliceData(values)))
				dst := make([]byte, n*typ.Size())
				benchLevels(b, fmt.Sprintf("%s/%d/step=%d", typ, n, step), func(b *testing.B) {
					b.SetBytes(int64(len(dst)))
					for b.Loop() {
						kernel.Load(dst, c)
					}
				})
			}
		}
	}
}

func BenchmarkInterleave(b *testing.B) {
	for _, n := range []int{1_000, 100_000, 1_000_000} {
		for _, typ := range []colstore.DType{colstore.Float32, colstore.Float64, colstore.BytesOf(12)} {
			const fields = 4
			var cols, back []colstore.Column
			var dst [][]byte
			records := make([]byte, n*fields*typ.Size())
			for i := range fields {
				dst = append(dst, make([]byte, n*typ.Size()))
				cols = append(cols, colstore.RawColumn(typ, n, typ.Size(), unsafe.Pointer(unsafe.SliceData(dst[i]))))
				back = append(back, colstore.RawColumn(typ, n, fields*typ.Size(), unsafe.Pointer(&records[i*typ.Size()])))
			}
			for name, f := range map[string]func(){
				"to":   func() { kernel.Interleave(records, cols) },
				"from": func() { kernel.Deinterleave(dst, back) },
			} {
				benchLevels(b, fmt.Sprintf("%s/%d/%s", typ, n, name), func(b *testing.B) {
					b.SetBytes(int64(len(records)))
					for b.Loop() {
						f()
					}
				})
			}
		}
	}
}
