package invariants

import "sync/atomic"

// Counter counts live things of one kind; without the build tag it stays at zero.
type Counter struct{ n atomic.Int64 }

// Add changes the count by delta.
func (c *Counter) Add(delta int64) {
	if Enabled {
		c.n.Add(delta)
	}
}

// Load returns the count.
func (c *Counter) Load() int64 { return c.n.Load() }

// What is alive in this process: batches with an owner that waits for its last Release, and mapped files.
var (
	Batches  Counter
	Mappings Counter
)
