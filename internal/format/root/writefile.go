package root

import (
	"crypto/sha256"
	_ "embed" // for layouts
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc32"
	"io"

	"github.com/colstore/colstore-go"
)

// An outFile is a ROOT file that is written front to back, but for its head and its directory, which say where the rest is.
//
// Positions take 64 bits in every file, as ROOT does beyond 2 GB: one way to write them is one way to be wrong. Times are
// the earliest that ROOT has: the same rows are the same bytes. The identifier is made of the contents, since the caches of
// readers tell files apart by it.
type outFile struct {
	to  io.WriterAt
	at  int64 // of buf in the file
	buf []byte

	compression int32
	contents    hash.Hash // of the sums of all records
}

const (
	fileBegin   = 100       // of the first record
	fileVersion = 1_062_400 // of the layouts, 6.24, in a file of 64-bit positions
	fileName    = "colstore.root"
	headBytes   = 75
	keyBytes    = 34 // of a key without its texts
	dirBytes    = 60
	idBytes     = 18
	freeBytes   = 18
	seekAt      = 18 // in a key: where it is itself

	// outBytes is the buffer that records go through.
	outBytes = 256 << 10

	// epoch is the first day that a time of ROOT can be, 1995-01-01: years from then on in the upper 6 bits, the month in the
	// next 4, the day in 5.
	epoch = 1<<22 | 1<<17

	// maxRecord is the most bytes of a record, which readers hold in memory.
	maxRecord = 1 << 30
)

// layouts is the list of the classes in a file of ours, and of what they consist, as a record has it: some readers know
// no class by themselves. TestLayouts makes it.
//
//go:embed layouts.bin
var layouts []byte

// An outKey is what a record begins with, and what a directory says of it.
type outKey struct {
	class, name, title string
	cycle              uint16
	parent             int64
	extra              int // bytes behind the texts that count as the key's: those of a basket
}

// size returns the bytes of the key.
func (k *outKey) size() int {
	return keyBytes + textSize(k.class) + textSize(k.name) + textSize(k.title) + k.extra
}

// append appends the key of a record of stored bytes, which are those of an object of some size, at a position.
func (k *outKey) append(dst []byte, stored, object int, at int64) []byte {
	b := packed(dst)
	b.u32(uint32(k.size() + stored))
	b.u16(1004) // version 4 with 64-bit positions
	b.u32(uint32(object))
	b.u32(epoch)
	b.u16(uint16(k.size()))
	b.u16(k.cycle)
	b.i64(at)
	b.i64(k.parent)
	b.text(k.class)
	b.text(k.name)
	b.text(k.title)
	return b
}

// newOutFile starts a file of some compression, in ROOT's numbers. The directory, which is the first record, is written
// when its keys are.
func newOutFile(to io.WriterAt, compression int32) *outFile {
	f := &outFile{to: to, buf: make([]byte, 0, outBytes), compression: compression, contents: sha256.New()}
	f.buf = append(f.buf, make([]byte, fileBegin)...)
	f.buf = append(f.buf, directory(0, 0, nil)...)
	return f
}

// end returns the position of the next record.
func (f *outFile) end() int64 { return f.at + int64(len(f.buf)) }

// add writes a record, which begins with its key, and returns its position. sum is a checksum of what follows the key.
func (f *outFile) add(record []byte, sum uint32) (int64, error) {
	at := f.end()
	binary.BigEndian.PutUint64(record[seekAt:], uint64(at))
	var sums [12]byte
	binary.BigEndian.PutUint32(sums[:], sum)
	binary.BigEndian.PutUint64(sums[4:], uint64(len(record)))
	f.contents.Write(sums[:])
	if len(f.buf)+len(record) > cap(f.buf) {
		if err := f.flush(); err != nil {
			return 0, err
		}
	}
	if len(record) <= cap(f.buf) {
		f.buf = append(f.buf, record...)
		return at, nil
	}
	if err := f.write(record, f.at); err != nil {
		return 0, err
	}
	f.at += int64(len(record))
	return at, nil
}

