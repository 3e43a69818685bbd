package root

import (
	"encoding/binary"

	"github.com/colstore/colstore-go"
)

// A reader decodes one input into columns of batches, in order.
type reader struct {
	in      *input
	flat    cursor
	list    *listCursor // instead of flat, for lists
	outputs []placed
	points  []uint32 // of one text
	begun   bool
}

// placed is an output and the number of its column in a batch.
type placed struct {
	output
	at int
}

// reader returns a reader of the input, which has no outputs yet.
func (in *input) reader(f *file) *reader {
	if r, ok := in.readers.Get().(*reader); ok {
		return r
	}
	r := &reader{in: in}
	if in.list != nil {
		r.list = in.newList(f)
	} else {
		r.flat = cursor{f: f, b: in.branch}
	}
	return r
}

// giveBack ends the use of a reader.
func (r *reader) giveBack() {
	r.outputs, r.begun = r.outputs[:0], false
	r.in.readers.Put(r)
}

func (r *reader) name() string { return r.in.branch.name }

// read decodes rows, the first of which is row of the tree, into the columns of a batch.
func (r *reader) read(bufs [][]byte, rows int, row int64, w *workspace) error {
	if !r.begun {
		r.begun = true
		if err := r.seek(row, w); err != nil {
			return err
		}
	}
	if r.list != nil {
		return r.readList(bufs, rows, row, w)
	}
	stride := r.in.branch.stride
	for at := 0; at < rows; {
		data, n, err := r.flat.next(rows-at, w)
		if err != nil {
			return err
		}
		for _, o := range r.outputs {
			size := o.typ.Size()
			swapStrided(bufs[o.at][at*size:(at+n)*size], data[o.offset:], o.typ, stride)
		}
		at += n
	}
	return nil
}

func (r *reader) seek(row int64, w *workspace) error {
	if r.list != nil {
		return r.list.seek(row, w)
	}
	return r.flat.seek(row, w)
}

func (r *reader) readList(bufs [][]byte, rows int, row int64, w *workspace) error {
	for at := 0; at < rows; {
		values, begin, ends, err := r.list.next(rows-at, w)
		if err != nil {
			return err
		}
		for _, o := range r.outputs {
			dst := bufs[o.at][at*o.typ.Size():]
			switch {
			case o.isText:
				if i, err := r.putTexts(dst, values, begin, ends, &o.output); err != nil {
					return &colstore.Error{Row: colstore.At(row + int64(at+i)), Err: err}
				}
			case o.counts:
				putCounts(dst, begin, ends, r.list.size)
			default:
				putValues(dst, values, begin, ends, &o.output)
			}
		}
		at += len(ends)
	}
	return nil
}

// putCounts writes how many values each row has.
func putCounts(dst []byte, begin int64, ends []int64, size int) {
	for i, end := range ends {
		binary.NativeEndian.PutUint64(dst[8*i:], uint64((end-begin)/int64(size)))
		begin = end
	}
}

// putValues writes one value of each row.
func putValues(dst, values []byte, begin int64, ends []int64, o *output) {
	size := o.typ.Size()
	at := int64(o.offset * size) // in a row
	for i, end := range ends {
		v := o.missing
		if end-begin > at {
			v = values[begin+at:][:size]
		}
		swapOne(dst[i*size:], v, o.typ)
		begin = end
	}
}

// swapOne is swap for one value.
func swapOne(dst, src []byte, t colstore.DType) {
	switch t.Size() {
	case 2:
		swap2(dst, src)
	case 4:
		swap4(dst, src)
	case 8:
		swap8(dst, src)
	default:
		dst[0] = src[0]
		if t == colstore.Bool {
			dst[0] = truth(src[0])
		}
	}
}
