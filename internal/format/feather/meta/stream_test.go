package meta_test

import (
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/format/feather/meta"
)

// A stream is known by its beginning, whoever wrote it; a part of that is not enough, and other bytes are no stream.
func TestIsStream(t *testing.T) {
	foreign, err := os.ReadFile("../testdata/replaced.arrows")
	if err != nil {
		t.Fatal(err)
	}
	ours := meta.SchemaMessage([]meta.Field{{Name: "a", Type: columnar.Type{Kind: columnar.Float, Size: 8}}}, nil)
	for name, stream := range map[string][]byte{"pyarrow": foreign, "ours": ours} {
		if !meta.IsStream(stream[:64]) {
			t.Errorf("the stream of %s is not known", name)
		}
		for n := range 24 {
			if meta.IsStream(stream[:n]) {
				t.Errorf("%d bytes of %s are enough", n, name)
			}
		}
	}
	for _, head := range []string{"", "ARROW1\x00\x00", "\xff\xff\xff\xff\x00\x00\x00\x00", "PAR1"} {
		if meta.IsStream([]byte(head)) {
			t.Errorf("%q is a stream", head)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		head := append([]byte(nil), ours[:64]...)
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			head[rapid.IntRange(0, 63).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		meta.IsStream(head[:rapid.IntRange(0, 64).Draw(t, "bytes")])
	})
}
