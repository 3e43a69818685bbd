package root

import (
	"encoding/binary"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

const (
	// basketBytes is the most a basket holds before it is compressed.
	basketBytes = 256 << 10
	// basketsBytes is the most that the baskets of all branches hold together.
	basketsBytes = 16 << 20
	// basketTail is what a basket has behind the texts of its key.
	basketTail = 19
)

// A layout says where baskets end. It depends on the schema alone, so the bytes of a file are the same however the rows
// come. Sizes of values are powers of two, and so are the rows of baskets: all branches begin a basket every cluster rows.
type layout struct {
	bytes   int // of every full basket
	step    int // rows after which baskets of the widest values are full
	cluster int // rows after which those of all values are
}

func layoutOf(s *colstore.Schema) layout {
	l := layout{bytes: basketBytes}
	for l.bytes > 8 && l.bytes*s.Len() > basketsBytes {
		l.bytes /= 2
	}
	l.step, l.cluster = l.bytes, 1
	for _, f := range s.All() {
		rows := l.bytes / f.Type.Size()
		l.step, l.cluster = min(l.step, rows), max(l.cluster, rows)
	}
	return l
}

// An outBranch is a branch of one value a row, with its basket that is not full yet.
type outBranch struct {
	name  string
	kind  leafKind
	size  int // of a value
	rows  int // of a full basket
	bytes int // of a full basket
	key   outKey

	data    []byte // values in native byte order
	baskets []outBasket
	total   int64 // bytes of the baskets, keys included, before compression
	stored  int64 // and behind it
}

// An outBasket is where a basket was written.
type outBasket struct {
	at    int64
	bytes uint32
}

func newBranch(tree, name string, kind leafKind, size int, l layout) *outBranch {
	return &outBranch{
		name: name, kind: kind, size: size, rows: l.bytes / size, bytes: l.bytes,
		key: outKey{class: "TBasket", name: name, title: tree, parent: fileBegin, extra: basketTail},
	}
}

// load appends values to the basket, which has room for them.
func (b *outBranch) load(c colstore.Column) {
	at := len(b.data)
	if need := at + c.Rows()*b.size; need > cap(b.data) {
		// A short table takes little; one that fills an eighth of the basket is taken to fill it.
		room := b.bytes
		if need < room/8 {
			room = max(need, min(2*cap(b.data), room/8))
		}
		b.data = append(make([]byte, 0, room), b.data...)
	}
	b.data = b.data[:at+c.Rows()*b.size]
	kernel.Load(b.data[at:], c)
}

// full reports whether the basket is.
func (b *outBranch) full() bool { return len(b.data) == b.bytes }

// A basketRecord is a basket as it goes to the file.
type basketRecord struct {
	bytes []byte
	sum   uint32
}

// encode makes the record of the basket. Its values are in another byte order then, and no longer of use.
func (b *outBranch) encode(r *basketRecord, c *compressor) error {
	kernel.Swap(b.data, b.size)
	head := b.key.size()
	out, err := c.append(b.head(r.bytes[:0], 0), b.data)
	if err != nil {
		return err
	}
	b.head(out[:0], len(out)-head)
	r.bytes, r.sum = out, sumOf(out[head:])
	return nil
}

// head appends what stands before the values, of which so many bytes are stored.
func (b *outBranch) head(dst []byte, stored int) []byte {
	dst = b.key.append(dst, stored, len(b.data), 0)
	dst = binary.BigEndian.AppendUint16(dst, 3)
	dst = binary.BigEndian.AppendUint32(dst, uint32(b.bytes))
	dst = binary.BigEndian.AppendUint32(dst, uint32(b.size))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(b.data)/b.size))
	dst = binary.BigEndian.AppendUint32(dst, uint32(b.key.size()+len(b.data))) // where the values end
	return append(dst, 0)
}

// written notes where the record of the basket is, and empties the basket.
func (b *outBranch) written(r *basketRecord, at int64) {
	b.baskets = append(b.baskets, outBasket{at, uint32(len(r.bytes))})
	b.total += int64(b.key.size() + len(b.data))
	b.stored += int64(len(r.bytes))
	b.data = b.data[:0]
}
