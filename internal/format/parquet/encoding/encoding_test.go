package encoding_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/encoding"
)

// pieces reads n values in pieces of random sizes, now and then skipping some; it returns the places it read.
func pieces(rt *rapid.T, n int, read func(begin, end int) error, skip func(n int) error) []bool {
	seen := make([]bool, n)
	for at := 0; at < n; {
		k := rapid.IntRange(1, n-at).Draw(rt, "piece")
		var err error
		if rapid.IntRange(0, 3).Draw(rt, "skip") == 0 {
			err = skip(k)
		} else {
			err = read(at, at+k)
			for i := at; i < at+k; i++ {
				seen[i] = true
			}
		}
		if err != nil {
			rt.Fatal(err)
		}
		at += k
	}
	return seen
}

func TestHybrid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		width := rapid.IntRange(0, 32).Draw(rt, "width")
		most := uint64(1)<<width - 1
		var want []uint32
		for range rapid.IntRange(0, 12).Draw(rt, "runs") {
			v := uint32(rapid.Uint64Range(0, most).Draw(rt, "value"))
			if rapid.Bool().Draw(rt, "repeated") {
				for range rapid.IntRange(1, 70).Draw(rt, "times") {
					want = append(want, v)
				}
			} else {
				want = append(want, v)
			}
		}
		raw := encoding.AppendHybrid(nil, want, width)
		var h encoding.Hybrid
		if err := h.Reset(raw, width); err != nil {
			rt.Fatal(err)
		}
		got := make([]uint32, len(want))
		seen := pieces(rt, len(want), func(begin, end int) error { return h.Read(got[begin:end]) }, h.Skip)
		for i, v := range want {
			if seen[i] && got[i] != v {
				rt.Fatalf("number %d of %d bits is %d, want %d", i, width, got[i], v)
			}
		}
		// As a mask, in pieces too.
		h.Reset(raw, width)
		for at := 0; at < len(want); {
			n := min(len(want)-at, rapid.IntRange(1, 200).Draw(rt, "rows"))
			mask := make([]uint64, (n+63)/64)
			ahead := h
			set, err := h.Mask(mask, n, want[0])
			if err != nil {
				rt.Fatal(err)
			}
			if count, err := ahead.Count(n, want[0]); err != nil || count != set {
				rt.Fatalf("%d are counted, %v; %d are in the mask", count, err, set)
			}
			for i := range n {
				is := want[at+i] == want[0]
				if bit := mask[i/64]>>(i%64)&1 == 1; bit != is {
					rt.Fatalf("bit %d is %v", at+i, bit)
				}
				if is {
					set--
				}
			}
			if set != 0 {
				rt.Fatalf("the count is off by %d", set)
			}
			at += n
		}
	})
}

func TestDelta(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOfN(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-3, 3), rapid.Just(int64(7))), 0, 700).Draw(rt, "values")
		var d encoding.Delta
		if err := d.Reset(appendDelta(nil, want)); err != nil {
			rt.Fatal(err)
		}
		got := make([]int64, len(want))
		seen := pieces(rt, len(want), func(begin, end int) error { return d.Read(got[begin:end]) }, d.Skip)
		for i, v := range want {
			if seen[i] && got[i] != v {
				rt.Fatalf("value %d is %d, want %d", i, got[i], v)
			}
		}
		if err := d.Read(make([]int64, 1)); !errors.Is(err, colstore.ErrFormat) {
			rt.Fatalf("one value too many: %v", err)
		}
	})
}

