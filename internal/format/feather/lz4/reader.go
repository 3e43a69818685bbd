package lz4

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/pierrec/lz4/v4"
)

// A Reader decodes a frame. The zero Reader needs a Reset.
type Reader struct {
	h    Header
	src  []byte
	at   int   // in src, behind what was decoded
	size int64 // bytes that the frame is said to decode to
	left int64 // of these, the bytes that are not decoded yet
	sum  sum
	end  bool // the mark at the end was read
	// window holds bytes that were decoded last: those before given are for later blocks to refer to, the others are still
	// to be handed out.
	window []byte
	given  int
	// copied is how many bytes of what the read under way has filled are in window, too.
	copied int
	last   Mark // the block whose end is in window
}

// A Mark is where a block begins, in the frame and in what that decodes to.
type Mark struct {
	at    int
	Bytes int64 // decoded before
}

var windows sync.Pool // of *[]byte

// Reset starts with a frame that is said to decode to size bytes.
func (r *Reader) Reset(src []byte, size int64) error {
	r.Close()
	h, err := ParseHeader(src[:min(len(src), MaxHeader)])
	if err != nil {
		return err
	}
	*r = Reader{h: h, src: src, at: h.bytes, size: size, left: size}
	r.sum.reset()
	return nil
}

// Mark returns from where another Reader can go on with the next byte, after some of a block; ok is false for a frame
// whose blocks refer to others or that has a checksum of all of them.
func (r *Reader) Mark() (m Mark, ok bool) {
	switch {
	case !r.h.CanResume():
		return Mark{}, false
	case r.given < len(r.window):
		return r.last, true
	}
	return Mark{r.at, r.size - r.left}, true
}

// Resume is Reset for a frame of which the bytes before a mark were read; the zero Mark is the beginning.
func (r *Reader) Resume(src []byte, size int64, m Mark) error {
	err := r.Reset(src, size)
	if err == nil && m.at > 0 {
		r.at, r.left = m.at, size-m.Bytes
	}
	return err
}

// Close gives the memory back. The Reader needs a Reset then.
func (r *Reader) Close() {
	if r.window != nil {
		window := r.window[:0]
		windows.Put(&window)
	}
	*r = Reader{end: true}
}

// At returns how much of the frame has been decoded.
func (r *Reader) At() int { return r.at }

// Fill fills p with what comes next.
//
// Memory: p is not kept. Bytes are decoded right into it, block by block, but for those of a block that it ends in.
// Errors: io.ErrUnexpectedEOF if the frame ends before; ErrMore; others for damaged bytes.
func (r *Reader) Fill(p []byte) error {
	r.copied = 0
	n := 0
	for n < len(p) {
		if r.given < len(r.window) {
			k := copy(p[n:], r.window[r.given:])
			r.given += k
			n += k
			r.copied = n
			continue
		}
		block, raw, err := r.block()
		if err != nil {
			return err
		}
		if block == nil {
			return io.ErrUnexpectedEOF
		}
		if room := len(p) - n; room >= r.h.Block || int64(room) == r.left {
			k, err := r.decode(p[n:n+min(room, r.h.Block)], block, raw, r.before(p[:n]))
			if err != nil {
				return err
			}
			n += k
			continue
		}
		r.keep(p[:n])
		if err := r.decodeAside(block, raw); err != nil {
			return err
		}
	}
	r.keep(p)
	return nil
}

