package parallel

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/numa"
)

// Each calls f(0) … f(n-1) in at most threads goroutines, one of which is the caller's, and returns the first error; after
// one, calls that have not begun are left out. Every call runs under a fault guard. With one thread, or one call, no
// goroutine is started.
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
	return each(n, threads, f, nil)
}

// EachBound is [Each] for work that ctx may ask to bind ([numa.Bound]): each of several goroutines is bound, also the caller's,
// until its last call has returned or panicked. With one thread, or one call, nothing is bound.
func EachBound(ctx context.Context, n, threads int, f func(i int) error) error {
	if threads <= 1 || n <= 1 {
		return Each(n, threads, f)
	}
	return each(n, threads, f, numa.BinderOf(ctx))
}

func each(n, threads int, f func(i int) error, b numa.Binder) error {
	w := &work{n: n, f: f, binder: b}
	for range min(n, threads) - 1 {
		w.others.Go(w.share)
	}
	func() {
		defer w.others.Wait() // also if f panics
		w.share()
	}()
	return w.err
}

// work is calls that several goroutines share.
type work struct {
	n      int
	f      func(i int) error
	binder numa.Binder // nil for none
	next   atomic.Int64
	failed atomic.Bool
	once   sync.Once
	err    error
	others sync.WaitGroup
}

// share makes calls until none is left.
func (w *work) share() {
	if w.binder != nil {
		defer w.binder.Bind()()
	}
	err := fault.Guard(func() error {
		for !w.failed.Load() {
			i := int(w.next.Add(1)) - 1
			if i >= w.n {
				return nil
			}
			if err := w.f(i); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		w.failed.Store(true)
		w.once.Do(func() { w.err = err })
	}
}
