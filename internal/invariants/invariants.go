// Package invariants switches the checks that are too dear for a release build on or off.
//
// Build with `-tags invariants` to enable them: counters of what is alive are kept and tests demand that they end at
// zero, freed buffers are mangled, and use after release stops the program.
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
