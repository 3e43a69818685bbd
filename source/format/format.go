package format

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
)

// A Descriptor is one file format.
type Descriptor struct {
	Name       string
	Doc        string   // one line
	Extensions []string // lower case, with the dot; the first is what an output gets
	// Magic reports whether the first bytes of a file (up to 64) are this format's; nil if they tell nothing.
	Magic func(head []byte) bool
	Read  *Reading // nil if it cannot be read
	Write *Writing // nil if it cannot be written
}

// Reading is how a format is read.
type Reading struct {
	Options []Option
	// Inside is the option that picks a part of a file, which is set by what follows a colon in the path: "f.npz:member". It
	// is empty for a format whose files have no parts.
	Inside string
	// Types is the table of which types of a file are read as which dtypes, for people; nil if every dtype is read as it is.
	Types []TypeRow
	// Open reads the header. The error names the path.
	Open func(ctx context.Context, r *OpenRequest) (File, error)
}

// Writing is how a format is written.
type Writing struct {
	Options []Option
	// Type returns what a column of a dtype becomes in a file, in the format's words, or colstore.ErrType and what to do
	// instead. What it refuses never comes to Create, and the table for people is made of it. nil if every dtype is written
	// as it is.
	Type func(t colstore.DType) (string, error)
	// Create starts an output that appears at Commit. The error names the path.
	Create func(ctx context.Context, r *CreateRequest) (colstore.Sink, error)
	// Copies reports whether the rows of a source, as those columns of it, lie in files of this format as its outputs have
	// them. Sinks that Create makes are a [Copier] for such a source. nil for a format without.
	Copies func(src colstore.Source, columns []string) bool
	// Stream starts an output that goes to w as it comes; nil for formats that are not written front to back.
	Stream func(ctx context.Context, w io.Writer, r *CreateRequest) (colstore.Sink, error)
	// Appends says that Create heeds CreateRequest.Append.
	Appends bool
}

// An OpenRequest is what a format gets to open a file.
type OpenRequest struct {
	Path    string
	Options Options // checked against Reading.Options, defaults filled in
	Nulls   Nulls
	Jagged  Jagged
	Limits  Limits
	Threads int // goroutines that may find out what the header does not say; 0 is 1
}

// A File is an opened file whose header has been read.
type File interface {
	// Names returns every column in stored order, also those whose type cannot be stored: only asking for one is an
	// error.
	Names() []string
	// Source returns the columns of p as a source. It may read the file to find what the header does not say (the
	// width of text, whether a column is all null), but only the columns asked for. The source must be closed before
	// the file. Errors name path and column.
	Source(ctx context.Context, p Projection) (colstore.Source, error)
	io.Closer
}

// A Projection says what to read of a file.
type Projection struct {
	Columns []string // in this order; nil is all
	// Types are dtypes decided elsewhere for columns that are flexible (see [Flexible]). Values that do not fit are an
	// error.
	Types map[string]colstore.DType
}

// Untyped is a file whose columns have no dtype of their own, only text (CSV). Projection.Types may then declare any dtype
// for any column; the others are found by reading every cell.
type Untyped interface{ Untyped() bool }

// Freedom says which other dtypes a column could have been given (see [Projection.Types]).
type Freedom uint8

// The kinds of freedom.
const (
	Fixed    Freedom = iota
	Wider            // the same kind: longer text, a coarser time
	Float            // whole numbers spelled out, which may be read as float64
	Unsigned         // whole numbers spelled out, none of them negative, which may be read as uint64
	Natural          // both
	Anything         // there is not a single value
	Unused           // likewise, and no row misses one: all lists are empty
)

// Flexible is a source some of whose dtypes were found in the data and not declared. Files that are read as one table may
// differ in these: a dtype that suits all is found for them.
type Flexible interface{ Freedom(column string) Freedom }

// A Copier is a sink that takes the bytes of columns as they lie in files of its format, without decoding them.
type Copier interface {
	// CopyFrom writes all rows of a source of which the format's Copies is true, in place of all other writes. columns are
	// the source's names for the sink's columns, in their order. rows, if not nil, is told how many were copied.
	// Concurrency: rows is called from up to threads goroutines.
	CopyFrom(ctx context.Context, src colstore.Source, columns []string, threads int, rows func(n int64)) error
}

// A CreateRequest is what a format gets to start an output.
type CreateRequest struct {
	Path    string
	Schema  *colstore.Schema
	Options Options // checked against Writing.Options, defaults filled in
	Replace bool    // an existing file is replaced at Commit; else it is colstore.ErrExists
	Append  bool    // rows are added to what is there, at Commit; the columns must be the same. Replace is not set then
	Mkdirs  bool    // make missing parent folders
	Threads int     // goroutines that may encode one batch; 0 is 1
	Lock    colstore.LockPolicy
}

// Limits bound what hostile input can make a reader do.
type Limits struct {
	Expand int               // most decompressed bytes per compressed byte, in blocks above 16 MiB
	Page   colstore.ByteSize // largest decoded page
}

// DefaultLimits are those of the recipe language.
var DefaultLimits = Limits{Expand: 200, Page: 64 * colstore.MiB}

// expandFrom is the size of a decoded block up to which it may be as dense as it likes: a block of zeros.
const expandFrom = 16 * colstore.MiB

// Check returns an error if a block that declares these sizes is beyond the limits.
//
// Errors: colstore.ErrFormat.
func (l Limits) Check(compressed, decompressed int64) error {
	switch {
	case compressed < 0 || decompressed < 0:
		return errorf("a block declares a negative size")
	case decompressed > int64(l.Page):
		return errorf("a block declares %s, the limit is %s (limits.page)", colstore.ByteSize(decompressed), l.Page)
	case decompressed > int64(expandFrom) && decompressed/int64(l.Expand) > compressed:
		return errorf("a block of %s declares %s, more than %d times as much (limits.expand)",
			colstore.ByteSize(compressed), colstore.ByteSize(decompressed), l.Expand)
	}
	return nil
}

// ByExtension returns the format whose extension path has, or nil.
func ByExtension(table []*Descriptor, path string) *Descriptor {
	ext := strings.ToLower(filepath.Ext(path))
	for _, d := range table {
		if slices.Contains(d.Extensions, ext) {
			return d
		}
	}
	return nil
}

// ByName returns the format of that name, or nil.
func ByName(table []*Descriptor, name string) *Descriptor {
	for _, d := range table {
		if strings.EqualFold(d.Name, name) {
			return d
		}
	}
	return nil
}
