package kernel_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

// Every length up to 257 words at every alignment, at every level, is what reversing word by word makes.
func TestSwapTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, word := range []int{1, 2, 4, 8} {
		in := make([]byte, 257*word)
		for i := range in {
			in[i] = byte(r.Uint32())
		}
		want := make([]byte, len(in))
		for i := range in {
			want[i/word*word+word-1-i%word] = in[i]
		}
		eachLevel(t, func(t *testing.T) {
			for n := 0; n <= 257; n++ {
				for offset := range 64 {
					b := fill(in[:n*word], offset)
					if kernel.Swap(b.data, word); !bytes.Equal(b.data, want[:n*word]) || !b.intact() {
						t.Fatalf("word %d, %d of them, offset %d", word, n, offset)
					}
				}
			}
		})
	}
}
