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
		Options: []format.Option{
			{Name: "tree", Doc: "the tree to read: name, dir/name, name;cycle; empty is the only one there is", Kind: format.OptionText, Default: ""},
		},
	},
}
