package source

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/all"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/source/format"
)

// hiveNull is how a folder spells a null.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// filesOf returns the files of a folder, in natural order: its .cstore files, or else those of the one format that it has
// files of. With s.Hive, those in all folders below it are among them, and all are of one format. Names that start with a
// dot are left out, and those that start with an underscore, unless they are shards.
//
// Errors: fs.ErrNotExist for a folder without such files; colstore.ErrOption for one with files of several formats.
func filesOf(dir string, s Spec) ([]string, error) {
	found := map[*format.Descriptor][]string{}
	if err := findFiles(dir, s, found); err != nil {
		return nil, err
	}
	fail := func(format string, args ...any) ([]string, error) {
		return nil, &colstore.Error{Op: "open", Path: dir, Err: fmt.Errorf(format, args...)}
	}
	var out, names []string
	for _, d := range all.Table() { // the native format first
		if found[d] == nil {
			continue
		}
		out, names = found[d], append(names, d.Name)
		if d.Name == nativeFormat && !s.Hive {
			break
		}
	}
	switch {
	case len(names) == 0 && s.Format != "":
		return fail("the folder has no %s file: %w", s.Format, fs.ErrNotExist)
	case len(names) == 0 && !s.Hive && hasHiveFolder(dir):
		return fail("the folder has no files, but folders that are called NAME=VALUE; to read what is below them, choose --hive: %w", fs.ErrNotExist)
	case len(names) == 0:
		return fail("the folder has no .cstore file, nor one of another format that is known: %w", fs.ErrNotExist)
	case len(names) > 1:
		return fail("%w: the folder has files of several formats (%s); name one of them, or the files", colstore.ErrOption, strings.Join(names, ", "))
	}
	slices.SortFunc(out, fsx.CompareNatural)
	return out, nil
}

const nativeFormat = "cstore"

func hasHiveFolder(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() && strings.Contains(e.Name(), "=") })
}

// findFiles adds the files of a folder by their formats. Links to folders are not followed.
func findFiles(dir string, s Spec, found map[*format.Descriptor][]string) error {
	entries, err := fsx.ListDir(dir)
	if err != nil {
		return &colstore.Error{Op: "open", Path: dir, Err: fsx.Bare(err)}
	}
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(dir, name)
		d := format.ByExtension(all.Table(), path)
		shard := d != nil && d.Name == nativeFormat
		switch {
		case strings.HasPrefix(name, "."), strings.HasPrefix(name, "_") && (s.Hive || !shard):
		case e.IsDir() && s.Hive:
			if err := findFiles(path, s, found); err != nil {
				return err
			}
		case e.IsDir(), d == nil, d.Read == nil, s.Format != "" && !strings.EqualFold(d.Name, s.Format):
		default:
			if shard {
				if err := fsx.CheckLink(fsx.OS, dir, e); err != nil {
					return err
				}
			}
			found[d] = append(found[d], path)
		}
	}
	return nil
}

// A folderValue is what one folder of a path says.
type folderValue struct{ column, value string }

// folderValues returns what the folders of a path say that are called NAME=VALUE, from the outermost on. What a percent
// sign escapes is decoded.
func folderValues(path string) []folderValue {
	var out []folderValue
	for name := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		column, value, ok := strings.Cut(name, "=")
		if ok && column != "" {
			out = append(out, folderValue{unescape(column), unescape(value)})
		}
	}
	return out
}

// unescape decodes a folder's name, unless that is not escaped after all.
func unescape(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}

// addFolders makes the columns of the folders.
//
// Errors: colstore.ErrMismatch for files whose folders tell different columns, unless the spec lets them; colstore.ErrNull;
// colstore.ErrDuplicate for a column that two folders of a path tell.
func (t *Table) addFolders() error {
	if !t.spec.Hive {
		return nil
	}
	var columns []string
	values := make([]map[string]string, len(t.files))
	for i, f := range t.files {
		values[i] = map[string]string{}
		for _, v := range folderValues(f.path) {
			if _, twice := values[i][v.column]; twice {
				return &colstore.Error{Op: "open", Path: f.path, Column: v.column, Err: fmt.Errorf("%w: two folders of the path tell it", colstore.ErrDuplicate)}
			}
			values[i][v.column] = v.value
			if !slices.Contains(columns, v.column) {
				columns = append(columns, v.column)
			}
		}
	}
	for _, c := range columns {
		lacking := slices.IndexFunc(values, func(v map[string]string) bool { _, ok := v[c]; return !ok })
		if lacking >= 0 {
			has := slices.IndexFunc(values, func(v map[string]string) bool { _, ok := v[c]; return ok })
			switch t.spec.Mismatch {
			case Strict:
				return &colstore.Error{Op: "open", Path: t.files[lacking].path, Column: c, Err: fmt.Errorf(
					"%w: no folder of the path tells it, one of %s does; %s", colstore.ErrMismatch, t.files[has].path, mismatchAdvice)}
			case Drop:
				t.lost = append(t.lost, c)
				continue
			}
		}
		if err := t.addFolder(c, values); err != nil {
			return err
		}
	}
	return nil
}

// addFolder makes the column that some folders tell: whole numbers if all of them are, else text.
func (t *Table) addFolder(column string, values []map[string]string) error {
	whole, null, any := true, -1, false
	texts := make([]string, len(values))
	for i, v := range values {
		s, ok := v[column]
		switch {
		case !ok:
		case s == hiveNull:
			if null < 0 {
				null = i
			}
		default:
			texts[i], any = s, true
			whole = whole && isPlainInt(s)
		}
	}
	c := constant{Field: colstore.Field{Name: column, Type: colstore.Int64}, values: make([]colstore.Scalar, len(values))}
	switch {
	case !any:
		c.Type = colstore.Float64
	case whole:
		for i, s := range texts {
			n, err := strconv.ParseInt(s, 10, 64)
			if err != nil {
				continue // there is none
			}
			c.values[i] = colstore.ScalarOf(n)
		}
	default:
		c.Type = colstore.TextOf(0)
	}
	mode, fill, err := format.NullError, colstore.Scalar{}, error(nil)
	if null >= 0 {
		if mode, fill, err = t.spec.Nulls.For(column, c.Type); err != nil {
			return at(t.files[null].path, err)
		}
		if mode == format.NullError && c.Type != colstore.Float64 {
			return format.NullFound(t.files[null].path, column, 0)
		}
	}
	if c.Type == colstore.Float64 && !fill.Valid() {
		fill = format.Missing(c.Type) // nothing but nulls
	}
	isNull := func(i int) bool { return values[i][column] == hiveNull }
	if c.Type.Kind() == colstore.KindText {
		for i := range texts {
			if isNull(i) {
				texts[i] = string(fill.Cell().AppendString(nil, 0))
			}
		}
		if c.values, err = textConstants(column, texts); err != nil {
			return at(t.files[0].path, err)
		}
		c.Type = c.values[0].Type()
	} else {
		for i := range values {
			if isNull(i) {
				c.values[i] = fill
			}
		}
	}
	t.consts = append(t.consts, c)
	if mode == format.NullMask {
		m := constant{Field: colstore.Field{Name: column + format.MaskSuffix, Type: colstore.Bool}, values: make([]colstore.Scalar, len(values))}
		for i := range values {
			_, there := values[i][column]
			m.values[i] = colstore.ScalarOf(there && !isNull(i))
		}
		t.consts = append(t.consts, m)
	}
	return nil
}

// isPlainInt reports whether s is an int64 as it is printed: without a sign that is not needed, or leading zeros.
func isPlainInt(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == s
}
