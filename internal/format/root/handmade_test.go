package root_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// The files of these tests are made by hand, so that every number in them can be a wrong one.

// A madeFile is a file with trees in its top directory.
type madeFile struct {
	magic     string
	isBig     bool // offsets of 8 bytes
	trees     []*madeTree
	inDir     string // a directory that the trees are in
	dirIsSelf bool   // which is the top directory again
	keys      func(k *madeKeys)
	cut       func(raw []byte) []byte
}

// madeKeys are the numbers of a list of keys.
type madeKeys struct {
	count, seek, bytes int64
}

// A madeTree is a tree of version 20, or 5.
type madeTree struct {
	class, name string
	cycle       int16
	version     int
	entries     int64
	branches    []*madeBranch
	codec       string
	key         func(k *madeKey)
	payload     func(b []byte) []byte
}

// madeKey are the numbers of a key.
type madeKey struct {
	bytes, objectBytes int64
	keyBytes           int16
	seek               int64
}

// A madeBranch is a branch of version 13, or 8.
type madeBranch struct {
	class, name string
	version     int
	leaves      []*madeLeaf
	baskets     []*madeBasket
	inner       []*madeBasket // in the tree
	table       func(t *madeTable)
	offsetBytes int32
	file        string
	below       []*madeBranch
}

// madeTable are the numbers of a branch's baskets.
type madeTable struct {
	written, most        int32
	bytes, firsts, seeks []int64
}

type madeLeaf struct {
	class, name string
	len, size   int32
	isUnsigned  bool
	count       *madeLeaf
	countTag    uint32 // instead of a reference to count
	at          uint32 // where it was written
}

type madeBasket struct {
	rows    int32
	values  []byte
	offsets []int32
	codec   string
	blocks  func(packed []byte) []byte // changes what is compressed
	head    func(h *madeHead)
	newBits bool // a negative size of the table, and bits behind it
}

// madeHead are the numbers of a basket's header.
type madeHead struct {
	madeKey
	entries, last int32
	class         string
	version       int16
}

// A pen appends big-endian values.
type pen struct{ b []byte }

func (p *pen) u8(v byte)      { p.b = append(p.b, v) }
func (p *pen) i16(v int16)    { p.b = binary.BigEndian.AppendUint16(p.b, uint16(v)) }
func (p *pen) i32(v int32)    { p.b = binary.BigEndian.AppendUint32(p.b, uint32(v)) }
func (p *pen) u32(v uint32)   { p.b = binary.BigEndian.AppendUint32(p.b, v) }
func (p *pen) i64(v int64)    { p.b = binary.BigEndian.AppendUint64(p.b, uint64(v)) }
func (p *pen) raw(v ...byte)  { p.b = append(p.b, v...) }
func (p *pen) zeros(n int)    { p.b = append(p.b, make([]byte, n)...) }
func (p *pen) text(s string)  { p.u8(byte(len(s))); p.b = append(p.b, s...) }
func (p *pen) ended(s string) { p.b = append(append(p.b, s...), 0) }

// frame writes a structure behind the number of its bytes and its version.
func (p *pen) frame(version int16, f func()) {
	at := len(p.b)
	p.u32(0)
	p.i16(version)
	f()
	binary.BigEndian.PutUint32(p.b[at:], uint32(len(p.b)-at-4)|0x40000000)
}

func (p *pen) object() { p.i16(1); p.u32(0); p.u32(0x03000000) }

func (p *pen) named(name string) {
	p.frame(1, func() { p.object(); p.text(name); p.text("") })
}

// reference writes an object that is met for the first time, with its class.
func (p *pen) reference(class string, f func()) {
	at := len(p.b)
	p.u32(0)
	p.u32(0xFFFFFFFF)
	p.ended(class)
	f()
	binary.BigEndian.PutUint32(p.b[at:], uint32(len(p.b)-at-4)|0x40000000)
}

func (p *pen) array(n int, f func(i int)) {
	p.frame(3, func() {
		p.object()
		p.text("")
		p.i32(int32(n))
		p.i32(0)
		for i := range n {
			f(i)
		}
	})
}

func (p *pen) key(k madeKey, big bool, cycle int16, class, name, title string) {
	p.i32(int32(k.bytes))
	version := int16(4)
	if big {
		version = 1004
	}
	p.i16(version)
	p.i32(int32(k.objectBytes))
	p.u32(0)
	p.i16(k.keyBytes)
	p.i16(cycle)
	if big {
		p.i64(k.seek)
		p.i64(100)
	} else {
		p.i32(int32(k.seek))
		p.i32(100)
	}
	p.text(class)
	p.text(name)
	p.text(title)
}

