package parquet

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/encoding"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/source/format"
)

// A columnReader reads the rows of one column in order.
type columnReader struct {
	f    *file
	col  *column
	fill []byte // the value of a null, of the dtype's size; nil where a null is an error

	pager  pager
	open   bool  // the pager is in a chunk
	row    int64 // the next row
	left   int   // rows left in the current page
	leaps  bool  // pages are passed over by the offset index, if there is one
	places places

	all     bool // no value of the page is missing
	present encoding.Hybrid
	mask    [maskRows / 64]uint64

	dict    dictionary
	how     meta.Encoding // of the page's values
	plain   []byte        // PLAIN: what is left
	bit     int           // PLAIN bools: the next bit
	indices encoding.Hybrid
	delta   encoding.Delta
	split   encoding.Split
	strings encoding.Strings
	scratch []byte // physical values that are not in PLAIN layout
}

// maskRows is how many rows are read at once where values are missing.
const maskRows = 1024

// seek makes row the next one to be read.
func (r *columnReader) seek(row int64, w *workspace) error {
	g := r.f.groupOf(row)
	if g == len(r.f.groups) {
		return fmt.Errorf("%w: row %d", colstore.ErrRange, row)
	}
	if !r.open || r.pager.group != g || r.row > row {
		if err := r.openGroup(g); err != nil {
			return err
		}
	}
	for r.row < row {
		switch n := row - r.row; {
		case r.left == 0:
			if err := r.page(w, n); err != nil {
				return err
			}
		case n >= int64(r.left):
			r.row += int64(r.left)
			r.left = 0
		default:
			if err := r.skip(int(n)); err != nil {
				return r.pager.wrap(err)
			}
		}
	}
	return nil
}

func (r *columnReader) openGroup(g int) error {
	r.left, r.dict.loaded, r.open, r.places = 0, false, true, places{}
	r.row = r.f.groups[g].first
	return r.pager.open(r.f, r.col, g)
}

// page goes on to the next data page. Pages that end before skip more rows are passed over unread.
func (r *columnReader) page(w *workspace, skip int64) error {
	p := &r.pager
	for {
		if p.left == 0 {
			return r.openGroup(p.group + 1)
		}
		passed, err := r.leap(skip, w)
		if err != nil {
			return err
		}
		skip -= passed
		if p.page.Type == meta.DictionaryPage {
			if r.dict.loaded {
				return p.wrap(fmt.Errorf("%w: a second dictionary", colstore.ErrFormat))
			}
			if err := r.loadDictionary(w); err != nil {
				return p.wrap(err)
			}
			continue
		}
		if n := int64(p.page.Values); n <= skip {
			r.row += n
			skip -= n
			if skip == 0 {
				return nil
			}
			continue
		}
		break
	}
	if err := p.load(w); err != nil {
		return err
	}
	var err error
	if r.all, err = p.present(&r.present); err != nil {
		return p.wrap(err)
	}
	if err := r.reset(); err != nil {
		return p.wrap(err)
	}
	r.left = int(p.page.Values)
	return nil
}

// reset starts decoding the values of the page.
func (r *columnReader) reset() error {
	r.how, r.plain, r.bit = r.pager.page.Encoding, r.pager.values, 0
	unfit := fmt.Errorf("%w: %s values in the encoding %s", colstore.ErrFormat, r.col.physical, r.how)
	isString, isBool := r.col.physical == meta.ByteArray, r.col.physical == meta.Boolean
	switch r.how {
	case meta.Plain:
		if isString {
			r.strings.ResetPlain(r.plain)
		}
		return nil
	case meta.PlainDictionary, meta.RLEDictionary:
		if !r.dict.loaded {
			return fmt.Errorf("%w: a page refers to a dictionary, and there is none", colstore.ErrFormat)
		}
		if len(r.plain) == 0 {
			return r.indices.Reset(nil, 0) // a page of nulls alone
		}
		return r.indices.Reset(r.plain[1:], int(r.plain[0]))
	case meta.RLE:
		if !isBool || len(r.plain) < 4 {
			return unfit
		}
		return r.indices.Reset(r.plain[4:], 1)
	case meta.DeltaBinaryPacked:
		if r.col.physical != meta.Int32 && r.col.physical != meta.Int64 {
			return unfit
		}
		return r.delta.Reset(r.plain)
	case meta.DeltaLengthByteArray:
		if !isString {
			return unfit
		}
		return r.strings.ResetLengths(r.plain)
	case meta.DeltaByteArray:
		if !isString && r.col.physical != meta.FixedLenByteArray {
			return unfit
		}
		return r.strings.ResetFront(r.plain)
	case meta.ByteStreamSplit:
		if isString || isBool || r.col.physical == meta.Int96 {
			return unfit
		}
		return r.split.Reset(r.plain, r.col.width)
	default:
		return unfit
	}
}

