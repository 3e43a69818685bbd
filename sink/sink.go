package sink

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/format/all"
	"github.com/colstore/colstore-go/source/format"
)

// A Spec says what to write. Path and Schema are required.
type Spec struct {
	Path    string
	Format  string // empty: by extension
	Options map[string]any
	Schema  *colstore.Schema
	Replace bool // an existing file is replaced at Commit; else it is colstore.ErrExists
	Append  bool // the rows are added to an existing file, whose columns they must have; .cstore files only
	Mkdirs  bool // make missing parent folders
	Threads int  // goroutines that may encode one batch; 0 is 1
	Lock    colstore.LockPolicy
	Shards  *Shards // Path is a folder, and these are written into it
}

// Create starts an output.
//
// Errors: colstore.ErrOption for an unknown format or option, colstore.ErrExists, colstore.ErrLocked, those of the file
// system; they name the path.
func Create(ctx context.Context, s Spec) (colstore.Sink, error) {
	if s.Shards != nil {
		return createShards(ctx, s)
	}
	d, o, err := check(s)
	if err != nil {
		return nil, err
	}
	return d.Write.Create(ctx, &format.CreateRequest{
		Path: s.Path, Schema: s.Schema, Options: o, Replace: s.Replace, Append: s.Append, Mkdirs: s.Mkdirs, Threads: s.Threads, Lock: s.Lock,
	})
}

// Copies reports whether an output takes the bytes of columns of a source as they lie in its files: whether its sink is a
// format.Copier for them.
func Copies(s Spec, src colstore.Source, columns []string) bool {
	d, err := FormatOf(s.Path, s.Format)
	return err == nil && s.Shards == nil && d.Write.Copies != nil && d.Write.Copies(src, columns)
}

// Check finds what is wrong with the format and the options of a spec without creating anything; with the folder that
// shards are for, too.
func Check(s Spec) error {
	if s.Shards != nil {
		_, err := checkShards(s)
		return err
	}
	_, _, err := check(s)
	return err
}

func check(s Spec) (*format.Descriptor, format.Options, error) {
	d, err := FormatOf(s.Path, s.Format)
	if err != nil {
		return nil, nil, err
	}
	o, err := format.CheckOptions("writing "+d.Name, d.Write.Options, s.Options)
	if err != nil {
		return nil, nil, &colstore.Error{Op: "create", Path: s.Path, Err: err}
	}
	switch {
	case s.Append && !d.Write.Appends:
		return nil, nil, &colstore.Error{Op: "create", Path: s.Path, Err: fmt.Errorf("%w: nothing is appended to %s files; it is to .cstore files", colstore.ErrOption, d.Name)}
	case s.Append && s.Replace:
		return nil, nil, &colstore.Error{Op: "create", Path: s.Path, Err: fmt.Errorf("%w: a file is either replaced or appended to", colstore.ErrOption)}
	}
	if s.Schema == nil { // only the options are checked
		return d, o, nil
	}
	if err := d.CheckColumns(s.Schema); err != nil {
		if e, ok := errors.AsType[*colstore.Error](err); ok {
			e.Op, e.Path = "create", s.Path
		}
		return nil, nil, err
	}
	if s.Append && d.Name == "cstore" {
		if err := cstore.CheckUpdate(s.Path, s.Schema); err != nil {
			return nil, nil, err
		}
	}
	return d, o, nil
}

// FormatOf returns the format of an output: the named one, or that of its extension.
func FormatOf(path, name string) (*format.Descriptor, error) {
	table := all.Table()
	fail := func(err error) (*format.Descriptor, error) {
		return nil, &colstore.Error{Op: "create", Path: path, Err: err}
	}
	d := format.ByExtension(table, path)
	if name != "" {
		d = format.ByName(table, name)
	}
	var names, extensions []string
	for _, f := range table {
		if f.Write != nil {
			names, extensions = append(names, f.Name), append(extensions, f.Extensions...)
		}
	}
	switch {
	case d == nil && name != "":
		return fail(fmt.Errorf("%w: no format %q%s", colstore.ErrOption, name, colstore.Suggest(name, names)))
	case d == nil:
		return fail(fmt.Errorf("%w: no format has the extension %q; there is %s", colstore.ErrOption, filepath.Ext(path), strings.Join(extensions, " ")))
	case d.Write == nil:
		return fail(fmt.Errorf("%w: %s files cannot be written", colstore.ErrOption, d.Name))
	}
	return d, nil
}
