package columnar

import "encoding/binary"

// Join returns the values of several arrays of one type as one. Those of any length get the layout of the type's own
// offsets if these can hold them all, and are an error otherwise; views are joined as views.
//
// Errors: colstore.ErrFormat for buffers that are too short; a *BadValue.
func Join(t Type, parts []*Array) (*Array, error) {
	t.Index = nil
	c := NewColumn(0, "", t, true, "")
	out := &Array{Buffers: [][]byte{nil, nil}}
	size := t.ValueBytes()
	width := t.OffsetBytes()
	if width > 0 {
		out.Buffers = [][]byte{nil, make([]byte, width), nil}
	}
	for _, a := range parts {
		if t.Kind == Null {
			out.Rows += a.Rows
			continue
		}
		v, err := NewValues(&c, a, a.Rows)
		if err != nil {
			return nil, err
		}
		out.Buffers[0] = appendBits(out.Buffers[0], out.Rows, v.valid, a.Rows)
		switch {
		case t.Kind == Bool:
			out.Buffers[1] = appendBits(out.Buffers[1], out.Rows, v.bools, a.Rows)
		case size > 0:
			raw := v.fixed
			if raw == nil {
				raw = make([]byte, size*a.Rows) // all of them null
			}
			out.Buffers[1] = append(out.Buffers[1], raw...)
		case width > 0:
			if err := out.appendLong(v, width, a.Rows); err != nil {
				return nil, err
			}
		case t.IsView():
			out.appendViews(a)
		}
		out.Rows += a.Rows
	}
	return out, nil
}

// appendBits appends the bits of n rows to a bitmap of some.
func appendBits(dst []byte, rows int, m bitmap, n int) []byte {
	dst = append(dst, make([]byte, (rows+n+7)/8-len(dst))...)
	for i := range n {
		if m.has(i) {
			dst[(rows+i)/8] |= 1 << ((rows + i) % 8)
		}
	}
	return dst
}

// appendLong appends values that lie one behind the other.
func (a *Array) appendLong(v *Values, width, rows int) error {
	for i := range rows {
		var s []byte
		if f, ok := v.long.(finder); ok && v.valid.has(i) {
			if s, ok = f.at(i); !ok {
				return outside(i)
			}
		}
		a.Buffers[2] = append(a.Buffers[2], s...)
		end := len(a.Buffers[2])
		if width == 4 {
			if int(int32(end)) != end {
				return short("several dictionaries of more than 2 GiB together")
			}
			a.Buffers[1] = binary.LittleEndian.AppendUint32(a.Buffers[1], uint32(end))
		} else {
			a.Buffers[1] = binary.LittleEndian.AppendUint64(a.Buffers[1], uint64(end))
		}
	}
	return nil
}

// appendViews appends the headers of views, which then name the buffers behind those that are there.
func (a *Array) appendViews(b *Array) {
	before := uint32(len(a.Buffers) - 2)
	headers, _ := b.fixed(b.Rows, ViewBytes) // checked before; short if all are null
	headers = append([]byte(nil), headers...)
	headers = append(headers, make([]byte, b.Rows*ViewBytes-len(headers))...)
	for at := 0; at < len(headers); at += ViewBytes {
		if n := binary.LittleEndian.Uint32(headers[at:]); n > viewInline {
			binary.LittleEndian.PutUint32(headers[at+8:], binary.LittleEndian.Uint32(headers[at+8:])+before)
		}
	}
	a.Buffers[1] = append(a.Buffers[1], headers...)
	if len(b.Buffers) > 2 {
		a.Buffers = append(a.Buffers, b.Buffers[2:]...)
	}
}
