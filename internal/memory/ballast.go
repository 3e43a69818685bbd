package memory

import (
	"math"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

// ballastBytes is the size of the ballast: what the collector lets a small heap grow by before it collects. Less is felt as
// collections; of more the results would go through so much memory that each finds its own out of the caches.
//
// Source: docs/decisions/0030-ballast.md has the measurements.
const ballastBytes = 8 << 20

// paced is the size in bytes of the results that are counted. Of smaller ones a collection takes little, and more of them
// between two collections would only be farther from the caches.
const paced = 64 << 10

// ballast is a piece of heap that nobody looks at. The collector waits until the heap has doubled: of a program that keeps
// little that is 4 MiB, a few results of some 100 KiB. With the ballast it waits for 8 MiB more. It is of no use to a
// program that keeps more than its size, and is given up there.
var ballast struct {
	made atomic.Int64 // bytes of results since it was last thought about

	mu      sync.Mutex
	samples [3]metrics.Sample
	held    []byte
}

// pace counts a result of n bytes. Results that are as large as the ballast need none: filling them takes longer than a
// collection.
func pace(n int) {
	if n >= ballastBytes || ballast.made.Add(int64(n)) < ballastBytes || !ballast.mu.TryLock() {
		return
	}
	defer ballast.mu.Unlock()
	ballast.made.Store(0)
	weigh()
}

// weigh makes the ballast or gives it up. A program that has set the collector itself has none.
func weigh() {
	s := &ballast.samples
	s[0].Name, s[1].Name, s[2].Name = "/gc/heap/live:bytes", "/gc/gogc:percent", "/gc/gomemlimit:bytes"
	metrics.Read(s[:])
	live := s[0].Value.Uint64() // with the ballast, once it was seen by a collection
	switch {
	case s[1].Value.Uint64() != 100 || s[2].Value.Uint64() != math.MaxInt64 || live >= 3*ballastBytes:
		ballast.held = nil
	case ballast.held == nil && live < ballastBytes:
		ballast.held = undefined(ballastBytes)
		adviseUnused(ballast.held)
	}
}
