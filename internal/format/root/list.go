package root

import (
	"encoding/binary"
	"fmt"

	"github.com/colstore/colstore-go"
)

// A listCursor reads the entries of a branch whose entries have any number of values, in order, or a string. It holds one
// basket.
type listCursor struct {
	f       *file
	b       *branch
	size    int // bytes of a value
	isText  bool
	basket  int // the next one to open
	row     int64
	counter *counter // nil if there is none

	values []byte  // of the open basket
	ends   []int64 // of the entries that are left, in values; begin is where the first of them begins
	begin  int64
	buf    []byte
	offs   []int64
}

// seek makes row the next one.
func (c *listCursor) seek(row int64, w *workspace) error {
	c.basket, c.ends = c.b.at(row), nil
	if c.basket == len(c.b.baskets) {
		return nil
	}
	c.row = c.b.baskets[c.basket].rows.Begin
	if c.counter != nil {
		if err := c.counter.seek(c.row, w); err != nil {
			return err
		}
	}
	for c.row < row {
		if _, _, _, err := c.next(int(row-c.row), w); err != nil {
			return err
		}
	}
	return nil
}

// next returns up to n of the next entries: where each ends in values, and where the first begins. There must be one.
//
// Memory: the results are valid until the next call.
func (c *listCursor) next(n int, w *workspace) (values []byte, begin int64, ends []int64, err error) {
	if len(c.ends) == 0 {
		if err := c.open(w); err != nil {
			return nil, 0, nil, fmt.Errorf("basket %d: %w", c.basket-1, err)
		}
	}
	n = min(n, len(c.ends))
	begin, ends = c.begin, c.ends[:n]
	c.ends, c.begin, c.row = c.ends[n:], ends[n-1], c.row+int64(n)
	return c.values, begin, ends, nil
}

// open decodes the next basket.
func (c *listCursor) open(w *workspace) error {
	k := &c.b.baskets[c.basket]
	c.basket++
	c.begin = 0
	if k.rows.Rows() > int64(c.f.limits.Page)/8 {
		return fmt.Errorf("%w: %d entries of a list, the limit is %d (limits.page)", colstore.ErrFormat, k.rows.Rows(), int64(c.f.limits.Page)/8)
	}
	rows := int(k.rows.Rows())
	if in := k.inner; in != nil {
		c.values = in.Values
		c.offs = append(c.offs[:0], in.Offsets...)
		if in.Offsets == nil {
			return c.index(nil, rows, w)
		}
		return c.index(c.offs, rows, w)
	}
	h, err := c.f.head(k, w)
	if err != nil {
		return err
	}
	if err := c.f.limits.Check(h.Packed(), h.ObjectBytes); err != nil {
		return err
	}
	c.buf = grow(c.buf, int(h.ObjectBytes))
	if err := c.fill(bodyOf(k, h), w); err != nil {
		return err
	}
	c.values = c.buf[:h.Values]
	offsets, err := c.table(c.buf[h.Values:], rows, int64(h.KeyBytes))
	if err != nil {
		return err
	}
	return c.index(offsets, rows, w)
}

// fill decodes all of a basket's object.
func (c *listCursor) fill(b body, w *workspace) error {
	if b.isStored {
		return c.f.readAt(c.buf, b.at)
	}
	for at := 0; at < len(c.buf); {
		h, src, err := b.block(c.f, w)
		if err != nil {
			return err
		}
		if err := w.decoder.Decode(h, c.buf[at:at+h.Size], src); err != nil {
			return err
		}
		at += h.Size
	}
	return nil
}

// table reads where entries begin, from what follows the values of a basket; nil if the basket does not tell. They count
// from the start of its key.
func (c *listCursor) table(data []byte, rows int, keyBytes int64) ([]int64, error) {
	if len(data) < 4 {
		return nil, nil
	}
	n := int64(int32(binary.BigEndian.Uint32(data)))
	data = data[4:]
	if n < int64(rows) || n > int64(len(data)/4) {
		return nil, fmt.Errorf("%w: a table of %d offsets for %d entries in %d bytes", colstore.ErrFormat, n, rows, len(data))
	}
	for i := range grow64(&c.offs, rows) {
		c.offs[i] = int64(int32(binary.BigEndian.Uint32(data[4*i:]))) - keyBytes
	}
	return c.offs, nil
}

