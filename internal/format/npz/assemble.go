package npz

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/klauspost/compress/flate"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/internal/spool"
)

const (
	// blockBytes is how many bytes of a member are deflated on their own. It is large enough to lose nothing that counts by
	// the window that every block begins without, and fixed, so that the bytes depend on it alone.
	blockBytes = 512 << 10
	// deflaterHolds is what deflating one block takes: the block, what it becomes, the compressor's tables.
	deflaterHolds = 3 << 20
)

// layout returns where the stored members of rows rows lie.
func (w *writer) layout(rows int64) ([]placed, error) {
	out := make([]placed, w.schema.Len())
	at := int64(0)
	for i, f := range w.schema.All() {
		p := &out[i]
		p.name, p.at = f.Name+suffix, at
		p.header = appendHeader(nil, f.Type, rows)
		size, ok := total(rows, f.Type.Size(), int64(len(p.header)))
		if !ok || size > math.MaxInt64-at-1<<20 {
			return nil, &colstore.Error{Op: "write", Path: w.path, Column: f.Name, Err: fmt.Errorf("%w: %d rows are beyond any file", colstore.ErrValue, rows)}
		}
		p.size, p.compressed = size, size
		at += p.headerBytes() + size
	}
	return out, nil
}

// place writes the rows of b where they belong.
func (w *writer) place(row int64, b *colstore.Batch) error {
	sums := make([]uint32, len(w.members))
	for i := range w.members {
		p, c := &w.members[i], b.At(i)
		size := int64(c.Type().Size())
		if err := spool.Pieces(c, func(at int, piece colstore.Column) error {
			data, _ := piece.Bytes()
			begin := (row + int64(at)) * size
			sums[i] ^= pieceSum(data, w.total*size-begin-int64(len(data)))
			return spool.WriteAt(w.staged, data, p.dataAt()+begin)
		}); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, s := range sums {
		w.members[i].sum ^= s
	}
	return nil
}

// assemble writes what is not in its place yet, and the directory.
func (w *writer) assemble(ctx context.Context) error {
	entries := make([]entry, w.schema.Len())
	var err error
	switch {
	case w.level > 0:
		err = w.deflateAll(ctx, entries)
	case w.members != nil:
		err = w.finishPlaced(entries)
	default:
		err = w.storeAll(ctx, entries)
	}
	if err != nil {
		return err
	}
	last := entries[len(entries)-1]
	at := last.at + last.headerBytes() + last.compressed
	var directory []byte
	for i := range entries {
		directory = entries[i].appendDirectory(directory)
	}
	return spool.WriteAt(w.staged, appendEnd(directory, len(entries), at, int64(len(directory))), at)
}

// finishPlaced writes the headers of the members whose values are in place.
func (w *writer) finishPlaced(entries []entry) error {
	for i := range w.members {
		p := &w.members[i]
		values := p.size - int64(len(p.header))
		p.crc = finishSum(p.sum^pieceSum(p.header, values), p.size)
		entries[i] = p.entry
		if err := spool.WriteAt(w.staged, append(p.appendLocal(nil), p.header...), p.at); err != nil {
			return err
		}
	}
	return nil
}

// bytesOf returns the bytes of the member of column i: the array's header and the values in the spool.
func (w *writer) bytesOf(i int, header []byte) io.Reader {
	if w.spool == nil {
		return bytes.NewReader(header)
	}
	return io.MultiReader(bytes.NewReader(header), w.spool.Column(i))
}

// storeAll copies the spool into its members.
func (w *writer) storeAll(ctx context.Context, entries []entry) error {
	if w.spool != nil {
		if err := w.spool.Flush(); err != nil {
			return err
		}
	}
	members, err := w.layout(w.rows)
	if err != nil {
		return err
	}
	buf := make([]byte, spool.PieceBytes)
	for i := range members {
		p := &members[i]
		at, from := p.at+p.headerBytes(), w.bytesOf(i, p.header)
		for {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			n, err := from.Read(buf)
			p.crc = crc32.Update(p.crc, crc32.IEEETable, buf[:n])
			if err := spool.WriteAt(w.staged, buf[:n], at); err != nil {
				return err
			}
			at += int64(n)
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
		}
		if err := spool.WriteAt(w.staged, p.appendLocal(nil), p.at); err != nil {
			return err
		}
		entries[i] = p.entry
	}
	return nil
}

// A deflater deflates blocks, each on its own.
type deflater struct {
	in    []byte
	out   bytes.Buffer
	w     *flate.Writer
	level int
}

// deflate deflates the block; the last one of a member ends its stream.
func (d *deflater) deflate(last bool) (err error) {
	d.out.Reset()
	if d.w == nil {
		if d.w, err = flate.NewWriter(&d.out, d.level); err != nil {
			return err
		}
	} else {
		d.w.Reset(&d.out)
	}
	if _, err := d.w.Write(d.in); err != nil {
		return err
	}
	if last {
		return d.w.Close()
	}
	return d.w.Flush()
}

// deflateAll deflates the spool into its members, one after the other, as many blocks at a time as there are threads.
func (w *writer) deflateAll(ctx context.Context, entries []entry) error {
	rows := w.rows
	if w.spool != nil {
		if err := w.spool.Flush(); err != nil {
			return err
		}
		rows = max(rows, w.total)
	}
	deflaters := make([]deflater, w.threads)
	for i := range deflaters {
		deflaters[i] = deflater{in: make([]byte, blockBytes), level: w.level}
	}
	at := int64(0)
	for i, f := range w.schema.All() {
		e := &entries[i]
		*e = entry{name: f.Name + suffix, method: methodDeflate, at: at}
		if err := w.deflateMember(ctx, e, w.bytesOf(i, appendHeader(nil, f.Type, rows)), deflaters); err != nil {
			return err
		}
		if err := spool.WriteAt(w.staged, e.appendLocal(nil), at); err != nil {
			return err
		}
		at += e.headerBytes() + e.compressed
	}
	return nil
}

func (w *writer) deflateMember(ctx context.Context, e *entry, from io.Reader, deflaters []deflater) error {
	// A block is known to be the last one when nothing follows it, so one is always read ahead.
	next := make([]byte, blockBytes)
	n, err := readBlock(from, next)
	if err != nil {
		return err
	}
	for n > 0 {
		used := 0
		for ; used < len(deflaters) && n > 0; used++ {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			d := &deflaters[used]
			e.crc = crc32.Update(e.crc, crc32.IEEETable, next[:n])
			e.size += int64(n)
			d.in, next = next[:n], d.in[:blockBytes]
			if n, err = readBlock(from, next); err != nil {
				return err
			}
		}
		if err := parallel.Each(used, used, func(i int) error { return deflaters[i].deflate(n == 0 && i == used-1) }); err != nil {
			return err
		}
		for i := range used {
			out := deflaters[i].out.Bytes()
			if err := spool.WriteAt(w.staged, out, e.at+e.headerBytes()+e.compressed); err != nil {
				return err
			}
			e.compressed += int64(len(out))
		}
	}
	return nil
}

// readBlock fills p, or what of it there is.
func readBlock(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return n, nil
	}
	return n, err
}
