package cstore

import (
	"testing"

	"github.com/colstore/colstore-go/internal/golden"
)

// FuzzHeaders reads any bytes as header, records and footer, with the checksums as they are and made right: what opens is
// whole.
func FuzzHeaders(f *testing.F) {
	for _, name := range []string{"crashed", "empty_records", "non_ascii", "one_column", "stats_mixed", "zero_rows"} {
		f.Add(golden.Bytes(f, name+".cstore"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := checkMutant(data); err != nil {
			t.Fatal(err)
		}
		m := mutator{buf: append([]byte(nil), data...)}
		m.sealAll()
		if _, err := checkMutant(m.buf); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzManifest reads any bytes as a manifest, in both ways.
func FuzzManifest(f *testing.F) {
	for _, name := range []string{"all_dtypes", "non_ascii", "one_column", "wide64"} {
		if raw, ok := manifestOf(golden.Bytes(f, name+".cstore")); ok {
			f.Add(raw)
		}
	}
	f.Add([]byte(`{"columns": [{"name": "\u00e9\ud83d\ude00", "dtype": "<f8", "x": [1e5, -0, {"b": null, "a": []}]}], "format_version": 1.0}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if _, err := twins(raw); err != nil {
			t.Fatal(err)
		}
	})
}
