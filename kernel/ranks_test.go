package kernel_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

func TestRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	a := mixed[uint64](r, 70)
	eachLevel(t, func(t *testing.T) {
		for n := range len(a) + 1 {
			var want []int64
			for i := 0; i < n; i += kernel.RankWords {
				want = append(want, int64(kernel.Count(a[:i])))
			}
			dst := append(make([]int64, len(want)), -7)
			if all := kernel.Ranks(dst[:len(want)], a[:n]); all != int64(kernel.Count(a[:n])) || !slices.Equal(dst[:len(want)], want) || dst[len(want)] != -7 {
				t.Fatalf("%d words: %d, %v", n, all, dst)
			}
		}
	})
}
