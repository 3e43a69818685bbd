package text_test

import (
	"encoding/binary"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

func FuzzPutUTF8(f *testing.F) {
	for _, s := range []string{"", "ascii", "é日😀\x00", "\xff", "\xc2", "\xc1\x80", "\xed\xa0\x80", "\xe0\x80\x80", "a\xf4\x90\x80\x80"} {
		f.Add([]byte(s), uint8(4))
	}
	f.Fuzz(func(t *testing.T, s []byte, width uint8) {
		points := slices.Repeat([]uint32{7}, int(width)+1)
		err := text.PutUTF8(points, s)
		if fits := utf8.Valid(s) && utf8.RuneCount(s) <= len(points); fits != (err == nil) {
			t.Fatalf("%q in %d characters: %v", s, len(points), err)
		}
		if err != nil {
			return
		}
		want := colstore.AppendText(nil, string(s))
		for i, p := range points {
			if 4*i < len(want) && p != binary.LittleEndian.Uint32(want[4*i:]) || 4*i >= len(want) && p != 0 {
				t.Fatalf("%q is %v, want %v", s, points, want)
			}
		}
		back, err := text.AppendUTF8(nil, points)
		if err != nil {
			t.Fatal(err)
		}
		for len(s) > 0 && s[len(s)-1] == 0 {
			s = s[:len(s)-1]
		}
		if string(back) != string(s) {
			t.Fatalf("%q comes back as %q", s, back)
		}
	})
}

func TestAppendUTF8RefusesWhatIsNoCharacter(t *testing.T) {
	for _, r := range []uint32{0xd800, 0xdfff, 0x110000, 0xffffffff} {
		if got, err := text.AppendUTF8(nil, []uint32{'a', r}); err == nil {
			t.Errorf("%#x is %q", r, got)
		}
	}
}
