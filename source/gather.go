package source

import (
	"context"
	"errors"
	"slices"
	"sync"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
)

const (
	// blockRows is how many rows are copied of one column before those of the next: their numbers stay in the second-level
	// cache.
	blockRows = 16 << 10
	// stretchRows is the same of rows that are not known by their numbers, of which columns have nothing in common.
	stretchRows = 1 << 20
	// chunkWords is how many words of a bitmap one column is copied by before the next: they stay in the second-level cache.
	chunkWords = 4 << 10
	// numberedRows is how many row numbers are written out at a time.
	numberedRows = 1 << 10
)

// A copying is one read of rows that lie in memory: into a buffer a column, into packed records, or into
// structs.
type copying struct {
	ctx     context.Context
	memory  *memoryRows
	columns []int // of memory's columns, one for every buffer
	rows    rowset
	begin   int64 // the row of the view that the buffers begin with
	end     int64
	native  bool // into native byte order

	dst     [][]byte
	records []byte           // instead of dst; always native
	structs *structs         // instead of both
	schema  *colstore.Schema // of columns, for records and structs
	width   int              // bytes of a row, for those

	past     bool  // the result is written past the caches, which hold neither it nor what it is made of
	unit     int64 // rows of a task
	byColumn bool  // all tasks of a column come before those of the next
	byNumber bool  // rows of a mask are copied by their numbers
}

