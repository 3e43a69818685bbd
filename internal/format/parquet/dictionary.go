package parquet

import (
	"encoding/binary"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/encoding"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// A dictionary is the entries of a chunk that its pages refer to by number.
type dictionary struct {
	n       int
	loaded  bool
	entries []byte // converted to the column's dtype; nil where strings are kept as they are
	data    []byte // strings as they are, or physical values
	spans   []encoding.Span
	// bad marks entries that the dtype cannot hold: an error only if a row has one.
	bad []bool
}

// maxExpanded is the most that strings of a dictionary take as values of their dtype. Beyond it, as with wide text
// and many entries, each row is converted by itself.
const maxExpanded = 1 << 20

// loadDictionary reads the dictionary page that the pager stands at.
func (r *columnReader) loadDictionary(w *workspace) error {
	d, p := &r.dict, &r.pager
	d.loaded, d.n, d.bad = true, int(p.page.Values), nil
	if e := p.page.Encoding; e != meta.Plain && e != meta.PlainDictionary {
		return fmt.Errorf("%w: a dictionary in the encoding %s", colstore.ErrFormat, e)
	}
	if err := p.loadInto(&d.data, w); err != nil {
		return err
	}
	if r.col.physical == meta.ByteArray {
		return r.loadStrings()
	}
	if r.col.width == 0 || int64(d.n)*int64(r.col.width) > int64(len(d.data)) {
		return fmt.Errorf("%w: %d bytes of dictionary for %d entries of %s", colstore.ErrFormat, len(d.data), d.n, r.col.physical)
	}
	d.data = d.data[:d.n*r.col.width]
	if r.col.form == formCopy {
		d.entries = d.data
		return nil
	}
	size := r.col.typ.Size()
	d.entries = sized(d.entries, d.n*size)
	if err := r.col.convert(d.entries, d.data); err != nil {
		// Some entry does not fit: find out which, one by one.
		d.bad = make([]bool, d.n)
		for i := range d.n {
			d.bad[i] = r.col.convert(d.entries[i*size:(i+1)*size], d.data[i*r.col.width:(i+1)*r.col.width]) != nil
		}
	}
	return nil
}

// loadStrings finds the strings of a dictionary and, if they are small, converts them.
func (r *columnReader) loadStrings() error {
	d := &r.dict
	if err := d.split(); err != nil {
		return err
	}
	d.entries = d.entries[:0]
	size := r.col.typ.Size()
	if size == 0 || d.n*size > maxExpanded {
		return nil
	}
	d.entries = sized(d.entries, d.n*size)
	for i, s := range d.spans {
		if err := r.col.put(d.entries[i*size:(i+1)*size], d.data[s.Begin:s.End]); err != nil {
			if d.bad == nil {
				d.bad = make([]bool, d.n)
			}
			d.bad[i] = true
		}
	}
	return nil
}

// split finds the strings in data.
func (d *dictionary) split() error {
	if int64(d.n)*4 > int64(len(d.data)) {
		return fmt.Errorf("%w: %d bytes of dictionary for %d strings", colstore.ErrFormat, len(d.data), d.n)
	}
	d.spans = d.spans[:0]
	at := uint64(0)
	for range d.n {
		if at+4 > uint64(len(d.data)) {
			return fmt.Errorf("%w: a dictionary ends inside a string", colstore.ErrFormat)
		}
		begin := at + 4
		at = begin + uint64(binary.LittleEndian.Uint32(d.data[at:]))
		if at > uint64(len(d.data)) {
			return fmt.Errorf("%w: a dictionary ends inside a string", colstore.ErrFormat)
		}
		d.spans = append(d.spans, encoding.Span{Begin: uint32(begin), End: uint32(at)})
	}
	return nil
}

// readIndexed sets dst to the entries that the next n indices refer to.
func (r *columnReader) readIndexed(dst []byte, n int) error {
	size := r.col.typ.Size()
	var few [1024]uint32
	for done := 0; done < n; {
		repeats, err := r.indices.Repeats()
		if err != nil {
			return err
		}
		if repeats {
			v, k := r.indices.Repeated(n - done)
			few[0] = v
			if err := r.gather(dst[done*size:(done+1)*size], few[:1], done); err != nil {
				return err
			}
			repeat(dst[done*size:(done+k)*size], dst[done*size:(done+1)*size])
			done += k
			continue
		}
		k := r.indices.Packed(few[:min(len(few), n-done)])
		if err := r.gather(dst[done*size:(done+k)*size], few[:k], done); err != nil {
			return err
		}
		done += k
	}
	return nil
}

// gather copies the entries of these numbers to dst; at is the place of the first among the values read at once.
//
// Errors: colstore.ErrFormat for a number without an entry; a *badValue.
func (r *columnReader) gather(dst []byte, indices []uint32, at int) error {
	d := &r.dict
	if len(d.entries) == 0 && d.n > 0 && d.spans != nil {
		return r.gatherStrings(dst, indices, at)
	}
	ok := true
	switch size := r.col.typ.Size(); size {
	case 1:
		ok = gatherWords(view[uint8](dst), view[uint8](d.entries), indices)
	case 2:
		ok = gatherWords(view[uint16](dst), view[uint16](d.entries), indices)
	case 4:
		ok = gatherWords(view[uint32](dst), view[uint32](d.entries), indices)
	case 8:
		ok = gatherWords(view[uint64](dst), view[uint64](d.entries), indices)
	default:
		for i, k := range indices {
			if int(k) >= d.n {
				ok = false
				break
			}
			copy(dst[i*size:(i+1)*size], d.entries[int(k)*size:])
		}
	}
	if !ok {
		return fmt.Errorf("%w: a page refers to a dictionary entry that is not among the %d there are", colstore.ErrFormat, d.n)
	}
	if d.bad == nil {
		return nil
	}
	for i, k := range indices {
		if d.bad[k] {
			return r.badEntry(at+i, k)
		}
	}
	return nil
}

func gatherWords[T uint8 | uint16 | uint32 | uint64](dst, entries []T, indices []uint32) bool {
	dst = dst[:len(indices)]
	for i, k := range indices {
		if int(k) >= len(entries) {
			return false
		}
		dst[i] = entries[k]
	}
	return true
}

// gatherStrings converts the entries of these numbers one by one.
func (r *columnReader) gatherStrings(dst []byte, indices []uint32, at int) error {
	d, size := &r.dict, r.col.typ.Size()
	for i, k := range indices {
		if int(k) >= d.n {
			return fmt.Errorf("%w: a page refers to a dictionary entry that is not among the %d there are", colstore.ErrFormat, d.n)
		}
		s := d.spans[k]
		if err := r.col.put(dst[i*size:(i+1)*size], d.data[s.Begin:s.End]); err != nil {
			return &badValue{at + i, err}
		}
	}
	return nil
}

// badEntry returns the error of a row that has an entry the dtype cannot hold.
func (r *columnReader) badEntry(at int, k uint32) error {
	d, size := &r.dict, r.col.typ.Size()
	value := make([]byte, size)
	var err error
	if d.spans != nil && r.col.physical == meta.ByteArray {
		err = r.col.put(value, d.data[d.spans[k].Begin:d.spans[k].End])
	} else {
		err = r.col.convert(value, d.data[int(k)*r.col.width:(int(k)+1)*r.col.width])
	}
	return &badValue{at, err}
}