// index finds where each of the basket's entries ends, by the table of where they begin, the counts, or both, which then
// must agree.
func (c *listCursor) index(offsets []int64, rows int, w *workspace) error {
	if c.isText {
		return c.strings(offsets, rows)
	}
	end := int64(len(c.values))
	if offsets == nil && c.counter == nil {
		return fmt.Errorf("%w: neither the basket nor a counter tells where its entries begin", colstore.ErrFormat)
	}
	if offsets != nil {
		if len(offsets) != rows || rows > 0 && offsets[0] != 0 {
			return fmt.Errorf("%w: %d offsets for %d entries, or the first is not at the beginning", colstore.ErrFormat, len(offsets), rows)
		}
		for i := range offsets { // begins become ends
			next := end
			if i+1 < rows {
				next = offsets[i+1]
			}
			if next < offsets[i] || next > end || (next-offsets[i])%int64(c.size) != 0 {
				return fmt.Errorf("%w: entry %d lies from byte %d to %d of %d, values of %d bytes", colstore.ErrFormat, i, offsets[i], next, end, c.size)
			}
		}
		copy(offsets, offsets[1:])
		offsets[rows-1] = end
		c.ends = offsets
	}
	if c.counter == nil {
		return nil
	}
	counts, err := c.counter.read(rows, w)
	if err != nil {
		return fmt.Errorf("its counter: %w", err)
	}
	if offsets == nil {
		c.ends = grow64(&c.offs, rows)
	}
	at := int64(0)
	for i, n := range counts {
		if n < 0 || n > (end-at)/int64(c.size) || offsets != nil && at+n*int64(c.size) != offsets[i] {
			return fmt.Errorf("%w: entry %d has another number of values than its counter, %d, says", colstore.ErrFormat, i, n)
		}
		at += n * int64(c.size)
		c.ends[i] = at
	}
	if at != end {
		return fmt.Errorf("%w: the entries have %d bytes, their counters say %d", colstore.ErrFormat, end, at)
	}
	return nil
}

// A counter reads the counts of lists, which are a column of their own.
type counter struct {
	cursor cursor
	column *column
	counts []int64
}

func (c *counter) seek(row int64, w *workspace) error { return c.cursor.seek(row, w) }

// read returns the next rows counts.
//
// Memory: they are valid until the next call.
func (c *counter) read(rows int, w *workspace) ([]int64, error) {
	out := grow64(&c.counts, rows)
	for at := 0; at < rows; {
		data, n, err := c.cursor.next(rows-at, w)
		if err != nil {
			return nil, err
		}
		for i := range n {
			v := data[i*c.cursor.b.stride+c.column.offset:]
			switch c.column.typ {
			case colstore.Int8:
				out[at+i] = int64(int8(v[0]))
			case colstore.Uint8:
				out[at+i] = int64(v[0])
			case colstore.Int16:
				out[at+i] = int64(int16(binary.BigEndian.Uint16(v)))
			case colstore.Uint16:
				out[at+i] = int64(binary.BigEndian.Uint16(v))
			case colstore.Int32:
				out[at+i] = int64(int32(binary.BigEndian.Uint32(v)))
			case colstore.Uint32:
				out[at+i] = int64(binary.BigEndian.Uint32(v))
			default:
				out[at+i] = int64(binary.BigEndian.Uint64(v))
			}
		}
		at += n
	}
	return out, nil
}

// grow64 makes *b n numbers long, of any content.
func grow64(b *[]int64, n int) []int64 {
	if cap(*b) < n {
		*b = make([]int64, n)
	}
	*b = (*b)[:n]
	return *b
}
