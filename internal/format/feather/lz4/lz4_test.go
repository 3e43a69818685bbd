package lz4_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	pierrec "github.com/pierrec/lz4/v4"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/internal/format/feather/lz4"
)

// some returns bytes as columns have them: noise, repetitions near and far, long runs.
func some(t *rapid.T) []byte {
	var b []byte
	for range rapid.IntRange(0, 6).Draw(t, "parts") {
		n := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 150_000)).Draw(t, "bytes")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			for range n {
				b = append(b, byte(r.Uint32()))
			}
		case 1:
			b = append(b, bytes.Repeat([]byte{byte(n)}, n)...)
		case 2: // records of which some bytes are noise
			for i := range n {
				b = append(b, byte(r.Uint32())*byte(i%3/2))
			}
		default:
			for i := range min(n, len(b)) {
				b = append(b, b[i])
			}
		}
	}
	return b
}

func compressed(w *lz4.Writer, data []byte, cut func(left int) int) []byte {
	var out bytes.Buffer
	err := w.Reset(&out)
	for err == nil && len(data) > 0 {
		n := cut(len(data))
		_, err = w.Write(data[:n])
		data = data[n:]
	}
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err) // memory takes all
	}
	return out.Bytes()
}

// decompressed reads a frame in pieces.
func decompressed(frame []byte, size int, cut func(left int) int) ([]byte, error) {
	var r lz4.Reader
	if err := r.Reset(frame, int64(size)); err != nil {
		return nil, err
	}
	defer r.Close()
	out := make([]byte, size)
	for at := 0; at < size; {
		n := cut(size - at)
		// What is read belongs to the caller, who may write over it.
		piece := make([]byte, n)
		if err := r.Fill(piece); err != nil {
			return nil, err
		}
		copy(out[at:], piece)
		clear(piece)
		at += n
	}
	return out, r.Finish()
}

func whole(left int) int { return left }

// What is written comes back, here and from the library's reader; the bytes do not depend on how they were written.
func TestRoundTrip(t *testing.T) {
	writers := []*lz4.Writer{lz4.NewWriter(0), lz4.NewWriter(1), lz4.NewWriter(5)}
	rapid.Check(t, func(t *rapid.T) {
		data := some(t)
		cut := func(left int) int { return rapid.IntRange(1, left).Draw(t, "cut") }
		for i, w := range writers {
			frame := compressed(w, data, whole)
			if !bytes.Equal(frame, compressed(w, data, cut)) {
				t.Fatalf("writer %d: other bytes when they are written in pieces", i)
			}
			if most := len(data) + 4*(len(data)>>16) + 15; len(frame) > most {
				t.Fatalf("writer %d: %d bytes became %d", i, len(data), len(frame))
			}
			if got, err := decompressed(frame, len(data), cut); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("writer %d: read back with %v", i, err)
			}
			if got, err := io.ReadAll(pierrec.NewReader(bytes.NewReader(frame))); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("writer %d: the library reads it with %v", i, err)
			}
		}
	})
}

// Frames of other writers: all sizes of blocks, with and without checksums.
func TestForeign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := some(t)
		var out bytes.Buffer
		w := pierrec.NewWriter(&out)
		size := rapid.SampledFrom([]pierrec.BlockSize{pierrec.Block64Kb, pierrec.Block256Kb, pierrec.Block1Mb, pierrec.Block4Mb}).Draw(t, "blocks")
		options := []pierrec.Option{
			pierrec.BlockSizeOption(size), pierrec.ChecksumOption(rapid.Bool().Draw(t, "sum")),
			pierrec.BlockChecksumOption(rapid.Bool().Draw(t, "sums")),
		}
		if rapid.Bool().Draw(t, "sized") {
			options = append(options, pierrec.SizeOption(uint64(len(data))))
		}
		if err := w.Apply(options...); err != nil {
			t.Fatal(err)
		}
		_, err := w.Write(data)
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		cut := func(left int) int { return rapid.IntRange(1, left).Draw(t, "cut") }
		if got, err := decompressed(out.Bytes(), len(data), cut); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("read with %v", err)
		}
	})
}