// scratch is what a worker works with.
type scratch struct {
	numbers [numberedRows]int64
	word    [1]uint64
	columns []colstore.Column
	block   []byte
	dst     [][]byte
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// run copies the rows in at most limit goroutines.
//
// Errors: colstore.ErrRange for a row of a list that does not exist, colstore.ErrTruncated for a file that was cut.
func (c *copying) run(limit int) error {
	if c.end <= c.begin {
		return nil
	}
	threads := c.plan(limit)
	err := c.all(threads)
	if _, isMarked := c.rows.(*marked); isMarked && errors.Is(err, colstore.ErrTruncated) {
		// What was cut may lie between the rows: by their numbers nothing else is touched.
		c.byNumber = true
		err = c.all(threads)
	}
	if err != nil {
		return err
	}
	return c.memory.uncut(c.columns, c.rows, c.begin, c.end)
}

// all copies the rows.
func (c *copying) all(threads int) error {
	tasks := int((c.end - c.begin + c.unit - 1) / c.unit)
	if threads > 1 && tasks > 1 {
		return c.share(tasks, threads)
	}
	return c.alone(tasks)
}

func (c *copying) alone(tasks int) error {
	return fault.Guard(func() error {
		for task := range c.tasks(tasks) {
			if err := c.task(task, tasks); err != nil {
				return err
			}
		}
		return nil
	})
}

func (c *copying) share(tasks, threads int) error {
	return parallel.EachBound(c.ctx, c.tasks(tasks), threads, func(task int) error { return c.task(task, tasks) })
}

// byRow reports whether all columns of a row go to one place.
func (c *copying) byRow() bool { return c.records != nil || c.structs != nil }

// tasks returns how many tasks there are, of so many ranges of rows.
func (c *copying) tasks(ranges int) int {
	if c.byColumn {
		return ranges * len(c.columns)
	}
	return ranges
}

// task copies a range of rows, of all columns or of one.
func (c *copying) task(task, ranges int) error {
	first, end := 0, len(c.dst)
	if c.byColumn {
		first, task = task/ranges, task%ranges
		end = first + 1
	}
	from := c.begin + int64(task)*c.unit
	return c.copy(first, end, from, min(from+c.unit, c.end))
}

// copy copies rows from to to of the view, of the columns from first to end.
func (c *copying) copy(first, end int, from, to int64) error {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	columns := c.columns[first:max(end, first)]
	block := c.block(columns)
	for ; from < to; from += block {
		if err := context.Cause(c.ctx); err != nil {
			return err
		}
		n := min(block, to-from)
		if c.byRow() {
			put := c.pack
			if c.structs != nil {
				put = c.set
			}
			if err := put(s, from, from+n); err != nil {
				return err
			}
			continue
		}
		s.dst = s.dst[:0]
		for i, d := range c.dst[first:end] {
			size := c.size(first + i)
			at := int(from-c.begin) * size
			s.dst = append(s.dst, d[at:at+int(n)*size])
		}
		if err := c.fill(s, s.dst, columns, from, from+n); err != nil {
			return err
		}
		if c.native {
			for i, d := range s.dst {
				swapNative(d, c.memory.schema.Field(columns[i]).Type)
			}
		}
	}
	return nil
}

// block returns how many rows are copied of one of the columns before those of the next.
func (c *copying) block(columns []int) int64 {
	_, isList := c.rows.(list)
	switch {
	case c.byRow(), c.swaps(columns): // which are in the cache when they are swapped
		return blockRows
	case isList && len(columns) > 1:
		return blockRows
	}
	return stretchRows // for each block a table of the runs is made
}

// swaps reports whether values of some columns are brought into native byte order where they were copied to.
func (c *copying) swaps(columns []int) bool {
	return c.native && !c.byRow() && slices.ContainsFunc(columns, func(column int) bool { return c.memory.schema.Field(column).Type.BigEndian() })
}

// size returns the bytes of a value of the i-th buffer.
func (c *copying) size(i int) int { return c.memory.size(c.columns[i]) }

// size returns the bytes of a value of a column.
func (m *memoryRows) size(column int) int { return m.schema.Field(column).Type.Size() }

// fill sets buffers to rows from to to of the view, of some columns, as they are stored.
func (c *copying) fill(s *scratch, dst [][]byte, columns []int, from, to int64) error {
	switch rows := c.rows.(type) {
	case run:
		c.memory.fillRun(dst, columns, rows.part(from, to), c.past)
		return nil
	case list:
		return c.memory.fillList(s, dst, columns, rows, from, to)
	case *marked:
		c.memory.fillMarked(s, dst, columns, rows, from, to, c.byNumber || c.memory.isScattered(rows))
		return nil
	}
	panic("source: rows of an unknown kind")
}

// fillRun copies rows that lie a constant step apart: those in one part after those in another.
func (m *memoryRows) fillRun(dst [][]byte, columns []int, r run, past bool) {
	if r.n == 0 {
		return
	}
	if r.step == 1 {
		part, at := m.find(r.first)
		for i, d := range dst {
			m.fillStretch(d, columns[i], part, at, past)
		}
		return
	}
	for done := int64(0); r.n > 0; {
		part, at := m.leading(r)
		for i, d := range dst {
			size := int64(m.size(columns[i]))
			loadAsStored(d[done*size:(done+at.n)*size], m.sliced(columns[i], part, at), past)
		}
		done += at.n
		r = r.part(at.n, r.n)
	}
}

// fillStretch fills dst with the values of a column from a row of a part on.
func (m *memoryRows) fillStretch(dst []byte, column, part int, at int64, past bool) {
	size := m.size(column)
	for ; len(dst) > 0; part, at = part+1, 0 {
		data, rows, stride := m.cols[column][part].Raw()
		some := dst[:min(len(dst), (rows-int(at))*size)]
		if len(some) == 0 {
			continue
		}
		from := unsafe.Add(data, int(at)*stride)
		switch {
		case stride != size:
			loadAsStored(some, colstore.RawColumn(m.schema.Field(column).Type, len(some)/size, stride, from), past)
		case past:
			kernel.Stream(some, unsafe.Slice((*byte)(from), len(some)))
		default:
			copy(some, unsafe.Slice((*byte)(from), len(some)))
		}
		dst = dst[len(some):]
	}
}

// fillList copies rows of a list, straight by its numbers as long as none counts from the end.
func (m *memoryRows) fillList(s *scratch, dst [][]byte, columns []int, l list, from, to int64) error {
	rows := l.rows[from:to]
	for i, d := range dst {
		column := m.cols[columns[i]]
		bad := m.runs.Gather(d, column, rows)
		if bad < 0 {
			continue
		}
		size := m.size(columns[i])
		for at := bad; at < len(rows); at += numberedRows {
			numbers := s.numbers[:min(numberedRows, len(rows)-at)]
			l.fill(numbers, from+int64(at))
			if bad := m.runs.Gather(d[at*size:(at+len(numbers))*size], column, numbers); bad >= 0 {
				return outside(rows[at+bad], l.total)
			}
		}
	}
	return nil
}

// fillNumbered copies rows of one column by their numbers, for columns whose values do not lie back to back.
func (m *memoryRows) fillNumbered(s *scratch, dst []byte, column int, rows rowset, from, to int64) {
	size := m.size(column)
	for at := from; at < to; at += numberedRows {
		numbers := s.numbers[:min(numberedRows, to-at)]
		rows.fill(numbers, at)
		m.runs.Gather(dst[int(at-from)*size:], m.cols[column], numbers)
	}
}

// scatteredRows is up to how many rows of a part, on average, cost less by their numbers than a look at the part's bits.
const scatteredRows = 16

// isScattered reports whether the rows of a mask lie in so many parts that their numbers are the quicker way to them.
func (m *memoryRows) isScattered(marks *marked) bool {
	return len(m.parts) > 1 && marks.n < scatteredRows*int64(len(m.parts))
}

// fillMarked copies the rows whose bit is set, by their numbers or by the bits: a piece of a part after the other, in whole
// words of the bitmap.
func (m *memoryRows) fillMarked(s *scratch, dst [][]byte, columns []int, marks *marked, from, to int64, byNumber bool) {
	all := byNumber
	for i, column := range columns {
		if byNumber || !m.dense[column] {
			m.fillNumbered(s, dst[i], column, marks, from, to)
		} else {
			all = false
		}
	}
	if all {
		return
	}
	done := 0
	bit := marks.seek(from, 0)
	for end := marks.seek(to-1, bit) + 1; bit < end; {
		part, at := m.find(marks.base + bit)
		rows := int64(m.parts[part].Rows())
		for begin := bit - at; at < rows && bit < end; bit = begin + at {
			keep, n := marks.bits(&s.word, bit, min(rows-at, end-bit))
			set := 0
			for i, column := range columns {
				if !m.dense[column] {
					continue
				}
				size := m.size(column)
				data, _, _ := m.cols[column][part].Raw()
				src := unsafe.Slice((*byte)(unsafe.Add(data, int(at)*size)), int(rows-at)*size)
				set = kernel.Compress(dst[i][done*size:], src, keep, size)
			}
			done += set
			at += n
		}
	}
}

// swapNative brings stored values into native byte order.
func swapNative(data []byte, t colstore.DType) {
	if !t.BigEndian() {
		return
	}
	word := t.Size()
	if t.Kind() == colstore.KindText {
		word = 4
	}
	kernel.Swap(data, word)
}
