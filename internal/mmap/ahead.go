package mmap

import (
	"os"
	"sync/atomic"

	"github.com/colstore/colstore-go/numa"
)

// A Span is a range of a mapping's bytes.
type Span struct{ Off, Len int }

// An Ahead reads the pages of a cold file that a scan reaches next, so that the scan works while the disk does. The zero
// value is ready. It is one scan's; the mapping must be held until [Ahead.Wait].
type Ahead struct {
	Policy numa.Policy // where pages are placed that are read

	stop atomic.Bool
	done chan struct{} // closed when nothing is read any more; nil before the first Read
}

// aheadPiece is how many bytes are read before it is asked again whether they are still wanted.
const aheadPiece = 2 << 20

// Read begins to read those of the next spans that are not in memory, if the span before, of the same index, is: what the
// scan has left out until now it will leave out further on. It does nothing while the call before is still at work in this
// mapping, or where the system cannot tell or do so.
//
// A file that is cut meanwhile is not read; whoever needs the bytes finds out.
func (a *Ahead) Read(m *Mapping, before, next []Span) {
	if !canAhead || !m.reading.CompareAndSwap(false, true) {
		return
	}
	cold := make([]Span, 0, len(next))
	for i, s := range next {
		if !m.resident(s, 2) && m.resident(before[i], 4) {
			cold = append(cold, s)
		}
	}
	if len(cold) == 0 {
		m.reading.Store(false)
		return
	}
	done := make(chan struct{})
	a.done = done
	go func() {
		defer close(done)
		defer m.reading.Store(false) // the mapping is not touched after that, so that the last goroutine is all to wait for
		numa.This().Place(a.Policy, func() { a.read(m, cold) })
	}()
}

func (a *Ahead) read(m *Mapping, spans []Span) {
	for _, s := range spans {
		for ; s.Len > 0 && !a.stop.Load(); s = (Span{s.Off + aheadPiece, s.Len - aheadPiece}) {
			if !m.populate(Span{s.Off, min(s.Len, aheadPiece)}) {
				return
			}
		}
	}
}

// Wait returns when nothing is read any more. With stop, what is wanted no more is given up.
func (a *Ahead) Wait(stop bool) {
	if a.done != nil {
		a.stop.Store(stop)
		<-a.done
	}
}

// resident reports whether some pages of a span, spread over it, all are in memory.
func (m *Mapping) resident(s Span, samples int) bool {
	page := os.Getpagesize()
	for i := range samples {
		at := (s.Off + (s.Len-1)*(i+1)/samples) / page * page
		if at < 0 || at >= len(m.data) || !inMemory(m.data[at:min(at+page, len(m.data))]) {
			return false
		}
	}
	return true
}

// populate brings a span into memory and maps it. It reports false if the system cannot.
func (m *Mapping) populate(s Span) bool {
	page := os.Getpagesize()
	begin, end := max(s.Off, 0)/page*page, min(s.Off+s.Len, len(m.data))
	return begin >= end || populate(m.data[begin:end])
}
