package columnar_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
)

// Values that follow one another without a null are read by loops of their own; the same values through a dictionary are
// not. Both give the same rows, or the same error.
func TestRuns(t *testing.T) {
	types := []columnar.Type{
		{Kind: columnar.Text, Name: "utf8"},
		{Kind: columnar.LargeText, Name: "large_utf8"},
		{Kind: columnar.Binary, Name: "binary"},
		{Kind: columnar.LargeBinary, Name: "large_binary"},
	}
	piece := rapid.SampledFrom([]string{"", "a", "longer", "é", "日本", "\x00", "\xff", "\xf0\x9f\x8e\xb2"})
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(types).Draw(t, "type")
		values := make([]string, rapid.IntRange(1, 30).Draw(t, "rows"))
		indices := make([]byte, len(values))
		for i := range values {
			values[i] = strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "value"), "")
			indices[i] = byte(i)
		}
		array := texts(typ.OffsetBytes(), values...)
		array.Buffers[0] = nil
		o := &columnar.Options{}
		if width := rapid.IntRange(0, 12).Draw(t, "width"); width > 0 {
			o.Types = map[string]colstore.DType{"c": colstore.TextOf(width)}
			if !typ.IsText() {
				o.Types["c"] = colstore.BytesOf(width)
			}
		}
		got, gotErr := read(typ, array, o)
		typ.Index = &columnar.Index{Size: 1}
		want, wantErr := read(typ, &columnar.Array{Rows: len(values), Buffers: [][]byte{nil, indices}, Dictionary: array}, o)
		if got != want || (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
			t.Fatalf("%q, %v; through a dictionary %q, %v", got, gotErr, want, wantErr)
		}
	})
}
