package root

import (
	"encoding/binary"
	"math"
)

// packed is bytes in the order of ROOT, with the most significant first.
type packed []byte

func (p *packed) u8(v uint8)   { *p = append(*p, v) }
func (p *packed) u16(v uint16) { *p = binary.BigEndian.AppendUint16(*p, v) }
func (p *packed) u32(v uint32) { *p = binary.BigEndian.AppendUint32(*p, v) }
func (p *packed) u64(v uint64) { *p = binary.BigEndian.AppendUint64(*p, v) }
func (p *packed) i64(v int64)  { p.u64(uint64(v)) }

// text appends a text behind its length.
func (p *packed) text(s string) {
	if len(s) < 255 {
		p.u8(uint8(len(s)))
	} else {
		p.u8(255)
		p.u32(uint32(len(s)))
	}
	*p = append(*p, s...)
}

// textSize returns the bytes of a text with its length.
func textSize(s string) int {
	if len(s) < 255 {
		return 1 + len(s)
	}
	return 5 + len(s)
}

// An objects is the bytes of an object with others in it. Classes and objects that have been there are referred to by
// their place, counted from the beginning of the record's key, and 2 more.
type objects struct {
	packed
	key     int // bytes of the key
	classes map[string]uint32
}

const (
	counted  = 1 << 30 // marks a count of bytes, where there could be a reference instead
	newClass = math.MaxUint32
	oldClass = 1 << 31
)

// place returns the reference to what comes next.
func (o *objects) place() uint32 { return uint32(o.key + len(o.packed) + 2) }

// structure appends a class's version and what fill appends, behind the count of their bytes.
func (o *objects) structure(version uint16, fill func()) {
	at := len(o.packed)
	o.u32(0)
	o.u16(version)
	fill()
	o.count(at)
}

// count fills in a count of the bytes behind it.
func (o *objects) count(at int) {
	binary.BigEndian.PutUint32(o.packed[at:], counted|uint32(len(o.packed)-at-4))
}

// element appends an object of a class that the reader cannot know otherwise, and returns the reference to it.
func (o *objects) element(class string, version uint16, fill func()) uint32 {
	at, self := len(o.packed), o.place()
	o.u32(0)
	if seen, ok := o.classes[class]; ok {
		o.u32(oldClass | seen)
	} else {
		o.classes[class] = o.place()
		o.u32(newClass)
		o.packed = append(append(o.packed, class...), 0)
	}
	o.structure(version, fill)
	o.count(at)
	return self
}

// status are bits of an object: it is on the heap, and alive.
const (
	status       = 0x03000000
	mustCleanup  = 1 << 3  // a tree
	isOwner      = 1 << 14 // a list whose elements are its own
	flatContents = 1 << 22 // a branch without objects, whose values refer to none
)

// named appends what a class has from TNamed.
func (o *objects) named(bits uint32, name, title string) {
	o.structure(1, func() {
		o.base(bits)
		o.text(name)
		o.text(title)
	})
}

// base appends what a class has from TObject.
func (o *objects) base(bits uint32) {
	o.u16(1)
	o.u32(0)
	o.u32(status | bits)
}

// list appends a TObjArray of n elements that fill appends.
func (o *objects) list(bits uint32, n int, fill func()) {
	o.structure(3, func() {
		o.base(bits)
		o.text("")
		o.u32(uint32(n))
		o.u32(0) // the first index
		fill()
	})
}

func none() {}

// filling appends what a class has from TAttFill.
func (o *objects) filling() {
	o.structure(2, func() {
		o.u16(0)
		o.u16(1001)
	})
}

// features appends ROOT::TIOFeatures without any.
func (o *objects) features() {
	o.structure(0, func() {
		o.u32(0x1aa12f10) // the class has a checksum instead of a version
		o.u8(0)
	})
}

