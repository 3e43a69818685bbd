package root

import (
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/codec"
	"github.com/colstore/colstore-go/internal/format/root/meta"
)

// A cursor reads the entries of a branch whose entries have one size, in order.
type cursor struct {
	f      *file
	b      *branch
	basket int    // the next one to open
	rows   int64  // of the open basket that are left
	data   []byte // decoded, not yet given
	buf    []byte // where data lies, unless the basket is in the tree
	body   body   // of the open basket
}

// A body is the part of a basket's object that is not decoded yet.
type body struct {
	at       int64 // offset in the file
	packed   int64 // bytes there
	size     int64 // bytes they become
	values   int64 // those of them, from the front, that are values
	isStored bool
}

// seek makes row the next one.
func (c *cursor) seek(row int64, w *workspace) error {
	c.basket, c.rows, c.data = c.b.at(row), 0, nil
	if c.basket == len(c.b.baskets) {
		return nil
	}
	skip := row - c.b.baskets[c.basket].rows.Begin
	if skip > 0 {
		if err := c.open(w); err != nil {
			return err
		}
	}
	if n := skip * int64(c.b.stride); n > 0 && c.body.isStored && c.data == nil {
		c.body.at, c.body.values, c.rows = c.body.at+n, c.body.values-n, c.rows-skip
		return nil
	}
	for skip > 0 {
		_, n, err := c.next(int(min(skip, 1<<20)), w)
		if err != nil {
			return err
		}
		skip -= int64(n)
	}
	return nil
}

// next returns up to n of the next entries as they are in the file. There must be one.
//
// Memory: data are valid until the next call.
func (c *cursor) next(n int, w *workspace) (data []byte, rows int, err error) {
	if c.rows == 0 {
		if err := c.open(w); err != nil {
			return nil, 0, err
		}
	}
	stride := c.b.stride
	for len(c.data) < stride {
		if err := c.load(w); err != nil {
			return nil, 0, fmt.Errorf("basket %d: %w", c.basket-1, err)
		}
	}
	rows = min(n, len(c.data)/stride, int(c.rows))
	data, c.data = c.data[:rows*stride], c.data[rows*stride:]
	c.rows -= int64(rows)
	return data, rows, nil
}

// open goes to the next basket.
func (c *cursor) open(w *workspace) error {
	k := &c.b.baskets[c.basket]
	c.data, c.rows = nil, k.rows.Rows()
	c.basket++
	if k.inner != nil {
		c.data = k.inner.Values
		return nil
	}
	h, err := c.f.head(k, w)
	if err == nil && h.Values != c.rows*int64(c.b.stride) {
		err = fmt.Errorf("%w: %d entries of %d bytes take %d", colstore.ErrFormat, c.rows, c.b.stride, h.Values)
	}
	if err != nil {
		return fmt.Errorf("basket %d: %w", c.basket-1, err)
	}
	c.body = bodyOf(k, h)
	return nil
}

// head reads the header of a basket in the file.
func (f *file) head(k *basket, w *workspace) (*meta.BasketHead, error) {
	ahead := k.bytes
	if ahead > aheadBytes {
		ahead = meta.BasketBytes + codec.HeaderSize
	}
	n := min(k.bytes, meta.BasketBytes)
	data, err := w.peek(f, k.seek, n, ahead)
	if err != nil {
		return nil, err
	}
	if n < meta.KeyBytes {
		return nil, fmt.Errorf("%w: a basket of %d bytes", colstore.ErrFormat, n)
	}
	key := int64(meta.KeyLength(data))
	if key < meta.KeyBytes || key > k.bytes {
		return nil, fmt.Errorf("%w: a basket of %d bytes has a key of %d", colstore.ErrFormat, k.bytes, key)
	}
	if data, err = w.peek(f, k.seek, key, ahead); err != nil {
		return nil, err
	}
	h, err := meta.ParseBasket(data)
	switch {
	case err != nil:
		return nil, err
	case h.Bytes != k.bytes:
		return nil, fmt.Errorf("%w: its key declares %d bytes, the branch's table %d", colstore.ErrFormat, h.Bytes, k.bytes)
	case h.Entries != k.rows.Rows():
		return nil, fmt.Errorf("%w: its key declares %d entries, the branch's table %d", colstore.ErrFormat, h.Entries, k.rows.Rows())
	}
	return &h, nil
}

func bodyOf(k *basket, h *meta.BasketHead) body {
	return body{at: k.seek + int64(h.KeyBytes), packed: h.Packed(), size: h.ObjectBytes, values: h.Values, isStored: h.IsStored()}
}

// load decodes the next part of the open basket behind what is left of the one before, which is less than an entry.
func (c *cursor) load(w *workspace) error {
	rest := len(c.data)
	if c.body.values == 0 {
		return fmt.Errorf("%w: it ends inside an entry", colstore.ErrFormat)
	}
	if c.body.isStored {
		n := min(c.body.values, max(aheadBytes, int64(c.b.stride)))
		src, err := w.peek(c.f, c.body.at, n, n)
		if err != nil {
			return err
		}
		if rest == 0 { // the bytes stay where they are, and the workspace goes on with the other buffer
			w.buf, c.buf = c.buf[:0], w.buf
			w.f, c.data = nil, src
		} else {
			copy(c.room(rest, int(n)), src)
		}
		c.body.at, c.body.values = c.body.at+n, c.body.values-n
		return nil
	}
	h, src, err := c.body.block(c.f, w)
	if err != nil {
		return err
	}
	if err := w.decoder.Decode(h, c.room(rest, h.Size), src); err != nil {
		return err
	}
	n := min(int64(h.Size), c.body.values)
	c.body.values -= n
	c.data = c.data[:rest+int(n)]
	return nil
}

// room makes data what is left of it, rest bytes, and n bytes behind, which it returns.
func (c *cursor) room(rest, n int) []byte {
	if cap(c.buf) < rest+n {
		buf := make([]byte, rest+n)
		copy(buf, c.data)
		c.buf = buf
	} else {
		c.buf = c.buf[:rest+n]
		copy(c.buf, c.data)
	}
	c.data = c.buf
	return c.buf[rest:]
}

// block returns the header and bytes of the next compressed block, and passes over it.
//
// Memory: the bytes are those of the workspace.
func (b *body) block(f *file, w *workspace) (codec.Header, []byte, error) {
	ahead := b.packed
	if ahead > aheadBytes {
		ahead = codec.HeaderSize
	}
	head, err := w.peek(f, b.at, min(codec.HeaderSize, b.packed), ahead)
	if err != nil {
		return codec.Header{}, nil, err
	}
	h, err := codec.ParseHeader(head)
	if err != nil {
		return h, nil, err
	}
	if int64(h.Packed) > b.packed-codec.HeaderSize || int64(h.Size) > b.size {
		return h, nil, fmt.Errorf("%w: a block of %d bytes for %d, where %d and %d are left", colstore.ErrFormat,
			h.Packed, h.Size, b.packed-codec.HeaderSize, b.size)
	}
	src, err := w.peek(f, b.at+codec.HeaderSize, int64(h.Packed), int64(h.Packed))
	if err != nil {
		return h, nil, err
	}
	n := int64(codec.HeaderSize + h.Packed)
	b.at, b.packed, b.size = b.at+n, b.packed-n, b.size-int64(h.Size)
	if b.size == 0 && b.packed > 0 {
		return h, nil, fmt.Errorf("%w: %d bytes behind the last block", colstore.ErrFormat, b.packed)
	}
	return h, src, nil
}
