package kernel_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

func TestSelectTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for _, size := range moved {
		eachLevel(t, func(t *testing.T) {
			alignments(func(n, offset int) {
				cond := bitsOf(r, n, []int{0, 10, 500, 990, 1000}[r.IntN(5)])
				shape := (n + offset) % 4
				one := [2]bool{shape&1 != 0, shape&2 != 0} // which operands repeat a value
				var operands [2][]byte
				for i := range operands {
					rows := n
					if one[i] {
						rows = 1
					}
					operands[i] = fill(randomBytes(r, rows*size), (offset*(3+i)+n)%64).data
				}
				var want []byte
				for i := range n {
					from := 1
					if has(cond, i) {
						from = 0
					}
					at := i
					if one[from] {
						at = 0
					}
					want = append(want, operands[from][at*size:(at+1)*size]...)
				}
				dst := fence(n*size, offset)
				kernel.Select(dst.data, cond, operands[0], operands[1], n, size)
				if !bytes.Equal(dst.data, want) || !dst.intact() {
					t.Fatalf("size %d, %d rows, offset %d, shape %d: wrong bytes", size, n, offset, shape)
				}
				if !one[0] { // onto an operand
					copy(dst.data, operands[0])
					if kernel.Select(dst.data, cond, dst.data, operands[1], n, size); !bytes.Equal(dst.data, want) {
						t.Fatalf("size %d, %d rows, onto the first operand: wrong bytes", size, n)
					}
				}
			})
		})
	}
}

// FuzzSelect compares all levels with the values taken one by one.
func FuzzSelect(f *testing.F) {
	f.Add(bytes.Repeat([]byte("abcdefghijk"), 100), []byte{0x0f, 0xff, 0x55}, uint8(1), false)
	f.Add(bytes.Repeat([]byte("abcdefghijk"), 100), bytes.Repeat([]byte{0x5c}, 30), uint8(3), true)
	f.Fuzz(func(t *testing.T, data, bits []byte, width uint8, one bool) {
		size := moved[int(width)%len(moved)]
		n := min(len(data)/(2*size), 8*len(bits))
		cond := make([]uint64, kernel.Words(n))
		for i := range n {
			cond[i/64] |= uint64(bits[i/8]>>(i%8)&1) << (i % 64)
		}
		a, b := data[:n*size], data[n*size:2*n*size]
		if one && n > 0 {
			b = b[:size]
		}
		var want []byte
		for i := range n {
			switch {
			case has(cond, i):
				want = append(want, a[i*size:(i+1)*size]...)
			case one:
				want = append(want, b...)
			default:
				want = append(want, b[i*size:(i+1)*size]...)
			}
		}
		for l := kernel.LevelGo; l <= kernel.Best(); l++ {
			before := kernel.SetLevel(l)
			dst := fence(n*size, len(bits)%64)
			kernel.Select(dst.data, cond, a, b, n, size)
			kernel.SetLevel(before)
			if !bytes.Equal(dst.data, want) || !dst.intact() {
				t.Fatalf("size %d, %d rows at level %v differ", size, n, l)
			}
		}
	})
}

func BenchmarkSelect(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 2, 4, 8} {
		for _, n := range []int{100, 2048, 1_000_000} {
			x, y, dst := make([]byte, n*size), make([]byte, n*size), make([]byte, n*size)
			cond := bitsOf(r, n, 500)
			for name, second := range map[string][]byte{"vv": y, "vc": y[:size]} {
				benchLevels(b, fmt.Sprintf("%dB/%d/%s", size, n, name), func(b *testing.B) {
					b.SetBytes(int64(n * size))
					for b.Loop() {
						kernel.Select(dst, cond, x, second, n, size)
					}
				})
			}
		}
	}
}
