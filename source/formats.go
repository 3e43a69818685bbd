package source

import (
	"github.com/colstore/colstore-go/internal/format/all"
	"github.com/colstore/colstore-go/source/format"
)

// A Format is one file format and its options.
type Format struct {
	Name       string
	Doc        string
	Extensions []string
	Read       []format.Option // nil if it cannot be read
	Write      []format.Option // nil if it cannot be written
	Readable   bool
	Writable   bool
}

// Formats returns the formats, the native one first.
func Formats() []Format {
	var out []Format
	for _, d := range all.Table() {
		f := Format{Name: d.Name, Doc: d.Doc, Extensions: d.Extensions, Readable: d.Read != nil, Writable: d.Write != nil}
		if d.Read != nil {
			f.Read = d.Read.Options
		}
		if d.Write != nil {
			f.Write = d.Write.Options
		}
		out = append(out, f)
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
