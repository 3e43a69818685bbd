package feather

import (
	"sync"

	"github.com/colstore/colstore-go/internal/parallel"
)

// A line takes pieces of work from several goroutines to one place in order: each is made by any of them, and brought there
// by the one that made it or by one that made an earlier one. Nobody waits for a piece that is brought unless too many wait
// for it.
type line struct {
	ahead int // the most pieces that are made and not brought yet, those under way among them

	mu       sync.Mutex
	moved    sync.Cond // next or failed is another
	next     int
	ready    map[int]func() error
	bringing bool
	failed   bool
}

// run makes the pieces 0 to n-1 in up to threads goroutines; bring, which make returns, is called for one piece after the
// other. After an error no more pieces are begun, and none is brought.
func (l *line) run(n, threads int, make func(i int) (bring func() error, err error)) error {
	l.moved.L, l.ready = &l.mu, map[int]func() error{}
	return parallel.Each(n, threads, func(i int) (err error) {
		if !l.enter(i) {
			return nil
		}
		done := false
		defer func() {
			if !done { // an error, or a fault that passes through
				l.fail()
			}
		}()
		bring, err := make(i)
		if err == nil {
			err = l.put(i, bring)
		}
		done = err == nil
		return err
	})
}

// enter waits until piece i may be begun; after an error it may not.
func (l *line) enter(i int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i >= l.next+l.ahead && !l.failed {
		l.moved.Wait()
	}
	return !l.failed
}

func (l *line) fail() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = true
	l.moved.Broadcast()
}

// put brings piece i, and those after it that are made, if it is their turn and nobody else is about it.
func (l *line) put(i int, bring func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready[i] = bring
	if l.bringing {
		return nil
	}
	l.bringing = true
	defer func() { l.bringing = false }()
	for !l.failed {
		bring, ok := l.ready[l.next]
		if !ok {
			break
		}
		delete(l.ready, l.next)
		if err := l.outside(bring); err != nil {
			return err
		}
		l.next++
		l.moved.Broadcast()
	}
	return nil
}

// outside calls f without the lock.
func (l *line) outside(f func() error) error {
	l.mu.Unlock()
	defer l.mu.Lock()
	return f()
}
