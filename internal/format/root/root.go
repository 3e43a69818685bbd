package root

import (
	"strings"

	"github.com/colstore/colstore-go/source/format"
)

// Descriptor is the format of ROOT files.
var Descriptor = &format.Descriptor{
	Name:       "root",
	Doc:        "ROOT files: the branches of a TTree",
	Extensions: []string{".root"},
	Magic:      func(head []byte) bool { return strings.HasPrefix(string(head), "root") },
	Write:      writing(),
}
