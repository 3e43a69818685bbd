package recipes

import (
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/source"
)

// input is what is known of from.
type input struct {
	node    *node
	in      *pipeline.Input
	columns map[string]*node // where each name is, for Locate
	dtypes  map[string]*node
	nulls   *node
	values  map[string]*node // of nulls
	formats []source.Format  // that the files can be of
}

var fromShape = shape[input]{name: "from", other: readInputOption, fields: []field[input]{
	{"path", func(l *loader, f *input, v value) { f.in.Paths = l.paths(v) }},
	{"format", readInputFormat},
	{"columns", func(l *loader, f *input, v value) { f.in.Columns, f.columns = l.namedColumns(v) }},
	{"exclude", func(l *loader, f *input, v value) { f.in.Exclude = l.paths(v) }},
	{"dtypes", readDTypes},
	{"on_mismatch", readMismatch},
	{"nulls", readNulls},
	{"order", nil},
	{"jagged", readJagged},
	{"source_column", readSourceColumn},
	{"hive", func(l *loader, f *input, v value) { f.in.Hive, _ = l.boolean(v) }},
	{"empty", nil},
}}

// formatOptions are the options of formats that the language names, for formats that this version does not have.
var formatOptions = []string{
	"compression", "level", "row_group", "statistics", "delimiter", "header", "missing", "quote", "tree", "key", "orient",
}

func readFrom(l *loader, r *Recipe, v value) {
	f := &r.input
	f.node = v.node
	if v.kind != mapNode {
		f.in.Paths = l.paths(value{v.node, "from"})
		return
	}
	fromShape.read(l, f, v)
	if v.get("path") == nil {
		l.fail(codeRequired, v.node, `"from" needs a path`)
	}
	for _, table := range []map[string]*node{f.dtypes, f.values} {
		for name, n := range table {
			if names := f.names(); names != nil && !slices.Contains(names, name) {
				e := l.fail(codeNoColumn, n, "")
				noColumn(e, name, names)
				e.Hint = "columns that are read: " + shorten(names)
			}
		}
	}
}

// names returns the columns of the input, nil if the recipe does not say which it has. A list may stand for several.
func (f *input) names() []string {
	unfolds := f.in.Jagged == "explode" || strings.HasPrefix(f.in.Jagged, "pad=")
	if f.in.Columns == nil || f.in.NullMode == "mask" || unfolds {
		return nil
	}
	names := f.in.Columns
	if s := f.in.SourceColumn; s != "" && !slices.Contains(names, s) {
		names = append(slices.Clone(names), s)
	}
	return names
}

func readSourceColumn(l *loader, f *input, v value) {
	name, ok := l.name(v)
	if ok && name == "" {
		l.fail(codeEmpty, v.node, "%q is an empty name", v.name)
		return
	}
	f.in.SourceColumn = name
}

// paths reads a path or a list of them.
func (l *loader) paths(v value) []string {
	var out []string
	l.each(v, func(item value) {
		if p, ok := l.path(item); ok {
			out = append(out, p)
		}
	})
	if v.kind == listNode && len(v.items) == 0 {
		l.fail(codeEmpty, v.node, "%q has no value", v.name)
	}
	return out
}

// path reads a path, which counts from the folder of the recipe.
func (l *loader) path(v value) (string, bool) {
	s, ok := l.text(v)
	switch {
	case !ok:
		return "", false
	case s == "":
		l.fail(codeEmpty, v.node, "%q is an empty path", v.name)
		return "", false
	case s == "-":
		e := l.fail(codeStream, v.node, `"-" is no file: a recipe reads files, and puts whole ones in their place`)
		e.Hint = `"colstore cat" prints rows to standard output; a file of that name is "./-"`
		return "", false
	}
	return l.join(s), true
}