// object writes a record of stored bytes, which are those of an object of some size.
func (f *outFile) object(k *outKey, stored []byte, size int) (int64, error) {
	if size > maxRecord {
		return 0, fmt.Errorf("%w: a record of %s; a ROOT file holds %s in one", colstore.ErrValue, colstore.ByteSize(size), colstore.ByteSize(maxRecord))
	}
	return f.add(append(k.append(nil, len(stored), size, 0), stored...), sumOf(stored))
}

// sumOf returns the sum by which records are told apart.
func sumOf(stored []byte) uint32 { return crc32.Checksum(stored, castagnoli) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (f *outFile) flush() error {
	if err := f.write(f.buf, f.at); err != nil {
		return err
	}
	f.at += int64(len(f.buf))
	f.buf = f.buf[:0]
	return nil
}

func (f *outFile) write(p []byte, at int64) error {
	_, err := f.to.WriteAt(p, at)
	return err
}

// finish writes what stands behind the tree, then the head. tree is the tree's key, at is where its record is, of so many
// bytes, of an object of some size.
func (f *outFile) finish(tree *outKey, at int64, stored, size int) error {
	dir := &outKey{class: "TFile", name: fileName, parent: fileBegin, cycle: 1}
	list := packed(nil)
	list.u32(1)
	list = tree.append(list, stored, size, at)
	keys, err := f.object(dir, list, len(list))
	if err != nil {
		return err
	}
	keysSize := dir.size() + len(list)

	infos := layoutsKey()
	info, err := f.object(infos, layouts, layoutsSize())
	if err != nil {
		return err
	}
	// The list of free places has one, behind the end of the file.
	free := f.end()
	end := free + int64(dir.size()+freeBytes)
	places := packed(nil)
	places.u16(1001) // version 1 with 64-bit positions
	places.i64(end)
	places.i64(max(2_000_000_000, end+1_000_000_000))
	if _, err := f.object(dir, places, len(places)); err != nil {
		return err
	}
	if err := f.flush(); err != nil {
		return err
	}
	id := f.identifier()
	head := packed(make([]byte, 0, fileBegin))
	head = append(head, "root"...)
	head.u32(fileVersion)
	head.u32(fileBegin)
	head.i64(end)
	head.i64(free)
	head.u32(uint32(dir.size() + freeBytes))
	head.u32(1) // free places
	head.u32(uint32(nameBytes()))
	head.u8(8) // bytes of a position
	head.u32(uint32(f.compression))
	head.i64(info)
	head.u32(uint32(infos.size() + len(layouts)))
	head = append(head, id...)
	head = append(head, make([]byte, fileBegin-len(head))...)
	return f.write(append(head, directory(keys, keysSize, id)...), 0)
}

// identifier returns the file's, in the form of a UUID that says it is of nobody's known way.
func (f *outFile) identifier() []byte {
	id := f.contents.Sum(nil)[:16]
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return append(binary.BigEndian.AppendUint16(nil, 1), id...)
}

// directory returns the first record: the file's directory, whose keys are at a position.
func directory(keys int64, size int, id []byte) []byte {
	k := &outKey{class: "TFile", name: fileName, cycle: 1}
	object := packed(nil)
	object.text(fileName)
	object.text("")
	object.u16(1005) // version 5 with 64-bit positions
	object.u32(epoch)
	object.u32(epoch)
	object.u32(uint32(size))
	object.u32(uint32(nameBytes()))
	object.u64(fileBegin)
	object.u64(0)
	object.i64(keys)
	object = append(object, append(id, make([]byte, idBytes-len(id))...)...)
	return append(k.append(nil, len(object), len(object), fileBegin), object...)
}

// nameBytes is how far the directory is from the beginning of its record.
func nameBytes() int {
	k := &outKey{class: "TFile", name: fileName}
	return k.size() + textSize(fileName) + textSize("")
}

func layoutsKey() *outKey {
	return &outKey{class: "TList", name: "StreamerInfo", title: "Doubly linked list", cycle: 1, parent: fileBegin}
}

// layoutsSize returns the size of the list before it was compressed, from the head of its only block.
func layoutsSize() int {
	return int(layouts[6]) | int(layouts[7])<<8 | int(layouts[8])<<16
}
