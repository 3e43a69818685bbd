package lz4

import (
	"encoding/binary"
	"io"

	"github.com/pierrec/lz4/v4"
)

// A Writer makes frames, one after the other. Bytes that are written depend on the level and on what is written alone, not
// on how it is cut into calls.
type Writer struct {
	to   io.Writer
	hard *lz4.CompressorHC // nil at the fast level
	t    table
	in   []byte // of a block that is not full
	out  []byte
}

// WriterHolds is the memory of a Writer, about.
const WriterHolds = 2*blockBytes + 32<<10

// NewWriter returns a Writer of a level from 1, small, to 9, smaller; 0 is fast. It needs a Reset.
func NewWriter(level int) *Writer {
	w := &Writer{out: make([]byte, 4+bound)}
	if level > 0 {
		w.hard = &lz4.CompressorHC{Level: lz4.CompressionLevel(1 << (8 + level))} // the library's levels 1 to 9
	}
	return w
}

// header begins all frames: blocks of 64 KiB, none of which refers to another, without checksums, as others write them. Its
// last byte is its own checksum.
var header = func() []byte {
	b := binary.LittleEndian.AppendUint32(nil, magic)
	b = append(b, version|independent, smallest<<4)
	return append(b, byte(sumOf(b[4:])>>8))
}()

// Reset begins a frame, which Close ends.
//
// Errors: those of to.
func (w *Writer) Reset(to io.Writer) error {
	w.to, w.in = to, w.in[:0]
	_, err := to.Write(header)
	return err
}

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if len(w.in) == 0 && len(p) >= blockBytes {
			if err := w.block(p[:blockBytes]); err != nil {
				return 0, err
			}
			p = p[blockBytes:]
			continue
		}
		if w.in == nil {
			w.in = make([]byte, 0, blockBytes)
		}
		k := min(len(p), blockBytes-len(w.in))
		w.in = append(w.in, p[:k]...)
		p = p[k:]
		if len(w.in) == blockBytes {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// Close ends the frame.
func (w *Writer) Close() error {
	if err := w.flush(); err != nil {
		return err
	}
	_, err := w.to.Write([]byte{0, 0, 0, 0})
	return err
}

func (w *Writer) flush() error {
	if len(w.in) == 0 {
		return nil
	}
	err := w.block(w.in)
	w.in = w.in[:0]
	return err
}

// block writes a block, as it is if it gets no smaller.
func (w *Writer) block(p []byte) error {
	n := 0
	if w.hard == nil {
		n = w.t.compress(w.out[4:], p)
	} else if k, err := w.hard.CompressBlock(p, w.out[4:]); err != nil {
		return err
	} else if k < len(p) {
		n = k
	}
	if n > 0 {
		binary.LittleEndian.PutUint32(w.out, uint32(n))
		_, err := w.to.Write(w.out[:4+n])
		return err
	}
	binary.LittleEndian.PutUint32(w.out, uint32(len(p))|rawBlock)
	if _, err := w.to.Write(w.out[:4]); err != nil {
		return err
	}
	_, err := w.to.Write(p)
	return err
}
