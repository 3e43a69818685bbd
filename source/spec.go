package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/all"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/source/format"
)

// Nulls is the policy for nulls of formats that have them; its zero value refuses them.
type Nulls = format.Nulls

// Jagged is the policy for lists, arrays and structures; its zero value is that of the format.
type Jagged = format.Jagged

// MaxJagged is the most columns that a list or an array becomes.
const MaxJagged = format.MaxJagged

// ParseJagged reads a policy: "error", "skip", "explode" or "pad=N".
//
// Errors: colstore.ErrOption.
func ParseJagged(s string) (Jagged, error) { return format.ParseJagged(s) }

// Limits bound what hostile input can make a reader do.
type Limits = format.Limits

// DefaultLimits are the limits of a zero Spec.
var DefaultLimits = format.DefaultLimits

// A Spec says what to read as one table. Only Paths is required.
type Spec struct {
	Paths   []string       // files, patterns, folders, in order
	NoGlob  bool           // patterns are plain names
	Exclude []string       // patterns; matching files are left out
	Format  string         // a format's name; empty: by extension, then by the first bytes
	Options map[string]any // of the formats
	Columns []string       // only these exist; nil: all
	// DTypes are those that columns are to have. A file without dtypes of its own (CSV) is read so; in others, a column is
	// cast where the files would differ in it, and else left to whoever reads the table.
	DTypes   map[string]colstore.DType
	Nulls    Nulls
	Jagged   Jagged
	Mismatch Mismatch
	Limits   Limits // the zero value is DefaultLimits
	Threads  int    // goroutines that read headers, and find out what they do not say; 0 is 1
	// SourceColumn, if not empty, is a text column behind all others: the path of the file that a row is from, as it was
	// given or found.
	SourceColumn string
	// Hive makes columns of folders that are called NAME=VALUE, behind those of the files and in place of those that have
	// their names, and reads folders with all that is below them.
	Hive bool
}

// A Table is the files of a spec with their headers read: names are known, dtypes not yet.
type Table struct {
	spec    Spec
	files   []tableFile
	names   []string
	stored  []string          // the names without those of consts
	lost    []string          // columns that the files do not share
	leftOut []string          // columns that files leave out
	left    []string          // what they tell about these
	skipped []string          // columns that the policy for lists, arrays and structures leaves out
	made    map[string]string // columns that files make of one with another name: masks of nulls, parts of a structure
	consts  []constant        // columns that are the same in all rows of a file
	hidden  []string          // columns of files in whose place consts has others
}

type tableFile struct {
	given string // as it was given or found
	path  string
	part  string // that the path picks, or empty
	d     *format.Descriptor
	file  format.File
	names []string // without those that are hidden
}

// Find expands the paths of a spec and reads the headers of the files.
//
// Errors: fs.ErrNotExist naming a path or pattern without a match; colstore.ErrOption for an unknown format or option;
// colstore.ErrFormat; colstore.ErrMismatch and colstore.ErrNoColumn for names that do not fit.
func Find(ctx context.Context, s Spec) (_ *Table, err error) {
	t := &Table{spec: s}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	if s.Limits == (Limits{}) {
		t.spec.Limits = DefaultLimits
	}
	asked := make(map[string]bool, len(s.Columns))
	for _, c := range s.Columns {
		if asked[c] {
			return nil, &colstore.Error{Op: "open", Path: strings.Join(s.Paths, ", "), Column: c, Err: fmt.Errorf("%w: it is asked for twice", colstore.ErrDuplicate)}
		}
		asked[c] = true
	}
	paths, err := expand(s)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		d, err := formatOf(p, s.Format)
		if err != nil {
			return nil, err
		}
		file, part := fsx.Inside(p)
		t.files = append(t.files, tableFile{given: p, path: file, part: part, d: d})
	}
	if err := t.checkOptions(); err != nil {
		return nil, err
	}
	if err := t.addFolders(); err != nil {
		return nil, err
	}
	if err := t.openFiles(ctx); err != nil {
		return nil, err
	}
	if err := t.unfold(ctx); err != nil {
		return nil, err
	}
	t.nameFiles()
	if err := t.addSourceColumn(); err != nil {
		return nil, err
	}
	if err := t.reconcileNames(ctx); err != nil {
		return nil, err
	}
	if err := t.selectNames(); err != nil {
		return nil, err
	}
	if s.Nulls.Mode == format.NullMask || slices.ContainsFunc(t.stored, func(n string) bool { return !t.isStored(n) }) {
		if err := t.nameMade(ctx); err != nil {
			return nil, err
		}
	}
	return t, t.nameConstants()
}

