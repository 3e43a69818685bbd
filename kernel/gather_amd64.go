//go:build !purego

package kernel

import (
	"unsafe"

	"github.com/colstore/colstore-go"
)

// widestPieces is from how many bytes on a value is copied by the general copy.
const widestPieces = 256

// fastGather reports whether there are kernels for values of a size.
func fastGather(size int) bool { return size <= widestPieces && has(LevelSSE) }

// cached is up to how many bytes a column is taken to lie in the caches, where asking ahead of time only costs.
const cached = 1 << 20

// ahead returns how many rows before it is copied a value is asked of memory. Rows that lie close together are fetched by
// the processor on its own.
func ahead(rows []int64, bytes int64) int {
	if bytes <= cached {
		return 0
	}
	t := tuning.Load()
	n := len(rows)
	a, b, c, d := rows[0], rows[n/3], rows[n/3*2], rows[n-1]
	switch {
	case a > b || b > c || c > d || (d-a)/64 >= int64(n):
		return t.PrefetchRandom
	case (d-a)/4 < int64(n):
		return 0
	default:
		return t.PrefetchSorted
	}
}

// gatherRun is gatherRunGo.
func gatherRun(dst unsafe.Pointer, p place, size int, count int64, rows []int64) int {
	if !fastGather(size) {
		return gatherRunGo(dst, p, size, count, rows)
	}
	return gatherFast(dst, p, size, 0, count, rows, ahead(rows, count*int64(max(p.stride, -p.stride))))
}

// gatherFast gathers rows from the front until one is not among the count rows from first on, which lie at p, and returns
// how many those were.
func gatherFast(dst unsafe.Pointer, p place, size int, first, count int64, rows []int64, early int) int {
	to, src, at, n := (*byte)(dst), (*byte)(p.data), unsafe.SliceData(rows), len(rows)
	if p.stride == size && first == 0 {
		switch size {
		case 1:
			return gather1(to, src, at, n, early, count)
		case 2:
			return gather2(to, src, at, n, early, count)
		case 4:
			return gather4(to, src, at, n, early, count)
		case 8:
			return gather8(to, src, at, n, early, count)
		case 16:
			return gather16(to, src, at, n, early, count)
		}
	}
	if p.stride == size {
		switch size {
		case 1:
			return gatherFrom1(to, src, at, n, early, first, count)
		case 2:
			return gatherFrom2(to, src, at, n, early, first, count)
		case 4:
			return gatherFrom4(to, src, at, n, early, first, count)
		case 8:
			return gatherFrom8(to, src, at, n, early, first, count)
		case 16:
			return gatherFrom16(to, src, at, n, early, first, count)
		}
	}
	switch {
	case size == 1:
		return gatherStep1(to, src, p.stride, at, n, early, first, count)
	case size == 2:
		return gatherStep2(to, src, p.stride, at, n, early, first, count)
	case size == 4:
		return gatherStep4(to, src, p.stride, at, n, early, first, count)
	case size == 8:
		return gatherStep8(to, src, p.stride, at, n, early, first, count)
	case size == 16:
		return gatherStep16(to, src, p.stride, at, n, early, first, count)
	case size < 4:
		return gatherStepPair2(to, src, size, p.stride, at, n, early, first, count)
	case size < 8:
		return gatherStepPair4(to, src, size, p.stride, at, n, early, first, count)
	case size < 16:
		return gatherStepPair8(to, src, size, p.stride, at, n, early, first, count)
	case size <= 32:
		return gatherStepPair16(to, src, size, p.stride, at, n, early, first, count)
	default:
		return gatherStepLong(to, src, size, p.stride, at, n, early, first, count)
	}
}

// gatherAt copies the values at addresses, where fastGather says so.
func gatherAt(dst unsafe.Pointer, from []uintptr, size, early int) {
	to, at, n := (*byte)(dst), unsafe.SliceData(from), len(from)
	switch {
	case size == 1:
		gatherAt1(to, at, n, early)
	case size == 2:
		gatherAt2(to, at, n, early)
	case size == 4:
		gatherAt4(to, at, n, early)
	case size == 8:
		gatherAt8(to, at, n, early)
	case size == 16:
		gatherAt16(to, at, n, early)
	case size < 4:
		gatherAtPair2(to, at, size, n, early)
	case size < 8:
		gatherAtPair4(to, at, size, n, early)
	case size < 16:
		gatherAtPair8(to, at, size, n, early)
	case size <= 32:
		gatherAtPair16(to, at, size, n, early)
	default:
		gatherAtLong(to, at, size, n, early)
	}
}

const (
	// addressedRows is how many rows' addresses are found before their values are copied: they stay in the first-level cache.
	addressedRows = 1 << 10
	// stretch is how many rows in a row must lie in one run for that run's loop to be worth a call.
	stretch = 32
)

// gatherRuns is gatherRunsGo in two ways: where many rows in a row lie in one run, as sorted ones do, by that run's loop,
// which stops where they no longer do; else by addresses that are found a thousand at a time.
func (r *Runs) gatherRuns(dst unsafe.Pointer, column []colstore.Column, size int, rows []int64) int {
	if !fastGather(size) {
		return r.gatherRunsGo(dst, column, size, rows)
	}
	table := r.places(column)
	defer keep(table)
	places := *table
	early, random := ahead(rows, r.Rows()*int64(size)), 0
	if r.Rows()*int64(size) > cached {
		random = tuning.Load().PrefetchRandom
	}
	var buf [addressedRows]uintptr
	done := 0
	for done < len(rows) {
		row := rows[done]
		if uint64(row) >= uint64(r.Rows()) {
			return done
		}
		run := r.run(row)
		n := gatherFast(unsafe.Add(dst, done*size), places[run], size, r.starts[run], r.starts[run+1]-r.starts[run], rows[done:], early)
		if done += n; n >= stretch || done == len(rows) {
			continue
		}
		some := rows[done:min(len(rows), done+addressedRows)]
		n = r.addresses(&buf, places, some)
		gatherAt(unsafe.Add(dst, done*size), buf[:n], size, random)
		if done += n; n < len(some) {
			return done
		}
	}
	return done
}

// addresses finds where rows lie, until one does not exist, and returns how many it found.
//
// Memory: the addresses are numbers, which hold no memory and do not move with a stack that grows. They are good until places
// are kept: a table of places is on the heap, and so is what it points to.
func (r *Runs) addresses(out *[addressedRows]uintptr, places []place, rows []int64) int {
	return gatherAddresses(&out[0], unsafe.SliceData(rows), len(rows), r.Rows(), unsafe.SliceData(r.bucket), r.shift,
		unsafe.SliceData(r.starts), (*byte)(unsafe.Pointer(unsafe.SliceData(places))))
}
