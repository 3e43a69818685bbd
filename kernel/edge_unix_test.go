//go:build unix

package kernel_test

import (
	"bytes"
	"math/rand/v2"
	"syscall"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// edge returns a copy of data that a page without access follows: a read behind it ends the test.
func edge(tb testing.TB, data []byte) []byte {
	tb.Helper()
	page := syscall.Getpagesize()
	pages := (len(data) + page - 1) / page
	all, err := syscall.Mmap(-1, 0, (pages+1)*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := syscall.Munmap(all); err != nil {
			tb.Error(err)
		}
	})
	if err := syscall.Mprotect(all[pages*page:], syscall.PROT_NONE); err != nil {
		tb.Fatal(err)
	}
	at := all[pages*page-len(data) : pages*page : pages*page]
	copy(at, data)
	return at
}

// A column may end where a file's mapping ends: nothing is read behind its last value.
func TestNothingBehindTheLastValue(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for _, size := range moved {
		for _, n := range []int{1, 3, 8, 63, 64, 65, 130, 200} {
			data := randomBytes(r, n*size)
			src := edge(t, data)
			c := colstore.RawColumn(colstore.BytesOf(size), n, size, unsafe.Pointer(unsafe.SliceData(src)))
			rows := make([]int64, n)
			for i := range rows {
				rows[i] = int64(n - 1 - i)
			}
			runs := kernel.NewRuns([]int64{0, int64(n)})
			half := kernel.NewRuns([]int64{0, int64(n / 2), int64(n)})
			eachLevel(t, func(t *testing.T) {
				out := make([]byte, 2*n*size)
				for _, permille := range []int{10, 500, 1000} {
					keep := bitsOf(r, n, permille)
					rows := kernel.Compress(out, src, keep, size)
					if !bytes.Equal(out[:rows*size], kept(data, keep, n, size)) {
						t.Fatalf("size %d, %d rows: wrong bytes", size, n)
					}
					kernel.Select(out, keep, src, src, n, size)
				}
				kernel.Load(out[:n*size], c.Slice(n-1, -1, -1))
				for step := 2; step <= 4; step++ { // the last value is the last of the column
					some := c.Slice((n-1)%step, n, step)
					kernel.LoadPast(out[:some.Rows()*size], some)
				}
				kernel.Stream(out[:n*size], src)
				kernel.Interleave(out, []colstore.Column{c, c})
				runs.Gather(out, []colstore.Column{c}, rows)
				half.Gather(out, []colstore.Column{c.Slice(0, n/2, 1), c.Slice(n/2, n, 1)}, rows)
			})
		}
	}
}
