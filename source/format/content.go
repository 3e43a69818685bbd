package format

import (
	"bytes"
	"unicode/utf8"
)

// contents are what files begin with that some give the extension of another format.
var contents = []struct{ magic, name string }{
	{"PAR1", "a Parquet file"},
	{"ARROW1", "a Feather file"},
	{"FEA1", "a Feather file of the first version"},
	{"CSTORE", "a .cstore file"},
	{"PK\x03\x04", "a zip archive, as .npz files are"},
	{"\x93NUMPY", "a .npy array"},
	{"\x89HDF\r\n", "an HDF5 file"},
	{"root", "a ROOT file"},
	{"ORC", "an ORC file"},
	{"Obj\x01", "an Avro file"},
	{"SQLite format 3\x00", "a SQLite database"},
	{"\x1f\x8b", "a gzip file"},
	{"\x28\xb5\x2f\xfd", "a zstd file"},
	{"BZh", "a bzip2 file"},
	{"\xfd7zXZ\x00", "an xz file"},
}

// LooksLike says what a file with these first bytes is: "a Parquet file", "text"; it is empty if nothing is known.
func LooksLike(head []byte) string {
	for _, c := range contents {
		if bytes.HasPrefix(head, []byte(c.magic)) {
			return c.name
		}
	}
	if len(head) == 0 {
		return ""
	}
	trimmed := bytes.TrimLeft(head, " \t\r\n\ufeff")
	for rest := head; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		isCut := r == utf8.RuneError && !utf8.FullRune(rest)
		if r == utf8.RuneError && size <= 1 && !isCut || r < ' ' && r != '\t' && r != '\r' && r != '\n' || r == 0x7f {
			return ""
		}
		rest = rest[size:]
	}
	if bytes.HasPrefix(trimmed, []byte("{")) || bytes.HasPrefix(trimmed, []byte("[")) {
		return "JSON"
	}
	return "text"
}
