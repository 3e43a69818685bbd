package cstore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/kernel"
)

const (
	statsMagic   = "CSTAT\x00\x01\x00"
	statsVersion = 1
	statsFixed   = len(statsMagic) + 12
)

// bounds is what a footer holds of one column: for each record the least and greatest value and whether they are usable.
type bounds struct {
	typ    colstore.DType
	lo, hi []byte // records × size, in the column's dtype
	usable []byte
}

// stats is a footer: bounds of every column, over the same records.
type stats struct {
	records int
	columns []bounds
}

// bounds returns the least and the greatest value of a column in a record, each a column of one row. ok is false where
// the file has no usable statistics for it.
func (s *stats) bounds(column, record int) (lo, hi colstore.Column, ok bool) {
	if s == nil || s.columns[column].usable[record] != 1 {
		return lo, hi, false
	}
	b := &s.columns[column]
	at, end := record*b.typ.Size(), (record+1)*b.typ.Size()
	lo, errLo := colstore.NewColumn(b.typ, 1, b.lo[at:end])
	hi, errHi := colstore.NewColumn(b.typ, 1, b.hi[at:end])
	return lo, hi, errLo == nil && errHi == nil
}

// readStats returns the footer of a file, or nil if it has none that fits: statistics are advisory, and whatever is
// wrong with them only makes reading slower.
func readStats(r io.ReaderAt, h *header, committedEnd int64) *stats {
	at := h.statsOffset
	if at < committedEnd || at > h.size {
		return nil
	}
	// What a footer for these records takes is known; nothing longer is read.
	want := int64(statsFixed) + 4
	for _, f := range h.schema.All() {
		hi, per := bits.Mul64(uint64(h.records), uint64(2*f.Type.Size()+1))
		if hi != 0 || per > 1<<40 || len(f.Name) > math.MaxUint16 {
			return nil
		}
		want += int64(4+len(f.Name)+len(f.Type.String())) + int64(per)
	}
	if h.size-at != want {
		return nil
	}
	raw := make([]byte, want)
	if readFull(r, raw, at) != nil {
		return nil
	}
	body, sum := raw[:want-4], raw[want-4:]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(sum) {
		return nil
	}
	fixed := statsHeader(h.schema, int(h.records))
	if !bytes.HasPrefix(body, fixed) {
		return nil
	}
	body = body[len(fixed):]
	s := &stats{records: int(h.records)}
	take := func(n int) []byte {
		part := body[:n]
		body = body[n:]
		return part
	}
	for _, f := range h.schema.All() {
		size := f.Type.Size() * s.records
		s.columns = append(s.columns, bounds{f.Type, take(size), take(size), take(s.records)})
	}
	return s
}

// statsHeader encodes the part of a footer that schema and record count decide.
func statsHeader(s *colstore.Schema, records int) []byte { return appendStatsHeader(nil, s, records) }

func appendStatsHeader(b []byte, s *colstore.Schema, records int) []byte {
	b = append(b, statsMagic...)
	b = binary.LittleEndian.AppendUint32(b, statsVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(s.Len()))
	b = binary.LittleEndian.AppendUint32(b, uint32(records))
	for _, f := range s.All() {
		for _, text := range []string{f.Name, f.Type.String()} {
			b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
			b = append(b, text...)
		}
	}
	return b
}

// collector gathers the statistics of a file that is being written. Add may be called from several goroutines.
type collector struct {
	schema *colstore.Schema
	mu     sync.Mutex
	cells  []map[int64]*cell // by column, then record
}

// cell is one column's bounds in one record, kept as native bytes; rows of 0 have no bounds yet.
type cell struct {
	lo, hi  [8]byte
	rows    int64
	invalid bool // a NaN, an infinity or a NaT was seen
}

func newCollector(s *colstore.Schema) (*collector, error) {
	c := &collector{schema: s, cells: make([]map[int64]*cell, s.Len())}
	for i, f := range s.All() {
		if len(f.Name) > math.MaxUint16 {
			return nil, &colstore.Error{Column: f.Name[:40] + "…", Err: fmt.Errorf(
				"%w: statistics hold names of up to %d bytes, this one has %d", colstore.ErrValue, math.MaxUint16, len(f.Name))}
		}
		c.cells[i] = map[int64]*cell{}
	}
	return c, nil
}

