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
	Paths    []string                  // files, patterns, folders of shards, in order
	NoGlob   bool                      // patterns are plain names
	Exclude  []string                  // patterns; matching files are left out
	Format   string                    // a format's name; empty: by extension, then by the first bytes
	Options  map[string]any            // of the formats
	Columns  []string                  // only these exist; nil: all
	DTypes   map[string]colstore.DType // of columns whose file has no dtypes of its own (CSV)
	Nulls    Nulls
	Jagged   Jagged
	Mismatch Mismatch
	Limits   Limits // the zero value is DefaultLimits
}

// A Table is the files of a spec with their headers read: names are known, dtypes not yet.
type Table struct {
	spec    Spec
	files   []tableFile
	names   []string
	lost    []string          // columns that the files do not share
	leftOut []string          // columns that files leave out
	left    []string          // what they tell about these
	made    map[string]string // columns that files make of one with another name: masks of nulls, parts of a structure
}

type tableFile struct {
	path string
	part string // that the path picks, or empty
	d    *format.Descriptor
	file format.File
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
		t.files = append(t.files, tableFile{path: file, part: part, d: d})
	}
	if err := t.checkOptions(); err != nil {
		return nil, err
	}
	for i := range t.files {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		f := &t.files[i]
		given, err := f.options(s.Options)
		if err != nil {
			return nil, err
		}
		o, err := format.CheckOptions("reading "+f.d.Name, f.d.Read.Options, given)
		if err != nil {
			return nil, err
		}
		file, err := f.d.Read.Open(ctx, &format.OpenRequest{Path: f.path, Options: o, Nulls: s.Nulls, Jagged: s.Jagged, Limits: t.spec.Limits})
		if err != nil {
			return nil, err
		}
		f.file = file
	}
	if err := t.reconcileNames(ctx); err != nil {
		return nil, err
	}
	if err := t.selectNames(); err != nil {
		return nil, err
	}
	if s.Nulls.Mode == format.NullMask || slices.ContainsFunc(t.names, func(n string) bool { return !t.isStored(n) }) {
		return t, t.nameMade(ctx)
	}
	return t, nil
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
			shards, err := shardsOf(m)
			if err != nil {
				return nil, err
			}
			out = append(out, shards...)
		}
	}
	for _, pattern := range s.Exclude {
		excluded, err := fsx.Expand(pattern, true)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		out = slices.DeleteFunc(out, func(p string) bool { return slices.Contains(excluded, p) })
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no input is left of %s: %w", strings.Join(s.Paths, ", "), fs.ErrNotExist)
	}
	return out, nil
}

