package fsxtest

import (
	"hash/maphash"
	"slices"
)

// sectorBytes is what a disk writes whole or not at all.
const sectorBytes = 512

var hashSeed = maphash.MakeSeed()

// crash is what the disk may hold when the power goes after some operations of the log: for every sector, size and name
// the durable value first, then each value that it was given since.
type crash struct {
	at       int // operations done
	promised int
	files    []*crashFile   // by node; nil for a folder
	names    map[string]int // durable names
	pending  []pendingNames
}

type crashFile struct {
	sectors [][]sector
	sizes   []size
	writes  []write // since the last sync
	name    string
}

// sector is one content of a sector. The durable one is at −1, every other at the operation that wrote it. nil data was
// never written.
type sector struct {
	at   int
	data []byte
	sum  uint64
}

type size struct {
	at    int
	bytes int64
}

// write is an operation that is not durable yet, by the sectors it touched.
type write struct{ at, first, end int }

type pendingNames struct {
	at     int
	folder string
	set    []entry
	what   string
}

func newCrash(nodes []*node) *crash {
	c := &crash{names: map[string]int{}, files: make([]*crashFile, len(nodes))}
	for i, n := range nodes {
		if !n.folder {
			c.files[i] = &crashFile{sizes: []size{{-1, 0}}}
		}
	}
	return c
}

// apply goes on by one operation.
func (c *crash) apply(o *operation) {
	at := c.at
	c.at++
	switch o.kind {
	case opPromise:
		c.promised++
	case opWrite:
		c.files[o.node].name = o.name
		c.files[o.node].write(at, o.off, o.data)
	case opTruncate:
		c.files[o.node].truncate(at, o.off)
	case opSync:
		c.files[o.node].sync()
	case opEntries:
		c.pending = append(c.pending, pendingNames{at, o.folder, o.entries, o.name})
	case opSyncDir:
		c.pending = slices.DeleteFunc(c.pending, func(p pendingNames) bool {
			if p.folder == o.folder {
				set(c.names, p.set)
				return true
			}
			return false
		})
	}
}

func set(names map[string]int, entries []entry) {
	for _, e := range entries {
		if e.node == nothing {
			delete(names, e.path)
		} else {
			names[e.path] = e.node
		}
	}
}

func (f *crashFile) size() int64 { return f.sizes[len(f.sizes)-1].bytes }

func (f *crashFile) resize(at int, bytes int64) {
	if bytes == f.size() {
		return
	}
	f.sizes = append(f.sizes, size{at, bytes})
	for int64(len(f.sectors))*sectorBytes < bytes {
		f.sectors = append(f.sectors, []sector{{at: -1, sum: zeroSum}})
	}
}

func (f *crashFile) write(at int, off int64, data []byte) {
	f.resize(at, max(f.size(), off+int64(len(data))))
	first := int(off / sectorBytes)
	s := first
	for ; len(data) > 0; s++ {
		within := int(off - int64(s)*sectorBytes)
		content := make([]byte, sectorBytes)
		copy(content, f.latest(s).data)
		n := copy(content[within:], data)
		f.put(s, at, content)
		data, off = data[n:], off+int64(n)
	}
	f.writes = append(f.writes, write{at, first, s})
}

func (f *crashFile) truncate(at int, bytes int64) {
	if bytes < f.size() {
		s := int(bytes / sectorBytes)
		if within := bytes % sectorBytes; within > 0 {
			content := make([]byte, sectorBytes)
			copy(content, f.latest(s).data[:min(int(within), len(f.latest(s).data))])
			f.put(s, at, content)
			s++
		}
		for ; s < len(f.sectors); s++ {
			if f.latest(s).data != nil {
				f.put(s, at, nil)
			}
		}
	}
	f.resize(at, bytes)
}

func (f *crashFile) latest(s int) *sector { return &f.sectors[s][len(f.sectors[s])-1] }

func (f *crashFile) put(s, at int, content []byte) {
	f.sectors[s] = append(f.sectors[s], sector{at, content, sum(content)})
}

// sync makes the latest of everything durable.
func (f *crashFile) sync() {
	for s := range f.sectors {
		last := *f.latest(s)
		last.at = -1
		f.sectors[s] = append(f.sectors[s][:0], last)
	}
	f.sizes = append(f.sizes[:0], size{-1, f.size()})
	f.writes = f.writes[:0]
}

var zeroSum = maphash.Bytes(hashSeed, make([]byte, sectorBytes))

func sum(content []byte) uint64 {
	if content == nil {
		return zeroSum
	}
	return maphash.Bytes(hashSeed, content)
}

// mix spreads the bits of x, so that sums of mixed values tell sets of them apart.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// A unit is one thing of which a crash leaves one of several values: a sector, a size, or names that change together.
type unit struct {
	node   int
	sector int   // of node; −1 is its size, −2 are names
	index  int   // names: of crash.pending
	at     []int // the operation that gave each value, the durable one's is −1
}

const (
	unitSize  = -1
	unitNames = -2
)

// units lists what is not durable, by the time of its first change.
func (c *crash) units() []unit {
	var out []unit
	for n, f := range c.files {
		if f == nil {
			continue
		}
		for s, values := range f.sectors {
			if len(values) > 1 {
				u := unit{node: n, sector: s}
				for _, v := range values {
					u.at = append(u.at, v.at)
				}
				out = append(out, u)
			}
		}
		if len(f.sizes) > 1 {
			u := unit{node: n, sector: unitSize}
			for _, v := range f.sizes {
				u.at = append(u.at, v.at)
			}
			out = append(out, u)
		}
	}
	for i, p := range c.pending {
		out = append(out, unit{sector: unitNames, index: i, at: []int{-1, p.at}})
	}
	slices.SortStableFunc(out, func(a, b unit) int { return a.at[1] - b.at[1] })
	return out
}
