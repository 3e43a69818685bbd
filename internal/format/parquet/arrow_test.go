package parquet

import (
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// arrowSchema returns the Arrow schema of a fixture, with its names.
func arrowSchema(tb testing.TB, name string) (text string, names []string) {
	tb.Helper()
	f, err := open(tb.Context(), &format.OpenRequest{Path: golden.Path(tb, "foreign/parquet/"+name)})
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	for _, kv := range f.(*file).footer.KeyValues {
		if kv.Key == arrowKey {
			return kv.Value, f.Names()
		}
	}
	tb.Fatal("no Arrow schema in " + name)
	return "", nil
}

func TestArrowDurations(t *testing.T) {
	text, names := arrowSchema(t, "temporal.parquet")
	want := map[int]colstore.Unit{3: colstore.Second, 5: colstore.Millisecond, 7: colstore.Microsecond, 9: colstore.Nanosecond}
	if d := cmp.Diff(want, arrowDurations(text, names)); d != "" {
		t.Error(d)
	}
	// A schema of other columns says nothing.
	other := append([]string{"x"}, names[1:]...)
	for _, n := range [][]string{other, names[1:], nil} {
		if got := arrowDurations(text, n); len(got) != 0 {
			t.Errorf("%v: %v", n, got)
		}
	}
	// Neither do parts of one, nor damaged ones.
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	for n := range raw {
		arrowDurations(base64.StdEncoding.EncodeToString(raw[:n]), names)
		cut := append([]byte(nil), raw...)
		cut[n] ^= 0xff
		arrowDurations(base64.StdEncoding.EncodeToString(cut), names)
	}
	arrowDurations("no base64", names)
}

func FuzzArrowDurations(f *testing.F) {
	text, names := arrowSchema(f, "temporal.parquet")
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for i, u := range arrowDurations(base64.StdEncoding.EncodeToString(raw), names) {
			if i < 0 || i >= len(names) || u < colstore.Second || u > colstore.Nanosecond {
				t.Errorf("column %d is in %s", i, u)
			}
		}
	})
}
