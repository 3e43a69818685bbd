package runtime

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/invariants"
)

// A slot is the memory of one unit of work in flight. Its buffers are kept and handed out again.
type slot struct {
	share int64 // most bytes handed out at once; 0 is no limit
	mu    sync.Mutex
	free  []*buffer
	used  []*buffer
	out   int64
	refs  atomic.Int32 // holders of the unit in flight
}

type buffer struct {
	raw  []byte // as allocated
	data []byte // aligned
}

// mangle makes tests fail that read what nobody has written.
func (b *buffer) mangle() {
	if invariants.Enabled {
		for i := range b.data {
			b.data[i] = 0xdb
		}
	}
}

// bufferAlign is what an allocator's buffers are aligned to.
const bufferAlign = 64

// Get implements colstore.Allocator.
func (s *slot) Get(n int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.share > 0 && s.out+int64(n) > s.share {
		return nil
	}
	s.out += int64(n)
	// The smallest that fits, but none that is far too large: it would be missed by its right size.
	best := -1
	for i, b := range s.free {
		if len(b.data) >= n && len(b.data) <= 4*n+4096 && (best < 0 || len(b.data) < len(s.free[best].data)) {
			best = i
		}
	}
	var b *buffer
	if best >= 0 {
		b = s.free[best]
		s.free = slices.Delete(s.free, best, best+1)
	} else {
		s.makeRoom(n)
		raw := make([]byte, n+bufferAlign)
		off := -uintptr(unsafe.Pointer(unsafe.SliceData(raw))) % bufferAlign
		b = &buffer{raw: raw, data: raw[off : int(off)+n]}
		b.mangle() // as if it had been used before
	}
	s.used = append(s.used, b)
	return b.data[:n:n]
}

// makeRoom drops free buffers that would take the slot beyond its share with n more bytes.
func (s *slot) makeRoom(n int) {
	if s.share == 0 {
		return
	}
	held := int64(n)
	for _, b := range slices.Concat(s.free, s.used) {
		held += int64(len(b.data))
	}
	for held > s.share && len(s.free) > 0 {
		held -= int64(len(s.free[0].data))
		s.free = slices.Delete(s.free, 0, 1)
	}
}

// Put implements colstore.Allocator.
func (s *slot) Put(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out -= int64(len(data))
	p := unsafe.SliceData(data)
	i := slices.IndexFunc(s.used, func(b *buffer) bool { return unsafe.SliceData(b.data) == p })
	if i < 0 {
		if invariants.Enabled {
			panic("runtime: a buffer was given back to a slot that it is not of")
		}
		return
	}
	b := s.used[i]
	b.mangle()
	s.used = slices.Delete(s.used, i, i+1)
	s.free = append(s.free, b)
}

var _ colstore.Allocator = (*slot)(nil)

// lane is the allocator of a scan that goes through several slots, one a batch.
type lane struct {
	mu    sync.Mutex
	cur   *slot
	owner map[*byte]*slot
}

func (l *lane) enter(s *slot) {
	l.mu.Lock()
	l.cur = s
	l.mu.Unlock()
}

// Get implements colstore.Allocator.
func (l *lane) Get(n int) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.cur.Get(n)
	if b != nil {
		l.owner[unsafe.SliceData(b)] = l.cur
	}
	return b
}

// Put implements colstore.Allocator.
func (l *lane) Put(b []byte) {
	l.mu.Lock()
	p := unsafe.SliceData(b)
	s := l.owner[p]
	delete(l.owner, p)
	l.mu.Unlock()
	if s != nil {
		s.Put(b)
	}
}
