package feather

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/lz4"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
)

// pieceBytes is how much of a column is encoded at once.
const pieceBytes = 1 << 20

// A part is a column of a record batch. Its buffers follow one another, each padded to align.
type part struct {
	node    meta.Node
	buffers []int64 // their bytes, without padding
}

func aligned(n int64) int64 { return (n + align - 1) / align * align }

// A compressor compresses one buffer after the other.
type compressor interface {
	io.WriteCloser
	Reset(to io.Writer) error
}

// An encoder encodes columns, one at a time.
type encoder struct {
	codec compressor // nil stores
	sink  counter
	texts columnar.Texts
}

const (
	// window is how far a match of zstd reaches back. Each column that is read needs as much memory.
	window = 512 << 10
	// defaultZstd is the level of zstd that others write with.
	defaultZstd = 1
)

// holds returns the memory of a compressor, about: tables and blocks.
func (m method) holds() int64 {
	if m.codec == meta.LZ4Frame {
		return lz4.WriterHolds
	}
	if m.codec != meta.Zstd {
		return 0
	}
	return map[zstd.EncoderLevel]int64{zstd.SpeedFastest: 3 << 20, zstd.SpeedDefault: 4 << 20, zstd.SpeedBetterCompression: 12 << 20}[m.zstdLevel()]
}

// zstdLevel returns the nearest level that the library has, but for its best: that takes 72 MiB a thread, and gains little
// in a window as small as ours.
func (m method) zstdLevel() zstd.EncoderLevel {
	return min(zstd.EncoderLevelFromZstd(cmp.Or(m.level, defaultZstd)), zstd.SpeedBetterCompression)
}

// A zstdCompressor is the library's, whose Reset cannot fail.
type zstdCompressor struct{ *zstd.Encoder }

func (c zstdCompressor) Reset(to io.Writer) error {
	c.Encoder.Reset(to)
	return nil
}

func newEncoder(m method) (*encoder, error) {
	e := &encoder{}
	switch m.codec {
	case meta.LZ4Frame:
		e.codec = lz4.NewWriter(m.level)
	case meta.Zstd:
		w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
			zstd.WithEncoderLevel(m.zstdLevel()), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil, err
		}
		e.codec = zstdCompressor{w}
	}
	return e, nil
}

// column encodes a column, in native byte order, to where its part goes. Times are looked at twice, since the bitmap of
// their nulls depends on the last of them; so is text, unless its bytes can be kept.
//
// Errors: a *columnar.BadValue.
func (e *encoder) column(p *part, c colstore.Column, to io.Writer) error {
	rows := int64(c.Rows())
	p.node.Rows = rows
	if c.Type().Kind() == colstore.KindText {
		return e.text(p, c, to)
	}
	if c.Type().IsTime() {
		err := e.pieces(c, func(v piece) error {
			p.node.Nulls += int64(v.Nulls)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if p.node.Nulls == 0 {
		p.buffers = append(p.buffers, 0)
	} else if err := e.buffer(p, to, (rows+7)/8, e.picked(c, bitmap)); err != nil {
		return err
	}
	size := rows * int64(c.Type().Size())
	switch {
	case c.Type().Kind() == colstore.KindBool:
		size = (rows + 7) / 8
	case c.Type() == colstore.DatetimeOf(colstore.Day):
		size = 4 * rows
	}
	return e.buffer(p, to, size, e.picked(c, values))
}

// text encodes a column of text.
func (e *encoder) text(p *part, c colstore.Column, to io.Writer) error {
	keep := true
	e.texts.Reset()
	e.texts.Reserve(c.Rows(), min(c.Rows()*c.Type().Size(), aside+pieceBytes))
	err := inPieces(c, func(c colstore.Column) error {
		if keep = keep && e.texts.Bytes() <= aside; !keep {
			e.texts.Drop()
		}
		return e.texts.Append(c)
	})
	if err != nil {
		return err
	}
	p.buffers = append(p.buffers, 0)
	offsets, size := e.texts.Offsets(), int64(e.texts.Bytes())
	if err := e.buffer(p, to, int64(len(offsets)), whole(offsets)); err != nil {
		return err
	}
	if keep {
		return e.buffer(p, to, size, whole(e.texts.Data()))
	}
	return e.buffer(p, to, size, func(to io.Writer) error {
		return inPieces(c, func(c colstore.Column) error {
			e.texts.Reset()
			if err := e.texts.Append(c); err != nil {
				return err
			}
			return whole(e.texts.Data())(to)
		})
	})
}

// whole writes bytes.
func whole(data []byte) func(io.Writer) error {
	return func(to io.Writer) error {
		_, err := to.Write(data)
		return err
	}
}

// picked writes of each piece of a column what pick takes.
func (e *encoder) picked(c colstore.Column, pick func(v piece) []byte) func(io.Writer) error {
	return func(to io.Writer) error {
		return e.pieces(c, func(v piece) error {
			_, err := to.Write(pick(v))
			return err
		})
	}
}

// values returns the values of a piece whose type has a fixed width.
func values(v piece) []byte { return v.Buffers[1] }

// bitmap returns which rows of a piece have a value, in a column where some do not.
func bitmap(v piece) []byte {
	if v.Buffers[0] != nil {
		return v.Buffers[0]
	}
	return bytes.Repeat([]byte{0xff}, (v.rows+7)/8)
}

// A piece is some rows of a column.
type piece struct {
	columnar.Encoded
	rows int
}

// pieces calls f for a column piece by piece.
func (e *encoder) pieces(c colstore.Column, f func(v piece) error) error {
	return inPieces(c, func(c colstore.Column) error {
		v, err := columnar.Encode(c)
		if err != nil {
			return err
		}
		return f(piece{v, c.Rows()})
	})
}

// inPieces calls f for a column some rows at a time, whole bytes of a bitmap.
func inPieces(c colstore.Column, f func(c colstore.Column) error) error {
	rows := max(8, pieceBytes/c.Type().Size()/8*8)
	for at := 0; at < c.Rows(); at += rows {
		if err := f(c.Slice(at, min(at+rows, c.Rows()), 1)); err != nil {
			return shift(err, at)
		}
	}
	return nil
}

// buffer writes a buffer of a size, which write writes.
func (e *encoder) buffer(p *part, to io.Writer, size int64, write func(io.Writer) error) error {
	e.sink = counter{to: to}
	switch {
	case size == 0:
	case e.codec == nil:
		if err := write(&e.sink); err != nil {
			return err
		}
	default:
		if err := whole(binary.LittleEndian.AppendUint64(nil, uint64(size)))(&e.sink); err != nil {
			return err
		}
		if err := e.codec.Reset(&e.sink); err != nil {
			return err
		}
		if err := write(e.codec); err != nil {
			return err
		}
		if err := e.codec.Close(); err != nil {
			return err
		}
	}
	p.buffers = append(p.buffers, e.sink.n)
	return whole(zeros[:aligned(e.sink.n)-e.sink.n])(to)
}

var zeros [align]byte
