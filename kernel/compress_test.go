package kernel_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// moved are widths that kernels have loops for, and some that they have none for.
var moved = []int{1, 2, 3, 4, 7, 8, 12, 16, 24, 40, 100}

// bitsOf returns a bitmap of n rows, about permille of 1,000 of them set.
func bitsOf(r *rand.Rand, n, permille int) []uint64 {
	b := make([]uint64, kernel.Words(n))
	for i := range n {
		if r.IntN(1000) < permille {
			b[i/64] |= 1 << (i % 64)
		}
	}
	return b
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// kept is what Compress is to make.
func kept(src []byte, keep []uint64, n, size int) (want []byte) {
	for i := range n {
		if has(keep, i) {
			want = append(want, src[i*size:(i+1)*size]...)
		}
	}
	return want
}

// alignments calls f with every length up to 257 at some offset from an alignment of 64 bytes, and with some lengths at
// every offset.
func alignments(f func(n, offset int)) {
	for n := range longest + 1 {
		f(n, n*5%64)
	}
	for _, n := range []int{1, 63, 64, 129, 200} {
		for offset := range 64 {
			f(n, offset)
		}
	}
}

func TestCompressTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for _, size := range moved {
		all := randomBytes(r, longest*size)
		eachLevel(t, func(t *testing.T) {
			alignments(func(n, offset int) {
				src := all[:n*size]
				keep := bitsOf(r, n, []int{0, 10, 100, 500, 900, 990, 1000}[r.IntN(7)])
				want := kept(src, keep, n, size)
				dst, from := fence(len(want), offset), fill(src, (offset*7+n)%64)
				if rows := kernel.Compress(dst.data, from.data, keep, size); rows*size != len(want) {
					t.Fatalf("size %d, %d rows: %d are kept, want %d", size, n, rows, len(want)/size)
				}
				if !bytes.Equal(dst.data, want) || !dst.intact() {
					t.Fatalf("size %d, %d rows, offset %d: wrong bytes, or some outside", size, n, offset)
				}
				if room := fence(len(want)+200, offset); len(want) > 0 { // as for others to fill what follows
					kernel.Compress(room.data, from.data, keep, size)
					if !bytes.Equal(room.data[:len(want)], want) || len(bytes.Trim(room.data[len(want):], "\xa5")) > 0 {
						t.Fatalf("size %d, %d rows, offset %d: bytes behind the rows", size, n, offset)
					}
				}
			})
		})
	}
}

func TestCompressRowsTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	eachLevel(t, func(t *testing.T) {
		alignments(func(n, offset int) {
			keep := bitsOf(r, n, []int{0, 10, 500, 990, 1000}[r.IntN(5)])
			base := int64(r.Uint64())
			var want []int64
			for i := range n {
				if has(keep, i) {
					want = append(want, base+int64(i))
				}
			}
			b := fence(8*len(want)+100, offset)
			dst := unsafe.Slice((*int64)(unsafe.Pointer(unsafe.SliceData(b.data))), len(want)+12)
			if rows := kernel.CompressRows(dst, keep, base); rows != len(want) || !slices.Equal(dst[:rows], want) || !b.intact() {
				t.Fatalf("%d rows, offset %d: %v, want %v", n, offset, dst[:rows], want)
			}
			if len(bytes.Trim(b.data[8*len(want):], "\xa5")) > 0 {
				t.Fatalf("%d rows, offset %d: bytes behind the numbers", n, offset)
			}
		})
	})
}

func TestCompressBitsTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	eachLevel(t, func(t *testing.T) {
		for n := range 1000 {
			a, keep := bitsOf(r, n, 500), bitsOf(r, n, []int{0, 10, 500, 990, 1000}[r.IntN(5)])
			rows := kernel.Count(keep)
			want := make([]uint64, kernel.Words(rows)+2)
			k := 0
			for i := range n {
				if has(keep, i) {
					if has(a, i) {
						want[k/64] |= 1 << (k % 64)
					}
					k++
				}
			}
			dst := slices.Repeat([]uint64{0xA5}, len(want))
			if got := kernel.CompressBits(dst, a, keep); got != rows || !slices.Equal(dst, want) {
				t.Fatalf("%d bits, %d kept: %x, want %x", n, rows, dst, want)
			}
		}
	})
}

