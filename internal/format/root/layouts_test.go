package root

import (
	"bytes"
	"compress/zlib"
	"flag"
	"io"
	"os"
	"testing"

	"go-hep.org/x/hep/groot/rbytes"
	"go-hep.org/x/hep/groot/rcont"
	"go-hep.org/x/hep/groot/rdict"
)

var rewrite = flag.Bool("layouts", false, "rewrite layouts.bin")

// layoutClasses are the classes of a tree, and those that they consist of.
var layoutClasses = []string{
	"TTree", "TBranch", "TLeaf", "TLeafO", "TLeafB", "TLeafS", "TLeafI", "TLeafL", "TLeafF", "TLeafD",
	"TNamed", "TObject", "TAttLine", "TAttFill", "TAttMarker", "ROOT::TIOFeatures", "TObjArray", "TList", "TSeqCollection", "TCollection",
	"TBranchRef", "TRefTable", "TString",
}

// The layouts are those that go-hep has, which has them from ROOT.
func TestLayouts(t *testing.T) {
	list := rcont.NewList("", nil)
	for _, name := range layoutClasses {
		info, err := rdict.StreamerInfos.StreamerInfo(name, -1)
		if err != nil {
			t.Fatal(err)
		}
		list.Append(info)
	}
	w := rbytes.NewWBuffer(nil, nil, uint32(layoutsKey().size()), nil)
	if _, err := list.MarshalROOT(w); err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		var z bytes.Buffer
		d, err := zlib.NewWriterLevel(&z, zlib.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Write(w.Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		layouts = append([]byte{'Z', 'L', 8}, little24(z.Len())...)
		layouts = append(layouts, little24(len(w.Bytes()))...)
		layouts = append(layouts, z.Bytes()...)
		if err := os.WriteFile("layouts.bin", layouts, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	z, err := zlib.NewReader(bytes.NewReader(layouts[blockHead:]))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, w.Bytes()) || len(got) != layoutsSize() {
		t.Errorf("%d bytes, want %d (-layouts rewrites the file)", len(got), len(w.Bytes()))
	}
}