// metadata returns the TTree of branches, as an object whose record has a key of some bytes. rows is how many there are,
// cluster after how many all branches begin a basket.
func metadata(key int, name string, branches []*outBranch, rows, cluster int64, compression int32) []byte {
	o := &objects{key: key, classes: map[string]uint32{}}
	var total, stored int64
	for _, b := range branches {
		total += b.total
		stored += b.stored
	}
	o.structure(20, func() {
		o.named(mustCleanup, name, "")
		o.structure(2, func() { // TAttLine
			o.u16(602)
			o.u16(1)
			o.u16(1)
		})
		o.filling()
		o.structure(3, func() { // TAttMarker
			o.u16(1)
			o.u16(1)
			o.u32(math.Float32bits(1))
		})
		o.i64(rows)
		o.i64(total)
		o.i64(stored)
		o.u64(0)                   // saved bytes
		o.u64(0)                   // flushed bytes
		o.u64(math.Float64bits(1)) // weight
		o.u32(0)                   // timer interval
		o.u32(25)                  // lines of a scan
		o.u32(0)                   // update
		o.u32(1000)                // entry offsets of new branches
		o.u32(0)                   // ranges of clusters
		o.u64(1_000_000_000_000)   // most entries
		o.u64(1_000_000_000_000)   // most entries of a loop
		o.u64(0)                   // virtual memory
		o.i64(-300_000_000)        // autosave after so many bytes
		o.i64(cluster)             // autoflush: the rows of a cluster
		o.u64(1_000_000)           // entries of an estimate
		o.u8(0)                    // where ranges end, of which there are none
		o.u8(0)                    // their sizes
		o.features()
		leaves := make([]uint32, len(branches))
		o.list(isOwner, len(branches), func() {
			for i, b := range branches {
				leaves[i] = o.branch(b, rows, compression)
			}
		})
		o.list(0, len(leaves), func() {
			for _, l := range leaves {
				o.u32(l)
			}
		})
		// No aliases, two empty arrays of an index, no index, friends, user's information or references.
		o.packed = append(o.packed, make([]byte, 28)...)
	})
	return o.packed
}

// branch appends a TBranch, and returns the reference to its leaf.
func (o *objects) branch(b *outBranch, rows int64, compression int32) (leaf uint32) {
	// Room for a basket more, and for ten as ROOT has it: the last entry is where the next basket would begin.
	slots := max(10, len(b.baskets)+1)
	o.element("TBranch", 13, func() {
		o.named(flatContents, b.name, b.name+"/"+string(b.kind.letter))
		o.filling()
		o.u32(uint32(compression))
		o.u32(uint32(b.rows * b.size))
		o.u32(0) // entry offsets: there are none
		o.u32(uint32(len(b.baskets)))
		o.i64(rows)
		o.features()
		o.u32(0) // offset
		o.u32(uint32(slots))
		o.u32(0) // split level
		o.i64(rows)
		o.u64(0) // first entry
		o.i64(b.total)
		o.i64(b.stored)
		o.list(0, 0, none) // branches
		o.list(0, 1, func() { leaf = o.leaf(b) })
		o.list(0, 0, none) // baskets that are in memory only
		o.u8(1)
		for _, k := range b.baskets {
			o.u32(k.bytes)
		}
		o.packed = append(o.packed, make([]byte, 4*(slots-len(b.baskets)))...)
		o.u8(1)
		for i := range b.baskets {
			o.u64(uint64(i) * uint64(b.rows))
		}
		o.i64(rows)
		o.packed = append(o.packed, make([]byte, 8*(slots-len(b.baskets)-1))...)
		o.u8(1)
		for _, k := range b.baskets {
			o.i64(k.at)
		}
		o.packed = append(o.packed, make([]byte, 8*(slots-len(b.baskets)))...)
		o.text("") // the file that has the baskets: this one
	})
	return leaf
}

// leaf appends the TLeaf of a branch.
func (o *objects) leaf(b *outBranch) uint32 {
	return o.element(b.kind.class, 1, func() {
		o.structure(2, func() {
			o.named(0, b.name, b.name)
			o.u32(1) // values of an entry
			o.u32(uint32(b.size))
			o.u32(0) // offset
			o.u8(0)  // no range is known
			unsigned := uint8(0)
			if b.kind.unsigned {
				unsigned = 1
			}
			o.u8(unsigned)
			o.u32(0) // no leaf counts the values
		})
		o.packed = append(o.packed, make([]byte, 2*b.size)...) // minimum and maximum
	})
}
