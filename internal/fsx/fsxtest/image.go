package fsxtest

import (
	"fmt"
	"hash/maphash"
	"path/filepath"
	"slices"
	"strings"
)

// An Image is what a crash left on the disk: names, and for each file its bytes. It is valid until the function that it
// was given to returns.
type Image struct {
	c     *crash
	class string

	paths []place
	index map[string]int
	moves [][]move // by pending names
	taken []bool   // by pending names: they are on the disk

	pick    [][]uint16 // by node and sector, which of its values is on the disk
	size    []uint16   // by node
	garbage bool       // sectors that never got what was written into them hold anything, not zeros

	memo map[memoKey]verdict
	buf  []byte
}

// place is a path that leads to something in some image of a crash.
type place struct {
	path   string
	sum    uint64 // of path
	parent int    // index of its folder, −1 if nothing is known of it
	always int    // the node it leads to durably
	node   int    // the node it leads to in the image, or nothing
}

// move says what a path leads to when pending names are taken.
type move struct{ place, node int }

type memoKey struct {
	path string
	sum  uint64
}

type verdict struct {
	state int64
	err   error
}

func newImage(c *crash, memo map[memoKey]verdict, buf []byte) *Image {
	i := &Image{c: c, memo: memo, buf: buf, index: map[string]int{}, taken: make([]bool, len(c.pending))}
	var paths []string
	for p := range c.names {
		paths = append(paths, p)
	}
	for _, p := range c.pending {
		for _, e := range p.set {
			paths = append(paths, e.path)
		}
	}
	slices.Sort(paths) // a folder comes before what is in it
	for _, p := range slices.Compact(paths) {
		at := place{path: p, sum: maphash.String(hashSeed, p), parent: -1, always: nothing}
		if folder, ok := i.index[filepath.Dir(p)]; ok {
			at.parent = folder
		}
		if n, ok := c.names[p]; ok {
			at.always = n
		}
		i.index[p] = len(i.paths)
		i.paths = append(i.paths, at)
	}
	for _, p := range c.pending {
		var moves []move
		for _, e := range p.set {
			moves = append(moves, move{i.index[e.path], e.node})
		}
		i.moves = append(i.moves, moves)
	}
	for _, f := range c.files {
		var pick []uint16
		if f != nil {
			pick = make([]uint16, len(f.sectors))
		}
		i.pick = append(i.pick, pick)
	}
	i.size = make([]uint16, len(c.files))
	return i
}

// choose takes a value of a unit.
func (i *Image) choose(u *unit, value uint16) {
	switch u.sector {
	case unitNames:
		i.taken[u.index] = value > 0
	case unitSize:
		i.size[u.node] = value
	default:
		i.pick[u.node][u.sector] = value
	}
}

// settle works out where the paths lead.
func (i *Image) settle() {
	for p := range i.paths {
		i.paths[p].node = i.paths[p].always
	}
	for p, moves := range i.moves {
		if i.taken[p] {
			for _, m := range moves {
				i.paths[m.place].node = m.node
			}
		}
	}
	for p := range i.paths {
		if at := &i.paths[p]; at.parent >= 0 && i.paths[at.parent].node == nothing {
			at.node = nothing // its folder is not there
		}
	}
}

// bytesOf returns the size of a node's file.
func (i *Image) bytesOf(node int) int64 { return i.c.files[node].sizes[i.size[node]].bytes }

// content returns what a sector of a file holds, nil for zeros.
func (i *Image) content(node, s int) (data []byte, sum uint64) {
	values := i.c.files[node].sectors[s]
	v := &values[i.pick[node][s]]
	if i.garbage && v.data == nil && values[len(values)-1].data != nil {
		return garbage[:], garbageSum
	}
	return v.data, v.sum
}

