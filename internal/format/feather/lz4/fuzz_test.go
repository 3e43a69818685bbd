package lz4_test

import (
	"bytes"
	"io"
	"testing"

	pierrec "github.com/pierrec/lz4/v4"

	"github.com/colstore/colstore-go/internal/format/feather/lz4"
)

// FuzzRead holds frames of any bytes: what is decoded is what the library decodes.
func FuzzRead(f *testing.F) {
	for _, data := range []string{"", "a", "abcabcabcabcabcabcabcabcabcabc", string(make([]byte, 100_000))} {
		for _, linked := range []bool{false, true} {
			var b bytes.Buffer
			w := pierrec.NewWriter(&b)
			if err := w.Apply(pierrec.BlockSizeOption(pierrec.Block64Kb), pierrec.ChecksumOption(linked)); err != nil {
				f.Fatal(err)
			}
			if _, err := io.WriteString(w, data); err != nil {
				f.Fatal(err)
			}
			if err := w.Close(); err != nil {
				f.Fatal(err)
			}
			f.Add(b.Bytes(), len(data))
		}
		f.Add(compressed(lz4.NewWriter(1), []byte(data), whole), len(data))
	}
	f.Fuzz(func(t *testing.T, frame []byte, size int) {
		if size < 0 || size > 1<<20 {
			return
		}
		got, err := decompressed(frame, size, whole)
		if err != nil {
			return
		}
		want := make([]byte, size)
		if _, err := io.ReadFull(pierrec.NewReader(bytes.NewReader(frame)), want); err != nil {
			t.Fatalf("%d bytes come of a frame of which the library says: %v", size, err)
		}
		if !bytes.Equal(got, want) {
			t.Fatal("the library decodes other bytes")
		}
	})
}