// add folds the values of a plain column of a record in.
func (c *collector) add(record int64, column int, values colstore.Column) {
	t := values.Type()
	if t.IsString() || values.Rows() == 0 {
		return
	}
	var one cell
	one.rows = int64(values.Rows())
	one.fold(t, values)
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.cells[column][record]
	if old == nil {
		c.cells[column][record] = &one
		return
	}
	old.invalid = old.invalid || one.invalid
	old.rows += one.rows
	if !old.invalid {
		old.merge(t, &one)
	}
}

func (c *cell) fold(t colstore.DType, v colstore.Column) {
	switch t.Kind() {
	case colstore.KindBool:
		lo, hi := kernel.MinMax(kernel.In[uint8](v)) // any byte but 0 is true
		c.set(uint64(min(lo, 1)), uint64(min(hi, 1)))
	case colstore.KindInt, colstore.KindUint:
		foldInts(c, t, v)
	case colstore.KindFloat:
		switch t.Size() {
		case 2:
			c.foldHalf(kernel.In[uint16](v))
		case 4:
			a := kernel.In[float32](v)
			if c.invalid = !kernel.AllFinite(a); !c.invalid {
				lo, hi := kernel.MinMax(a)
				c.set(uint64(math.Float32bits(lo)), uint64(math.Float32bits(hi)))
			}
		default:
			a := kernel.In[float64](v)
			if c.invalid = !kernel.AllFinite(a); !c.invalid {
				lo, hi := kernel.MinMax(a)
				c.set(math.Float64bits(lo), math.Float64bits(hi))
			}
		}
	case colstore.KindDatetime, colstore.KindTimedelta:
		lo, hi := kernel.MinMax(kernel.In[int64](v))
		c.invalid = lo == colstore.NaT
		c.set(uint64(lo), uint64(hi))
	}
}

func foldInts(c *cell, t colstore.DType, v colstore.Column) {
	signed := t.Kind() == colstore.KindInt
	switch {
	case signed && t.Size() == 1:
		setMinMax[int8](c, v)
	case signed && t.Size() == 2:
		setMinMax[int16](c, v)
	case signed && t.Size() == 4:
		setMinMax[int32](c, v)
	case signed:
		setMinMax[int64](c, v)
	case t.Size() == 1:
		setMinMax[uint8](c, v)
	case t.Size() == 2:
		setMinMax[uint16](c, v)
	case t.Size() == 4:
		setMinMax[uint32](c, v)
	default:
		setMinMax[uint64](c, v)
	}
}

func setMinMax[T kernel.Integer](c *cell, v colstore.Column) {
	lo, hi := kernel.MinMax(kernel.In[T](v))
	c.set(uint64(lo), uint64(hi))
}

func (c *cell) foldHalf(a []uint16) {
	lo, hi := half.To32(a[0]), half.To32(a[0])
	for _, h := range a {
		v := half.To32(h)
		if v-v != 0 {
			c.invalid = true
			return
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	c.set(uint64(half.From32(lo)), uint64(half.From32(hi)))
}

func (c *cell) set(lo, hi uint64) {
	binary.LittleEndian.PutUint64(c.lo[:], lo)
	binary.LittleEndian.PutUint64(c.hi[:], hi)
}

// merge widens the bounds by those of another part of the record.
func (c *cell) merge(t colstore.DType, o *cell) {
	both := cell{}
	buf := make([]byte, 0, 4*8)
	for _, b := range [][8]byte{c.lo, o.lo, c.hi, o.hi} {
		buf = append(buf, b[:t.Size()]...)
	}
	if col, err := colstore.NewColumn(t, 4, buf); err == nil {
		both.fold(t, col)
		c.lo, c.hi = both.lo, both.hi
	}
}

// encode returns the footer for records records.
func (c *collector) encode(records int64) []byte {
	b := statsHeader(c.schema, int(records))
	for i, f := range c.schema.All() {
		size := f.Type.Size()
		var lo, hi, usable []byte
		for r := range records {
			if p := c.cells[i][r]; p != nil && !p.invalid {
				lo, hi, usable = append(lo, p.lo[:size]...), append(hi, p.hi[:size]...), append(usable, 1)
			} else {
				lo, hi, usable = append(lo, make([]byte, size)...), append(hi, make([]byte, size)...), append(usable, 0)
			}
		}
		b = append(append(append(b, lo...), hi...), usable...)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}
