package recipes

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/source"
)

// output is one destination while it is read.
type output struct {
	*builder
	out     pipeline.Output
	level   string // of the compression
	each    bool   // the path is a template: one output for each input
	folder  bool   // the path is that of a folder, which gets shards
	formats []source.Format
}

var outputShape = shape[output]{name: "to", other: readOutputOption, fields: []field[output]{
	{"path", readOutputPath},
	{"format", func(l *loader, o *output, v value) {
		o.out.Format, _ = l.format(v, func(f source.Format) bool { return f.Write != nil })
	}},
	{"mode", readMode},
	{"shard_size", readShardSize},
	{"shard_name", readShardName},
	{"where", func(l *loader, o *output, v value) { l.cut(o.builder, v.node, cut{expr: &v}) }},
	{"columns", func(l *loader, o *output, v value) { readSelect(l, o.builder, v.node, v) }},
	{"level", readLevel},
	{"mkdirs", func(l *loader, o *output, v value) {
		if b, ok := l.boolean(v); ok {
			o.out.Mkdirs = b
		}
	}},
	{"lock", func(l *loader, o *output, v value) {
		word, ok := l.choice(v, colstore.LockAuto.String(), colstore.LockOff.String(), colstore.LockRequired.String())
		if p, err := colstore.ParseLockPolicy(word); ok && err == nil {
			o.out.Lock = p
		}
	}},
}}

func readTo(l *loader, r *Recipe, v value) {
	if v.kind == listNode && len(v.items) == 0 {
		l.fail(codeEmpty, v.node, `"to" has no value`)
	}
	seen := destinations{}
	l.each(v, func(item value) {
		o := &output{builder: r.steps.branch(), out: pipeline.Output{Mkdirs: true}}
		if item.kind == mapNode {
			outputShape.read(l, o, item)
			if item.get("path") == nil {
				l.fail(codeRequired, item.node, `"to" needs a path`)
			}
		} else {
			readOutputPath(l, o, item)
		}
		l.finish(o, item)
		if other, twice := seen.add(o); twice {
			l.fail(codeOutput, pathOf(item), "two outputs have this path%s", other)
		}
		if o.each != r.each && len(r.branches) > 0 {
			l.fail(codeOutput, pathOf(item), "some outputs are one for each input and others one for all; make two recipes of them")
		}
		r.each = o.each
		b := pipeline.Branch{Output: o.out}
		if len(o.places) > 0 {
			b.Frame = o.frame
		}
		r.Pipeline.Branches = append(r.Pipeline.Branches, b)
		r.branches = append(r.branches, o.builder)
	})
}

// pathOf returns the node that names the path of an output.
func pathOf(v value) *node {
	if n := v.get("path"); n != nil {
		return n
	}
	return v.node
}

// finish checks what several fields of an output are about.
func (l *loader) finish(o *output, v value) {
	if o.level != "" {
		readCompressionLevel(l, o, v.get("level"))
	}
	if o.folder {
		l.finishFolder(o, v)
		return
	}
	if o.out.Mode == pipeline.Append {
		for _, f := range o.options().formats {
			if !f.Write.Appends {
				l.fail(codeOutput, v.get("mode"), "nothing is appended to %s files; it is to .cstore files", f.Name)
			}
		}
	}
	if o.out.Path == "" || o.out.Format != "" || v.get("format") != nil || len(formatsOf("", []string{o.out.Path})) > 0 {
		return
	}
	ext := strings.ToLower(filepath.Ext(o.out.Path))
	if slices.Contains(formatNames, strings.TrimPrefix(ext, ".")) || ext == ".h5" {
		l.later(pathOf(v), "an output with the extension %q", ext)
		return
	}
	l.fail(codeOutput, pathOf(v), "no format has the extension %q; name one as format", ext).Hint = formatsHint
}

// template matches what makes one output of each input, and no ${…}.
var template = regexp.MustCompile(`(?:^|[^$])(\{[^{}]*\})`)

