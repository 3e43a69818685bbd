package kernel

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/colstore/colstore-go"
)

// Gather copies the values of rows of one column, in that order, into dst, as they are stored. It returns -1, or the
// place in rows of the first that does not exist; dst is then undefined from there on.
//
//	for i, row := range rows {
//		run, at := r.Find(row)
//		copy(dst[i*size:], column[run].At(at))
//	}
//
// Shapes: column has one part for every run, all of one dtype, of any stride; len(dst) = len(rows) × its size.
// Memory: dst must not overlap the column.
// Source: docs/decisions/0022-kernels.md; one pass that also checks the rows, since a pass of its own over them costs 10
// to 25 % more on sorted ones.
func (r *Runs) Gather(dst []byte, column []colstore.Column, rows []int64) (bad int) {
	if len(rows) == 0 {
		return -1
	}
	if len(r.index) == 0 {
		return 0
	}
	size := column[r.index[0]].Type().Size()
	if size == 0 {
		return r.check(rows)
	}
	d := unsafe.Pointer(unsafe.SliceData(dst[:len(rows)*size]))
	var done int
	switch {
	case len(r.index) == 1:
		done = gatherRun(d, placeOf(column[r.index[0]]), size, r.Rows(), rows)
	case 2*len(rows) < len(r.index):
		done = r.gatherFew(d, column, size, rows)
	default:
		done = r.gatherRuns(d, column, size, rows)
	}
	if done == len(rows) {
		return -1
	}
	return done
}

// check is Gather for values without a byte.
func (r *Runs) check(rows []int64) int {
	for i, row := range rows {
		if uint64(row) >= uint64(r.Rows()) {
			return i
		}
	}
	return -1
}

// place is where a run of a column begins, and how far apart its values are.
type place struct {
	data   unsafe.Pointer
	stride int
}

func placeOf(c colstore.Column) place {
	data, _, stride := c.Raw()
	return place{data, stride}
}

// gatherRunGo gathers rows from the front until one is not among the count rows that lie at p, and returns how many those
// were. It is the loop that defines Gather for one run.
func gatherRunGo(dst unsafe.Pointer, p place, size int, count int64, rows []int64) int {
	switch size {
	case 1:
		return gatherRunAs[uint8](dst, p, count, rows)
	case 2:
		return gatherRunAs[uint16](dst, p, count, rows)
	case 4:
		return gatherRunAs[uint32](dst, p, count, rows)
	case 8:
		return gatherRunAs[uint64](dst, p, count, rows)
	case 16:
		return gatherRunAs[[2]uint64](dst, p, count, rows)
	}
	for i, row := range rows {
		if uint64(row) >= uint64(count) {
			return i
		}
		moveBytes(unsafe.Add(dst, i*size), unsafe.Add(p.data, int(row)*p.stride), size)
	}
	return len(rows)
}

func gatherRunAs[T uint8 | uint16 | uint32 | uint64 | [2]uint64](dst unsafe.Pointer, p place, count int64, rows []int64) int {
	out := unsafe.Slice((*T)(dst), len(rows))
	if p.stride == int(unsafe.Sizeof(*new(T))) {
		src := unsafe.Slice((*T)(p.data), count)
		for i, row := range rows {
			if uint64(row) >= uint64(len(src)) {
				return i
			}
			out[i] = src[row]
		}
		return len(rows)
	}
	for i, row := range rows {
		if uint64(row) >= uint64(count) {
			return i
		}
		out[i] = *(*T)(unsafe.Add(p.data, int(row)*p.stride))
	}
	return len(rows)
}

// run returns the place in index of the run that a row lies in. The row must exist.
func (r *Runs) run(row int64) int {
	i := int(r.bucket[row>>(r.shift&63)])
	for r.starts[i+1] <= row {
		i++
	}
	return i
}

// gatherRunsGo is gatherRunGo for several runs: the loop that defines Gather.
func (r *Runs) gatherRunsGo(dst unsafe.Pointer, column []colstore.Column, size int, rows []int64) int {
	switch size {
	case 1:
		return gatherRunsAs[uint8](r, dst, column, rows)
	case 2:
		return gatherRunsAs[uint16](r, dst, column, rows)
	case 4:
		return gatherRunsAs[uint32](r, dst, column, rows)
	case 8:
		return gatherRunsAs[uint64](r, dst, column, rows)
	case 16:
		return gatherRunsAs[[2]uint64](r, dst, column, rows)
	}
	table := r.places(column)
	defer keep(table)
	places := *table
	total := uint64(r.Rows())
	for i, row := range rows {
		if uint64(row) >= total {
			return i
		}
		run := r.run(row)
		p := &places[run]
		moveBytes(unsafe.Add(dst, i*size), unsafe.Add(p.data, int(row-r.starts[run])*p.stride), size)
	}
	return len(rows)
}

func gatherRunsAs[T uint8 | uint16 | uint32 | uint64 | [2]uint64](r *Runs, dst unsafe.Pointer, column []colstore.Column, rows []int64) int {
	out := unsafe.Slice((*T)(dst), len(rows))
	table := r.places(column)
	defer keep(table)
	places := *table
	total := uint64(r.Rows())
	for i, row := range rows {
		if uint64(row) >= total {
			return i
		}
		run := r.run(row)
		p := &places[run]
		out[i] = *(*T)(unsafe.Add(p.data, int(row-r.starts[run])*p.stride))
	}
	return len(rows)
}

// gatherFew is gatherRunsGo without a look at all the runs first, for fewer rows than those.
func (r *Runs) gatherFew(dst unsafe.Pointer, column []colstore.Column, size int, rows []int64) int {
	for i, row := range rows {
		if uint64(row) >= uint64(r.Rows()) {
			return i
		}
		run := r.run(row)
		p := placeOf(column[r.index[run]])
		moveBytes(unsafe.Add(dst, i*size), unsafe.Add(p.data, int(row-r.starts[run])*p.stride), size)
	}
	return len(rows)
}

// tables are slices of places, to be used again: for a thousand runs a new one costs as much as a thousand rows.
var tables = sync.Pool{New: func() any { return new([]place) }}

// places returns where the runs of a column lie, until keep is called with it.
func (r *Runs) places(column []colstore.Column) *[]place {
	table := tables.Get().(*[]place)
	*table = slices.Grow((*table)[:0], len(r.index))
	for _, run := range r.index {
		*table = append(*table, placeOf(column[run]))
	}
	return table
}

// keep takes back a table of places, and forgets what it points to.
func keep(table *[]place) {
	clear(*table)
	tables.Put(table)
}