// sum tells contents of a file apart.
func (i *Image) sum(node int) uint64 {
	size := i.bytesOf(node)
	total := mix(uint64(size) + 1)
	for s := range int((size + sectorBytes - 1) / sectorBytes) {
		data, h := i.content(node, s)
		if cut := size - int64(s)*sectorBytes; cut < sectorBytes && data != nil {
			// What lies behind the end is no part of the file.
			var last [sectorBytes]byte
			copy(last[:cut], data)
			h = sum(last[:])
		}
		total += mix(h + uint64(s)*0x9e3779b97f4a7c15)
	}
	return total
}

// hash tells images apart, by names and contents.
func (i *Image) hash() uint64 {
	total := uint64(0)
	for _, at := range i.paths {
		if at.node != nothing {
			content := uint64(1)
			if i.c.files[at.node] != nil {
				content = i.sum(at.node)
			}
			total += mix(content ^ at.sum)
		}
	}
	return total
}

// Promised returns how many promises were made before the crash.
func (i *Image) Promised() int { return i.c.promised }

// Paths returns the paths of the files that are there, sorted; hidden ones only if that is asked for.
func (i *Image) Paths(hidden bool) []string {
	var out []string
	for _, at := range i.paths {
		if at.node != nothing && i.c.files[at.node] != nil && (hidden || !strings.HasPrefix(filepath.Base(at.path), ".")) {
			out = append(out, at.path)
		}
	}
	return out
}

// Bytes returns a file, or false if it is not there. The bytes are valid until the next call.
func (i *Image) Bytes(path string) ([]byte, bool) {
	p, ok := i.index[path]
	if !ok || i.paths[p].node == nothing || i.c.files[i.paths[p].node] == nil {
		return nil, false
	}
	node := i.paths[p].node
	size := i.bytesOf(node)
	i.buf = i.buf[:0]
	for s := 0; int64(len(i.buf)) < size; s++ {
		data, _ := i.content(node, s)
		if data == nil {
			data = zeros[:]
		}
		i.buf = append(i.buf, data[:min(sectorBytes, size-int64(len(i.buf)))]...)
	}
	return i.buf, true
}

// Judge returns what judge says of a file: which state of it this is. A content is judged once a path. A file that is not
// there is judged as nil.
func (i *Image) Judge(path string, judge func(data []byte) (state int64, err error)) (int64, error) {
	k := memoKey{path: path}
	if p, ok := i.index[path]; ok && i.paths[p].node != nothing && i.c.files[i.paths[p].node] != nil {
		k.sum = i.sum(i.paths[p].node)
	}
	v, ok := i.memo[k]
	if !ok {
		data, _ := i.Bytes(path)
		v.state, v.err = judge(data)
		i.memo[k] = v
	}
	return v.state, v.err
}

// Disk returns the image as a disk, all of it durable, for a program that goes on there.
func (i *Image) Disk() *Disk {
	d := NewDisk()
	for _, at := range i.paths {
		if at.node == nothing {
			continue
		}
		if i.c.files[at.node] == nil {
			d.AddFolder(at.path)
			continue
		}
		data, _ := i.Bytes(at.path)
		d.Put(at.path, data)
	}
	return d
}

// String says which crash left the image.
func (i *Image) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "crash after operation %d, on the disk: %s", i.c.at, i.class)
	if i.garbage {
		b.WriteString(", anything in sectors that were not written")
	}
	for _, p := range i.Paths(true) {
		node := i.paths[i.index[p]].node
		fmt.Fprintf(&b, "\n\t%s, %d bytes", p, i.bytesOf(node))
		for s, values := range i.c.files[node].sectors {
			if n := len(values); n > 1 {
				fmt.Fprintf(&b, ", sector %d: %d of %d", s, i.pick[node][s], n-1)
			}
		}
	}
	return b.String()
}

var (
	zeros   [sectorBytes]byte
	garbage = func() (g [sectorBytes]byte) {
		x := uint64(0x2545f4914f6cdd1d)
		for i := range g {
			x = mix(x + uint64(i))
			g[i] = byte(x >> 56)
		}
		return g
	}()
	garbageSum = sum(garbage[:])
)
