package recipes

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go/source"
)

// An option is one option of a format. Its kind is the Go type of its default.
type option struct {
	name    string
	def     any
	choices []string
	check   func(any) error
}

func readOptions(f source.Format) []option {
	var out []option
	for _, o := range f.ReadOptions() {
		out = append(out, option{o.Name, o.Default, o.Choices, o.Check})
	}
	return out
}

func writeOptions(f source.Format) []option {
	var out []option
	for _, o := range f.WriteOptions() {
		out = append(out, option{o.Name, o.Default, o.Choices, o.Check})
	}
	return out
}

// formatsOf returns the formats that files can be of: the named one, those of their extensions; nil if a path tells none.
func formatsOf(name string, paths []string) []source.Format {
	var out []source.Format
	for _, f := range source.Formats() {
		if f.Name == name {
			return []source.Format{f}
		}
	}
	for _, p := range paths {
		ext := strings.ToLower(filepath.Ext(p))
		i := slices.IndexFunc(source.Formats(), func(f source.Format) bool { return slices.Contains(f.Extensions, ext) })
		if i < 0 {
			return nil
		}
		out = append(out, source.Formats()[i])
	}
	return out
}

// An optionTable is where to look for an option: the formats it may belong to, or none if that is not known.
type optionTable struct {
	formats []source.Format
	of      func(source.Format) []option
	verb    string // "read", "write"
}

// find returns the option of that name, and all names.
func (t optionTable) find(name string) (found *option, names []string) {
	formats := t.formats
	if formats == nil {
		formats = source.Formats()
	}
	for _, f := range formats {
		for _, o := range t.of(f) {
			if o.name == name && found == nil {
				found = &o
			}
			names = append(names, o.name)
		}
	}
	slices.Sort(names)
	return found, slices.Compact(names)
}

// option reads an option of a format. It is nil with ok if it was an option and is wrong; names are those there are.
func (l *loader) option(t optionTable, key *node, v value) (x any, names []string, ok bool) {
	o, names := t.find(key.value)
	switch {
	case o != nil:
		return l.optionValue(*o, v), names, true
	case !slices.Contains(formatOptions, key.value):
		return nil, names, false
	case len(t.formats) > 0:
		l.fail(codeOption, key, "%s files have no option %q to %s with", t.formats[0].Name, key.value, t.verb)
	default:
		l.later(key, "%q", key.value)
	}
	return nil, nil, true
}

// optionValue reads the value of an option as its kind wants it; nil if it does not take it.
func (l *loader) optionValue(o option, v value) any {
	switch o.def.(type) {
	case bool:
		if b, ok := l.boolean(v); ok {
			return l.optionCheck(o, b, v.node)
		}
	case int64:
		if n, ok := l.count(v, 0); ok {
			return l.optionCheck(o, n, v.node)
		}
	case []string:
		out, good := []string{}, true
		l.each(v, func(item value) {
			s, ok := l.text(item)
			out, good = append(out, s), good && ok
		})
		if good {
			return l.optionCheck(o, out, v.node)
		}
	default:
		if s, ok := l.text(v); ok {
			return l.optionCheck(o, s, v.node)
		}
	}
	return nil
}

// optionCheck returns x if the option takes it, else nil.
func (l *loader) optionCheck(o option, x any, at *node) any {
	if s, isText := x.(string); isText && len(o.choices) > 0 && !slices.Contains(o.choices, s) {
		l.fail(codeChoice, at, "%q is not one of %s", s, strings.Join(o.choices, ", "))
		return nil
	}
	if o.check != nil {
		if err := o.check(x); err != nil {
			l.fail(codeOption, at, "%q: %s", o.name, withoutKind(err.Error())).Err = err
			return nil
		}
	}
	return x
}
