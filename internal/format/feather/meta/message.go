package meta

import (
	"encoding/binary"
	"fmt"

	"github.com/colstore/colstore-go"
)

// Codec is how the buffers of a body are compressed.
type Codec int8

// The codecs.
const (
	Stored Codec = iota - 1
	LZ4Frame
	Zstd
)

// A Message is what stands before a body. One of the three is not nil; all are nil for kinds that are no table.
type Message struct {
	Schema     *Schema
	Dictionary *DictionaryBatch
	Batch      *Batch
	Body       int64 // bytes of the body
}

// A Batch is a record batch. Offsets count from the beginning of the body.
type Batch struct {
	Rows    int64
	Nodes   []Node
	Buffers []Buffer
	Codec   Codec
	// Variadic are the numbers of buffers of the view columns, in order.
	Variadic []int64
}

// A Node is a column of a record batch or a part of one.
type Node struct{ Rows, Nulls int64 }

// A Buffer is some bytes of a body.
type Buffer struct{ Offset, Bytes int64 }

// A DictionaryBatch is the values of a dictionary, or more of them.
type DictionaryBatch struct {
	ID    int64
	Delta bool
	Data  Batch
}

// A Block is where a file has a message: the bytes of its metadata, prefix included, and of its body behind.
type Block struct{ Offset, Meta, Body int64 }

// A Footer is the end of a file.
type Footer struct {
	Schema       *Schema
	Dictionaries []Block
	Batches      []Block
}

// oldest is the oldest version that is read, that of Arrow 0.8 of 2017 (V4); the newest is V5.
const oldest = 3

func (b *buffer) checkVersion(v int) {
	if b.err == nil && (v < oldest || v > 4) {
		b.fail("metadata of version %d; V4 and V5 are read", v+1)
	}
}

// ParseFooter parses the footer of a file.
//
// Errors: colstore.ErrFormat.
func ParseFooter(data []byte) (*Footer, error) {
	b := newBuffer(data)
	t := b.root()
	version := t.i16(0, 0)
	b.checkVersion(version)
	f := &Footer{}
	if s, ok := t.child(1); ok {
		f.Schema = parseSchema(s, version)
	} else {
		b.fail("the footer has no schema")
	}
	f.Dictionaries, f.Batches = t.blocks(2), t.blocks(3)
	if b.err != nil {
		return nil, b.err
	}
	return f, nil
}

const blockBytes = 24

func (t table) blocks(slot int) []Block {
	at, n := t.vector(slot, blockBytes)
	out := make([]Block, n)
	for i := range out {
		p := at + blockBytes*i
		out[i] = Block{t.b.i64(p), int64(t.b.i32(p + 8)), t.b.i64(p + 16)}
	}
	return out
}

// The kinds of messages.
const (
	headerSchema = iota + 1
	headerDictionary
	headerBatch
)

// ParseMessage parses a message without its prefix.
//
// Errors: colstore.ErrFormat, colstore.ErrType for a compression that is not known.
func ParseMessage(data []byte) (*Message, error) {
	b := newBuffer(data)
	t := b.root()
	version := t.i16(0, 0)
	b.checkVersion(version)
	m := &Message{Body: t.i64(3)}
	h, _ := t.child(2)
	switch t.u8(1, 0) {
	case headerSchema:
		m.Schema = parseSchema(h, version)
	case headerDictionary:
		d := &DictionaryBatch{ID: h.i64(0), Delta: h.bool(2)}
		if c, ok := h.child(1); ok {
			d.Data = parseBatch(c)
		} else {
			b.fail("a dictionary without values")
		}
		m.Dictionary = d
	case headerBatch:
		r := parseBatch(h)
		m.Batch = &r
	}
	if b.err != nil {
		return nil, b.err
	}
	return m, nil
}

