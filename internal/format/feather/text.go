package feather

import (
	"fmt"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
)

// text reads the values of rows that lie one behind the other. Text that is stored is shown as it lies in the file; of
// other text, as much is read at a time as stepBytes hold.
func (k *cursor) text(a *columnar.Array, skip func(longest int64) bool, f visit) error {
	if k.c.Type.OffsetBytes() == 4 {
		return textOf[int32](k, a, skip, f)
	}
	return textOf[int64](k, a, skip, f)
}

func textOf[O int32 | int64](k *cursor, a *columnar.Array, skip func(longest int64) bool, f visit) error {
	ends, err := endsOf[O](k, a.Rows)
	if err != nil {
		return err
	}
	for at := 0; at < a.Rows; {
		rows, longest := some(ends[at:])
		begin, end := ends[at], ends[at+rows]
		if skip != nil && skip(int64(longest)) {
			if err := k.data.skip(int64(end - begin)); err != nil {
				return shift(err, at)
			}
			at += rows
			continue
		}
		if int64(longest) > int64(k.f.limits.Page) {
			return &columnar.BadValue{At: at, Err: fmt.Errorf("%w: a value of %s, the limit is %s (limits.page)", colstore.ErrFormat, colstore.ByteSize(longest), k.f.limits.Page)}
		}
		data, err := k.take(2, int(end-begin))
		if err != nil {
			return err
		}
		own := ends[at : at+rows+1]
		if at > 0 || begin != 0 {
			own = showAs[O](k.room(1, (rows+1)*int(unsafe.Sizeof(begin))))
			for i, end := range ends[at : at+rows+1] {
				own[i] = end - begin
			}
		}
		part := &columnar.Array{Rows: rows, Buffers: [][]byte{slideBits(a.Buffers[0], at, rows), bytesOf(own), data}}
		if err := k.values(part, at, f); err != nil {
			return err
		}
		at += rows
	}
	return nil
}

// some returns how many of the values with these ends, behind where the first begins, are read together: at least one, and
// as many as stepBytes hold; and the bytes of the longest.
func some[O int32 | int64](ends []O) (rows int, longest O) {
	most := ends[0] + stepBytes
	if ends[0] > most { // beyond the range of O
		most = ends[len(ends)-1]
	}
	begin := ends[0]
	for _, end := range ends[1:] {
		if rows > 0 && end > most {
			break
		}
		longest = max(longest, end-begin)
		begin = end
		rows++
	}
	return rows, longest
}

// endsOf reads where the next n values end, behind where the first begins. None is before the one before.
func endsOf[O int32 | int64](k *cursor, n int) ([]O, error) {
	ends := showAs[O](k.room(0, (n+1)*k.c.Type.OffsetBytes()))
	ends[0] = O(k.end)
	if err := k.offsets.read(bytesOf(ends[1:])); err != nil {
		return nil, err
	}
	before := ends[0]
	for i, end := range ends[1:] {
		if end < before || int64(end) > k.data.size {
			return nil, &columnar.BadValue{At: i, Err: fmt.Errorf("%w: the value lies outside its buffer", colstore.ErrFormat)}
		}
		before = end
	}
	k.end = int64(before)
	return ends, nil
}

// showAs shows bytes as offsets.
func showAs[O int32 | int64](b []byte) []O {
	var o O
	return unsafe.Slice((*O)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(o)))
}

// bytesOf shows offsets as bytes.
func bytesOf[O int32 | int64](o []O) []byte {
	if len(o) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(o))), len(o)*int(unsafe.Sizeof(o[0])))
}
