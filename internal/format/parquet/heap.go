package parquet

import "sync"

// heap is the Go heap as an allocator that hands released buffers out again.
type heap struct {
	mu   sync.Mutex // a batch may be released by whoever kept it
	free [][]byte
}

// Get returns n bytes.
func (h *heap) Get(n int) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, b := range h.free {
		if cap(b) >= n && cap(b)/2 <= n {
			h.free[i] = h.free[len(h.free)-1]
			h.free = h.free[:len(h.free)-1]
			return b[:n]
		}
	}
	return make([]byte, n)
}

// Put takes a buffer back.
func (h *heap) Put(b []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.free = append(h.free, b)
}
