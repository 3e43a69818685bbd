package kernel

import "sync/atomic"

// Tuning is what a measurement on a machine may set. Results never depend on it.
type Tuning struct {
	// Threads is how many goroutines a read of rows may use; 0 leaves it to the reader.
	Threads int
	// PrefetchSorted and PrefetchRandom are how many rows ahead of the one that is copied a gather asks memory for, where
	// rows lie close together in ascending order and where they do not.
	PrefetchSorted, PrefetchRandom int
	// Sparse is up to how many set bits of 64 rows of 8 bytes are taken one by one instead of by vectors; wider rows in
	// proportion.
	Sparse int
}

// DefaultTuning is what holds before [Tune] is called.
//
// Source: docs/decisions/0022-kernels.md.
var DefaultTuning = Tuning{PrefetchSorted: 8, PrefetchRandom: 24, Sparse: 4}

// limits of what a tuning may say: beyond these numbers nothing differs any more.
const (
	furthestPrefetch = 1 << 10
	allBits          = 64
)

var tuning atomic.Pointer[Tuning]

func init() { Tune(DefaultTuning) }

// Tune sets what kernels run with from now on, and returns what they ran with before. Values that make no sense are
// brought to the nearest that does.
//
// Concurrency: safe at any time; a call that runs already may see either.
func Tune(t Tuning) (before Tuning) {
	t.Threads = max(0, t.Threads)
	t.PrefetchSorted = min(max(0, t.PrefetchSorted), furthestPrefetch)
	t.PrefetchRandom = min(max(0, t.PrefetchRandom), furthestPrefetch)
	t.Sparse = min(max(0, t.Sparse), allBits)
	if old := tuning.Swap(&t); old != nil {
		before = *old
	}
	return before
}

// Tuned returns what kernels run with.
func Tuned() Tuning { return *tuning.Load() }
