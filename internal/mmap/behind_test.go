package mmap_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/mmap"
)

// Rows are left behind in their order, each once, whatever the order of the releases; a batch gives back its own pages when
// others before it are still read.
func TestBehind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.Int64Range(1, 5), 1, 8).Draw(t, "sizes")
		begin := rapid.Int64Range(0, 10).Draw(t, "begin")
		var ranges []colstore.Range
		at := begin
		for _, n := range sizes {
			ranges = append(ranges, colstore.Range{Begin: at, End: at + n})
			at += n
		}
		behind, next := mmap.NewBehind(begin), begin
		gone := map[int64]bool{}
		for _, r := range rapid.Permutation(ranges).Draw(t, "order") {
			for i := r.Begin; i < r.End; i++ {
				gone[i] = true
			}
			left, reach := behind.Release(r)
			if reach == 0 {
				if left != r || r.Begin == next {
					t.Fatalf("%v gives back %v, and row %d was the first that is read", r, left, next)
				}
				continue
			}
			if left.Begin != next {
				t.Fatalf("%v is left behind, expected from %d on", left, next)
			}
			for next = left.Begin; next < left.End; next++ {
				if !gone[next] {
					t.Fatalf("row %d is left behind and still read", next)
				}
			}
			if gone[next] {
				t.Fatalf("row %d is not left behind", next)
			}
		}
		if next != at {
			t.Fatalf("%d rows are left behind at the end, want %d", next, at)
		}
	})
}
