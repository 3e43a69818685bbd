package codec_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/codec"
)

var methods = []string{"ZL", "XZ", "L4", "ZS"}

// pack returns a block with its header.
func pack(tb rapid.TB, method string, data []byte) []byte {
	var packed bytes.Buffer
	failed := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	switch method {
	case "ZL":
		w := zlib.NewWriter(&packed)
		_, err := w.Write(data)
		failed(err)
		failed(w.Close())
	case "XZ":
		w, err := xz.NewWriter(&packed)
		failed(err)
		_, err = w.Write(data)
		failed(err)
		failed(w.Close())
	case "L4":
		// What does not shrink is one run of literals, which the library does not write.
		dst := make([]byte, lz4.CompressBlockBound(len(data)))
		n, err := lz4.CompressBlock(data, dst, nil)
		failed(err)
		if dst = dst[:n]; n == 0 {
			dst = literals(data)
		}
		packed.Write(binary.BigEndian.AppendUint64(nil, xxhash.Sum64(dst)))
		packed.Write(dst)
	case "ZS":
		w, err := zstd.NewWriter(nil)
		failed(err)
		packed.Write(w.EncodeAll(data, nil))
	}
	n, size := packed.Len(), len(data)
	return append([]byte{method[0], method[1], 8, byte(n), byte(n >> 8), byte(n >> 16), byte(size), byte(size >> 8), byte(size >> 16)}, packed.Bytes()...)
}

func literals(data []byte) []byte {
	if len(data) < 15 {
		return append([]byte{byte(len(data)) << 4}, data...)
	}
	out := []byte{0xf0}
	n := len(data) - 15
	for ; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(append(out, byte(n)), data...)
}

func TestRoundTrip(t *testing.T) {
	for _, method := range methods {
		var d codec.Decoder
		rapid.Check(t, func(rt *rapid.T) {
			data := rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(rt, "bytes")
			data = bytes.Repeat(data, rapid.IntRange(1, 200).Draw(rt, "times"))
			block := pack(rt, method, data)
			h, err := codec.ParseHeader(block)
			if err != nil || h.Size != len(data) || h.Packed != len(block)-codec.HeaderSize {
				rt.Fatal(h, err)
			}
			src, dst := block[codec.HeaderSize:], make([]byte, len(data))
			if err := d.Decode(h, dst, src); err != nil || !bytes.Equal(dst, data) {
				rt.Fatal(method, err)
			}
			// A block that declares another size is refused.
			for _, n := range []int{len(data) - 1, len(data) + 1} {
				if n == 0 {
					continue
				}
				if err := d.Decode(h, make([]byte, n), src); !errors.Is(err, colstore.ErrFormat) {
					rt.Fatalf("%s: %d bytes as %d: %v", method, len(data), n, err)
				}
			}
			// So is one whose data have another byte, wherever there is a checksum of them.
			if method != "ZS" {
				bad := bytes.Clone(src)
				at := rapid.IntRange(0, len(bad)-1).Draw(rt, "at")
				bad[at] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
				if err := d.Decode(h, dst, bad); err == nil && !bytes.Equal(dst, data) {
					rt.Fatalf("%s: byte %d of %d is another and nobody sees it", method, at, len(bad))
				}
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	for block, want := range map[string]string{
		"ZL\x08\x01\x00\x00\x01\x00":     "has no header",
		"QQ\x08\x01\x00\x00\x01\x00\x00": "unknown compression",
		"CS\x08\x01\x00\x00\x01\x00\x00": "before 2002",
		"ZL\x08\x00\x00\x00\x01\x00\x00": "declares 0 bytes that become 1",
		"ZL\x08\x01\x00\x00\x00\x00\x00": "declares 1 bytes that become 0",
	} {
		if _, err := codec.ParseHeader([]byte(block)); !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", block, err)
		}
	}
}

// FuzzDecode decompresses any bytes by any method: exactly the buffer is filled, or there is an error.
func FuzzDecode(f *testing.F) {
	data := []byte(strings.Repeat("some bytes, ", 5))
	for i, method := range methods {
		f.Add(uint8(i), pack(f, method, data)[codec.HeaderSize:])
	}
	f.Fuzz(func(t *testing.T, i uint8, src []byte) {
		var d codec.Decoder
		const guard = 0xa5
		buf := bytes.Repeat([]byte{guard}, len(data)+64)
		h := codec.Header{Method: methods[int(i)%len(methods)], Packed: len(src), Size: len(data)}
		err := d.Decode(h, buf[:len(data)], src)
		if err != nil && !errors.Is(err, colstore.ErrFormat) {
			t.Errorf("an error of no kind: %v", err)
		}
		for _, b := range buf[len(data):] {
			if b != guard {
				t.Fatal("written past the end")
			}
		}
		again := make([]byte, len(data))
		if err2 := d.Decode(h, again, src); (err == nil) != (err2 == nil) || err == nil && !bytes.Equal(again, buf[:len(data)]) {
			t.Fatal("decoded twice it is something else")
		}
	})
}
