package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/codec"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

var names = []string{"none", "snappy", "zstd", "zstd:1", "zstd:22", "gzip", "gzip:9", "brotli", "brotli:0", "brotli:11", "lz4_raw", "ZSTD:7"}

func TestRoundTrip(t *testing.T) {
	for _, name := range names {
		m, err := codec.ParseMethod(name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := codec.NewEncoder(m)
		if err != nil {
			t.Fatal(err)
		}
		var d codec.Decoder
		rapid.Check(t, func(rt *rapid.T) {
			src := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(rt, "bytes")
			src = bytes.Repeat(src, rapid.IntRange(1, 50).Draw(rt, "times"))
			packed, err := e.Append([]byte("kept"), src)
			if err != nil || string(packed[:4]) != "kept" {
				rt.Fatal(name, err)
			}
			dst := make([]byte, len(src), len(src)+rapid.IntRange(0, codec.Spare).Draw(rt, "spare"))
			if err := d.Decode(m.Codec, dst, packed[4:]); err != nil || !bytes.Equal(dst, src) {
				rt.Fatal(name, err)
			}
			// A page that declares another size is refused.
			for _, n := range []int{len(src) - 1, len(src) + 1} {
				if n < 0 {
					continue
				}
				if err := d.Decode(m.Codec, make([]byte, n), packed[4:]); !errors.Is(err, colstore.ErrFormat) {
					rt.Fatalf("%s: %d bytes as %d: %v", name, len(src), n, err)
				}
			}
		})
	}
}

func TestMethods(t *testing.T) {
	for _, name := range []string{"", "lzo", "lz4", "zstd:", "zstd:0", "zstd:23", "zstd:x", "snappy:1", "none:0", "gzip:10", "brotli:12", "brotli:-1"} {
		if m, err := codec.ParseMethod(name); !errors.Is(err, colstore.ErrValue) {
			t.Errorf("%q is %+v, %v", name, m, err)
		}
	}
	var d codec.Decoder
	if err := d.Decode(meta.LZO, nil, nil); !errors.Is(err, colstore.ErrType) {
		t.Error(err)
	}
}

// Hadoop puts both sizes before every block of LZ4; some writers left that out.
func TestHadoopLZ4(t *testing.T) {
	e, err := codec.NewEncoder(codec.Method{Codec: meta.LZ4Raw})
	if err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte("hadoop"), 100)
	var framed []byte
	for _, part := range [][]byte{want[:250], want[250:]} {
		block, err := e.Append(nil, part)
		if err != nil {
			t.Fatal(err)
		}
		framed = binary.BigEndian.AppendUint32(framed, uint32(len(part)))
		framed = append(binary.BigEndian.AppendUint32(framed, uint32(len(block))), block...)
	}
	bare, err := e.Append(nil, want)
	if err != nil {
		t.Fatal(err)
	}
	var d codec.Decoder
	for _, src := range [][]byte{framed, bare} {
		got := make([]byte, len(want))
		if err := d.Decode(meta.LZ4, got, src); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%v", err)
		}
	}
	if err := d.Decode(meta.LZ4, make([]byte, len(want)), framed[:len(framed)-1]); !errors.Is(err, colstore.ErrFormat) {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range names {
		m, err := codec.ParseMethod(name)
		if err != nil {
			f.Fatal(err)
		}
		e, err := codec.NewEncoder(m)
		if err != nil {
			f.Fatal(err)
		}
		packed, err := e.Append(nil, []byte("some bytes, some bytes, some bytes"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(m.Codec), packed)
	}
	f.Fuzz(func(t *testing.T, c uint8, raw []byte) {
		var d codec.Decoder
		const guard = 0xa5
		buf := bytes.Repeat([]byte{guard}, 34+2*codec.Spare)
		if err := d.Decode(meta.Codec(c%10), buf[:34:34+codec.Spare], raw); err == nil && c%10 != uint8(meta.Uncompressed) && len(raw) == 0 {
			t.Error("nothing decodes to 34 bytes")
		}
		for _, b := range buf[34+codec.Spare:] {
			if b != guard {
				t.Fatal("written past the end")
			}
		}
	})
}