func keyBytes(big bool, texts ...string) int {
	n := 26
	if big {
		n += 8
	}
	for _, t := range texts {
		n += 1 + len(t)
	}
	return n
}

// pack compresses bytes into one block; of the codec "" they stay as they are.
func pack(codec string, data []byte, change func([]byte) []byte) []byte {
	var packed []byte
	letters, method := "", byte(0)
	switch codec {
	case "":
		return data
	case "zlib":
		var b bytes.Buffer
		w := zlib.NewWriter(&b)
		_, _ = w.Write(data)
		_ = w.Close()
		letters, method, packed = "ZL", 8, b.Bytes()
	case "lz4":
		dst := make([]byte, lz4.CompressBlockBound(len(data)))
		n, _ := lz4.CompressBlock(data, dst, nil)
		letters, method = "L4", 1
		packed = append(binary.BigEndian.AppendUint64(nil, xxhash.Sum64(dst[:n])), dst[:n]...)
	case "zstd":
		e, _ := zstd.NewWriter(nil)
		letters, method, packed = "ZS", 1, e.EncodeAll(data, nil)
	case "xz":
		var b bytes.Buffer
		w, _ := xz.NewWriter(&b)
		_, _ = w.Write(data)
		_ = w.Close()
		letters, packed = "XZ", b.Bytes()
	}
	n, size := len(packed), len(data)
	out := append([]byte(letters), method, byte(n), byte(n>>8), byte(n>>16), byte(size), byte(size>>8), byte(size>>16))
	out = append(out, packed...)
	if change != nil {
		out = change(out)
	}
	return out
}

// basket writes a basket and returns where it is.
func (p *pen) basket(k *madeBasket, branch string) (seek, size int64) {
	data := k.values
	h := madeHead{class: "TBasket", version: 3, entries: k.rows}
	h.keyBytes = int16(keyBytes(true, "TBasket", branch, "t")) + 19
	if k.newBits {
		h.keyBytes += 10
	}
	if k.offsets != nil {
		var t pen
		t.i32(int32(len(k.offsets)))
		for _, o := range k.offsets {
			t.i32(o + int32(h.keyBytes))
		}
		data = append(append([]byte(nil), data...), t.b...)
	}
	packed := pack(k.codec, data, k.blocks)
	seek = int64(len(p.b))
	size = int64(h.keyBytes) + int64(len(packed))
	h.bytes, h.objectBytes, h.seek = size, int64(len(data)), seek
	h.last = int32(len(k.values)) + int32(h.keyBytes)
	if k.head != nil {
		k.head(&h)
	}
	p.key(h.madeKey, true, 1, h.class, branch, "t")
	p.basketHead(&h, k.newBits, 0)
	p.raw(packed...)
	return seek, size
}

func (p *pen) basketHead(h *madeHead, newBits bool, flag byte) {
	p.i16(h.version)
	p.i32(32000)
	if newBits {
		p.i32(-1000)
		p.frame(1, func() { p.raw(0, 0, 0, 1) })
	} else {
		p.i32(1000)
	}
	p.i32(h.entries)
	p.i32(h.last)
	p.u8(flag)
}

// inner writes a basket that is in the tree.
func (p *pen) innerBasket(k *madeBasket, branch string) {
	h := madeHead{class: "TBasket", version: 3, entries: k.rows}
	h.keyBytes = int16(keyBytes(true, "TBasket", branch, "t")) + 19
	h.last = int32(len(k.values)) + int32(h.keyBytes)
	if k.head != nil {
		k.head(&h)
	}
	p.key(h.madeKey, true, 1, h.class, branch, "t")
	flag := byte(12)
	if k.offsets != nil {
		flag = 11
	}
	p.basketHead(&h, k.newBits, flag)
	if k.offsets != nil {
		p.i32(int32(len(k.offsets)))
		for _, o := range k.offsets {
			p.i32(o + int32(h.keyBytes))
		}
	}
	p.zeros(int(h.keyBytes))
	p.raw(k.values...)
}

const treeKeyBytes = 60 // of every tree's key, for which its name is padded by the title

// leaf writes a leaf that is met for the first time.
func (p *pen) leaf(l *madeLeaf, origin int) {
	l.at = uint32(len(p.b) + origin)
	p.reference(l.class, func() {
		p.frame(1, func() {
			p.frame(2, func() {
				p.named(l.name)
				p.i32(l.len)
				p.i32(l.size)
				p.i32(0)
				p.u8(0)
				p.u8(map[bool]byte{true: 1}[l.isUnsigned])
				switch {
				case l.countTag != 0:
					p.u32(l.countTag)
				case l.count == nil:
					p.u32(0)
				case l.count.at != 0:
					p.u32(l.count.at)
				default:
					p.leaf(l.count, origin)
				}
			})
			p.zeros(8)
		})
	})
}

