package parquet

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/codec"
	"github.com/colstore/colstore-go/internal/format/parquet/encoding"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/kernel"
)

// An encoder turns columns of a row group into chunks: one a goroutine.
type encoder struct {
	pages    *codec.Encoder
	method   codec.Method
	distinct distinct
	plain    []byte   // the values of a page in PLAIN layout
	raw      []byte   // a page before compression
	packed   []byte   // a page after it
	mask     []uint64 // which rows of the chunk have a value
	dense    []byte   // the values that are there
	levels   []uint32
	seen     []bool // entries of the dictionary that a page refers to
}

func newEncoder(m codec.Method) (*encoder, error) {
	pages, err := codec.NewEncoder(m)
	return &encoder{pages: pages, method: m}, err
}

// A chunk is a column of a row group being encoded. Offsets in its metadata count from its own first byte.
type chunk struct {
	bytes []byte // that have not been written yet
	sent  int64  // bytes before them
	meta  meta.Chunk
	index chunkIndex
	spill func(c *chunk) error // called after each page; it may write the bytes and empty them
}

// size returns the bytes of the chunk so far.
func (c *chunk) size() int64 { return c.sent + int64(len(c.bytes)) }

// chunk encodes the values of a column in a row group into c, whose buffer it reuses. What it gives depends on the
// values alone.
//
// Errors: a *badValue, whose place is the row in the row group.
func (e *encoder) chunk(p *plan, values []byte, c *chunk) error {
	size := p.typ.Size()
	rows := len(values) / size
	c.bytes, c.sent = c.bytes[:0], 0
	c.index.reset()
	c.meta = meta.Chunk{Type: p.element.Type, Path: []string{p.name}, Codec: e.method.Codec, Values: int64(rows)}
	c.meta.Encodings = c.meta.Encodings.With(meta.RLE)
	mask, dense := e.present(p, values)
	c.meta.Statistics.Nulls = int64(rows - len(dense)/size)

	err := e.body(p, c, mask, dense, rows)
	c.index.finish(p, &c.meta.Statistics)
	if b, ok := errors.AsType[*badValue](err); ok && mask != nil {
		b.at = kernel.NthSet(mask, b.at)
	}
	c.meta.Compressed = c.size()
	return err
}

// present tells which rows have a value, nil for all, and gives the values without the others.
func (e *encoder) present(p *plan, values []byte) (mask []uint64, dense []byte) {
	if !p.nulls {
		return nil, values
	}
	ticks := view[int64](values)
	if !slices.Contains(ticks, colstore.NaT) {
		return nil, values
	}
	words := kernel.Words(len(ticks))
	e.mask = append(e.mask[:0], make([]uint64, words)...)
	for i, v := range ticks {
		if v != colstore.NaT {
			e.mask[i/64] |= 1 << (i % 64)
		}
	}
	e.dense = sized(e.dense, len(values))
	n := kernel.Compress(e.dense, values, e.mask, 8)
	return e.mask, e.dense[:8*n]
}

// body appends dictionary and data pages.
func (e *encoder) body(p *plan, c *chunk, mask []uint64, dense []byte, rows int) error {
	delta := p.deltaBits(dense)
	if ok, err := e.indexed(p, c, mask, dense, rows, delta); ok || err != nil {
		return err
	}
	how := meta.Plain
	if 4*delta <= 3*8*p.width {
		how = meta.DeltaBinaryPacked
	}
	size := p.typ.Size()
	for begin, at := 0, 0; begin < rows; {
		n, err := e.valuePage(p, how, mask, dense[at:], begin, rows, at/size)
		if err != nil {
			return err
		}
		next := at + count(mask, begin, n)*size
		lo, hi := p.extremes(dense[at:next])
		c.index.add(p, lo, hi, n, n-(next-at)/size)
		at = next
		begin += n
		if err := e.page(c, meta.DataPage, how, n); err != nil {
			return err
		}
	}
	return nil
}

// noDelta is more bits than any value has.
const noDelta = 1 << 10

// deltaBits returns about how many bits a value takes as the difference from the one before; noDelta for values that
// are not integers.
func (p *plan) deltaBits(values []byte) int {
	if len(values)/p.typ.Size() < 2*minDelta || p.typ.Kind() == colstore.KindFloat {
		return noDelta
	}
	switch {
	case p.element.Type == meta.Int64:
		return encoding.DeltaBits(view[int64](values))
	case p.element.Type == meta.Int32 && p.typ.Size() == 4:
		return encoding.DeltaBits(view[int32](values))
	default:
		return noDelta
	}
}

// minDelta is a number of values below which differences save nothing worth the trouble.
const minDelta = 128

// count returns how many of n rows from begin on have a value.
func count(mask []uint64, begin, n int) int {
	if mask == nil {
		return n
	}
	return kernel.Count(part(mask, begin, n))
}

// part returns the bits of n rows from begin on, which is a multiple of 64.
func part(mask []uint64, begin, n int) []uint64 {
	if mask == nil {
		return nil
	}
	words := mask[begin/64 : (begin+n+63)/64]
	if n%64 != 0 && begin+n < 64*len(mask) {
		words = append([]uint64(nil), words...)
		words[len(words)-1] &= 1<<(n%64) - 1
	}
	return words
}

