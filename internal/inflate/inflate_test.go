package inflate_test

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/internal/inflate"
)

// samples are data of different kinds: noise, text, runs, numbers that grow.
func samples() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	noise, few, steps := make([]byte, 100_000), make([]byte, 100_000), make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(r.Uint32())
		few[i] = "aabc"[r.IntN(4)]
		steps[i] = byte(i / 8 >> (i % 8))
		if i%8 > 5 {
			steps[i] ^= byte(r.IntN(4))
		}
	}
	return map[string][]byte{
		"empty": nil, "one": {7}, "noise": noise, "few": few, "steps": steps, "zeros": make([]byte, 100_000),
		"text": []byte(strings.Repeat("a basket is some entries of a branch; ", 3000)),
	}
}

// deflate compresses by the standard library.
func deflate(tb rapid.TB, data []byte, level int) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, level)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

var levels = []int{flate.HuffmanOnly, 0, 1, 6, 9}

func TestInflate(t *testing.T) {
	var d inflate.Decoder
	for name, data := range samples() {
		for _, level := range levels {
			src := deflate(t, data, level)
			dst := make([]byte, len(data))
			out, in, err := d.Inflate(dst, append(bytes.Clone(src), "what follows"...))
			if err != nil || out != len(data) || in != len(src) || !bytes.Equal(dst, data) {
				t.Errorf("%s, level %d: %d of %d bytes from %d of %d: %v", name, level, out, len(data), in, len(src), err)
			}
			if len(data) == 0 {
				continue
			}
			if _, _, err := d.Inflate(dst[:len(dst)-1], src); !errors.Is(err, inflate.ErrSize) {
				t.Errorf("%s, level %d: no room: %v", name, level, err)
			}
			for _, n := range []int{0, 1, len(src) / 2, len(src) - 1} {
				if _, _, err := d.Inflate(dst, src[:n]); err == nil {
					t.Errorf("%s, level %d: %d of %d bytes are enough", name, level, n, len(src))
				}
			}
		}
	}
}

// agree checks that data are decompressed as the standard library does, or refused as it does.
func agree(tb rapid.TB, d *inflate.Decoder, src []byte, size int) {
	in := bytes.NewReader(src)
	want, err := io.ReadAll(io.LimitReader(flate.NewReader(in), int64(size)+1))
	if err == nil && len(want) > size {
		err = inflate.ErrSize
	}
	const guard = 0xa5
	buf := bytes.Repeat([]byte{guard}, size+300)
	out, used, got := d.Inflate(buf[:size:size], src)
	if (got == nil) != (err == nil) {
		tb.Fatalf("%v, the standard library says %v", got, err)
	}
	if got == nil && (!bytes.Equal(buf[:out], want) || used != len(src)-in.Len()) {
		tb.Fatalf("%d bytes from %d, the standard library has %d from %d", out, used, len(want), len(src)-in.Len())
	}
	for _, b := range buf[size:] {
		if b != guard {
			tb.Fatal("written past the end")
		}
	}
}

// Damaged data are refused where the standard library refuses them, and are the same bytes where it does not.
func TestDamaged(t *testing.T) {
	var d inflate.Decoder
	all := samples()
	rapid.Check(t, func(rt *rapid.T) {
		data := all[rapid.SampledFrom([]string{"noise", "few", "steps", "text", "zeros"}).Draw(rt, "data")]
		data = data[:rapid.IntRange(0, 5000).Draw(rt, "bytes")]
		src := deflate(rt, data, rapid.SampledFrom(levels).Draw(rt, "level"))
		agree(rt, &d, src, len(data))
		for range rapid.IntRange(1, 3).Draw(rt, "damages") {
			src[rapid.IntRange(0, len(src)-1).Draw(rt, "at")] ^= byte(rapid.IntRange(1, 255).Draw(rt, "by"))
		}
		agree(rt, &d, src, len(data))
	})
}

// FuzzInflate decompresses any bytes, beside the standard library.
func FuzzInflate(f *testing.F) {
	for _, data := range samples() {
		for _, level := range levels {
			f.Add(deflate(f, data[:min(len(data), 500)], level), min(len(data), 500))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, size int) {
		var d inflate.Decoder
		agree(t, &d, src, size&0xffff)
	})
}

func BenchmarkInflate(b *testing.B) {
	for name, data := range samples() {
		src := deflate(b, data, 1)
		b.Run(name, func(b *testing.B) {
			var d inflate.Decoder
			dst := make([]byte, len(data))
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := d.Inflate(dst, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