// expand returns the files of a spec.
func expand(s Spec) ([]string, error) {
	if len(s.Paths) == 0 {
		return nil, fmt.Errorf("%w: no input", colstore.ErrOption)
	}
	var out []string
	for _, p := range s.Paths {
		matches, err := fsx.Expand(p, !s.NoGlob)
		if err != nil {
			return nil, err
		}
		for _, m := range matches {
			file, part := fsx.Inside(m)
			st, err := os.Stat(file)
			if err != nil {
				return nil, &colstore.Error{Op: "open", Path: m, Err: fsx.Bare(err)}
			}
			if !st.IsDir() && !st.Mode().IsRegular() { // opening a pipe would wait for its writer
				return nil, &colstore.Error{Op: "open", Path: m, Err: fmt.Errorf("%w: not a regular file (%s)", colstore.ErrFormat, st.Mode().Type())}
			}
			if !st.IsDir() || part != "" {
				out = append(out, m)
				continue
			}
			found, err := filesOf(m, s)
			if err != nil {
				return nil, err
			}
			out = append(out, found...)
		}
	}
	for _, pattern := range s.Exclude {
		excluded, err := fsx.Expand(pattern, true)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		gone := make(map[string]bool, len(excluded))
		for _, p := range excluded {
			gone[p] = true
		}
		out = slices.DeleteFunc(out, func(p string) bool { return gone[p] })
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no input is left of %s: %w", strings.Join(s.Paths, ", "), fs.ErrNotExist)
	}
	return out, nil
}

// options returns the given options that the file's format has, and the part that its path picks.
//
// Errors: colstore.ErrOption for a part of a file that has none, and for two parts.
func (f *tableFile) options(given map[string]any) (map[string]any, error) {
	out := known(f.d, given)
	if f.part == "" {
		return out, nil
	}
	fail := func(format string, args ...any) (map[string]any, error) {
		return nil, &colstore.Error{Op: "open", Path: f.path + ":" + f.part, Err: fmt.Errorf("%w: %s", colstore.ErrOption, fmt.Sprintf(format, args...))}
	}
	name := f.d.Read.Inside
	if name == "" {
		return fail("there is no such file, and %s files have no parts to pick", f.d.Name)
	}
	if other, there := out[name]; there && other != f.part {
		return fail("the path picks %q, the option %s picks %q", f.part, name, other)
	}
	out[name] = f.part
	return out, nil
}

// formatOf returns the format of a file: the named one, that of its extension, or that of its first bytes.
func formatOf(path, name string) (*format.Descriptor, error) {
	path, _ = fsx.Inside(path)
	table := all.Table()
	fail := func(err error) (*format.Descriptor, error) {
		return nil, &colstore.Error{Op: "open", Path: path, Err: err}
	}
	var d *format.Descriptor
	switch {
	case name != "":
		if d = format.ByName(table, name); d == nil {
			return fail(fmt.Errorf("%w: no format %q%s", colstore.ErrOption, name, colstore.Suggest(name, formatNames(table))))
		}
	default:
		if d = format.ByExtension(table, path); d == nil {
			head, err := headOf(path)
			if err != nil {
				return fail(fsx.Bare(err))
			}
			i := slices.IndexFunc(table, func(d *format.Descriptor) bool { return d.Magic != nil && d.Magic(head) })
			if i < 0 {
				return fail(fmt.Errorf("%w: no format has the extension %q, and its first bytes are none that is known; name the format (there is %s)",
					colstore.ErrFormat, filepath.Ext(path), strings.Join(formatNames(table), ", ")))
			}
			d = table[i]
		}
	}
	if d.Read == nil {
		return fail(fmt.Errorf("%w: %s files cannot be read", colstore.ErrOption, d.Name))
	}
	return d, nil
}

func formatNames(table []*format.Descriptor) []string {
	out := make([]string, len(table))
	for i, d := range table {
		out[i] = d.Name
	}
	return out
}

func headOf(path string) ([]byte, error) {
	f, err := fsx.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 64)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return head[:n], nil
}

// known returns the given options that a format has.
func known(d *format.Descriptor, given map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range given {
		if slices.ContainsFunc(d.Read.Options, func(o format.Option) bool { return o.Name == name }) {
			out[name] = v
		}
	}
	return out
}

// checkOptions refuses options that none of the inputs' formats has.
func (t *Table) checkOptions() error {
	for name := range t.spec.Options {
		if slices.ContainsFunc(t.files, func(f tableFile) bool { return len(known(f.d, map[string]any{name: nil})) > 0 }) {
			continue
		}
		var names []string
		for _, o := range t.files[0].d.Read.Options {
			names = append(names, o.Name)
		}
		return fmt.Errorf("%w: reading %s has no option %q%s", colstore.ErrOption, t.files[0].d.Name, name, colstore.Suggest(name, names))
	}
	return nil
}

// Names returns the columns of the table.
func (t *Table) Names() []string { return t.names }

// Has reports whether any file, or the folders of one, have a column of that name, also if the spec leaves it out.
func (t *Table) Has(name string) bool { return t.isStored(name) || t.isConstant(name) }

// Paths returns the files of the table, in order.
func (t *Table) Paths() []string {
	out := make([]string, len(t.files))
	for i, f := range t.files {
		out[i] = f.path
	}
	return out
}

// Close closes the files. Sources opened from the table are closed before.
func (t *Table) Close() error {
	var err error
	for _, f := range t.files {
		if f.file != nil {
			err = errors.Join(err, f.file.Close())
		}
	}
	t.files = nil
	return err
}