// appendDelta encodes in blocks of 128 values in one miniblock, the plainest form of the layout.
func appendDelta(dst []byte, src []int64) []byte {
	dst = append(dst, 128, 1, 1)
	dst = binary.AppendUvarint(dst, uint64(len(src)))
	if len(src) == 0 {
		return append(dst, 0)
	}
	dst = binary.AppendVarint(dst, src[0])
	last := src[0]
	for block := range slices.Chunk(src[1:], 128) {
		diffs := make([]int64, 128)
		for i, v := range block {
			diffs[i] = v - last
			last = v
		}
		least := slices.Min(diffs[:len(block)])
		for i := len(block); i < len(diffs); i++ {
			diffs[i] = least
		}
		all := uint64(0)
		for _, v := range diffs {
			all |= uint64(v - least)
		}
		width := 64 - leadingZeros(all)
		dst = append(binary.AppendVarint(dst, least), byte(width))
		var bits []bool
		for _, v := range diffs {
			for k := range width {
				bits = append(bits, uint64(v-least)>>k&1 == 1)
			}
		}
		for octet := range slices.Chunk(bits, 8) {
			var b byte
			for i, set := range octet {
				if set {
					b |= 1 << i
				}
			}
			dst = append(dst, b)
		}
	}
	return dst
}

func leadingZeros(v uint64) int {
	n := 0
	for v>>63 == 0 && n < 64 {
		v, n = v<<1, n+1
	}
	return n
}

func TestStrings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOfN(rapid.StringN(0, 12, 40), 0, 300).Draw(rt, "values")
		var plain, bytes []byte
		var lengths, prefixes, suffixes []int64
		var tails []byte
		for i, v := range want {
			plain = binary.LittleEndian.AppendUint32(plain, uint32(len(v)))
			plain = append(plain, v...)
			bytes = append(bytes, v...)
			lengths = append(lengths, int64(len(v)))
			n := 0
			for i > 0 && n < min(len(v), len(want[i-1])) && v[n] == want[i-1][n] {
				n++
			}
			prefixes, suffixes, tails = append(prefixes, int64(n)), append(suffixes, int64(len(v)-n)), append(tails, v[n:]...)
		}
		var s encoding.Strings
		layouts := map[string]func() error{
			"plain":   func() error { s.ResetPlain(plain); return nil },
			"lengths": func() error { return s.ResetLengths(append(appendDelta(nil, lengths), bytes...)) },
			"front": func() error {
				return s.ResetFront(append(appendDelta(appendDelta(nil, prefixes), suffixes), tails...))
			},
		}
		for name, reset := range layouts {
			if err := reset(); err != nil {
				rt.Fatal(name, err)
			}
			got := make([]string, len(want))
			seen := pieces(rt, len(want), func(begin, end int) error {
				for begin < end {
					spans := make([]encoding.Span, end-begin)
					data, n, err := s.Next(spans)
					if err != nil || n == 0 {
						return errors.Join(err, errors.New("nothing read"))
					}
					for i, x := range spans[:n] {
						got[begin+i] = string(data[x.Begin:x.End])
					}
					begin += n
				}
				return nil
			}, s.Skip)
			for i := range want {
				if !seen[i] {
					got[i] = want[i]
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				rt.Fatal(name, d)
			}
			if _, _, err := s.Next(make([]encoding.Span, 1)); !errors.Is(err, colstore.ErrFormat) {
				rt.Fatalf("%s: one value too many: %v", name, err)
			}
		}
	})
}

func TestSplit(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size, n := rapid.IntRange(1, 16).Draw(rt, "size"), rapid.IntRange(0, 100).Draw(rt, "values")
		want := rapid.SliceOfN(rapid.Byte(), n*size, n*size).Draw(rt, "bytes")
		raw := make([]byte, len(want))
		for i := range n {
			for k := range size {
				raw[k*n+i] = want[i*size+k]
			}
		}
		var s encoding.Split
		if err := s.Reset(raw, size); err != nil {
			rt.Fatal(err)
		}
		got := slices.Clone(want)
		pieces(rt, n, func(begin, end int) error { return s.Read(got[begin*size : end*size]) }, s.Skip)
		if !slices.Equal(got, want) {
			rt.Fatal("the values differ")
		}
	})
}