func (p *pen) branch(b *madeBranch, t *madeTree, place map[*madeBasket][2]int64, origin int) {
	table := madeTable{written: int32(len(b.baskets)), most: int32(len(b.baskets) + 1)}
	row := int64(0)
	for _, k := range b.baskets {
		at := place[k]
		table.seeks, table.bytes, table.firsts = append(table.seeks, at[0]), append(table.bytes, at[1]), append(table.firsts, row)
		row += int64(k.rows)
	}
	table.seeks, table.bytes, table.firsts = append(table.seeks, 0), append(table.bytes, 0), append(table.firsts, row)
	if b.table != nil {
		b.table(&table)
	}
	fields := func() {
		p.named(b.name)
		p.frame(2, func() { p.zeros(4) })
		p.i32(101)
		p.i32(32000)
		p.i32(b.offsetBytes)
		p.i32(table.written)
		if b.version == 8 {
			p.i32(0)
			p.i32(0)
			p.i32(table.most)
			p.i32(0)
			p.zeros(24)
		} else {
			p.i64(t.entries)
			p.frame(1, func() { p.u8(0) })
			p.i32(0)
			p.i32(table.most)
			p.i32(0)
			p.i64(t.entries)
			p.zeros(24)
		}
		p.array(len(b.below), func(i int) {
			p.reference("TBranch", func() { p.branch(b.below[i], t, place, origin) })
		})
		p.array(len(b.leaves), func(i int) {
			if l := b.leaves[i]; l.at != 0 {
				p.u32(l.at)
			} else {
				p.leaf(l, origin)
			}
		})
		p.array(len(b.baskets)+len(b.inner), func(i int) {
			if i < len(b.baskets) {
				p.u32(0)
				return
			}
			p.reference("TBasket", func() { p.innerBasket(b.inner[i-len(b.baskets)], b.name) })
		})
		put := func(flag byte, wide bool, values []int64) {
			p.u8(flag)
			for _, v := range values {
				if wide {
					p.i64(v)
				} else {
					p.i32(int32(v))
				}
			}
		}
		put(1, false, table.bytes)
		put(1, b.version != 8, table.firsts)
		put(2, true, table.seeks)
		p.text(b.file)
	}
	if b.version == 8 {
		p.frame(8, fields)
	} else {
		p.frame(13, fields)
	}
}

// object returns the tree as it is streamed.
func (t *madeTree) object(place map[*madeBasket][2]int64) []byte {
	var p pen
	origin := treeKeyBytes + 2
	fields := func() {
		p.named(t.name)
		for range 3 {
			p.frame(2, func() { p.zeros(6) })
		}
		if t.version == 5 {
			p.i64(int64(math.Float64bits(float64(t.entries))))
			p.zeros(3*8 + 7*4)
		} else {
			p.i64(t.entries)
			p.zeros(3*8 + 8 + 8 + 4*4)
			p.i32(1) // ranges
			p.zeros(6 * 8)
			p.zeros(2 * (1 + 8))
			p.frame(1, func() { p.u8(0) })
		}
		p.array(len(t.branches), func(i int) {
			b := t.branches[i]
			p.reference(b.class, func() {
				if b.class == "TBranch" {
					p.branch(b, t, place, origin)
					return
				}
				p.frame(10, func() { p.branch(b, t, place, origin); p.zeros(20) })
			})
		})
		p.zeros(40)
	}
	if t.class == "TTree" {
		p.frame(int16(t.version), fields)
	} else {
		p.frame(2, func() { p.frame(int16(t.version), fields); p.i32(1) })
	}
	if t.payload != nil {
		p.b = t.payload(p.b)
	}
	return p.b
}

