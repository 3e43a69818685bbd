package source

import (
	"math"
	goruntime "runtime"

	"github.com/colstore/colstore-go/internal/calibrate"
	"github.com/colstore/colstore-go/kernel"
)

const (
	// sharedRows is from how many rows that lie scattered on a read is worth a second goroutine.
	sharedRows = 16 << 10
	// sharedBytes is the same of bytes that lie together.
	sharedBytes = 1 << 20
	// taskBytes is what one task of a large read fills of a column: several huge pages, of which two workers should not fault
	// one.
	taskBytes = 4 << 20
	// cacheBytes is how many bytes a read moves, those between its rows among them, from which on it is taken for more than
	// the last-level cache holds.
	cacheBytes = 32 << 20
	// workerTasks is how many tasks a worker has at least, so that all end together.
	workerTasks = 4
)

// cores returns how many goroutines a read of a view may use.
func cores() int {
	calibrate.Apply()
	if n := kernel.Tuned().Threads; n > 0 {
		return n
	}
	return goruntime.GOMAXPROCS(0)
}

// plan sets how many rows a task has, and returns how many goroutines share them.
func (c *copying) plan(limit int) (threads int) {
	rows, widest, width := c.end-c.begin, 1, 0
	for i := range c.columns {
		widest, width = max(widest, c.size(i)), width+c.size(i)
	}
	c.unit = rows
	c.byColumn = !c.byRow() && len(c.columns) > 1 && rows >= sharedRows && isShuffled(c.rows)
	scattered := true
	if r, ok := c.rows.(run); ok {
		scattered = r.step != 1
	}
	c.past = c.isPast()
	switch {
	case limit <= 1,
		scattered && rows*int64(max(1, len(c.columns))) < sharedRows,
		!scattered && rows*int64(width) < sharedBytes:
		return 1
	}
	if c.byRow() {
		widest = width
	}
	unit := min(int64(taskBytes/widest), rows/int64(limit*workerTasks)+1)
	c.unit = max(blockRows/8, (unit+63)/64*64)
	return limit
}

// isPast reports whether the result is written past the caches: by copies of rows that lie a constant step apart, and by
// packing.
func (c *copying) isPast() bool {
	width := 0
	for i := range c.columns {
		width += c.size(i)
	}
	moved := float64(c.end-c.begin) * float64(width)
	if r, ok := c.rows.(run); ok && !c.swaps(c.columns) {
		return moved*(1+math.Abs(float64(r.step))) > cacheBytes
	}
	return c.records != nil && moved > cacheBytes/2
}

// isShuffled reports whether rows are a list in no order, as far as a look at some of them tells: what one of its columns
// brings into the caches is then there for its next rows, but not if another column comes between.
func isShuffled(rows rowset) bool {
	l, ok := rows.(list)
	if !ok || len(l.rows) == 0 {
		return false
	}
	const looks = 8
	for i := 1; i < looks; i++ {
		if l.rows[len(l.rows)/looks*(i-1)] > l.rows[len(l.rows)/looks*i] {
			return true
		}
	}
	return false
}