// What a tuning says changes no byte.
func TestTuning(t *testing.T) {
	before := kernel.Tuned()
	defer kernel.Tune(before)
	r := rand.New(rand.NewPCG(27, 28))
	const n = 150_000 // of 8 bytes more than what is taken to be cached
	for _, size := range []int{1, 8, 12} {
		src := randomBytes(r, n*size)
		keep := bitsOf(r, n, 100)
		want := kept(src, keep, n, size)
		column, starts := cutInRuns(colstore.BytesOf(size), src, n, 7)
		runs := kernel.NewRuns(starts)
		for _, v := range []int{-1, 0, 1, 64, 1 << 40} {
			kernel.Tune(kernel.Tuning{Threads: v, PrefetchSorted: v, PrefetchRandom: v, Sparse: v})
			dst := fence(len(want), 3)
			if kernel.Compress(dst.data, src, keep, size); !bytes.Equal(dst.data, want) || !dst.intact() {
				t.Fatalf("size %d with all of the tuning %d: wrong bytes", size, v)
			}
			rows := make([]int64, len(want)/size)
			kernel.CompressRows(rows, keep, 0)
			for range 2 { // in order, then not
				dst = fence(len(want), 5)
				if bad := runs.Gather(dst.data, column, rows); bad >= 0 || !bytes.Equal(dst.data, want) || !dst.intact() {
					t.Fatalf("size %d with all of the tuning %d: wrong bytes are gathered", size, v)
				}
				r.Shuffle(len(rows), func(i, j int) {
					rows[i], rows[j] = rows[j], rows[i]
					for k := range size {
						want[i*size+k], want[j*size+k] = want[j*size+k], want[i*size+k]
					}
				})
			}
			want = kept(src, keep, n, size)
		}
	}
	if kernel.Tune(before); kernel.Tuned() != before {
		t.Errorf("Tuned() = %+v after Tune(%+v)", kernel.Tuned(), before)
	}
}

// FuzzCompress compares all levels with the rows taken one by one.
func FuzzCompress(f *testing.F) {
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz"), []byte{0xff, 0x01}, uint8(2), uint8(4))
	f.Add(bytes.Repeat([]byte{1, 2, 3}, 300), bytes.Repeat([]byte{0xff}, 40), uint8(8), uint8(0))
	f.Fuzz(func(t *testing.T, src, mask []byte, width, sparse uint8) {
		size := moved[int(width)%len(moved)]
		n := min(len(src)/size, 8*len(mask))
		keep := make([]uint64, kernel.Words(n))
		for i := range n {
			keep[i/64] |= uint64(mask[i/8]>>(i%8)&1) << (i % 64)
		}
		defer kernel.Tune(kernel.Tune(kernel.Tuning{Sparse: int(sparse)}))
		want := kept(src, keep, n, size)
		for l := kernel.LevelGo; l <= kernel.Best(); l++ {
			before := kernel.SetLevel(l)
			dst := fence(len(want), len(mask)%64)
			rows := kernel.Compress(dst.data, src[:n*size], keep, size)
			kernel.SetLevel(before)
			if rows*size != len(want) || !bytes.Equal(dst.data, want) || !dst.intact() {
				t.Fatalf("size %d, %d rows at level %v differ", size, n, l)
			}
		}
	})
}

// benchLevels runs f at every level that the processor has.
func benchLevels(b *testing.B, name string, f func(b *testing.B)) {
	b.Helper()
	for l := kernel.LevelGo; l <= kernel.Best(); l++ {
		b.Run(name+"/"+l.String(), func(b *testing.B) {
			defer kernel.SetLevel(kernel.SetLevel(l))
			f(b)
		})
	}
}

func BenchmarkCompress(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 2, 4, 8, 12, 16} {
		for _, n := range []int{1_000, 100_000, 4_000_000} {
			src := make([]byte, n*size)
			dst := make([]byte, n*size)
			for _, permille := range []int{10, 100, 500, 990} {
				keep := bitsOf(r, n, permille)
				benchLevels(b, fmt.Sprintf("%dB/%d/%d", size, n, permille), func(b *testing.B) {
					b.SetBytes(int64(n * size))
					for b.Loop() {
						kernel.Compress(dst, src, keep, size)
					}
				})
			}
		}
	}
}

func BenchmarkCompressRows(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 100_000
	dst := make([]int64, n)
	for _, permille := range []int{10, 500} {
		keep := bitsOf(r, n, permille)
		benchLevels(b, fmt.Sprint(permille), func(b *testing.B) {
			b.SetBytes(n / 8)
			for b.Loop() {
				kernel.CompressRows(dst, keep, 1<<40)
			}
		})
	}
}

func BenchmarkCompressBits(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 100_000
	a, dst := bitsOf(r, n, 500), make([]uint64, kernel.Words(n))
	for _, permille := range []int{10, 500} {
		keep := bitsOf(r, n, permille)
		benchLevels(b, fmt.Sprint(permille), func(b *testing.B) {
			b.SetBytes(n / 8)
			for b.Loop() {
				kernel.CompressBits(dst, a, keep)
			}
		})
	}
}
