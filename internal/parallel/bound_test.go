package parallel_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/numa"
)

// bindings counts goroutines that are bound.
type bindings struct{ made, held atomic.Int32 }

func (b *bindings) Bind() func() {
	b.made.Add(1)
	b.held.Add(1)
	return func() { b.held.Add(-1) }
}

// Every goroutine is bound once for all its calls, whatever they end with; one that works alone is not.
func TestEachBound(t *testing.T) {
	failed := errors.New("failed")
	for _, test := range []struct {
		n, threads int
		want       int32
		err        error
	}{{100, 1, 0, nil}, {1, 4, 0, nil}, {100, 4, 4, nil}, {3, 8, 3, nil}, {100, 4, 4, failed}, {100, 1, 0, failed}} {
		b := &bindings{}
		err := parallel.EachBound(numa.Bound(t.Context(), b), test.n, test.threads, func(int) error {
			if b.held.Load() == 0 && test.want > 0 {
				t.Error("a call while no goroutine is bound")
			}
			return test.err
		})
		if b.made.Load() != test.want || b.held.Load() != 0 || !errors.Is(err, test.err) {
			t.Errorf("%d calls by %d: %d bound, %d still, %v", test.n, test.threads, b.made.Load(), b.held.Load(), err)
		}
	}
	calls := 0
	if err := parallel.EachBound(t.Context(), 3, 1, func(int) error { calls++; return nil }); err != nil || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// A panic that comes to the caller leaves no goroutine bound.
func TestEachBoundPanics(t *testing.T) {
	b := &bindings{}
	defer func() {
		if recover() == nil || b.made.Load() != 2 || b.held.Load() != 0 {
			t.Errorf("no panic, or %d of %d are bound", b.held.Load(), b.made.Load())
		}
	}()
	// Closed when the test's goroutine has begun its call, and when the other one has ended its own.
	begun, ended := make(chan struct{}), make(chan struct{})
	_ = parallel.EachBound(numa.Bound(t.Context(), b), 2, 2, func(int) error {
		if !fromTest("TestEachBoundPanics") {
			<-begun // or it might make both calls
			close(ended)
			return nil
		}
		close(begun)
		<-ended
		panic("bug")
	})
}
