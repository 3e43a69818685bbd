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

// ahead returns how many rows before it is copied a value is asked of memory, and whether rows lie so near each other in
// ascending order that lines between them may be as well. Rows that lie closer are fetched by the processor on its own.
func ahead(rows []int64, bytes int64) (early int, near bool) {
	if bytes <= cached {
		return 0, false
	}
	t := tuning.Load()
	n := len(rows)
	a, b, c, d := rows[0], rows[n/3], rows[n/3*2], rows[n-1]
	switch {
	case a > b || b > c || c > d || (d-a)/64 >= int64(n):
		return t.PrefetchRandom, false
	case (d-a)/4 < int64(n):
		return 0, false
	default:
		return t.PrefetchSorted, t.PrefetchSorted > 0
	}
}

// gatherRun is gatherRunGo.
func gatherRun(dst unsafe.Pointer, p place, size int, count int64, rows []int64) int {
	if !fastGather(size) {
		return gatherRunGo(dst, p, size, count, rows)
	}
	early, near := ahead(rows, count*int64(max(p.stride, -p.stride)))
	return gatherNear(dst, p, size, 0, count, rows, early, near)
}

// nearRows is how many rows are copied while the lines that the next so many lie in are asked of memory.
const nearRows = 64

// gatherNear is gatherFast for rows that lie near each other in ascending order, if near says so: all lines from the first
// to the last of some are asked for, which memory gives faster than the half of them that hold a row.
func gatherNear(dst unsafe.Pointer, p place, size int, first, count int64, rows []int64, early int, near bool) int {
	if !near {
		return gatherFast(dst, p, size, first, count, rows, early)
	}
	for done := 0; done < len(rows); {
		end, asked := min(done+nearRows, len(rows)), early
		if next := rows[end:min(end+nearRows, len(rows))]; len(next) > 0 {
			from, to := next[0]-first, next[len(next)-1]-first
			if lines := int(to-from)*p.stride/lineBytes + 1; uint64(from) < uint64(count) && uint64(to) < uint64(count) && 0 < lines && lines <= 2*len(next) {
				prefetchLines((*byte)(unsafe.Add(p.data, int(from)*p.stride)), lines)
				asked = 0
			}
		}
		n := gatherFast(unsafe.Add(dst, done*size), p, size, first, count, rows[done:end], asked)
		if done += n; done < end {
			return done
		}
	}
	return len(rows)
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
	// addressedRows is how many rows are gathered by addresses before a look whether those that follow lie in one run.
	addressedRows = 4 << 10
	// stretch is how many rows in a row must lie in one run for that run's loop to be worth a call.
	stretch = 32
)

// gatherRuns is gatherRunsGo in two ways: where many rows in a row lie in one run, as sorted ones do, by that run's loop,
// which stops where they no longer do; else by addresses.
func (r *Runs) gatherRuns(dst unsafe.Pointer, column []colstore.Column, size int, rows []int64) int {
	if !fastGather(size) {
		return r.gatherRunsGo(dst, column, size, rows)
	}
	table := r.places(column)
	defer keep(table)
	places := *table
	early, near := ahead(rows, r.Rows()*int64(size))
	var a addressing
	defer a.end()
	done := 0
	for done < len(rows) {
		row := rows[done]
		if uint64(row) >= uint64(r.Rows()) {
			return done
		}
		run := r.run(row)
		n := gatherNear(unsafe.Add(dst, done*size), places[run], size, r.starts[run], r.starts[run+1]-r.starts[run], rows[done:], early, near)
		if done += n; n >= stretch || done == len(rows) { // an address behind dst is of somebody else's memory
			continue
		}
		if a.runs == nil {
			a.begin(r, places, size, len(rows)-done)
		}
		some := rows[done:min(len(rows), done+addressedRows)]
		n = a.gather(unsafe.Add(dst, done*size), some)
		if done += n; n < len(some) {
			return done
		}
	}
	return done
}
