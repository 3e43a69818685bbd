package format_test

import (
	"testing"

	"github.com/colstore/colstore-go/source/format"
)

func TestLooksLike(t *testing.T) {
	for head, want := range map[string]string{
		"":                        "",
		"PAR1\x15\x04":            "a Parquet file",
		"ARROW1\x00\x00":          "a Feather file",
		"PK\x03\x04\x2d\x00":      "a zip archive, as .npz files are",
		"\x89HDF\r\n\x1a\n":       "an HDF5 file",
		"a,b\n1,2\n":              "text",
		"Größe\t1\n":              "text",
		"Gr\xc3":                  "text", // a character that the head cuts
		"Gr\xff\xfe":              "",
		"\x00\x01\x02":            "",
		" \n[{\"a\": 1}]":         "JSON",
		"{\"a\": 1}\n{\"a\": 2}":  "JSON",
		"\x1f\x8b\x08\x00a gzip?": "a gzip file",
	} {
		if got := format.LooksLike([]byte(head)); got != want {
			t.Errorf("%q looks like %q, want %q", head, got, want)
		}
	}
}
