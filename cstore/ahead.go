package cstore

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/mmap"
)

// A readAhead lets the disk read the next batch of a scan while this one is worked on.
type readAhead struct {
	r       *Reader
	picked  []int // columns that are scanned
	m       *mmap.Mapping
	ahead   mmap.Ahead
	stopped bool // what comes next is wanted no more
}

// aheadBytes is how much of a column a batch must take for it to be read ahead: less than the system reads on its own.
const aheadBytes = 256 << 10

// aheadBack is how many batches before one tell whether a column is read at all. Those right before it may be another
// worker's, and not read yet.
const aheadBack = 8

// beside begins to read what follows batch b, which is about to be worked on, in its record: in a scan of one batch that
// is the batch of the worker that comes next.
func (a *readAhead) beside(rec record, b *colstore.Batch) {
	n, begin := int64(b.Rows()), b.Begin()
	next := colstore.Range{Begin: begin + n, End: min(begin+2*n, rec.first+rec.rows)}
	back := max(rec.first, begin-aheadBack*n)
	if next.Rows() <= 0 || back+n > begin || next.Rows()*int64(a.r.schema.RowBytes()) < aheadBytes {
		return
	}
	var spans [2][]mmap.Span
	for _, c := range a.picked {
		size := int64(a.r.schema.Field(c).Type.Size())
		if next.Rows()*size < aheadBytes {
			continue
		}
		at := func(row int64) int { return int(rec.offset(a.r.prefix[c], int(size), row)) }
		spans[0] = append(spans[0], mmap.Span{Off: at(back), Len: int(n * size)})
		spans[1] = append(spans[1], mmap.Span{Off: at(next.Begin), Len: int(next.Rows() * size)})
	}
	if len(spans[1]) == 0 {
		return
	}
	if a.m == nil {
		m, err := a.r.mapping()
		if err != nil {
			return // the scan tells, if it needs it
		}
		a.m = m
	}
	a.ahead.Read(a.m, spans[0], spans[1])
}

// end waits until nothing is read any more.
func (a *readAhead) end() {
	if a.m != nil {
		a.ahead.Wait(a.stopped)
		a.m.Release()
	}
}