func readOutputPath(l *loader, o *output, v value) {
	path, ok := l.path(v)
	each := ""
	if m := template.FindStringSubmatch(v.value); m != nil {
		each = m[1]
	}
	if !ok {
		return
	}
	if o.folder = strings.HasSuffix(path, "/"); o.folder {
		o.out.Shards = &pipeline.Shards{}
		path = filepath.Clean(path)
	}
	if each != "" {
		path = l.quotedFolder(path)
		if _, err := pipeline.OutputName(path, 0, "a.csv"); err != nil {
			l.fail(codeOutput, v.node, "%s", withoutKind(err.Error())).Err = err
			return
		}
		o.each = true
	}
	o.out.Path = path
}

// quotedFolder doubles the braces of the recipe's folder in a path below it that is a template.
func (l *loader) quotedFolder(path string) string {
	dir := filepath.Clean(l.dir)
	rest, below := strings.CutPrefix(path, dir)
	if dir == "." || !below {
		return path
	}
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(dir) + rest
}

func readMode(l *loader, o *output, v value) {
	words := []pipeline.Mode{pipeline.Create, pipeline.Replace, pipeline.Append, pipeline.Missing}
	if o.folder {
		other := []pipeline.Mode{pipeline.Replace, pipeline.Missing}
		if slices.Contains(other, pipeline.Mode(v.value)) {
			l.later(v.node, "the mode %q for a folder", v.value)
			return
		}
		words = []pipeline.Mode{pipeline.Create, pipeline.Append}
	}
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	mode, _ := l.choice(v, all...)
	o.out.Mode = pipeline.Mode(mode)
}

func readLevel(l *loader, o *output, v value) {
	if n, ok := l.count(v, 0); ok {
		o.level = strconv.FormatInt(n, 10)
	}
}

// readCompressionLevel adds the level to the compression, where formats have it: "zstd:5".
func readCompressionLevel(l *loader, o *output, at *node) {
	t := o.options()
	compression, _ := t.find("compression")
	switch {
	case compression == nil && len(t.formats) > 0:
		l.fail(codeOption, at, "%s files are not compressed, so there is no level", t.formats[0].Name)
		return
	case compression == nil:
		l.later(at, `"level"`)
		return
	}
	codec, ok := o.out.Options["compression"].(string)
	if !ok {
		codec, _ = compression.def.(string)
	}
	if x := l.optionCheck(*compression, codec+":"+o.level, at); x != nil {
		o.set("compression", x)
	}
}

func (o *output) options() optionTable {
	switch {
	case o.formats != nil:
	case o.folder && o.out.Format == "":
		o.formats = formatsOf(shardFormat, nil)
	default:
		o.formats = formatsOf(o.out.Format, []string{o.out.Path})
	}
	return optionTable{o.formats, writeOptions, "write"}
}

func (o *output) set(name string, x any) {
	if o.out.Options == nil {
		o.out.Options = map[string]any{}
	}
	o.out.Options[name] = x
}

// readOutputOption reads an option of the output's format.
func readOutputOption(l *loader, o *output, key *node, v value) (names []string, ok bool) {
	x, names, ok := l.option(o.options(), key, v)
	if x != nil {
		o.set(key.value, x)
	}
	return names, ok
}

// checkUnread warns of columns that are read and reach no output, no cut and no weight.
func checkUnread(l *loader, r *Recipe) {
	columns := r.input.names()
	cost := len(r.Pipeline.Branches) * (len(columns) + len(r.steps.places))
	if len(l.errs) > 0 || columns == nil || cost > maxChecked {
		return
	}
	used := map[string]bool{}
	for _, b := range r.Pipeline.Branches {
		names, err := r.Pipeline.Steps(b).SourceColumns(columns)
		if err != nil {
			return // a name that only the whole shows to be wrong; binding says so
		}
		for _, n := range names {
			used[n] = true
		}
	}
	for _, name := range r.Pipeline.Input.Columns {
		if !used[name] {
			l.warn(warnUnread, r.input.columns[name], "column %q is read and never used", name)
		}
	}
}
