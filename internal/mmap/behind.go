package mmap

import (
	"sync"

	"github.com/colstore/colstore-go"
)

// faultReach is how many bytes before a page that is touched the system may map with it: the page table's.
const faultReach = 2 << 20

// Behind keeps the rows that all batches of a scan have left behind. A batch that is released gives its pages back at once;
// but one before it that is still read may map some of them again, since touching a page maps others around it. So the
// pages are given back once more when all batches before have gone too.
type Behind struct {
	mu   sync.Mutex
	low  int64           // all rows before are left behind
	done map[int64]int64 // begin and end of released batches that are not
}

// NewBehind returns that of a scan that begins with a row.
func NewBehind(row int64) *Behind { return &Behind{low: row, done: map[int64]int64{}} }

// Release marks the rows of a batch. It returns the rows whose pages are to be given back, and how many bytes before them
// others may have mapped meanwhile.
func (b *Behind) Release(at colstore.Range) (rows colstore.Range, reach int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	from := b.low
	b.done[at.Begin] = at.End
	for {
		end, ok := b.done[b.low]
		if !ok {
			break
		}
		delete(b.done, b.low)
		b.low = end
	}
	if from == b.low {
		return at, 0
	}
	return colstore.Range{Begin: from, End: b.low}, faultReach
}
