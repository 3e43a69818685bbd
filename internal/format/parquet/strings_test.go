package parquet

import (
	"testing"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
)

func FuzzPutText(f *testing.F) {
	for _, s := range []string{"", "ascii", "é日😀\x00", "\xff", "\xc2", "\xc1\x80", "\xed\xa0\x80", "\xe0\x80\x80", "a\xf4\x90\x80\x80"} {
		f.Add([]byte(s), uint8(4))
	}
	f.Fuzz(func(t *testing.T, s []byte, width uint8) {
		dst := make([]byte, 4*(int(width)+1))
		err := putText(view[uint32](dst), s)
		if fits := utf8.Valid(s) && utf8.RuneCount(s) <= int(width)+1; fits != (err == nil) {
			t.Fatalf("%q in %d characters: %v", s, width+1, err)
		}
		if err != nil {
			return
		}
		want := colstore.AppendText(nil, string(s))
		for i, b := range dst {
			if i < len(want) && b != want[i] || i >= len(want) && b != 0 {
				t.Fatalf("%q is %v, want %v", s, dst, want)
			}
		}
		back, err := appendUTF8(nil, view[uint32](dst))
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