func (l *loader) join(path string) string {
	if filepath.IsAbs(path) || l.dir == "" || l.dir == "." {
		return path
	}
	dir := l.dir
	if fsx.IsPattern(path) && filepath.Separator == '/' {
		// The folder is no pattern, whatever characters its name has.
		dir = strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`).Replace(dir)
	}
	joined := filepath.Join(dir, path)
	if strings.HasSuffix(path, "/") {
		joined += "/" // a folder
	}
	return joined
}

// namedColumns reads a list of columns, and where each is named. It is nil, as if there were no list, if something is
// wrong with it: what is said of the other columns would only follow from that.
func (l *loader) namedColumns(v value) ([]string, map[string]*node) {
	problems, at := len(l.errs), map[string]*node{}
	l.each(v, func(item value) {
		if item.kind == scalarNode && at[item.value] != nil {
			l.fail(codeDuplicate, item.node, "column %q is named twice", item.value)
		}
		at[item.value] = item.node
	})
	names := l.names(v)
	if len(l.errs) > problems {
		return nil, nil
	}
	return names, at
}

func readInputFormat(l *loader, f *input, v value) {
	f.in.Format, _ = l.format(v, func(f source.Format) bool { return f.Read != nil })
}

// format reads the name of a format that can do something.
func (l *loader) format(v value, can func(source.Format) bool) (string, bool) {
	s, ok := l.text(v)
	if !ok {
		return "", false
	}
	var names []string
	for _, f := range source.Formats() {
		if can(f) {
			names = append(names, f.Name)
		}
	}
	switch {
	case slices.Contains(names, s):
		return s, true
	case slices.Contains(formatNames, s):
		l.later(v.node, "the format %q", s)
	default:
		l.fail(codeChoice, v.node, "no format %q%s", s, nearest(s, names)).Hint = formatsHint
	}
	return "", false
}

const formatsHint = "colstore formats lists those there are"

// formatNames are the formats of the language.
var formatNames = []string{"cstore", "parquet", "root", "hdf5", "feather", "json", "jsonl", "npz", "csv", "tsv"}

func readDTypes(l *loader, f *input, v value) {
	types, p := columnMap(l, v.node, v, l.dtype)
	f.in.DTypes, f.dtypes = types, p.names
}

func readMismatch(l *loader, f *input, v value) {
	f.in.Mismatch, _ = l.choice(v, "strict", "drop", "union")
}

func readJagged(l *loader, f *input, v value) {
	s, ok := l.text(v)
	if !ok {
		return
	}
	if _, err := source.ParseJagged(s); err != nil {
		l.fail(codeChoice, v.node, "%q is error, skip, explode or pad=N with N from 1 to %d, not %q", v.name, source.MaxJagged, s)
		return
	}
	f.in.Jagged = s
}

func readNulls(l *loader, f *input, v value) {
	f.nulls = v.node
	if v.kind == scalarNode {
		f.in.NullMode, _ = l.choice(v, "error", "fill", "mask")
		return
	}
	values, p := columnMap(l, v.node, v, l.nullValue)
	f.in.NullValue, f.values = values, p.names
}

// nullValue reads what the nulls of a column become, as a text that its dtype will read.
func (l *loader) nullValue(v value) (string, bool) {
	s, ok := l.text(v)
	if !ok || v.style != plain {
		return s, ok
	}
	n, bad := parseNumber(s)
	if bad != nil {
		l.fail(bad.code, v.node, "%q is %s, %s", v.name, s, bad.why)
		return "", false
	}
	if x, isFloat := n.(float64); n != nil && (strings.HasPrefix(s, "0x") || isFloat && (x != x || math.IsInf(x, 0))) {
		return strings.ToLower(plainText(n)), true // spellings of YAML alone
	}
	return s, true
}

// readInputOption reads an option of the input's format.
func readInputOption(l *loader, f *input, key *node, v value) (names []string, ok bool) {
	if f.formats == nil {
		f.formats = formatsOf(f.in.Format, f.in.Paths)
	}
	x, names, ok := l.option(optionTable{f.formats, readOptions, "read"}, key, v)
	if x != nil {
		if f.in.Options == nil {
			f.in.Options = map[string]any{}
		}
		f.in.Options[key.value] = x
	}
	return names, ok
}
