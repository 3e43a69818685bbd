//go:build interop && unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// writeRoot writes ROOT files for uproot.
func (x interop) writeRoot(t *testing.T) {
	dir := t.TempDir()
	x.peer(t, "write_exportable.py", dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	columns := "b1,i1,i2,i4,i8,u1,u2,u4,u8,f4,f8"
	for _, codec := range []string{"none", "zlib", "zlib:9", "zstd", "zstd:9", "lz4", "lz4:9", "lzma"} {
		x.ok(t, "convert", at("typed.cstore"), "-o", at("typed."+strings.ReplaceAll(codec, ":", "_")+".root"),
			"--columns", columns, "--compression", codec, "-q")
	}
	x.ok(t, "convert", at("empty.cstore"), "-o", at("empty.root"), "--columns", columns, "-q")
	// Many times as many rows as a basket has.
	large := make([]string, 100)
	for i := range large {
		large[i] = at("typed.cstore")
	}
	x.ok(t, append([]string{"convert", "-o", at("large.root"), "--columns", columns, "--tree", "large tree", "-q"}, large...)...)
	x.peer(t, "check_root.py", dir)
}
