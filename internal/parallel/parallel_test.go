package parallel_test

import (
	"bytes"
	"errors"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colstore/colstore-go/internal/parallel"
)

// Every call is made once, by any number of goroutines; after an error none begins that has not.
func TestEach(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 8} {
		for _, n := range []int{0, 1, 2, 100} {
			calls := make([]atomic.Int32, n)
			if err := parallel.Each(n, threads, func(i int) error { calls[i].Add(1); return nil }); err != nil {
				t.Error(err)
			}
			for i := range calls {
				if calls[i].Load() != 1 {
					t.Errorf("%d threads: call %d of %d was made %d times", threads, i, n, calls[i].Load())
				}
			}
		}
		failed := errors.New("failed")
		var made atomic.Int32
		err := parallel.Each(1000, threads, func(int) error { made.Add(1); return failed })
		if !errors.Is(err, failed) || made.Load() > int32(max(1, threads)) {
			t.Errorf("%d threads: %d calls, %v", threads, made.Load(), err)
		}
	}
}

// A panic of the caller's share comes to the caller when all others have ended.
func TestEachPanics(t *testing.T) {
	var running atomic.Int32
	// Closed when the test's goroutine is at work, and the other one. Each waits for the other, which might make both calls.
	begun, shared := make(chan struct{}), make(chan struct{})
	defer func() {
		if recover() == nil || running.Load() != 0 {
			t.Errorf("no panic, or %d calls go on", running.Load())
		}
	}()
	_ = parallel.Each(2, 2, func(int) error {
		if fromTest("TestEachPanics") {
			close(begun)
			<-shared
			panic("bug")
		}
		running.Add(1)
		<-begun
		close(shared)
		time.Sleep(10 * time.Millisecond)
		running.Add(-1)
		return nil
	})
}

// fromTest reports whether it is called in the goroutine of a test.
func fromTest(name string) bool {
	return bytes.Contains(debug.Stack(), []byte("parallel_test."+name+"("))
}
