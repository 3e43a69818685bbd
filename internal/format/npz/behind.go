package npz

import (
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/mmap"
)

// faultReach is how many bytes before a page that is touched the system may map with it: the page table's.
const faultReach = 2 << 20

// behind keeps the rows that all batches have left behind. A batch that is released gives its pages back at once; but one
// before it that is still read may map some of them again, since touching a page maps others around it. So the pages
// are given back once more when all batches before have gone too.
type behind struct {
	mu   sync.Mutex
	low  int64           // all rows before are left behind
	done map[int64]int64 // begin and end of released batches that are not
}

// release marks the rows of a batch and returns those that are left behind since.
func (b *behind) release(at colstore.Range) colstore.Range {
	b.mu.Lock()
	defer b.mu.Unlock()
	from := b.low
	b.done[at.Begin] = at.End
	for {
		end, ok := b.done[b.low]
		if !ok {
			return colstore.Range{Begin: from, End: b.low}
		}
		delete(b.done, b.low)
		b.low = end
	}
}

// giveBackPages gives back the pages of a released batch, with what others have mapped of those left behind.
func (sc *scanner) giveBackPages(at colstore.Range) {
	if sc.behind == nil {
		return
	}
	reach := faultReach
	left := sc.behind.release(at)
	if left.Rows() == 0 {
		left, reach = at, 0
	}
	for i := range sc.cursors {
		if c := &sc.cursors[i]; c.m.method == methodStored {
			begin := max(int(c.m.dataAt), c.offset(left.Begin)-reach)
			sc.s.f.m.Advise(begin, c.offset(left.End)-begin, mmap.DontNeed)
		}
	}
}
