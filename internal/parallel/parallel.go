package parallel

import (
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/colstore/colstore-go/internal/fault"
)

// Each calls f(0) … f(n-1) in at most threads goroutines and returns the first error; after one, calls that have not
// begun are left out. Every call runs under a fault guard. With one thread, or one call, no goroutine is started.
func Each(n, threads int, f func(i int) error) error {
	if threads <= 1 || n <= 1 {
		return fault.Guard(func() error {
			for i := range n {
				if err := f(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	var next atomic.Int64
	var failed atomic.Bool
	var g errgroup.Group
	for range min(n, threads) {
		g.Go(func() error {
			err := fault.Guard(func() error {
				for !failed.Load() {
					i := int(next.Add(1)) - 1
					if i >= n {
						return nil
					}
					if err := f(i); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				failed.Store(true)
			}
			return err
		})
	}
	return g.Wait()
}
