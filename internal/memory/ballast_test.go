package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

// light brings the process to where one is that keeps little, has set nothing and has no ballast.
func light(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	ballast.mu.Lock()
	ballast.held = nil
	ballast.mu.Unlock()
	runtime.GC()
}

// weighed returns the size of the ballast after it was thought about.
func weighed() int {
	ballast.mu.Lock()
	defer ballast.mu.Unlock()
	weigh()
	return len(ballast.held)
}

// Results that are dropped are collected by many, also in a program that keeps little; a few results change nothing.
func TestFewCollections(t *testing.T) {
	light(t)
	var last []byte
	results := func(bytes int) {
		const size = 400 << 10
		for range bytes / size {
			last = Get(size)
			last[0] = 1
		}
	}
	ballast.made.Store(0)
	results(ballastBytes / 2)
	if n := len(ballast.held); n != 0 {
		t.Errorf("%d bytes of ballast after a few results", n)
	}
	results(ballastBytes)
	if n := len(ballast.held); n != ballastBytes {
		t.Fatalf("%d bytes of ballast", n)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const bytes = 96 << 20
	results(bytes)
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(last)
	if n, most := after.NumGC-before.NumGC, uint32(bytes/(5<<20)); n > most {
		t.Errorf("%d collections for %d MiB of results, more than %d", n, bytes>>20, most)
	}
}

// A program that says how its heap is to grow is taken at its word, and one that keeps much needs no ballast.
func TestBallastIsGivenUp(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func() (undo func())
	}{
		{"GOGC", func() func() {
			was := debug.SetGCPercent(50)
			return func() { debug.SetGCPercent(was) }
		}},
		{"GOMEMLIMIT", func() func() {
			was := debug.SetMemoryLimit(math.MaxInt64 - 1)
			return func() { debug.SetMemoryLimit(was) }
		}},
		{"a heap of its own", func() func() {
			mine := make([]byte, 4*ballastBytes)
			runtime.GC()
			return func() {
				mine[0] = 1
				runtime.GC()
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			light(t)
			if n := weighed(); n != ballastBytes {
				t.Fatalf("%d bytes of ballast before", n)
			}
			runtime.GC()
			undo := c.set()
			if n := weighed(); n != 0 {
				t.Errorf("%d bytes of ballast", n)
			}
			undo()
			runtime.GC()
			if n := weighed(); n != ballastBytes {
				t.Errorf("%d bytes of ballast after", n)
			}
		})
	}
}