// bytes returns the file.
func (m *madeFile) bytes() []byte {
	var p pen
	p.raw([]byte(m.magic)...)
	const top = 100 + 40
	if m.isBig {
		p.i32(1_062_400)
		p.i32(100)
		p.i64(0)
		p.i64(0)
	} else {
		p.i32(62_400)
		p.i32(100)
		p.i32(0)
		p.i32(0)
	}
	p.i32(0)
	p.i32(1)
	p.i32(top - 100) // name
	p.u8(map[bool]byte{true: 8, false: 4}[m.isBig])
	p.zeros(top - len(p.b))
	p.zeros(60) // the directory, which is known at the end
	var keys pen
	n := 0
	for _, t := range m.trees {
		place := map[*madeBasket][2]int64{}
		for _, b := range t.branches {
			for _, k := range b.baskets {
				seek, size := p.basket(k, b.name)
				place[k] = [2]int64{seek, size}
			}
		}
		object := t.object(place)
		packed := pack(t.codec, object, nil)
		title := string(make([]byte, treeKeyBytes-keyBytes(m.isBig, t.class, t.name, "")))
		k := madeKey{int64(treeKeyBytes + len(packed)), int64(len(object)), treeKeyBytes, int64(len(p.b))}
		if t.key != nil {
			t.key(&k)
		}
		p.key(k, m.isBig, t.cycle, t.class, t.name, title)
		p.raw(packed...)
		keys.key(k, m.isBig, t.cycle, t.class, t.name, title)
		n++
	}
	list := func(keys []byte, n int) (seek, bytes int64) {
		k := &madeKeys{count: int64(n), seek: int64(len(p.b))}
		own := keyBytes(m.isBig, "TFile", "", "")
		k.bytes = int64(own + 4 + len(keys))
		if m.keys != nil {
			m.keys(k)
		}
		p.key(madeKey{k.bytes, k.bytes - int64(own), int16(own), k.seek}, m.isBig, 1, "TFile", "", "")
		p.i32(int32(k.count))
		p.raw(keys...)
		return k.seek, k.bytes
	}
	directory := func(p *pen, seek, bytes int64) {
		p.i16(map[bool]int16{true: 1005, false: 5}[m.isBig])
		p.zeros(8)
		p.i32(int32(bytes))
		p.i32(40)
		if m.isBig {
			p.i64(100)
			p.i64(0)
			p.i64(seek)
		} else {
			p.i32(100)
			p.i32(0)
			p.i32(int32(seek))
		}
	}
	seek, bytes := list(keys.b, n)
	if m.inDir != "" {
		own := keyBytes(m.isBig, "TDirectoryFile", m.inDir, "")
		at := int64(len(p.b))
		k := madeKey{int64(own + 60), 60, int16(own), at}
		p.key(k, m.isBig, 1, "TDirectoryFile", m.inDir, "")
		if m.dirIsSelf {
			seek = int64(len(p.b)) + 60
			bytes = int64(keyBytes(m.isBig, "TFile", "", "") + 4 + own)
		}
		var d pen
		directory(&d, seek, bytes)
		d.zeros(60 - len(d.b))
		p.raw(d.b...)
		var up pen
		up.key(k, m.isBig, 1, "TDirectoryFile", m.inDir, "")
		seek, bytes = list(up.b, 1)
	}
	var d pen
	directory(&d, seek, bytes)
	copy(p.b[top:], d.b)
	if m.cut != nil {
		return m.cut(p.b)
	}
	return p.b
}

// write writes the file and returns its path.
func (m *madeFile) write(tb testing.TB) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "made.root")
	if err := os.WriteFile(path, m.bytes(), 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

// be returns big-endian values of size bytes.
func be(size int, values ...int64) []byte {
	var out []byte
	for _, v := range values {
		for i := size - 1; i >= 0; i-- {
			out = append(out, byte(v>>(8*i)))
		}
	}
	return out
}

// good returns a file of three branches over two baskets: x int32, n int32 and the list v[n] of int16.
func good() (m *madeFile, t *madeTree) {
	count := &madeLeaf{class: "TLeafI", name: "n", len: 1, size: 4}
	t = &madeTree{class: "TTree", name: "t", cycle: 1, version: 20, entries: 5, branches: []*madeBranch{
		{class: "TBranch", name: "x", leaves: []*madeLeaf{{class: "TLeafI", name: "x", len: 1, size: 4}}, baskets: []*madeBasket{
			{rows: 3, values: be(4, 1, -2, 3)}, {rows: 2, values: be(4, 4, 5)},
		}},
		{class: "TBranch", name: "n", leaves: []*madeLeaf{count}, baskets: []*madeBasket{
			{rows: 3, values: be(4, 1, 0, 2)}, {rows: 2, values: be(4, 2, 1)},
		}},
		{class: "TBranch", name: "v", offsetBytes: 1000, leaves: []*madeLeaf{{class: "TLeafS", name: "v", len: 1, size: 2, count: count}}, baskets: []*madeBasket{
			{rows: 3, values: be(2, 10, 20, 21), offsets: []int32{0, 2, 2, 0}}, {rows: 2, values: be(2, 30, 31, 40), offsets: []int32{0, 4, 0}},
		}},
	}}
	return &madeFile{magic: "root", trees: []*madeTree{t}}, t
}
