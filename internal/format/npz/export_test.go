package npz

import (
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/source/format"
)

// What tests see inside.
var (
	ParseHeader = parseHeader
	PieceSum    = pieceSum
	FinishSum   = finishSum
)

// Directory returns the directory of stored members, and the records behind it, for members that begin at offsets.
func Directory(names []string, sizes, offsets []int64, at int64) []byte {
	var b []byte
	for i, n := range names {
		e := entry{name: n, compressed: sizes[i], size: sizes[i], at: offsets[i]}
		b = e.appendDirectory(b)
	}
	return appendEnd(b, len(names), at, int64(len(b)))
}

// ReadDirectory lists the members of a file.
func ReadDirectory(in *fsx.Input, size int64) error {
	return (&file{f: in}).readDirectory(size, format.DefaultLimits)
}