// valuePage makes a page of values of as many rows as fill it. at is the place of its first value.
func (e *encoder) valuePage(p *plan, how meta.Encoding, mask []uint64, dense []byte, begin, rows, at int) (n int, err error) {
	if p.typ.Kind() == colstore.KindText {
		most := p.rowsOf(rows-begin, false)
		e.plain, n, err = p.appendText(e.plain[:0], dense[:most*p.typ.Size()], p.pageBytes)
	} else {
		n = p.rowsOf(rows-begin, mask != nil)
		e.plain, err = p.appendPlain(e.plain[:0], dense[:count(mask, begin, n)*p.typ.Size()])
	}
	if b, ok := errors.AsType[*badValue](err); ok {
		b.at += at
	}
	e.raw, e.levels = appendLevels(e.raw[:0], part(mask, begin, n), n, e.levels)
	switch {
	case how == meta.Plain:
		e.raw = append(e.raw, e.plain...)
	case p.width == 4:
		e.raw = encoding.AppendDelta(e.raw, view[int32](e.plain))
	default:
		e.raw = encoding.AppendDelta(e.raw, view[int64](e.plain))
	}
	return n, err
}

// indexed writes the chunk as dictionary and indices if that is smaller than the values or their differences of delta
// bits, and reports whether it did.
func (e *encoder) indexed(p *plan, c *chunk, mask []uint64, dense []byte, rows, delta int) (bool, error) {
	size := p.typ.Size()
	n := len(dense) / size
	if n == 0 || delta <= smallDelta || p.typ.Kind() == colstore.KindBool || !e.distinct.find(dense, size, n/2+1) {
		return false, nil
	}
	d := &e.distinct
	var err error
	e.raw, err = p.appendPlain(e.raw[:0], d.entries)
	if err != nil {
		if b, ok := errors.AsType[*badValue](err); ok {
			b.at = d.place(uint32(b.at))
		}
		return false, err
	}
	width := max(1, bits.Len(uint(d.len()-1)))
	average := len(e.raw) / d.len()
	indexed := len(e.raw) + n*width/8
	// Indices shrink further where values repeat, so differences must be much smaller.
	if len(e.raw) > pageBytes || 4*indexed > 3*n*average || 2*n*delta/8 < indexed {
		return false, nil
	}
	if err := e.page(c, meta.DictionaryPage, meta.Plain, d.len()); err != nil {
		return false, err
	}
	c.meta.Data = c.size()
	indices := d.indices
	for begin, k := 0, 0; begin < rows; begin += k {
		k = p.rowsOf(rows-begin, mask != nil)
		m := count(mask, begin, k)
		page := dense[:m*size]
		if p.typ.IsString() {
			page = e.used(indices[:m]) // fewer are sooner compared
		}
		dense = dense[m*size:]
		lo, hi := p.extremes(page)
		c.index.add(p, lo, hi, k, k-m)
		e.raw, e.levels = appendLevels(e.raw[:0], part(mask, begin, k), k, e.levels)
		e.raw = encoding.AppendHybrid(append(e.raw, byte(width)), indices[:m], width)
		indices = indices[m:]
		if err := e.page(c, meta.DataPage, meta.RLEDictionary, k); err != nil {
			return false, err
		}
	}
	return true, nil
}

// used returns the entries of the dictionary that indices refer to, each once.
func (e *encoder) used(indices []uint32) []byte {
	d := &e.distinct
	if len(indices) == len(d.indices) {
		return d.entries
	}
	e.seen = append(e.seen[:0], make([]bool, d.len())...)
	for _, k := range indices {
		e.seen[k] = true
	}
	e.plain = e.plain[:0]
	for k, seen := range e.seen {
		if seen {
			e.plain = append(e.plain, d.entries[k*d.size:(k+1)*d.size]...)
		}
	}
	return e.plain
}

// smallDelta is the bits of a difference up to which no dictionary is tried: sorted and counting numbers.
const smallDelta = 2

// place returns the first value that is entry k.
func (d *distinct) place(k uint32) int {
	return max(0, slices.Index(d.indices, k))
}

// page compresses e.raw and appends it, with its header, to the chunk.
func (e *encoder) page(c *chunk, t meta.PageType, how meta.Encoding, values int) error {
	if len(e.raw) > math.MaxInt32 {
		return fmt.Errorf("%w: a page of %s, and Parquet knows none above 2 GiB; write smaller row groups (row_group)",
			colstore.ErrValue, colstore.ByteSize(len(e.raw)))
	}
	var err error
	if e.packed, err = e.pages.Append(e.packed[:0], e.raw); err != nil {
		return err
	}
	h := meta.Page{
		Type: t, Size: int32(len(e.raw)), Compressed: int32(len(e.packed)), Values: int32(values), Encoding: how,
		CRC: crc32.ChecksumIEEE(e.packed), HasCRC: true,
	}
	at := len(c.bytes)
	place := c.size()
	c.bytes = append(h.Append(c.bytes), e.packed...)
	c.meta.Bytes += int64(len(c.bytes) - at - len(e.packed) + len(e.raw))
	c.meta.Encodings = c.meta.Encodings.With(how)
	if t == meta.DataPage {
		c.index.place(place, len(c.bytes)-at)
	}
	for i := range c.meta.PageCounts {
		if x := &c.meta.PageCounts[i]; x.Type == t && x.Encoding == how {
			x.Count++
			return c.spill(c)
		}
	}
	c.meta.PageCounts = append(c.meta.PageCounts, meta.PageCount{Type: t, Encoding: how, Count: 1})
	return c.spill(c)
}