// Open returns the columns of the table as a source; nil is all. It may read the files to find dtypes that their headers
// do not say, of these columns only.
func (t *Table) Open(ctx context.Context, columns []string) (colstore.Source, error) {
	if columns == nil {
		columns = t.names
	}
	j := joining{order: columns}
	for _, c := range t.consts {
		if slices.Contains(columns, c.Name) {
			j.consts = append(j.consts, c)
		}
	}
	columns = slices.DeleteFunc(slices.Clone(columns), t.isConstant)
	c, err := t.open(ctx, columns, j)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// open returns columns of the files, and the constants of j.
func (t *Table) open(ctx context.Context, columns []string, j joining) (*concat, error) {
	isAll := len(columns) == len(t.stored)
	columns = t.storedOf(columns)
	parts := make([]Part, 0, len(t.files))
	closeAll := func() error {
		var err error
		for _, p := range parts {
			err = errors.Join(err, p.Source.Close())
		}
		return err
	}
	has := columns
	for i, f := range t.files {
		if i == 0 || !f.shares(&t.files[i-1]) {
			has = t.present(f, columns)
		}
		src, err := t.openFile(ctx, f, has, nil)
		if err != nil {
			return nil, errors.Join(err, closeAll())
		}
		parts = append(parts, Part{f.path, src})
	}
	if err := t.agree(ctx, columns, parts); err != nil {
		return nil, errors.Join(err, closeAll())
	}
	j.dtypes = t.spec.DTypes
	if t.spec.Nulls.Mode == format.NullMask {
		for _, f := range t.files {
			j.stored = append(j.stored, f.names)
		}
	}
	c, err := newConcat(t.spec.Mismatch, parts, j)
	if err != nil {
		return nil, errors.Join(err, closeAll())
	}
	if isAll {
		c.left = t.left
	}
	return c, nil
}

// isStored reports whether a file has a column of that name, rather than a part of one.
func (t *Table) isStored(name string) bool {
	for f := range t.variants() {
		if slices.Contains(f.names, name) {
			return true
		}
	}
	return false
}

// present returns which of columns to ask a file for: all, but in a union those it has.
func (t *Table) present(f tableFile, columns []string) []string {
	if t.spec.Mismatch != Union {
		return columns
	}
	out := []string{}
	for _, c := range columns {
		if slices.Contains(f.names, c) || t.isPart(c, f.names) {
			out = append(out, c)
		}
	}
	return out
}

// storedOf returns the columns to ask the files for: every one that they make of another is replaced by that.
func (t *Table) storedOf(columns []string) []string {
	if len(t.made) == 0 {
		return columns
	}
	out := make([]string, 0, len(columns))
	for _, n := range columns {
		if of, ok := t.made[n]; ok {
			n = of
		}
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// nameMade gives the table the names that its columns have as they are read. Which columns have a mask, only the data
// tell.
func (t *Table) nameMade(ctx context.Context) error {
	src, err := t.open(ctx, t.stored, joining{})
	if err != nil {
		return err
	}
	stored := t.stored
	t.stored = src.Schema().Names()
	t.made = map[string]string{}
	for _, n := range t.stored {
		if of := origin(n, stored); of != n {
			t.made[n] = of
		}
	}
	return src.Close()
}

// origin returns which of the stored columns one is made of: itself, a structure's part that it is, or the column whose
// nulls it tells.
func origin(name string, stored []string) string {
	if slices.Contains(stored, name) {
		return name
	}
	for _, s := range stored {
		if strings.HasSuffix(s, "."+name) {
			return s
		}
	}
	if of, ok := strings.CutSuffix(name, format.MaskSuffix); ok {
		return origin(of, stored)
	}
	return name
}

func (t *Table) openFile(ctx context.Context, f tableFile, columns []string, types map[string]colstore.DType) (colstore.Source, error) {
	p := format.Projection{Columns: columns, Types: map[string]colstore.DType{}}
	maps.Copy(p.Types, types)
	if u, ok := f.file.(format.Untyped); ok && u.Untyped() {
		for n, typ := range t.spec.DTypes {
			if typ.Valid() && slices.Contains(columns, n) {
				p.Types[n] = typ
			}
		}
	}
	return f.file.Source(ctx, p)
}

// Open finds and opens a spec as one source, which owns its files.
func Open(ctx context.Context, s Spec) (colstore.Source, error) {
	t, err := Find(ctx, s)
	if err != nil {
		return nil, err
	}
	src, err := t.Open(ctx, nil)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return &opened{concat: src.(*concat), t: t}, nil
}

// OpenPath opens one path, pattern or folder with all defaults.
func OpenPath(ctx context.Context, path string) (colstore.Source, error) {
	return Open(ctx, Spec{Paths: []string{path}})
}

type opened struct {
	*concat
	t    *Table
	kept kept
}

// keep implements keeper.
func (o *opened) keep(s *colstore.Schema, all bool) (*held, error) {
	return o.kept.keep(o.concat, s, all)
}

// Warnings are those of the table and of its rows.
func (o *opened) Warnings() []string { return append(o.t.Warnings(), o.concat.Warnings()...) }

func (o *opened) Close() error {
	o.kept.close()
	return errors.Join(o.concat.Close(), o.t.Close())
}
