package memory_test

import (
	"fmt"
	"testing"

	"github.com/colstore/colstore-go/internal/memory"
)

// BenchmarkFill compares what it costs to get memory and copy into it: of the heap as it comes, of this package, and with
// the memory at hand.
func BenchmarkFill(b *testing.B) {
	for _, size := range []int{1 << 20, 8 << 20, 64 << 20} {
		from, at := make([]byte, size), make([]byte, size)
		for _, c := range []struct {
			name string
			get  func() []byte
		}{
			{"make", func() []byte { return make([]byte, size) }},
			{"memory", func() []byte { return memory.Get(size) }},
			{"into", func() []byte { return at }},
		} {
			b.Run(fmt.Sprintf("%s/%d MiB", c.name, size>>20), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					copy(c.get(), from)
				}
			})
		}
	}
}