func parseBatch(t table) Batch {
	r := Batch{Rows: t.i64(0), Codec: Stored}
	if r.Rows < 0 {
		t.b.fail("a batch of %d rows", r.Rows)
	}
	at, n := t.vector(1, 16)
	r.Nodes = make([]Node, n)
	for i := range r.Nodes {
		r.Nodes[i] = Node{t.b.i64(at + 16*i), t.b.i64(at + 16*i + 8)}
	}
	at, n = t.vector(2, 16)
	r.Buffers = make([]Buffer, n)
	for i := range r.Buffers {
		r.Buffers[i] = Buffer{t.b.i64(at + 16*i), t.b.i64(at + 16*i + 8)}
	}
	at, n = t.vector(4, 8)
	r.Variadic = make([]int64, n)
	for i := range r.Variadic {
		r.Variadic[i] = t.b.i64(at + 8*i)
	}
	if c, ok := t.child(3); ok {
		codec, method := c.u8(0, 0), c.u8(1, 0)
		if t.b.err == nil && (method != 0 || codec > int(Zstd)) {
			t.b.err = fmt.Errorf("%w: bodies are compressed by codec %d, method %d, which are not known; write the file with lz4 or zstd",
				colstore.ErrType, codec, method)
		}
		r.Codec = Codec(codec & 1)
	}
	return r
}

// continuation begins the prefix of a message since Arrow 0.15.
const continuation = 0xffffffff

// PrefixBytes is the size of a message's prefix.
const PrefixBytes = 8

// Prefix reads the prefix of a message: how long it is itself and how long the metadata behind. No metadata is the end.
//
// Errors: colstore.ErrTruncated, colstore.ErrFormat.
func Prefix(head []byte) (prefix, metadata int64, err error) {
	if len(head) < 4 {
		return 0, 0, fmt.Errorf("%w: no message where one should be", colstore.ErrTruncated)
	}
	n := binary.LittleEndian.Uint32(head)
	prefix = 4
	if n == continuation {
		if len(head) < PrefixBytes {
			return 0, 0, fmt.Errorf("%w: no message where one should be", colstore.ErrTruncated)
		}
		n, prefix = binary.LittleEndian.Uint32(head[4:]), PrefixBytes
	}
	if int32(n) < 0 {
		return 0, 0, fmt.Errorf("%w: a message of %d bytes of metadata", colstore.ErrFormat, int32(n))
	}
	return prefix, int64(n), nil
}

// version5 is the version that is written.
const version5 = 4

// message returns a message with its prefix. Its size is such that the body behind begins at a multiple of align, if the
// message begins at an offset.
func message(kind int, body, at int64, align int, header func(w *builder) int) []byte {
	w := &builder{}
	data := w.finish(func() int {
		return w.table(number(2, version5), number(1, int64(kind)), ref(func() int { return header(w) }), number(8, body))
	})
	for (at+PrefixBytes+int64(len(data)))%int64(align) != 0 {
		data = append(data, 0)
	}
	out := binary.LittleEndian.AppendUint32(nil, continuation)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
	return append(out, data...)
}

// SchemaMessage returns the message that begins a stream.
func SchemaMessage(fields []Field, pairs []Pair) []byte {
	return message(headerSchema, 0, 0, 8, func(w *builder) int { return w.schema(fields, pairs) })
}

// BatchMessage returns the message of a record batch, for an offset in the file; the body begins behind, at a multiple of
// align. Its size depends on the numbers of nodes and buffers alone.
func BatchMessage(b *Batch, body, at int64, align int) []byte {
	return message(headerBatch, body, at, align, func(w *builder) int {
		nodes, buffers := make([]uint64, 0, 2*len(b.Nodes)), make([]uint64, 0, 2*len(b.Buffers))
		for _, n := range b.Nodes {
			nodes = append(nodes, uint64(n.Rows), uint64(n.Nulls))
		}
		for _, v := range b.Buffers {
			buffers = append(buffers, uint64(v.Offset), uint64(v.Bytes))
		}
		compression := slot{}
		if b.Codec != Stored {
			compression = ref(func() int { return w.table(number(1, int64(b.Codec)), number(1, 0)) })
		}
		return w.table(number(8, b.Rows), w.structs(len(b.Nodes), nodes), w.structs(len(b.Buffers), buffers), compression)
	})
}

// EndOfStream returns what ends a stream of messages.
func EndOfStream() []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, continuation), 0)
}

// FooterBytes returns the footer of a file without the length and the magic behind it.
func FooterBytes(fields []Field, pairs []Pair, batches []Block) []byte {
	w := &builder{}
	words := make([]uint64, 0, 3*len(batches))
	for _, b := range batches {
		words = append(words, uint64(b.Offset), uint64(b.Meta), uint64(b.Body))
	}
	return w.finish(func() int {
		return w.table(
			number(2, version5),
			ref(func() int { return w.schema(fields, pairs) }),
			w.structs(0, nil),
			w.structs(len(batches), words),
		)
	})
}
