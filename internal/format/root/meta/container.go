package meta

import (
	"fmt"

	"github.com/colstore/colstore-go"
)

const (
	// Magic begins every file.
	Magic = "root"
	// HeaderBytes are at least as many as a header's fields that are read here take.
	HeaderBytes = 45
	// DirectoryBytes are as many as a directory takes at most.
	DirectoryBytes = 42
	// KeyBytes are the fewest that a key takes: three empty texts.
	KeyBytes = 29

	bigFile  = 1_000_000 // versions from here on have offsets of 8 bytes
	bigSeeks = 1000      // the same, of keys and directories
)

// A Header is the beginning of a file.
type Header struct {
	Directory int64 // where the top directory lies
}

// ParseHeader reads a file's header; size is that of the file.
//
// Errors: colstore.ErrFormat; colstore.ErrTruncated for a file that ends in its header.
func ParseHeader(head []byte, size int64) (Header, error) {
	if len(head) < len(Magic) || string(head[:len(Magic)]) != Magic {
		return Header{}, fmt.Errorf("%w: this is no ROOT file", colstore.ErrFormat)
	}
	r := newReader(head)
	r.take(len(Magic))
	version, begin := r.i32(), r.i32()
	if version >= bigFile {
		r.take(8 + 8)
	} else {
		r.take(4 + 4)
	}
	r.take(4 + 4)
	name := r.i32()
	if r.err != nil {
		return Header{}, fmt.Errorf("%w: it ends in its header", colstore.ErrTruncated)
	}
	h := Header{Directory: begin + name}
	if begin < 0 || name < 0 || h.Directory >= size {
		return h, fmt.Errorf("%w: the top directory is at offset %d of a file of %d bytes", colstore.ErrTruncated, h.Directory, size)
	}
	return h, nil
}

// A Directory tells where its keys are.
type Directory struct {
	Keys      int64 // offset of the list of keys; 0 if there is none
	KeysBytes int64
}

// ParseDirectory reads the record of a directory.
//
// Errors: colstore.ErrFormat.
func ParseDirectory(data []byte) (Directory, error) {
	r := newReader(data)
	version := r.u16()
	r.take(4 + 4)
	d := Directory{KeysBytes: r.i32()}
	r.take(4)
	if version > bigSeeks {
		r.take(8 + 8)
		d.Keys = r.i64()
	} else {
		r.take(4 + 4)
		d.Keys = r.i32()
	}
	return d, r.err
}

// A Key tells where an object lies in the file.
type Key struct {
	Bytes              int64 // key and object in the file
	ObjectBytes        int64 // the object, decompressed
	KeyBytes           int   // the key
	Cycle              int   // the higher of two keys of a name is newer
	Seek               int64 // offset of the key, behind which the object lies
	Class, Name, Title string
}

// Packed returns how many bytes the object takes in the file.
func (k *Key) Packed() int64 { return k.Bytes - int64(k.KeyBytes) }

// IsStored reports whether the object is not compressed.
func (k *Key) IsStored() bool { return k.Packed() == k.ObjectBytes }

// check refuses sizes that cannot be.
func (k *Key) check() error {
	if k.KeyBytes < KeyBytes || k.Bytes < int64(k.KeyBytes) || k.ObjectBytes < 0 || k.Seek < 0 {
		return fmt.Errorf("%w: the key of %q has %d bytes of %d, an object of %d and offset %d", colstore.ErrFormat,
			k.Name, k.KeyBytes, k.Bytes, k.ObjectBytes, k.Seek)
	}
	return nil
}

func (r *reader) key() Key {
	k := Key{Bytes: r.i32()}
	version := r.u16()
	k.ObjectBytes = r.i32()
	r.take(4)
	k.KeyBytes, k.Cycle = int(int16(r.u16())), int(int16(r.u16()))
	if k.Cycle < 0 { // of a key that was saved while the file was written
		k.Cycle = -k.Cycle
	}
	if version > bigSeeks {
		k.Seek = r.i64()
		r.take(8)
	} else {
		k.Seek = r.i32()
		r.take(4)
	}
	k.Class, k.Name, k.Title = r.text(), r.text(), r.text()
	return k
}

// ParseKeys reads a list of keys, which is an object with a key of its own.
//
// Errors: colstore.ErrFormat.
func ParseKeys(data []byte) ([]Key, error) {
	r := newReader(data)
	own := r.key()
	if r.err == nil && (own.KeyBytes < KeyBytes || own.KeyBytes > len(data)) {
		return nil, fmt.Errorf("%w: a list of keys of %d bytes begins at %d", colstore.ErrFormat, len(data), own.KeyBytes)
	}
	if r.err == nil {
		r.at = own.KeyBytes
	}
	n := r.i32()
	if r.err == nil && (n < 0 || n > int64(r.left()/KeyBytes)) {
		return nil, fmt.Errorf("%w: a list of %d keys in %d bytes", colstore.ErrFormat, n, r.left())
	}
	var keys []Key
	for range n {
		k := r.key()
		if r.err != nil {
			break
		}
		if err := k.check(); err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, r.err
}
