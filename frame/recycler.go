package frame

import "sync"

// A recycler hands out buffers of the Go heap again that were given back: for batches one after the other, whose sizes
// are much the same.
type recycler struct {
	mu   sync.Mutex
	free [][]byte
}

// mostFree is how many buffers a recycler keeps.
const mostFree = 64

// Get implements colstore.Allocator.
func (r *recycler) Get(n int) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, b := range r.free {
		if cap(b) >= n && cap(b) <= 2*n {
			last := len(r.free) - 1
			r.free[i], r.free = r.free[last], r.free[:last]
			return b[:n]
		}
	}
	return make([]byte, n)
}

// Put implements colstore.Allocator.
func (r *recycler) Put(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.free) < mostFree {
		r.free = append(r.free, b)
	}
}
