package fsx

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestCopyRange holds that the kernel's copy and the plain one give the same bytes, in any place.
func TestCopyRange(t *testing.T) {
	dir := t.TempDir()
	text := bytes.Repeat([]byte("0123456789abcdef-"), 200_000)
	name := filepath.Join(dir, "in")
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
	src, err := OS.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for _, c := range []struct{ off, from, n int64 }{{0, 0, int64(len(text))}, {13, 7, 2_500_001}, {4096, 8192, 1 << 20}, {5, 5, 0}} {
		var got [2][]byte
		for i, plain := range []bool{false, true} {
			dst, err := OS.OpenFile(filepath.Join(dir, "out"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
			if err != nil {
				t.Fatal(err)
			}
			if plain {
				err = copyPlain(dst, c.off, src, c.from, c.n)
			} else {
				err = CopyRange(dst, c.off, src, c.from, c.n)
			}
			if err = errors.Join(err, dst.Close()); err != nil {
				t.Fatal(err)
			}
			if got[i], err = os.ReadFile(filepath.Join(dir, "out")); err != nil {
				t.Fatal(err)
			}
		}
		want := text[c.from : c.from+c.n]
		if !bytes.Equal(got[0], got[1]) || c.n > 0 && !bytes.Equal(got[0][c.off:], want) {
			t.Errorf("offset %d from %d, %d bytes: the copies differ", c.off, c.from, c.n)
		}
	}
	dst, err := OS.OpenFile(filepath.Join(dir, "out"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	if err := CopyRange(dst, 0, src, 10, int64(len(text))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("beyond the end: %v", err)
	}
}
