package meta

import (
	"fmt"
	"strings"

	"github.com/colstore/colstore-go"
)

// A Tree is a table as ROOT keeps it: branches, each with its own baskets of rows.
type Tree struct {
	Entries  int64 // rows
	Branches []*Branch
}

// IsTree reports whether an object of a class is a tree.
func IsTree(class string) bool { return class == "TTree" || class == "TNtuple" || class == "TNtupleD" }

// ParseTree reads a tree of a class from its decompressed object. keyBytes is the length of the object's key, from
// where references inside the object are counted.
//
// Memory: the tree keeps no part of object.
// Errors: colstore.ErrFormat, also for versions that are not supported.
func ParseTree(object []byte, class string, keyBytes int) (*Tree, error) {
	p := &parser{reader: *newReader(object), origin: keyBytes + 2, leaves: map[int]*Leaf{}}
	if class != "TTree" {
		p.begin()
	}
	t := &Tree{}
	p.tree(t)
	if p.err != nil {
		return nil, p.err
	}
	if t.Entries < 0 || t.Entries > maxRows {
		return nil, fmt.Errorf("%w: the tree has %d entries", colstore.ErrFormat, t.Entries)
	}
	return t, nil
}

// maxRows is the most rows of a tree: their bytes are counted in 64 bits.
const maxRows = 1 << 60

// maxDepth is how deep objects nest.
const maxDepth = 64

// A parser reads objects that refer to one another.
type parser struct {
	reader
	origin int // what references count from, before the first byte
	leaves map[int]*Leaf
	depth  int
}

// tree reads the fields of a tree up to its branches.
func (p *parser) tree(t *Tree) {
	version, _ := p.begin()
	switch {
	case p.err != nil:
		return
	case version != 5 && version < 16 || version > 20:
		p.failf("a tree of version %d; 5 and 16 to 20 are supported", version)
		return
	}
	for range 4 { // name and looks
		p.skip()
	}
	if version == 5 {
		t.Entries = p.count()
		p.take(3*8 + 7*4)
		t.Branches = p.branches()
		return
	}
	t.Entries = p.i64()
	p.take(3 * 8)
	if version >= 18 {
		p.take(8)
	}
	p.take(8 + 3*4)
	if version >= 17 {
		p.take(4)
	}
	ranges := int64(0)
	if version >= 19 {
		ranges = p.i32()
	}
	p.take(5 * 8)
	if version >= 18 {
		p.take(8)
	}
	if version >= 19 {
		for range 2 {
			p.table(ranges, 8)
		}
	}
	if version >= 20 {
		p.skip()
	}
	t.Branches = p.branches()
}

// table takes n values behind a byte.
func (p *parser) table(n int64, size int) (flag byte, values []byte) {
	flag = p.u8()
	if n < 0 || n > int64(p.left()/size) {
		p.failf("a table of %d values in %d bytes", n, p.left())
		return flag, nil
	}
	return flag, p.take(int(n) * size)
}

// array reads the references of an array. An object that is met for the first time is read by f, which gets the number of
// its place and the object's offset; of others again gets the offset, if it is not nil.
func (p *parser) array(f func(i int, class string, start int), again func(seen int)) {
	version, end := p.begin()
	if version > 2 {
		p.object()
	}
	if version > 1 {
		p.text()
	}
	n := p.i32()
	p.i32()
	if p.err == nil && (n < 0 || n > int64(p.left()/4)) {
		p.failf("an array of %d objects in %d bytes", n, p.left())
	}
	for i := range n {
		if p.err != nil {
			return
		}
		seen := p.reference(func(class string, start int) { f(int(i), class, start) })
		if seen != 0 && again != nil {
			again(seen)
		}
	}
	p.finish(end)
}

// reference reads a reference to an object. If it is met for the first time, read reads its fields, and the reference ends
// where its number of bytes says. Otherwise the object's offset is returned, 0 for none.
func (p *parser) reference(read func(class string, start int)) (seen int) {
	start := p.at
	tag := p.u32()
	if tag&hasCount == 0 || tag == newClass {
		switch {
		case p.err != nil || tag == 0:
		case tag&isClass != 0:
			p.failf("an object without the number of its bytes at offset %d of the metadata", start)
		default:
			return int(tag)
		}
		return 0
	}
	size := int(tag &^ hasCount)
	if size > p.left() {
		p.failf("an object of %d bytes where %d are left", size, p.left())
		return 0
	}
	outer, end := p.end, p.at+size
	if p.depth++; p.depth > maxDepth {
		p.failf("objects nest deeper than %d", maxDepth)
		return 0
	}
	p.end = end
	class := p.class()
	if p.err == nil {
		read(class, start+p.origin)
	}
	p.end = outer
	p.depth--
	if p.err == nil {
		p.at = end
	}
	return 0
}

// class reads the name of an object's class: it follows, or stands where a class was named first.
func (p *parser) class() string {
	tag := p.u32()
	switch {
	case p.err != nil:
		return ""
	case tag == newClass:
		return p.ended()
	case tag&isClass == 0:
		p.failf("an object without a class at offset %d of the metadata", p.at-4)
		return ""
	}
	at := int(tag&^isClass) - p.origin
	if at < 0 || at+4 > p.at {
		p.failf("a class that is named at offset %d of the metadata", at)
		return ""
	}
	named := reader{data: p.data, at: at, end: p.at}
	if named.u32() != newClass {
		p.failf("no class is named at offset %d of the metadata", at)
		return ""
	}
	name := named.ended()
	if named.err != nil {
		p.failf("no class is named at offset %d of the metadata", at)
	}
	return name
}

// branches reads an array of branches.
func (p *parser) branches() []*Branch {
	var out []*Branch
	p.array(func(_ int, class string, _ int) {
		if strings.HasPrefix(class, "TBranch") {
			out = append(out, p.branch(class))
		}
	}, nil)
	return out
}