// shardsOf returns the .cstore files of a folder, in natural order; names that start with a dot are no shards.
func shardsOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, &colstore.Error{Op: "open", Path: dir, Err: fsx.Bare(err)}
	}
	var out []string
	for _, e := range entries {
		if n := e.Name(); !strings.HasPrefix(n, ".") && strings.EqualFold(filepath.Ext(n), ".cstore") {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return nil, &colstore.Error{Op: "open", Path: dir, Err: fmt.Errorf("the folder has no .cstore file: %w", fs.ErrNotExist)}
	}
	slices.SortFunc(out, fsx.CompareNatural)
	for i, n := range out {
		out[i] = filepath.Join(dir, n)
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
	f, err := os.Open(path)
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
	isAll := len(columns) == len(t.names)
	columns = t.stored(columns)
	parts := make([]Part, 0, len(t.files))
	closeAll := func() error {
		var err error
		for _, p := range parts {
			err = errors.Join(err, p.Source.Close())
		}
		return err
	}
	for _, f := range t.files {
		src, err := t.openFile(ctx, f, t.present(f, columns), nil)
		if err != nil {
			return nil, errors.Join(err, closeAll())
		}
		parts = append(parts, Part{f.path, src})
	}
	if err := t.agree(ctx, columns, parts); err != nil {
		return nil, errors.Join(err, closeAll())
	}
	c, err := newConcat(t.spec.Mismatch, parts, t.spec.Nulls.Mode == format.NullMask)
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
	return slices.ContainsFunc(t.files, func(f tableFile) bool { return slices.Contains(f.file.Names(), name) })
}

// present returns which of columns to ask a file for: all, but in a union those it has.
func (t *Table) present(f tableFile, columns []string) []string {
	if t.spec.Mismatch != Union {
		return columns
	}
	out := []string{}
	names := f.file.Names()
	for _, c := range columns {
		if slices.Contains(names, c) || isPart(c, names) {
			out = append(out, c)
		}
	}
	return out
}

// stored returns the columns to ask the files for: every one that they make of another is replaced by that.
func (t *Table) stored(columns []string) []string {
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
	src, err := t.Open(ctx, nil)
	if err != nil {
		return err
	}
	stored := t.names
	t.names = src.Schema().Names()
	t.made = map[string]string{}
	for _, n := range t.names {
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

// agree gives the parts one dtype for a column whose dtype was found in the data and differs. Declared dtypes that differ
// are left to the mismatch rule.
func (t *Table) agree(ctx context.Context, columns []string, parts []Part) error {
	types := make([]map[string]colstore.DType, len(parts))
	for _, name := range columns {
		want, ok := agreed(parts, name)
		if !ok {
			continue
		}
		for i, p := range parts {
			if typ := typeOf(p.Source, name); typ == want || !typ.Valid() {
				continue
			}
			if types[i] == nil {
				types[i] = map[string]colstore.DType{}
			}
			types[i][name] = want
		}
	}
	for i := range parts {
		if types[i] == nil {
			continue
		}
		// Columns that were found before need not be searched again.
		has := t.present(t.files[i], columns)
		for _, name := range has {
			if _, changed := types[i][name]; !changed && freedom(parts[i].Source, name) != format.Fixed {
				types[i][name] = typeOf(parts[i].Source, name)
			}
		}
		if err := parts[i].Source.Close(); err != nil {
			return err
		}
		src, err := t.openFile(ctx, t.files[i], has, types[i])
		if err != nil {
			parts[i].Source = closedSource{}
			return err
		}
		parts[i].Source = src
	}
	return nil
}

// closedSource stands for a source that is closed already.
type closedSource struct{ colstore.Source }

func (closedSource) Close() error { return nil }

func freedom(s colstore.Source, column string) format.Freedom {
	if f, ok := s.(format.Flexible); ok {
		return f.Freedom(column)
	}
	return format.Fixed
}

func typeOf(s colstore.Source, column string) colstore.DType {
	i, ok := s.Schema().Index(column)
	if !ok {
		return colstore.DType{}
	}
	return s.Schema().Field(i).Type
}

// agreed returns the dtype that all parts can have for a column, if they differ: one that some part has, whatever their
// order.
func agreed(parts []Part, column string) (want colstore.DType, ok bool) {
	var seen, empty []colstore.DType
	missing, whole := false, true
	parts = slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return !typeOf(p.Source, column).Valid() }) // of a union
	for _, p := range parts {
		t, f := typeOf(p.Source, column), freedom(p.Source, column)
		if f == format.Anything {
			empty = append(empty, t)
			missing = missing || p.Source.Rows() != 0
			continue
		}
		whole = whole && f == format.Float
		if !slices.Contains(seen, t) {
			seen = append(seen, t)
		}
	}
	if missing && whole && len(seen) > 0 {
		// Whole numbers beside missing cells: in one file, the column would be float64.
		seen = []colstore.DType{colstore.Float64}
	}
	if len(seen) == 0 {
		seen = empty
	}
	for _, want := range seen {
		if !slices.ContainsFunc(parts, func(p Part) bool { return !canBe(typeOf(p.Source, column), want, freedom(p.Source, column)) }) {
			return want, true
		}
	}
	return want, false
}

// canBe reports whether a column of dtype t can be read as want.
func canBe(t, want colstore.DType, f format.Freedom) bool {
	switch {
	case t == want:
		return true
	case f == format.Wider && t.Kind() == want.Kind() && t.IsString():
		return t.Size() <= want.Size()
	case f == format.Wider && t.Kind() == want.Kind() && t.IsTime():
		return t.Unit() > want.Unit()
	case f == format.Float:
		return want == colstore.Float64
	}
	return f == format.Anything
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
	return &opened{src.(*concat), t}, nil
}

// OpenPath opens one path, pattern or folder with all defaults.
func OpenPath(ctx context.Context, path string) (colstore.Source, error) {
	return Open(ctx, Spec{Paths: []string{path}})
}

type opened struct {
	*concat
	t *Table
}

func (o *opened) Close() error { return errors.Join(o.concat.Close(), o.t.Close()) }
