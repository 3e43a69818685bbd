package meta

import "encoding/binary"

// A builder writes a Flatbuffer front to back: what a table refers to comes behind it.
type builder struct{ b []byte }

// A slot is a field of a table that is written: a number of some bytes, or what a function writes behind the table. The
// zero slot is left out.
type slot struct {
	size  int
	value uint64
	child func() int // returns where it is
}

func number(size int, v int64) slot   { return slot{size: size, value: uint64(v)} }
func (w *builder) text(s string) slot { return ref(func() int { return w.putText(s) }) }
func ref(child func() int) slot       { return slot{size: 4, child: child} }
func flag(v bool) slot {
	if v {
		return number(1, 1)
	}
	return number(1, 0)
}

// pad appends zeros until what follows after n more bytes is aligned.
func (w *builder) pad(n, align int) {
	for (len(w.b)+n)%align != 0 {
		w.b = append(w.b, 0)
	}
}

// finish writes the root, which root writes, and returns all bytes.
func (w *builder) finish(root func() int) []byte {
	w.b = make([]byte, 4, 1024)
	at := root()
	binary.LittleEndian.PutUint32(w.b, uint32(at))
	w.pad(0, 8)
	return w.b
}

// table writes a table and what it refers to.
func (w *builder) table(slots ...slot) int {
	offsets := make([]int, len(slots))
	size := 4
	for i, s := range slots {
		if s.size > 0 {
			size = (size + s.size - 1) / s.size * s.size
			offsets[i] = size
			size += s.size
		}
	}
	vtableBytes := 4 + 2*len(slots)
	w.pad(vtableBytes, 8)
	w.b = binary.LittleEndian.AppendUint16(w.b, uint16(vtableBytes))
	w.b = binary.LittleEndian.AppendUint16(w.b, uint16(size))
	for _, off := range offsets {
		w.b = binary.LittleEndian.AppendUint16(w.b, uint16(off))
	}
	at := len(w.b)
	w.b = append(w.b, make([]byte, size)...)
	binary.LittleEndian.PutUint32(w.b[at:], uint32(vtableBytes))
	for i, s := range slots {
		if s.child == nil {
			var raw [8]byte
			binary.LittleEndian.PutUint64(raw[:], s.value)
			copy(w.b[at+offsets[i]:], raw[:s.size])
		}
	}
	for i, s := range slots {
		if s.child != nil {
			w.link(at+offsets[i], s.child())
		}
	}
	return at
}

// link writes at an offset that what it refers to is at another.
func (w *builder) link(at, to int) { binary.LittleEndian.PutUint32(w.b[at:], uint32(to-at)) }

func (w *builder) putText(s string) int {
	w.pad(0, 4)
	at := len(w.b)
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(len(s)))
	w.b = append(append(w.b, s...), 0)
	return at
}

// list writes n tables, of which f writes each.
func (w *builder) list(n int, f func(i int) int) slot {
	return ref(func() int {
		w.pad(0, 4)
		at := len(w.b)
		w.b = binary.LittleEndian.AppendUint32(w.b, uint32(n))
		w.b = append(w.b, make([]byte, 4*n)...)
		for i := range n {
			w.link(at+4+4*i, f(i))
		}
		return at
	})
}

// structs writes n structures of 8-byte words.
func (w *builder) structs(n int, words []uint64) slot {
	return ref(func() int {
		w.pad(4, 8)
		at := len(w.b)
		w.b = binary.LittleEndian.AppendUint32(w.b, uint32(n))
		for _, v := range words {
			w.b = binary.LittleEndian.AppendUint64(w.b, v)
		}
		return at
	})
}
