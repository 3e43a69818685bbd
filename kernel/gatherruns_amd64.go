//go:build !purego

package kernel

import (
	"slices"
	"sync"
	"unsafe"
)

// An addressing gathers rows of one column of several runs by their addresses.
//
// Memory: addresses are numbers, which hold no memory and do not move with a stack that grows. They are good until places
// are kept: a table of places is on the heap, and so is what it points to.
type addressing struct {
	runs   *Runs
	places []place
	size   int
	early  int        // how many rows before it is copied a value is asked of memory
	zeros  *[]uintptr // for each run, where row 0 of the table would lie if the run reached so far; nil if that does not do
	buf    [foundRows]uintptr
}

// foundRows is how many rows' addresses are found before their values are copied: they stay in the first-level cache.
const foundRows = 1 << 10

// zeroTables are slices of zeros, to be used again.
var zeroTables = sync.Pool{New: func() any { return new([]uintptr) }}

// begin is called before the first of some rows.
func (a *addressing) begin(r *Runs, places []place, size, rows int) {
	a.runs, a.places, a.size = r, places, size
	if r.Rows()*int64(size) > cached {
		a.early = min(tuning.Load().PrefetchRandom, foundRows/2)
	}
	if r.even && rows >= 2*len(places) { // fewer rows do not save what the zeros cost
		a.fold()
	}
}

// fold finds the zeros, if all runs have one stride.
func (a *addressing) fold() {
	zeros := zeroTables.Get().(*[]uintptr)
	*zeros = slices.Grow((*zeros)[:0], len(a.places))[:len(a.places)]
	stride, starts := a.places[0].stride, a.runs.starts
	for i, p := range a.places {
		if p.stride != stride {
			zeroTables.Put(zeros)
			return
		}
		(*zeros)[i] = uintptr(p.data) - uintptr(starts[i]*int64(stride))
	}
	a.zeros = zeros
}

// end forgets the addresses.
func (a *addressing) end() {
	if a.zeros != nil {
		zeroTables.Put(a.zeros)
	}
}

// gather copies values from the front until a row does not exist, and returns how many it copied.
func (a *addressing) gather(dst unsafe.Pointer, rows []int64) (done int) {
	single := a.size&(a.size-1) == 0 && a.size <= 16
	switch {
	case a.zeros != nil && single && a.early == 0:
		return a.looked(dst, rows)
	case a.zeros != nil && single:
		return a.asked(dst, rows)
	}
	for len(rows) > 0 {
		some := rows[:min(len(rows), foundRows)]
		n := a.find(some)
		gatherAt(unsafe.Add(dst, done*a.size), a.buf[:n], a.size, a.early)
		if done += n; n < len(some) {
			break
		}
		rows = rows[n:]
	}
	return done
}

// find finds the addresses of rows, until one does not exist, and returns how many.
func (a *addressing) find(rows []int64) int {
	r := a.runs
	if a.zeros == nil {
		return gatherAddresses(&a.buf[0], unsafe.SliceData(rows), len(rows), r.Rows(), unsafe.SliceData(r.bucket), r.shift,
			unsafe.SliceData(r.starts), (*byte)(unsafe.Pointer(unsafe.SliceData(a.places))))
	}
	return gatherFolded(&a.buf[0], unsafe.SliceData(rows), len(rows), r.Rows(), unsafe.SliceData(r.bucket), r.shift,
		unsafe.SliceData(r.starts), unsafe.SliceData(*a.zeros), a.places[0].stride)
}

// asked is gather for values that one instruction loads: while one is copied, memory is asked for a later one, without a
// pause.
func (a *addressing) asked(dst unsafe.Pointer, rows []int64) (done int) {
	r, bucket, starts, zeros, stride := a.runs, unsafe.SliceData(a.runs.bucket), unsafe.SliceData(a.runs.starts), unsafe.SliceData(*a.zeros), a.places[0].stride
	first := rows[:min(a.early, len(rows))]
	waiting := gatherFoldedAsking(&a.buf[0], unsafe.SliceData(first), len(first), r.Rows(), bucket, r.shift, starts, zeros, stride)
	if waiting == len(first) {
		for rows = rows[waiting:]; len(rows) > 0; {
			some := rows[:min(len(rows), foundRows-waiting)]
			to, at, from, n := (*byte)(unsafe.Add(dst, done*a.size)), &a.buf[0], unsafe.SliceData(some), len(some)
			switch a.size {
			case 1:
				n = gatherFoldedAsking1(to, at, waiting, from, n, r.Rows(), bucket, r.shift, starts, zeros, stride)
			case 2:
				n = gatherFoldedAsking2(to, at, waiting, from, n, r.Rows(), bucket, r.shift, starts, zeros, stride)
			case 4:
				n = gatherFoldedAsking4(to, at, waiting, from, n, r.Rows(), bucket, r.shift, starts, zeros, stride)
			case 8:
				n = gatherFoldedAsking8(to, at, waiting, from, n, r.Rows(), bucket, r.shift, starts, zeros, stride)
			default:
				n = gatherFoldedAsking16(to, at, waiting, from, n, r.Rows(), bucket, r.shift, starts, zeros, stride)
			}
			copy(a.buf[:waiting], a.buf[n:n+waiting])
			if done += n; n < len(some) {
				break
			}
			rows = rows[n:]
		}
	}
	gatherAt(unsafe.Add(dst, done*a.size), a.buf[:waiting], a.size, 0)
	return done + waiting
}

// looked is gather for such values if they lie in the caches.
func (a *addressing) looked(dst unsafe.Pointer, rows []int64) int {
	r, bucket, starts, zeros, stride := a.runs, unsafe.SliceData(a.runs.bucket), unsafe.SliceData(a.runs.starts), unsafe.SliceData(*a.zeros), a.places[0].stride
	to, from, n := (*byte)(dst), unsafe.SliceData(rows), len(rows)
	switch a.size {
	case 1:
		return gatherFolded1(to, from, n, r.Rows(), bucket, r.shift, starts, zeros, stride)
	case 2:
		return gatherFolded2(to, from, n, r.Rows(), bucket, r.shift, starts, zeros, stride)
	case 4:
		return gatherFolded4(to, from, n, r.Rows(), bucket, r.shift, starts, zeros, stride)
	case 8:
		return gatherFolded8(to, from, n, r.Rows(), bucket, r.shift, starts, zeros, stride)
	default:
		return gatherFolded16(to, from, n, r.Rows(), bucket, r.shift, starts, zeros, stride)
	}
}
