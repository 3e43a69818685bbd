package parquet

import (
	"fmt"
	"hash/crc32"
	"math/bits"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/codec"
	"github.com/colstore/colstore-go/internal/format/parquet/encoding"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// A workspace is what decoding needs besides the state of a column: one a goroutine.
type workspace struct {
	codec codec.Decoder
	buf   []byte // bytes of the file from offset at
	at    int64
	owner *file
}

const (
	// readAhead is what is read of a file where only a page header is wanted: small pages then come with it.
	readAhead = 32 << 10
	// maxHeader bounds a page header, which may hold bounds as long as values.
	maxHeader = 16 << 20
)

// bytes returns n bytes of f from offset off, or more if they are there, up to offset end. They last until the next call.
func (w *workspace) bytes(f *file, off, n, end int64) ([]byte, error) {
	var have []byte
	if w.owner == f && off >= w.at && off <= w.at+int64(len(w.buf)) {
		have = w.buf[off-w.at:]
	}
	if int64(len(have)) >= n {
		return have, nil
	}
	want := int(min(max(n, readAhead), end-off))
	buf := w.buf
	if cap(buf) < want {
		buf = sized(nil, want)
	}
	buf = buf[:want]
	kept := copy(buf, have)
	w.buf, w.owner = buf, nil
	if err := readFull(f.f, buf[kept:], off+int64(kept)); err != nil {
		return nil, err
	}
	w.at, w.owner = off, f
	return buf, nil
}

// sized returns a buffer of n bytes and some to spare, b if it is large enough. The content is lost.
func sized(b []byte, n int) []byte {
	if n+codec.Spare <= cap(b) {
		return b[:n]
	}
	const round = 4 << 10
	return make([]byte, n, (n+codec.Spare+round-1)/round*round)
}

// A pager walks the pages of one column chunk.
type pager struct {
	f     *file
	col   *column
	group int // its number in the file's groups
	chunk *meta.Chunk
	next  int64 // offset of the next page's header
	end   int64 // offset behind the chunk
	left  int64 // values in the pages to come

	page meta.Page
	data int64  // offset of the page's data
	buf  []byte // the page's data once decompressed, if they were read
	// What a data page is made of, within buf.
	repeats, levels, values []byte
}

// open starts at the first page of a chunk.
func (p *pager) open(f *file, col *column, group int) error {
	c := &f.groups[group].Columns[col.leaf]
	*p = pager{f: f, col: col, group: group, chunk: c, next: c.Start(), end: c.Start() + c.Compressed, left: c.Values, buf: p.buf}
	switch {
	case c.Encrypted:
		return p.wrap(fmt.Errorf("%w: the column is encrypted, which is not supported", colstore.ErrType))
	case c.Elsewhere:
		return p.wrap(fmt.Errorf("%w: its data are in another file, which is not supported", colstore.ErrType))
	case col.list == nil && c.Values != f.groups[group].Rows || c.Values < f.groups[group].Rows:
		return p.wrap(fmt.Errorf("%w: it has %d values for %d rows", colstore.ErrFormat, c.Values, f.groups[group].Rows))
	}
	return nil
}

// wrap says in which row group an error is.
func (p *pager) wrap(err error) error {
	return fmt.Errorf("row group %d: %w", p.f.groups[p.group].index, err)
}

// advance reads the header of the next page that is of use: a dictionary or data page.
func (p *pager) advance(w *workspace) error {
	for {
		if err := p.header(w); err != nil {
			return p.wrap(err)
		}
		switch p.page.Type {
		case meta.DictionaryPage:
			return nil
		case meta.DataPage, meta.DataPageV2:
			if int64(p.page.Values) > p.left {
				return p.wrap(fmt.Errorf("%w: its pages hold more than its %d values", colstore.ErrFormat, p.chunk.Values))
			}
			p.left -= int64(p.page.Values)
			return nil
		}
	}
}

func (p *pager) header(w *workspace) error {
	if p.next >= p.end {
		return fmt.Errorf("%w: its pages end with %d values missing", colstore.ErrFormat, p.left)
	}
	for want := int64(256); ; want *= 8 {
		want = min(want, p.end-p.next)
		b, err := w.bytes(p.f, p.next, want, p.end)
		if err != nil {
			return err
		}
		page, size, short, err := meta.ParsePage(b)
		if short && int64(len(b)) < min(p.end-p.next, maxHeader) {
			want = max(want, int64(len(b)))
			continue
		}
		if err != nil {
			return err
		}
		p.page, p.data = page, p.next+int64(size)
		break
	}
	if int64(p.page.Compressed) > p.end-p.data {
		return fmt.Errorf("%w: a page of %d bytes where its chunk has %d left", colstore.ErrFormat, p.page.Compressed, p.end-p.data)
	}
	p.next = p.data + int64(p.page.Compressed)
	return p.f.limits.Check(int64(p.page.Compressed), int64(p.page.Size))
}

// load reads and decompresses the page's data, and for a data page tells levels and values apart.
func (p *pager) load(w *workspace) error {
	if err := p.loadInto(&p.buf, w); err != nil {
		return p.wrap(err)
	}
	return nil
}

func (p *pager) loadInto(buf *[]byte, w *workspace) error {
	h := &p.page
	*buf = sized(*buf, int(h.Size))
	dst := *buf
	plain := p.chunk.Codec == meta.Uncompressed || h.Type == meta.DataPageV2 && h.Uncompressed
	if plain && h.Size != h.Compressed {
		return fmt.Errorf("%w: an uncompressed page of %d bytes declares %d", colstore.ErrFormat, h.Compressed, h.Size)
	}
	var src []byte
	if plain && h.Compressed > readAhead {
		// Large pages that need no decompressing go straight where they belong.
		if err := readFull(p.f.f, dst, p.data); err != nil {
			return err
		}
		src = dst
	} else {
		b, err := w.bytes(p.f, p.data, int64(h.Compressed), p.end)
		if err != nil {
			return err
		}
		src = b[:h.Compressed]
		if plain {
			copy(dst, src)
		}
	}
	if h.HasCRC {
		if sum := crc32.ChecksumIEEE(src); sum != h.CRC {
			return fmt.Errorf("%w: page at offset %d: crc %08x, computed %08x", colstore.ErrChecksum, p.data, h.CRC, sum)
		}
	}
	switch h.Type {
	case meta.DataPageV2:
		return p.splitV2(dst, src, plain, w)
	case meta.DataPage:
		if err := p.decompress(dst, src, plain, w); err != nil {
			return err
		}
		return p.splitV1(dst)
	default:
		return p.decompress(dst, src, plain, w)
	}
}

func (p *pager) decompress(dst, src []byte, plain bool, w *workspace) error {
	if plain {
		return nil
	}
	return w.codec.Decode(p.chunk.Codec, dst, src)
}

// splitV1 finds the levels, which follow their lengths. There are no repetition levels in a flat column.
func (p *pager) splitV1(dst []byte) (err error) {
	p.repeats, p.levels, p.values = nil, nil, dst
	if p.col.list != nil {
		if p.repeats, p.values, err = splitLevels(p.values, p.page.Repeats, "repetition"); err != nil {
			return err
		}
	}
	if p.col.maxDef > 0 {
		p.levels, p.values, err = splitLevels(p.values, p.page.Levels, "definition")
	}
	return err
}

// splitLevels returns the levels that b begins with, and what follows them.
func splitLevels(b []byte, how meta.Encoding, what string) (levels, rest []byte, err error) {
	if how != meta.RLE {
		return nil, nil, fmt.Errorf("%w: %s levels in the encoding %s, which is not supported", colstore.ErrType, what, how)
	}
	if len(b) < 4 {
		return nil, nil, fmt.Errorf("%w: a page ends inside its levels", colstore.ErrFormat)
	}
	n := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
	if n > uint64(len(b)-4) {
		return nil, nil, fmt.Errorf("%w: %d bytes of levels in a page of %d", colstore.ErrFormat, n, len(b))
	}
	return b[4 : 4+n], b[4+n:], nil
}

// splitV2 copies the levels, which are not compressed, and decompresses the values behind them.
func (p *pager) splitV2(dst, src []byte, plain bool, w *workspace) error {
	h := &p.page
	levels := int64(h.RepeatBytes) + int64(h.LevelBytes)
	switch {
	case levels > int64(len(src)) || levels > int64(len(dst)):
		return fmt.Errorf("%w: %d bytes of levels in a page of %d", colstore.ErrFormat, levels, len(src))
	case p.col.list == nil && h.Rows != h.Values || h.Rows > h.Values || h.Nulls > h.Values:
		return fmt.Errorf("%w: a page of %d rows has %d values, %d of them null", colstore.ErrFormat, h.Rows, h.Values, h.Nulls)
	}
	p.repeats, p.levels, p.values = dst[:h.RepeatBytes], dst[h.RepeatBytes:levels], dst[levels:]
	if plain {
		return nil
	}
	copy(dst, src[:levels])
	if len(p.values) == 0 && levels == int64(len(src)) {
		return nil
	}
	return w.codec.Decode(p.chunk.Codec, p.values, src[levels:])
}

// present starts reading the page's definition levels. all tells that no value is missing.
func (p *pager) present(h *encoding.Hybrid) (all bool, err error) {
	def := uint32(p.col.maxDef)
	if def == 0 {
		return true, nil
	}
	if err := h.Reset(p.levels, bits.Len32(def)); err != nil {
		return false, err
	}
	if p.page.Values == 0 {
		return true, nil
	}
	repeats, err := h.Repeats()
	if err != nil || !repeats {
		return false, err
	}
	ahead := *h
	value, n := ahead.Repeated(int(p.page.Values))
	return value == def && n == int(p.page.Values), nil
}
