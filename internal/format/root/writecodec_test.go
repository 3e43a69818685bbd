package root

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// contents are bytes that codecs do different things with.
func contents() map[string][]byte {
	r := rand.New(rand.NewPCG(1, 1))
	fill := func(n int, f func(i int) byte) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = f(i)
		}
		return b
	}
	return map[string][]byte{
		"nothing":    nil,
		"one":        {7},
		"few":        []byte("to be or not to be"),
		"zeros":      make([]byte, basketBytes),
		"random":     fill(basketBytes, func(int) byte { return byte(r.Uint32()) }),
		"letters":    fill(basketBytes, func(int) byte { return byte(r.IntN(20)) }),
		"half":       fill(basketBytes, func(i int) byte { return byte(r.Uint32()) * byte(i/(basketBytes/2)) }),
		"two blocks": fill(maxBlock+5, func(i int) byte { return byte(i >> 12) }),
	}
}

// What is compressed is decompressed to what it was, by the codecs themselves, block by block.
func TestBlocks(t *testing.T) {
	for _, text := range []string{"none", "zlib", "zlib:9", "zstd", "zstd:9", "lz4", "lz4:9", "lzma"} {
		m, err := parseMethod(text)
		if err != nil {
			t.Fatal(err)
		}
		c, err := newCompressor(m)
		if err != nil {
			t.Fatal(err)
		}
		for name, raw := range contents() {
			if len(raw) > basketBytes && text != "zstd" {
				continue // once is enough
			}
			stored, err := c.append([]byte("before"), raw)
			if err != nil {
				t.Fatalf("%s of %s: %v", text, name, err)
			}
			stored, ok := bytes.CutPrefix(stored, []byte("before"))
			if !ok || len(stored) > len(raw) {
				t.Errorf("%s of %s: %d bytes of %d", text, name, len(stored), len(raw))
			}
			if got := inflated(t, stored, len(raw)); !bytes.Equal(got, raw) {
				t.Errorf("%s of %s: other bytes come back", text, name)
			}
		}
	}
}

// Bytes of which some are rarer are written in fewer bits, also where nothing is repeated.
func TestLetters(t *testing.T) {
	raw := contents()["letters"]
	for text, most := range map[string]int{"zlib": 60, "zlib:6": 60, "zstd": 60, "zstd:3": 60, "zstd:6": 60, "lzma": 70} {
		m, err := parseMethod(text)
		if err != nil {
			t.Fatal(err)
		}
		c, err := newCompressor(m)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := c.append(nil, raw)
		if err != nil {
			t.Fatal(err)
		}
		if percent := 100 * len(stored) / len(raw); percent > most {
			t.Errorf("%s: %d %%, want at most %d", text, percent, most)
		}
	}
}

func inflated(t *testing.T, stored []byte, size int) []byte {
	t.Helper()
	if len(stored) == size {
		return stored
	}
	out := []byte{}
	for len(stored) > 0 {
		little := func(at int) int { return int(stored[at]) | int(stored[at+1])<<8 | int(stored[at+2])<<16 }
		packed, raw := little(3), little(6)
		block := stored[blockHead : blockHead+packed]
		var err error
		var got []byte
		switch string(stored[:2]) {
		case "ZL":
			var z io.Reader
			if z, err = zlib.NewReader(bytes.NewReader(block)); err == nil {
				got, err = io.ReadAll(z)
			}
		case "ZS":
			var z *zstd.Decoder
			if z, err = zstd.NewReader(nil); err == nil {
				got, err = z.DecodeAll(block, nil)
				z.Close()
			}
		case "L4":
			if binary.BigEndian.Uint64(block) != xxhash.Sum64(block[8:]) {
				t.Error("another checksum")
			}
			got = make([]byte, raw)
			_, err = lz4.UncompressBlock(block[8:], got)
		case "XZ":
			var z io.Reader
			if z, err = xz.NewReader(bytes.NewReader(block)); err == nil {
				got, err = io.ReadAll(z)
			}
		default:
			t.Fatalf("a block marked %q", stored[:2])
		}
		if err != nil || len(got) != raw {
			t.Fatalf("%s: %d bytes, want %d, error %v", stored[:2], len(got), raw, err)
		}
		out = append(out, got...)
		stored = stored[blockHead+packed:]
	}
	return out
}
