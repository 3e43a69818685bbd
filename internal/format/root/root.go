package root

import (
	"strings"

	"github.com/colstore/colstore-go/internal/format/root/meta"
	"github.com/colstore/colstore-go/source/format"
)

// Descriptor is the format of ROOT's trees.
var Descriptor = &format.Descriptor{
	Name:       "root",
	Doc:        "ROOT: the branches of a TTree that hold one value an entry",
	Extensions: []string{".root"},
	Magic:      func(head []byte) bool { return strings.HasPrefix(string(head), meta.Magic) },
	Read: &format.Reading{
		Open:   open,
		Inside: "tree",
		Types:  readTypes,
		Options: []format.Option{
			{Name: "tree", Doc: "the tree to read: name, dir/name, name;cycle; empty is the only one there is", Kind: format.OptionText, Default: ""},
		},
	},
	Write: writing(),
}

var readTypes = []format.TypeRow{
	{Foreign: "B S I L G, b s i l g", DType: "int8 int16 int32 int64 int64, uint8 … uint64"},
	{Foreign: "F D", DType: "float32 float64"},
	{Foreign: "O", DType: "bool"},
	{Foreign: "C, if it is named with --columns", DType: "U, as wide as the longest string, at least 1; else left out"},
	{Foreign: "arrays x[3], lists x[n]", DType: "left out, or columns of their values, as --jagged says"},
	{Foreign: "objects, containers, Float16_t, Double32_t, lists of arrays", DType: "left out"},
}
