package kernel

// Runs finds rows of a table whose rows lie in several runs of memory: records, files. It is made once for a table and
// serves all its columns and any number of goroutines.
type Runs struct {
	starts []int64  // first row of every run that has rows, then the number of rows
	index  []int    // which of the caller's runs it is
	shift  uint     // rows of a bucket, as a power of two
	bucket []uint32 // by row >> shift: the run that the bucket's first row lies in
	even   bool     // no bucket has rows of more than two runs
}

// NewRuns returns the runs that begin at starts; the last element is the number of rows of all.
//
// Shapes: starts is ascending from 0; run i has starts[i+1]-starts[i] rows, maybe none.
// Source: a table of about four buckets a run, so that finding a run takes a shift, a load and at most a few steps.
func NewRuns(starts []int64) *Runs {
	r := &Runs{starts: make([]int64, 0, len(starts)), index: make([]int, 0, len(starts))}
	for i := range len(starts) - 1 {
		if starts[i+1] > starts[i] {
			r.starts, r.index = append(r.starts, starts[i]), append(r.index, i)
		}
	}
	total := starts[len(starts)-1]
	r.starts = append(r.starts, total)
	for total>>r.shift > int64(4*len(r.index)) {
		r.shift++
	}
	r.bucket = make([]uint32, total>>r.shift+1)
	b := 0
	for i := range r.index {
		end := int((r.starts[i+1]-1)>>r.shift) + 1 // the first bucket that begins behind the run
		for ; b < end; b++ {
			r.bucket[b] = uint32(i)
		}
	}
	for ; b < len(r.bucket); b++ {
		r.bucket[b] = uint32(max(0, len(r.index)-1))
	}
	r.even = true
	for i := 1; i < len(r.index)-1; i++ {
		r.even = r.even && r.starts[i+1]-r.starts[i] >= 1<<r.shift
	}
	return r
}

// Rows returns the number of rows of all runs.
func (r *Runs) Rows() int64 { return r.starts[len(r.starts)-1] }

// Find returns the caller's number of the run that a row lies in, and the row's place in it. The row must exist.
func (r *Runs) Find(row int64) (run int, at int64) {
	i := r.run(row)
	return r.index[i], row - r.starts[i]
}
