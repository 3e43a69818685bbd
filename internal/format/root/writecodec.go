package root

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// A family is how ROOT calls a codec: by a number in settings, and by two letters and a version before each block.
type family struct {
	name     string
	number   int32
	mark     [3]byte
	levels   int   // 1 to so many can be asked for
	standard int   // the level that is taken if none is
	holds    int64 // about the most memory of a compressor
}

var families = []family{
	{name: "none"},
	{"zlib", 1, [3]byte{'Z', 'L', 8}, 9, 1, 6 << 20},
	{"zstd", 5, [3]byte{'Z', 'S', 1}, 22, 1, 12 << 20},
	{"lz4", 4, [3]byte{'L', '4', 1}, 9, 1, 2 << 20},
	{"lzma", 2, [3]byte{'X', 'Z', 0}, 0, 5, 12 << 20},
}

// defaultCompression is what a file is written with that nobody has asked anything of.
const defaultCompression = "zstd"

// A method is a codec with its level.
type method struct {
	family
	level int
}

// code returns the method in ROOT's numbers.
func (m method) code() int32 {
	return 100*m.number + int32(m.level)
}

func checkCompression(v any) error {
	_, err := parseMethod(v.(string))
	return err
}

// parseMethod returns the method of an option.
//
// Errors: colstore.ErrValue.
func parseMethod(text string) (method, error) {
	name, given, hasLevel := strings.Cut(text, ":")
	for _, f := range families {
		if f.name != name {
			continue
		}
		if !hasLevel {
			return method{f, f.standard}, nil
		}
		if level, err := strconv.Atoi(given); err == nil && level >= 1 && level <= f.levels {
			return method{f, level}, nil
		}
	}
	return method{}, fmt.Errorf("%w: compression %q; there is none, zlib, zlib:1 to zlib:9, zstd, zstd:1 to zstd:22, lz4, lz4:1 to lz4:9, lzma",
		colstore.ErrValue, text)
}

const (
	blockHead = 9           // bytes before a block: the mark, and two sizes
	maxBlock  = 1<<24 - 1   // what a size can be
	window    = basketBytes // how far back a match reaches: no more is compressed at once, but for the tree's own record
	lz4Fast   = 6           // the last level of LZ4 that does not search: a search of fewer places finds no more than none
)

// A compressor makes blocks, with one method. It is used by one goroutine at a time.
type compressor struct {
	method method
	out    []byte // the block
	first  coder
	// letters is a coder for what has no repetitions, but some bytes more often than others. The library's fast levels leave
	// that as it is: counts of 0 to 20 would take no less than random numbers.
	letters coder
}

// A coder appends what stands behind the head of a block.
type coder func(dst, raw []byte) ([]byte, error)

func newCompressor(m method) (*compressor, error) {
	c := &compressor{method: m}
	var err error
	switch m.name {
	case "zlib":
		if c.first, err = zlibCoder(m.level); err == nil {
			c.letters, err = zlibCoder(zlib.HuffmanOnly)
		}
	case "zstd":
		// The library's best takes 72 MiB, and gains little in a window as small as ours.
		level := min(zstd.EncoderLevelFromZstd(m.level), zstd.SpeedBetterCompression)
		if c.first, err = zstdCoder(level); err == nil && level < zstd.SpeedBetterCompression {
			c.letters, err = zstdCoder(zstd.SpeedBetterCompression)
		}
	case "lz4":
		c.first = lz4Coder(m.level)
	case "lzma":
		c.first = appendLZMA
	}
	return c, err
}