// Skip leaves out n bytes.
//
// Errors: as Fill.
func (r *Reader) Skip(n int64) error {
	r.copied = 0
	for n > 0 {
		if left := len(r.window) - r.given; left > 0 {
			k := min(int64(left), n)
			r.given += int(k)
			n -= k
			continue
		}
		block, raw, err := r.block()
		if err == nil && block == nil {
			err = io.ErrUnexpectedEOF
		}
		if err == nil {
			err = r.decodeAside(block, raw)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decodeAside decodes a block into window, all of which was handed out.
func (r *Reader) decodeAside(block []byte, raw bool) error {
	most := int(min(int64(r.h.Block), r.left))
	r.makeRoom(most)
	begin := len(r.window)
	k, err := r.decode(r.window[begin:begin+most], block, raw, r.window[max(0, begin-reach):])
	if err != nil {
		return err
	}
	r.window, r.given = r.window[:begin+k], begin
	return nil
}

// Finish checks that the frame ends here, and its checksum.
//
// Errors: as Fill.
func (r *Reader) Finish() error {
	if r.given < len(r.window) {
		return ErrMore
	}
	block, _, err := r.block()
	switch {
	case err != nil:
		return err
	case block != nil || r.at != len(r.src):
		return ErrMore
	}
	return nil
}

// before returns what a block that is decoded behind done, the part of a read that is filled already, may refer to.
func (r *Reader) before(done []byte) []byte {
	if !r.h.Linked {
		return nil
	}
	if len(done) >= reach {
		return done[len(done)-reach:]
	}
	r.keep(done)
	return r.window[max(0, len(r.window)-reach):]
}

// keep brings to window what later blocks may refer to of done, the part of a read that is filled already.
func (r *Reader) keep(done []byte) {
	if !r.h.Linked || r.left == 0 {
		return
	}
	fresh := done[r.copied:]
	if len(fresh) >= reach {
		fresh = fresh[len(fresh)-reach:]
	}
	if len(fresh) > 0 {
		r.makeRoom(len(fresh))
		r.window = append(r.window, fresh...)
		r.given = len(r.window)
	}
	r.copied = len(done)
}

// makeRoom makes room for n bytes in window, all of which were handed out.
func (r *Reader) makeRoom(n int) {
	if r.window == nil {
		room := int(r.h.Holds(r.left + int64(r.copied)))
		if w, ok := windows.Get().(*[]byte); ok && cap(*w) >= max(room, n) {
			r.window = (*w)[:0]
		} else {
			r.window = make([]byte, 0, max(room, n))
		}
	}
	if len(r.window)+n <= cap(r.window) {
		return
	}
	kept := 0
	if r.h.Linked {
		kept = min(len(r.window), reach)
	}
	if kept+n > cap(r.window) {
		grown := make([]byte, kept, kept+n)
		copy(grown, r.window[len(r.window)-kept:])
		r.window = grown
	} else {
		copy(r.window, r.window[len(r.window)-kept:])
	}
	r.window, r.given = r.window[:kept], kept
}

// block returns the bytes of the next block; nil is the end of the frame.
func (r *Reader) block() (block []byte, raw bool, err error) {
	if r.end {
		return nil, false, nil
	}
	head, err := r.word()
	if err != nil {
		return nil, false, err
	}
	if head == 0 {
		r.end = true
		if !r.h.ContentSum {
			return nil, false, nil
		}
		return nil, false, r.check(r.sum.value())
	}
	n := int(head &^ rawBlock)
	if n > r.h.Block {
		return nil, false, fmt.Errorf("a block of %d bytes in a frame of blocks up to %d", n, r.h.Block)
	}
	if n > len(r.src)-r.at {
		return nil, false, io.ErrUnexpectedEOF
	}
	r.last = Mark{r.at - 4, r.size - r.left}
	block = r.src[r.at : r.at+n : r.at+n]
	r.at += n
	if r.h.BlockSums {
		if err := r.check(sumOf(block)); err != nil {
			return nil, false, err
		}
	}
	return block, head&rawBlock != 0, nil
}

func (r *Reader) word() (uint32, error) {
	if len(r.src)-r.at < 4 {
		return 0, io.ErrUnexpectedEOF
	}
	r.at += 4
	return binary.LittleEndian.Uint32(r.src[r.at-4:]), nil
}

// check reads a checksum.
func (r *Reader) check(computed uint32) error {
	want, err := r.word()
	if err == nil && want != computed {
		err = fmt.Errorf("a checksum of %08x for bytes that give %08x", want, computed)
	}
	return err
}

// decode decodes a block into dst.
func (r *Reader) decode(dst, block []byte, raw bool, before []byte) (n int, err error) {
	if raw {
		if len(block) > len(dst) {
			return 0, ErrMore
		}
		n = copy(dst, block)
	} else if n, err = lz4.UncompressBlockWithDict(block, dst, before); err != nil {
		return 0, errors.New("a block that cannot be decoded, or holds more than it may")
	}
	r.left -= int64(n)
	if r.h.ContentSum {
		r.sum.write(dst[:n])
	}
	return n, nil
}
