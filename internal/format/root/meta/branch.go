package meta

import (
	"encoding/binary"
	"strings"
)

// A Branch is one or more leaves, whose values lie together in baskets.
type Branch struct {
	Class, Name, Title string
	Leaves             []*Leaf
	Branches           []*Branch // below this one
	OffsetBytes        int64     // not 0 if baskets tell where each entry begins
	Baskets            []Basket  // in the file
	Inner              []Inner   // those that lie in the tree itself, behind the others
	End                int64     // the entry behind the last basket in the file, if Baskets is not empty
	File               string    // where the baskets are, if not in the tree's file
}

// A Basket is some entries of a branch, by the branch's tables.
type Basket struct {
	Seek  int64 // offset of its key
	Bytes int64 // in the file
	First int64 // entry
}

// A Leaf is a value, or a number of them, of each entry.
type Leaf struct {
	Class, Name, Title string
	Len                int64 // values an entry, if there is no Count
	Size               int64 // bytes of a value in memory, which are those in the file but for the packed floats
	IsUnsigned         bool
	IsCounted          bool  // an entry has as many values as another leaf says
	Count              *Leaf // that leaf, nil if it was not found
}

// branch reads a branch of any class, of which all begin as a TBranch.
func (p *parser) branch(class string) *Branch {
	b := &Branch{Class: class}
	if class != "TBranch" {
		p.begin()
	}
	version, _ := p.begin()
	if p.err != nil {
		return b
	}
	if version < 8 || version == 9 || version > 13 {
		p.failf("a branch of version %d; 8 and 10 to 13 are supported", version)
		return b
	}
	b.Name, b.Title = p.named()
	p.skip()
	p.take(4 + 4)
	b.OffsetBytes = p.i32()
	written := p.i32()
	var most int64
	if version == 8 {
		p.take(4 + 4)
		most = p.i32()
		p.take(4 + 3*8)
	} else {
		p.take(8)
		if version >= 13 {
			p.skip()
		}
		p.take(4)
		most = p.i32()
		p.take(4 + 8)
		if version >= 11 {
			p.take(8)
		}
		p.take(8 + 8)
	}
	b.Branches = p.branches()
	p.array(func(_ int, class string, start int) {
		if strings.HasPrefix(class, "TLeaf") {
			b.Leaves = append(b.Leaves, p.leaf(class, start))
		}
	}, func(seen int) {
		if l := p.leaves[seen]; l != nil {
			b.Leaves = append(b.Leaves, l)
		}
	})
	inner := map[int]Inner{}
	p.array(func(i int, class string, _ int) {
		if class == "TBasket" {
			inner[i] = p.inner()
		}
	}, nil)
	p.baskets(b, version, written, most)
	b.File = p.text()
	for i := len(b.Baskets); len(inner) > 0 && p.err == nil; i++ {
		in, ok := inner[i]
		if !ok {
			break // those before are copies of what is in the file
		}
		b.Inner = append(b.Inner, in)
	}
	return b
}

// baskets reads the tables of a branch's baskets.
func (p *parser) baskets(b *Branch, version int, written, most int64) {
	entrySize, seekSize := 8, 8
	if version == 8 {
		entrySize, seekSize = 4, 4
	}
	_, bytes := p.table(most, 4)
	_, firsts := p.table(most, entrySize)
	if p.err == nil && p.left() > 0 && version == 8 && p.data[p.at] == 2 {
		seekSize = 8
	}
	_, seeks := p.table(most, seekSize)
	if p.err != nil {
		return
	}
	if written < 0 || written > most {
		p.failf("branch %q has %d baskets in tables of %d", b.Name, written, most)
		return
	}
	at := func(table []byte, i int64, size int) int64 {
		if size == 4 {
			return int64(int32(binary.BigEndian.Uint32(table[4*i:])))
		}
		return int64(binary.BigEndian.Uint64(table[8*i:]))
	}
	for i := range written {
		seek := at(seeks, i, seekSize)
		if seek == 0 { // it was never written
			written = i
			break
		}
		b.Baskets = append(b.Baskets, Basket{Seek: seek, Bytes: at(bytes, i, 4), First: at(firsts, i, entrySize)})
	}
	b.End = -1 // unknown
	if written < most {
		b.End = at(firsts, written, entrySize)
	}
}

// leaf reads a leaf of any class, of which all begin as a TLeaf.
func (p *parser) leaf(class string, start int) *Leaf {
	l := &Leaf{Class: class}
	p.leaves[start] = l
	if class != "TLeaf" {
		p.begin()
	}
	p.begin()
	l.Name, l.Title = p.named()
	l.Len, l.Size = p.i32(), p.i32()
	p.take(4 + 1)
	l.IsUnsigned = p.u8() != 0
	seen := p.reference(func(class string, start int) {
		l.IsCounted = true
		if strings.HasPrefix(class, "TLeaf") {
			l.Count = p.leaf(class, start)
		}
	})
	if seen != 0 {
		l.IsCounted, l.Count = true, p.leaves[seen]
	}
	return l
}