// append appends raw in blocks, or as it is if that is no longer.
func (c *compressor) append(dst, raw []byte) ([]byte, error) {
	begin := len(dst)
	for rest := raw; c.method.number != 0 && len(rest) > 0; {
		n := min(len(rest), maxBlock)
		block, err := c.compress(rest[:n])
		if err != nil {
			return nil, err
		}
		if len(dst)-begin+blockHead+len(block) >= len(raw) || len(block) > maxBlock {
			dst = dst[:begin]
			break
		}
		dst = append(dst, c.method.mark[:]...)
		dst = append(dst, little24(len(block))...)
		dst = append(dst, little24(n)...)
		dst = append(dst, block...)
		rest = rest[n:]
	}
	if len(dst) == begin {
		dst = append(dst, raw...)
	}
	return dst, nil
}

func little24(n int) []byte { return []byte{byte(n), byte(n >> 8), byte(n >> 16)} }

// compress returns what stands behind the head of a block. It is valid until the next call.
func (c *compressor) compress(raw []byte) (block []byte, err error) {
	if c.out, err = c.first(c.out[:0], raw); err != nil || c.letters == nil {
		return c.out, err
	}
	if len(c.out) > lettersBytes(raw)/16*17 {
		c.out, err = c.letters(c.out[:0], raw)
	}
	return c.out, err
}

// lettersBytes returns about how many bytes are left of raw if the frequent ones are written in fewer bits. It looks at
// pieces of raw, enough to tell random numbers from others.
func lettersBytes(raw []byte) int {
	const piece, most = 1 << 10, 16
	var counts [256]int
	seen := 0
	for at := 0; at < len(raw); at += max(piece, len(raw)/most) {
		end := min(at+piece, len(raw))
		for _, b := range raw[at:end] {
			counts[b]++
		}
		seen += end - at
	}
	var letterBits [256]float64
	for i, n := range counts {
		letterBits[i] = float64(max(1, seen)) / float64(max(1, n))
	}
	kernel.Log2(letterBits[:], letterBits[:]) // the same on every platform, as files are to be
	bits := 0.0
	for i, n := range counts {
		bits += float64(float64(n) * letterBits[i])
	}
	return int(bits / 8 * float64(len(raw)) / float64(max(1, seen)))
}

func zlibCoder(level int) (coder, error) {
	to := &appender{}
	z, err := zlib.NewWriterLevel(to, level)
	return func(dst, raw []byte) ([]byte, error) {
		to.b = dst
		z.Reset(to)
		_, err := z.Write(raw)
		return to.b, errors.Join(err, z.Close())
	}, err
}

func zstdCoder(level zstd.EncoderLevel) (coder, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithEncoderLevel(level), zstd.WithLowerEncoderMem(true))
	return func(dst, raw []byte) ([]byte, error) { return z.EncodeAll(raw, dst), nil }, err
}

// lz4Coder returns the codec of a block of LZ4 behind its checksum, with room for data that grow.
func lz4Coder(level int) coder {
	fast, thorough := &lz4.Compressor{}, &lz4.CompressorHC{Level: 1 << (level - 1)} // places to try, as in LZ4's own library
	return func(dst, raw []byte) ([]byte, error) {
		at := len(dst)
		dst = slices.Grow(dst, 8+lz4.CompressBlockBound(len(raw)))
		dst = dst[:cap(dst)]
		compress := thorough.CompressBlock
		if level <= lz4Fast {
			compress = fast.CompressBlock
		}
		n, err := compress(raw, dst[at+8:])
		if err != nil {
			return nil, err
		}
		if n == 0 { // the library gives up on what would not shrink
			return append(dst[:at], raw...), nil
		}
		dst = dst[:at+8+n]
		binary.BigEndian.PutUint64(dst[at:], xxhash.Sum64(dst[at+8:]))
		return dst, nil
	}
}

func appendLZMA(dst, raw []byte) ([]byte, error) {
	to := &appender{dst}
	z, err := xz.WriterConfig{DictCap: max(lzma.MinDictCap, min(len(raw), window)), CheckSum: xz.CRC32}.NewWriter(to)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(raw)
	return to.b, errors.Join(err, z.Close())
}

// An appender keeps what is written.
type appender struct{ b []byte }

// Write implements io.Writer.
func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}