// linked returns a frame of blocks that refer to those before them, as pyarrow writes it, and what it holds: see
// testdata/make.py.
func linked(t *testing.T) (frame, want []byte) {
	t.Helper()
	frame, err := os.ReadFile("testdata/linked.lz4")
	if err != nil {
		t.Fatal(err)
	}
	unit := make([]byte, 5000)
	x := uint32(1)
	for i := range unit {
		x = (x*1103515245 + 12345) & 0x7fffffff
		unit[i] = byte(x >> 16)
	}
	return frame, bytes.Repeat(unit, 60)
}

func TestLinked(t *testing.T) {
	frame, want := linked(t)
	if h, err := lz4.ParseHeader(frame); err != nil || !h.Linked {
		t.Fatalf("%+v, %v", h, err)
	}
	for _, n := range []int{1 << 30, 1, 4999, 65535, 65536, 65537, 100_000, 131_072, 200_001} {
		got, err := decompressed(frame, len(want), func(left int) int { return min(n, left) })
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("reads of %d bytes: %v", n, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		got, err := decompressed(frame, len(want), func(left int) int { return rapid.IntRange(1, left).Draw(t, "cut") })
		if err != nil || !bytes.Equal(got, want) {
			t.Fatal(err)
		}
	})
}

// A frame that is cut, or has a bit changed, is an error, or other bytes of the same number where no checksum tells.
func TestDamaged(t *testing.T) {
	frame, want := linked(t)
	for n := 0; n < len(frame); n += 1 + n/100 {
		if _, err := decompressed(frame[:n], len(want), whole); err == nil {
			t.Fatalf("%d of %d bytes are read", n, len(frame))
		}
	}
	for i := range frame {
		bad := bytes.Clone(frame)
		bad[i] ^= 1 << (i % 8)
		_, _ = decompressed(bad, len(want), func(left int) int { return min(left, 50_000) })
	}
	var out bytes.Buffer
	w := pierrec.NewWriter(&out)
	_, err := w.Write(want[:9999])
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	for i := range out.Len() {
		bad := bytes.Clone(out.Bytes())
		bad[i] ^= 1 << (i % 8)
		if got, err := decompressed(bad, 9999, whole); err == nil && !bytes.Equal(got, want[:9999]) {
			t.Fatalf("byte %d is another, and nobody notices", i)
		}
	}
}

// The number of bytes that a frame is said to hold has to be right.
func TestSizes(t *testing.T) {
	frame, want := linked(t)
	for _, n := range []int{0, 1, 65536, len(want) - 1} {
		if _, err := decompressed(frame, n, whole); err == nil {
			t.Errorf("it is said to hold %d bytes: %v", n, err)
		}
	}
	if _, err := decompressed(frame, len(want)+1, whole); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("it is said to hold more: %v", err)
	}
	if _, err := decompressed(append(frame, 0), len(want), whole); !errors.Is(err, lz4.ErrMore) {
		t.Errorf("a byte behind the frame: %v", err)
	}
	for _, bad := range []string{"", "\x04\x22\x4d\x18", "\x05\x22\x4d\x18\x40\x40\xc0", "\x04\x22\x4d\x18\x40\x40\x00", "\x04\x22\x4d\x18\x41\x40\x00\x00\x00\x00\x00"} {
		if _, err := lz4.ParseHeader([]byte(bad)); err == nil {
			t.Errorf("the header %q is read", bad)
		}
	}
}

func BenchmarkWriter(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, mask := range map[string]uint64{"noise": ^uint64(0), "small": 0xfff, "times": 1<<40 - 1} {
		data := make([]byte, 0, 4<<20)
		for range cap(data) / 8 {
			data = binary.LittleEndian.AppendUint64(data, 1<<50|r.Uint64()&mask)
		}
		b.Run(name, func(b *testing.B) {
			w := lz4.NewWriter(0)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				compressed(w, data, whole)
			}
		})
	}
}
