package cstore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"sync"

	"github.com/colstore/colstore-go"
)

// collector gathers the statistics of a file that is being written, as a footer holds them: what it takes in memory is
// what they take in the file, but for text, which has none. Put may be called from several goroutines.
type collector struct {
	schema  *colstore.Schema
	mu      sync.Mutex
	columns []collected
}

// collected is one column's bounds by record.
type collected struct {
	typ    colstore.DType
	lo, hi []byte // records × size
	state  []byte
}

// What is known of a column in a record.
const (
	unseen  = 0 // nothing: no row, or statistics that were not there
	bounded = 1
	invalid = 2 // it has no bounds, whatever else comes
)

func newCollector(s *colstore.Schema) (*collector, error) {
	c := &collector{schema: s, columns: make([]collected, s.Len())}
	for i, f := range s.All() {
		if len(f.Name) > math.MaxUint16 {
			return nil, &colstore.Error{Column: f.Name[:40] + "…", Err: fmt.Errorf(
				"%w: statistics hold names of up to %d bytes, this one has %d", colstore.ErrValue, math.MaxUint16, len(f.Name))}
		}
		c.columns[i].typ = f.Type
	}
	return c, nil
}

// carry takes over the statistics of the first records records; nil has none of them.
func (c *collector) carry(s *stats, records int64) {
	for i := range c.columns {
		col := &c.columns[i]
		if col.typ.IsString() {
			continue
		}
		if s == nil {
			col.grow(int(records))
			continue
		}
		col.lo, col.hi, col.state = s.columns[i].lo, s.columns[i].hi, s.columns[i].usable
		for r, usable := range col.state {
			if usable != 1 {
				col.state[r] = invalid
			}
		}
	}
}

func (c *collected) grow(records int) {
	if n := records - len(c.state); n > 0 {
		size := c.typ.Size()
		c.lo = append(c.lo, make([]byte, n*size)...)
		c.hi = append(c.hi, make([]byte, n*size)...)
		c.state = append(c.state, make([]byte, n)...)
	}
}

// fold returns the bounds of every column of b, in cells if that is large enough.
func (c *collector) fold(cells []cell, b *colstore.Batch) []cell {
	cells = slices.Grow(cells[:0], len(c.columns))[:len(c.columns)]
	clear(cells)
	for i := range c.columns {
		if !c.columns[i].typ.IsString() {
			cells[i].add(b.At(i))
		}
	}
	return cells
}

// put adds the bounds of rows of a record.
func (c *collector) put(record int64, cells []cell) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.columns {
		if !c.columns[i].typ.IsString() {
			c.columns[i].put(record, &cells[i])
		}
	}
}

// add adds the bounds of values of one column of a record.
func (c *collector) add(record int64, column int, values colstore.Column) {
	if values.Type().IsString() {
		return
	}
	var one cell
	one.add(values)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.columns[column].put(record, &one)
}

// put adds bounds of rows of a record.
func (c *collected) put(record int64, one *cell) {
	c.grow(int(record) + 1)
	if one.rows == 0 || c.state[record] == invalid {
		return
	}
	size := c.typ.Size()
	lo, hi := c.lo[int(record)*size:][:size], c.hi[int(record)*size:][:size]
	if c.state[record] == bounded {
		was := cell{rows: 1}
		copy(was.lo[:], lo)
		copy(was.hi[:], hi)
		was.merge(c.typ, one)
		*one = was
	}
	c.state[record] = bounded
	if one.invalid {
		c.state[record] = invalid
		one.lo, one.hi = [8]byte{}, [8]byte{}
	}
	copy(lo, one.lo[:])
	copy(hi, one.hi[:])
}

// write appends the footer of a file of that many records.
func (c *collector) write(out *buffered, records int64) error {
	f := footerWriter{out: out}
	f.append(statsHeader(c.schema, int(records)))
	for i := range c.columns {
		col := &c.columns[i]
		n := int(records)
		if col.typ.IsString() {
			f.zeros(n * (2*col.typ.Size() + 1))
			continue
		}
		col.grow(n)
		f.append(col.lo)
		f.append(col.hi)
		for _, state := range col.state {
			f.append(flags[state])
		}
	}
	sum := f.sum
	f.append(binary.LittleEndian.AppendUint32(nil, sum))
	return f.err
}

// flags is how a state is written.
var flags = [...][]byte{unseen: {0}, bounded: {1}, invalid: {0}}

// A footerWriter appends bytes and sums them up. The first error stays.
type footerWriter struct {
	out *buffered
	sum uint32
	err error
}

func (f *footerWriter) append(p []byte) {
	if f.err == nil {
		f.sum = crc32.Update(f.sum, crc32.IEEETable, p)
		f.err = f.out.append(p)
	}
}

func (f *footerWriter) zeros(n int) {
	var block [4 << 10]byte
	for ; n > 0; n -= min(n, len(block)) {
		f.append(block[:min(n, len(block))])
	}
}
