package meta

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
)

// BasketBytes are how many bytes of a basket hold its header, if its names are short: a place to begin reading.
const BasketBytes = 512

// A BasketHead is the key of a basket and what follows it in the key's bytes.
type BasketHead struct {
	Key
	Entries int64
	Values  int64 // bytes of the object that are values; what follows tells where entries begin
}

// ParseBasket reads the header of a basket. The whole key must be in data: KeyLength tells how long it is.
//
// Errors: colstore.ErrFormat.
func ParseBasket(data []byte) (BasketHead, error) {
	r := newReader(data)
	h := BasketHead{Key: r.key()}
	f := r.basket()
	switch {
	case r.err != nil:
		return h, r.err
	case h.Class != "TBasket":
		return h, fmt.Errorf("%w: an object of class %q where a basket should be", colstore.ErrFormat, h.Class)
	case h.KeyBytes < r.at:
		return h, fmt.Errorf("%w: a basket's key of %d bytes has %d", colstore.ErrFormat, h.KeyBytes, r.at)
	}
	if err := h.check(); err != nil {
		return h, err
	}
	h.Entries, h.Values = f.entries, f.last-int64(h.KeyBytes)
	if h.Entries < 0 || h.Values < 0 || h.Values > h.ObjectBytes {
		return h, fmt.Errorf("%w: a basket of %d entries has %d bytes of values in %d", colstore.ErrFormat, h.Entries, h.Values, h.ObjectBytes)
	}
	return h, nil
}

// KeyLength returns the bytes of a key, of which the first KeyBytes are given.
func KeyLength(data []byte) int { return int(int16(binary.BigEndian.Uint16(data[14:]))) }

// basketFields are what a basket adds to its key.
type basketFields struct {
	entries, last int64
	flag          byte
}

func (r *reader) basket() (f basketFields) {
	version := r.u16()
	if r.err == nil && (version < 2 || version > 3) {
		r.failf("a basket of version %d; 2 and 3 are supported", version)
	}
	r.take(4)
	if r.i32() < 0 { // there are bits about input and output
		r.skip()
	}
	f.entries, f.last = r.i32(), r.i32()
	f.flag = r.u8()
	return f
}

// An Inner is a basket that lies in the tree, not compressed.
type Inner struct {
	Entries int64
	Values  []byte
	Offsets []int64 // where each entry begins in Values, if the basket tells
}

const (
	flagNoOffsets = 80 // added to the flag: entries are found by their counts
	flagMasked    = 40 // from here on there is a second table
)

// inner reads a basket in a tree.
func (p *parser) inner() (in Inner) {
	k := p.key()
	f := p.basket()
	keyBytes := int64(k.KeyBytes)
	flag, hasOffsets := f.flag, f.flag != 0 && f.flag%10 != 2 && f.entries > 0
	if flag >= flagNoOffsets {
		flag, hasOffsets = flag-flagNoOffsets, false
	}
	if hasOffsets {
		in.Offsets = p.offsets(keyBytes)
		if flag > flagMasked {
			p.offsets(0)
		}
	}
	if flag != 1 && flag <= 10 { // nothing was in memory
		return Inner{}
	}
	if p.err == nil && (f.entries < 0 || f.last < keyBytes || keyBytes < 0) {
		p.failf("a basket of %d entries ends at %d, its key at %d", f.entries, f.last, keyBytes)
	}
	data := p.take(int(f.last))
	if p.err != nil {
		return Inner{}
	}
	in.Entries, in.Values = f.entries, slices.Clone(data[keyBytes:])
	if in.Offsets != nil && int64(len(in.Offsets)) > in.Entries {
		in.Offsets = in.Offsets[:in.Entries]
	}
	return in
}

// offsets reads a table of where entries begin, which count from the start of a key.
func (p *parser) offsets(keyBytes int64) []int64 {
	n := p.i32()
	if p.err == nil && (n < 0 || n > int64(p.left()/4)) {
		p.failf("a table of %d offsets in %d bytes", n, p.left())
	}
	data := p.take(int(4 * n))
	out := make([]int64, len(data)/4)
	for i := range out {
		out[i] = int64(int32(binary.BigEndian.Uint32(data[4*i:]))) - keyBytes
	}
	return out
}
