package source

import (
	"github.com/colstore/colstore-go/internal/format/all"
	"github.com/colstore/colstore-go/source/format"
)

// A Format is one file format: its names, its options, how it is opened and created. Package format says what each part
// means.
type Format = format.Descriptor

// Register adds a format of the program's own. From then on it is like the others for this package and package sink, for
// pipelines, recipes and conversions: files are found by its extensions and first bytes, its options are checked, its
// nulls, splits, costs and batches are handled the same way. It comes before the first file is opened or created; the
// format is not changed afterwards. Package formattest has the tests that a format should pass.
//
// Concurrency: safe for concurrent use with everything here.
// Errors: colstore.ErrOption for a description that lacks something, colstore.ErrExists for a name or an extension that
// another format has.
func Register(f Format) error { return all.Register(&f) }

// Formats returns the formats, the native one first, those that were registered last.
func Formats() []Format {
	table := all.Table()
	out := make([]Format, len(table))
	for i, d := range table {
		out[i] = *d
	}
	return out
}

// The modes of [Nulls] beside refusing them: nulls become the missing value of their dtype; and a bool column tells where
// they were.
const (
	NullFill = format.NullFill
	NullMask = format.NullMask
)

// The modes of [Jagged]: lists, arrays and structures are an error when they are asked for; left out with a warning; columns,
// a list as many as its longest row needs, or always Jagged.Width.
const (
	JaggedError   = format.JaggedError
	JaggedSkip    = format.JaggedSkip
	JaggedExplode = format.JaggedExplode
	JaggedPad     = format.JaggedPad
)

// FormatName returns the name of a file's format: the given one if it is not empty, that of the extension, or that of the
// first bytes.
//
// Errors: colstore.ErrOption, those of the file system.
func FormatName(path, name string) (string, error) {
	d, err := formatOf(path, name)
	if err != nil {
		return "", err
	}
	return d.Name, nil
}

// Paths returns the files of a spec: patterns and folders expanded, in order.
func Paths(s Spec) ([]string, error) { return expand(s) }