// read sets dst to the next rows, and valid, unless it is nil, to 1 where there is a value and to 0 where there was a
// null.
//
// Errors: colstore.ErrNull and colstore.ErrValue with the row.
func (r *columnReader) read(dst, valid []byte, rows int, w *workspace) error {
	size := r.col.typ.Size()
	for rows > 0 {
		if r.left == 0 {
			if err := r.page(w, 0); err != nil {
				return err
			}
			continue
		}
		n := min(rows, r.left)
		if r.all {
			if err := r.values(dst[:n*size], n); err != nil {
				return r.at(err, nil)
			}
			if valid != nil {
				repeat(valid[:n], []byte{1})
			}
		} else {
			n = min(n, maskRows)
			m, err := r.present.Mask(r.mask[:], n, uint32(r.col.maxDef))
			if err != nil {
				return r.pager.wrap(err)
			}
			if m < n && r.fill == nil {
				return format.NullFound(r.f.path, r.col.name, colstore.At(r.row+int64(firstClear(r.mask[:]))))
			}
			if err := r.values(dst[:m*size], m); err != nil {
				return r.at(err, r.mask[:])
			}
			if m < n {
				spread(dst, r.mask[:], n, m, r.fill)
			}
			if valid != nil {
				kernel.BytesFromBits(valid[:n], r.mask[:])
			}
		}
		dst = dst[n*size:]
		if valid != nil {
			valid = valid[n:]
		}
		r.row += int64(n)
		r.left -= n
		rows -= n
	}
	return nil
}

// at gives the error of a value its row: the row of the value's bit in mask, or a nil mask for a value in every row.
func (r *columnReader) at(err error, mask []uint64) error {
	b, ok := errors.AsType[*badValue](err)
	if !ok {
		return r.pager.wrap(err)
	}
	row := b.at
	if mask != nil {
		row = kernel.NthSet(mask, b.at)
	}
	return &colstore.Error{Row: colstore.At(r.row + int64(row)), Err: b.err}
}

func firstClear(mask []uint64) int {
	for i, word := range mask {
		if word != ^uint64(0) {
			return 64*i + bits.TrailingZeros64(^word)
		}
	}
	return 64 * len(mask)
}

// values decodes the next n values of the page, nulls left out, into the dtype.
func (r *columnReader) values(dst []byte, n int) error {
	switch r.how {
	case meta.Plain:
		switch r.col.physical {
		case meta.Boolean:
			return r.plainBools(dst)
		case meta.ByteArray:
			return r.putStrings(dst, n)
		}
		size := n * r.col.width
		if size > len(r.plain) {
			return fmt.Errorf("%w: a page ends inside its values", colstore.ErrFormat)
		}
		src := r.plain[:size]
		r.plain = r.plain[size:]
		return r.col.convert(dst, src)
	case meta.PlainDictionary, meta.RLEDictionary:
		return r.readIndexed(dst, n)
	case meta.RLE:
		return r.runBools(dst)
	case meta.DeltaLengthByteArray, meta.DeltaByteArray:
		return r.putStrings(dst, n)
	}
	// The rest is brought into PLAIN layout first, in place if that is the dtype's.
	if r.col.form == formCopy {
		return r.physical(dst, n)
	}
	for done, size := 0, r.col.typ.Size(); done < n; {
		k := min(maskRows, n-done)
		r.scratch = sized(r.scratch, k*r.col.width)
		if err := r.physical(r.scratch, k); err != nil {
			return err
		}
		if err := r.col.convert(dst[done*size:(done+k)*size], r.scratch); err != nil {
			if b, ok := errors.AsType[*badValue](err); ok {
				b.at += done
			}
			return err
		}
		done += k
	}
	return nil
}