// Streams that claim more than they hold are errors, at once or when they are read.
func TestBadStreams(t *testing.T) {
	var h encoding.Hybrid
	var d encoding.Delta
	var s encoding.Strings
	var split encoding.Split
	huge := binary.AppendUvarint(nil, math.MaxUint64)
	tests := map[string]func() error{
		"width":              func() error { return h.Reset(nil, 33) },
		"no runs":            func() error { h.Reset(nil, 4); return h.Read(make([]uint32, 1)) },
		"run without value":  func() error { h.Reset([]byte{2}, 8); return h.Read(make([]uint32, 1)) },
		"value too wide":     func() error { h.Reset([]byte{2, 8}, 3); return h.Read(make([]uint32, 1)) },
		"endless run length": func() error { h.Reset(slices.Repeat([]byte{255}, 20), 1); return h.Skip(1) },
		"packed cut":         func() error { h.Reset([]byte{3, 1}, 8); return h.Skip(8) },
		"huge packed run":    func() error { h.Reset(append(huge, 1), 1); return h.Skip(9) },
		"delta header":       func() error { return d.Reset([]byte{128}) },
		"delta no minis":     func() error { return d.Reset([]byte{128, 1, 0, 1, 0}) },
		"delta odd minis":    func() error { return d.Reset([]byte{128, 1, 3, 1, 0}) },
		"delta huge block":   func() error { return d.Reset(append(append([]byte{}, huge...), 1, 1, 0)) },
		"delta too wide":     func() error { d.Reset([]byte{128, 1, 1, 9, 0, 0, 65}); return d.Skip(2) },
		"delta cut":          func() error { d.Reset([]byte{128, 1, 1, 9, 0, 0, 64, 1}); return d.Skip(2) },
		"plain cut":          func() error { s.ResetPlain([]byte{9, 0, 0, 0, 1}); return s.Skip(1) },
		"plain length cut":   func() error { s.ResetPlain([]byte{0, 0, 0, 0, 1}); return s.Skip(2) },
		"negative length":    func() error { return errors.Join(s.ResetLengths(appendDelta(nil, []int64{-1})), s.Skip(1)) },
		"length past end":    func() error { return errors.Join(s.ResetLengths(appendDelta(nil, []int64{2})), s.Skip(1)) },
		"prefix past front": func() error {
			return errors.Join(s.ResetFront(append(appendDelta(appendDelta(nil, []int64{1}), []int64{1}), 'a')), s.Skip(1))
		},
		"split odd": func() error { return split.Reset(make([]byte, 7), 4) },
		"split end": func() error { return errors.Join(split.Reset(make([]byte, 8), 4), split.Skip(3)) },
	}
	for name, f := range tests {
		if err := f(); !errors.Is(err, colstore.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Values that share long prefixes are many more bytes than what encodes them; they come a few at a time.
func TestFrontCodingStaysSmall(t *testing.T) {
	prefixes, suffixes := make([]int64, 1000), make([]int64, 1000)
	suffixes[0] = 1 << 20
	for i := range prefixes[1:] {
		prefixes[1+i] = 1 << 20
	}
	var s encoding.Strings
	if err := s.ResetFront(append(appendDelta(appendDelta(nil, prefixes), suffixes), make([]byte, 1<<20)...)); err != nil {
		t.Fatal(err)
	}
	for read := 0; read < 1000; {
		data, n, err := s.Next(make([]encoding.Span, 1000))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 2<<20 {
			t.Fatalf("%d values take %d bytes", n, len(data))
		}
		read += n
	}
}

func FuzzDecoders(f *testing.F) {
	f.Add(encoding.AppendHybrid(nil, []uint32{1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1}, 2), uint8(2))
	f.Add(appendDelta(appendDelta(nil, []int64{1, 2, 300}), []int64{0, 1, 1}), uint8(8))
	f.Fuzz(func(t *testing.T, raw []byte, width uint8) {
		const most = 5000
		var h encoding.Hybrid
		if h.Reset(raw, int(width)) == nil {
			h.Read(make([]uint32, most))
			h.Reset(raw, int(width))
			h.Mask(make([]uint64, (most+63)/64), most, 1)
		}
		var d encoding.Delta
		if d.Reset(raw) == nil {
			d.Read(make([]int64, min(most, d.Len())))
		}
		var s encoding.Strings
		s.ResetPlain(raw)
		s.Skip(most)
		if s.ResetLengths(raw) == nil {
			s.Skip(most)
		}
		if s.ResetFront(raw) == nil {
			s.Skip(most)
		}
	})
}