// physical decodes values of fixed width that are not PLAIN into that layout.
func (r *columnReader) physical(dst []byte, n int) error {
	if r.how == meta.ByteStreamSplit {
		return r.split.Read(dst)
	}
	if r.col.width == 8 {
		return r.delta.Read(view[int64](dst))
	}
	var few [256]int64
	for out := view[int32](dst); len(out) > 0; {
		k := min(len(few), len(out))
		if err := r.delta.Read(few[:k]); err != nil {
			return err
		}
		for i, v := range few[:k] {
			out[i] = int32(v)
		}
		out = out[k:]
	}
	return nil
}

// putStrings decodes n strings.
func (r *columnReader) putStrings(dst []byte, n int) error {
	size := r.col.typ.Size()
	points, width := []uint32(nil), r.col.typ.Width()
	if r.col.form == formText {
		points = view[uint32](dst)
	}
	var spans [256]encoding.Span
	for done := 0; done < n; {
		data, k, err := r.strings.Next(spans[:min(len(spans), n-done)])
		if err != nil {
			return err
		}
		for i, s := range spans[:k] {
			v := data[s.Begin:s.End]
			switch {
			case points != nil:
				err = text.PutUTF8(points[(done+i)*width:(done+i+1)*width], v)
			case r.col.width > 0 && len(v) != r.col.width:
				return fmt.Errorf("%w: a value of %d bytes in a column of %d", colstore.ErrFormat, len(v), r.col.width)
			default:
				err = r.col.put(dst[(done+i)*size:(done+i+1)*size], v)
			}
			if err != nil {
				return &badValue{done + i, err}
			}
		}
		done += k
	}
	return nil
}

// plainBools decodes bits, the least significant first.
func (r *columnReader) plainBools(dst []byte) error {
	if r.bit+len(dst) > 8*len(r.plain) {
		return fmt.Errorf("%w: a page ends inside its values", colstore.ErrFormat)
	}
	at := r.bit
	r.bit += len(dst)
	for len(dst) > 0 && at%8 != 0 {
		dst[0] = r.plain[at/8] >> (at % 8) & 1
		dst, at = dst[1:], at+1
	}
	src := r.plain[at/8:]
	for ; len(dst) >= 8; dst, src = dst[8:], src[1:] {
		b := src[0]
		d := dst[:8:8]
		d[0], d[1], d[2], d[3] = b&1, b>>1&1, b>>2&1, b>>3&1
		d[4], d[5], d[6], d[7] = b>>4&1, b>>5&1, b>>6&1, b>>7
	}
	for i := range dst {
		dst[i] = src[0] >> i & 1
	}
	return nil
}

// runBools decodes bools that are written as levels are.
func (r *columnReader) runBools(dst []byte) error {
	var few [1024]uint32
	for len(dst) > 0 {
		k := min(len(few), len(dst))
		if err := r.indices.Read(few[:k]); err != nil {
			return err
		}
		for i, v := range few[:k] {
			dst[i] = byte(v)
		}
		dst = dst[k:]
	}
	return nil
}

// skip passes over n rows of the page.
func (r *columnReader) skip(n int) error {
	r.row += int64(n)
	r.left -= n
	m := n
	if !r.all {
		var err error
		if m, err = r.present.Count(n, uint32(r.col.maxDef)); err != nil {
			return err
		}
	}
	return r.skipValues(m)
}

// skipValues passes over m values of the page, nulls left out.
func (r *columnReader) skipValues(m int) error {
	switch r.how {
	case meta.PlainDictionary, meta.RLEDictionary, meta.RLE:
		return r.indices.Skip(m)
	case meta.DeltaBinaryPacked:
		return r.delta.Skip(m)
	case meta.DeltaLengthByteArray, meta.DeltaByteArray:
		return r.strings.Skip(m)
	case meta.ByteStreamSplit:
		return r.split.Skip(m)
	}
	switch {
	case r.col.physical == meta.Boolean:
		r.bit += m
	case r.col.physical == meta.ByteArray:
		return r.strings.Skip(m)
	case m*r.col.width > len(r.plain):
		return fmt.Errorf("%w: a page ends inside its values", colstore.ErrFormat)
	default:
		r.plain = r.plain[m*r.col.width:]
	}
	return nil
}
