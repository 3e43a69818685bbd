package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/recipes"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
)

// noRecipe is the error for a conversion that no recipe says.
func noRecipe(format string, args ...any) error {
	return usagef("--emit-recipe: there is no recipe for this: "+format, args...)
}

// emitRecipe prints the recipe that does what the flags say, for a file in the current folder.
func (a *app) emitRecipe(f *convertFlags, args []string, plan *pipeline.Conversion, ps []*pipeline.Pipeline, o *runtime.Options) error {
	y := &yamlText{}
	y.line(0, "recipe: 1")
	if err := y.params(&f.params, f.steps.written); err != nil {
		return err
	}
	if err := y.from(args, plan, ps); err != nil {
		return err
	}
	if len(f.steps.written) > 0 {
		y.line(0, "steps:")
	}
	for _, s := range f.steps.written {
		step, err := s.recipe()
		if err != nil {
			return err
		}
		y.line(1, "- %s", step)
	}
	if err := y.to(plan, ps); err != nil {
		return err
	}
	y.limits(o)
	if err := sameRuns(y.String(), ps); err != nil {
		return err
	}
	_, err := fmt.Fprint(a.out, y.String())
	return err
}

// sameRuns checks that a recipe reads and writes what the conversion does.
func sameRuns(text string, want []*pipeline.Pipeline) error {
	r, err := recipes.Parse("recipe.yaml", []byte(text), nil)
	if problems, ok := errors.AsType[recipes.Errors](err); ok {
		return noRecipe("%s: %s", problems[0].Code, problems[0].Message)
	}
	if err != nil {
		return noRecipe("%w", err)
	}
	got, err := r.Pipelines()
	if err != nil {
		return noRecipe("%w", err)
	}
	if len(got) != len(want) {
		return noRecipe("it would have %s for %s", plural(int64(len(got)), "output", "outputs"), plural(int64(len(want)), "output", "outputs"))
	}
	for i := range got {
		a, b := got[i].Branches[0].Output, want[i].Branches[0].Output
		if filepath.Clean(a.Path) != filepath.Clean(b.Path) {
			return noRecipe("it would write %s for %s", a.Path, b.Path)
		}
		if !reflect.DeepEqual(comparedInput(got[i].Input), comparedInput(want[i].Input)) || !reflect.DeepEqual(comparedOutput(a), comparedOutput(b)) {
			return noRecipe("a flag about how files are read or written has no field there")
		}
	}
	return nil
}

// comparedInput returns an input without what may be spelled in two ways: paths, options, defaults.
func comparedInput(in pipeline.Input) pipeline.Input {
	in.Paths, in.NoGlob, in.Options = nil, false, nil
	in.Mismatch, in.NullMode = cmp.Or(in.Mismatch, "strict"), cmp.Or(in.NullMode, "error")
	if len(in.DTypes) == 0 {
		in.DTypes = nil
	}
	if len(in.NullValue) == 0 {
		in.NullValue = nil
	}
	return in
}

// comparedOutput does the same for an output.
func comparedOutput(o pipeline.Output) pipeline.Output {
	o.Path, o.Options, o.Format = "", nil, ""
	o.Mode = cmp.Or(o.Mode, pipeline.Create)
	return o
}

// A yamlText grows line by line.
type yamlText struct{ strings.Builder }

func (y *yamlText) line(depth int, format string, args ...any) {
	y.WriteString(strings.Repeat("  ", depth))
	_, _ = fmt.Fprintf(y, format, args...)
	y.WriteByte('\n')
}

// params writes the parameters that steps name, with the types that they have on the command line.
func (y *yamlText) params(p *paramFlag, steps []writtenStep) error {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(p.values)), func(name string) bool {
		return !slices.ContainsFunc(steps, func(s writtenStep) bool { return strings.Contains(s.text, "@"+name) })
	})
	if len(names) > 0 {
		y.line(0, "params:")
	}
	for _, name := range names {
		v, err := yamlValue(p.values[name])
		if err != nil {
			return noRecipe("the parameter %s: %w", name, err)
		}
		y.line(1, "%s: %s", yamlWord(name), v)
	}
	return nil
}

// from writes what is read.
func (y *yamlText) from(args []string, plan *pipeline.Conversion, ps []*pipeline.Pipeline) error {
	in := ps[0].Input
	for _, p := range ps[1:] {
		if !reflect.DeepEqual(p.Input.Options, in.Options) || p.Input.Format != in.Format {
			return noRecipe("the inputs are read with different options")
		}
	}
	y.line(0, "from:")
	paths := make([]string, len(args))
	for i, p := range args {
		paths[i] = yamlPath(p)
	}
	y.line(1, "path: %s", yamlList(paths))
	if in.Format != "" {
		y.line(1, "format: %s", yamlWord(in.Format))
	}
	if in.Columns != nil {
		y.line(1, "columns: [%s]", strings.Join(yamlWords(in.Columns), ", "))
	}
	if len(in.DTypes) > 0 {
		y.line(1, "dtypes:")
		for _, n := range slices.Sorted(maps.Keys(in.DTypes)) {
			y.line(2, "%s: %s", yamlWord(n), yamlWord(dtypeName(in.DTypes[n])))
		}
	}
	if in.Mismatch != "" && in.Mismatch != "strict" {
		y.line(1, "on_mismatch: %s", in.Mismatch)
	}
	switch {
	case in.NullMode != "" && in.NullMode != "error" && len(in.NullValue) > 0:
		return noRecipe("nulls are either all treated alike (--nulls %s) or by column (--nulls NAME=VALUE)", in.NullMode)
	case len(in.NullValue) > 0:
		y.line(1, "nulls:")
		for _, n := range slices.Sorted(maps.Keys(in.NullValue)) {
			y.line(2, "%s: %s", yamlWord(n), yamlQuoted(in.NullValue[n]))
		}
	case in.NullMode != "":
		y.line(1, "nulls: %s", in.NullMode)
	}
	if in.Jagged != "" {
		y.line(1, "jagged: %s", in.Jagged)
	}
	if in.SourceColumn != "" {
		y.line(1, "source_column: %s", yamlWord(in.SourceColumn))
	}
	if in.Hive {
		y.line(1, "hive: true")
	}
	kinds := map[string]format.OptionKind{}
	for _, path := range plan.Jobs[0].Inputs {
		name, err := source.FormatName(path, in.Format)
		for _, f := range source.Formats() {
			if f.Read == nil {
				continue
			}
			for _, o := range f.Read.Options {
				if _, known := kinds[o.Name]; !known && (err != nil || f.Name == name) {
					kinds[o.Name] = o.Kind
				}
			}
		}
	}
	return y.options(in.Options, kinds)
}

// dtypeName returns how a dtype is called in recipes.
func dtypeName(t colstore.DType) string {
	if back, err := colstore.ParseDType(t.Name()); err == nil && back == t {
		return t.Name()
	}
	return t.String()
}

// to writes where the rows go.
func (y *yamlText) to(plan *pipeline.Conversion, ps []*pipeline.Pipeline) error {
	out := ps[0].Branches[0].Output
	path := out.Path
	var err error
	switch {
	case plan.Template != "" || len(ps) > 1:
		if path, err = commonTemplate(plan); err != nil {
			return err
		}
	case strings.ContainsAny(path, "{}"):
		return noRecipe("braces in the output %s would be those of a template", path)
	}
	d, err := sink.FormatOf(out.Path, out.Format)
	if err != nil {
		return dataError{err}
	}
	for _, p := range ps[1:] {
		other := p.Branches[0].Output
		if o, err := sink.FormatOf(other.Path, other.Format); err != nil || o.Name != d.Name || !reflect.DeepEqual(other.Options, out.Options) {
			return noRecipe("the outputs are written with different options")
		}
	}
	y.line(0, "to:")
	y.line(1, "path: %s", yamlPath(path))
	if _, err := sink.FormatOf(path, ""); out.Format != "" || err != nil {
		y.line(1, "format: %s", yamlWord(d.Name))
	}
	if out.Mode != pipeline.Create {
		y.line(1, "mode: %s", out.Mode)
	}
	if out.Lock != colstore.LockAuto {
		y.line(1, "lock: %s", out.Lock)
	}
	kinds := map[string]format.OptionKind{}
	for _, o := range d.Write.Options {
		kinds[o.Name] = o.Kind
	}
	return y.options(out.Options, kinds)
}

// commonTemplate returns a template that names all outputs: the folder they share, and what their inputs are called.
func commonTemplate(plan *pipeline.Conversion) (string, error) {
	first := plan.Jobs[0]
	dir, ext := filepath.Split(first.Output)
	ext, name := filepath.Ext(ext), strings.NewReplacer("{", "{{", "}", "}}")
	candidates := []string{plan.Template}
	for _, field := range []string{"{stem}", "{name}", "{index}"} {
		candidates = append(candidates, name.Replace(dir)+field+name.Replace(ext))
	}
	for _, t := range candidates {
		if t == "" {
			continue
		}
		if !slices.ContainsFunc(plan.Jobs, func(j pipeline.Job) bool {
			file, _ := fsx.Inside(j.Inputs[0])
			got, err := pipeline.OutputName(t, slices.IndexFunc(plan.Jobs, func(k pipeline.Job) bool { return k.Output == j.Output }), filepath.Clean(file))
			return err != nil || filepath.Clean(got) != filepath.Clean(j.Output)
		}) {
			return t, nil
		}
	}
	return "", noRecipe("no template names the outputs, such as %s for %s; give one with -o, or convert the files of each folder on their own", first.Output, first.Inputs[0])
}

// options writes options of a format.
func (y *yamlText) options(options map[string]any, kinds map[string]format.OptionKind) error {
	for _, name := range slices.Sorted(maps.Keys(options)) {
		v := options[name]
		text, isText := v.(string)
		switch b, isBool := v.(bool); {
		case isBool:
			y.line(1, "%s: %t", name, b)
		case isText && kinds[name] == format.OptionCount:
			n, err := colstore.ParseCount(text)
			if err != nil {
				return usagef("--%s %q is no number", name, text)
			}
			y.line(1, "%s: %d", name, n)
		case isText && kinds[name] == format.OptionList:
			items := strings.Split(text, ",")
			for i := range items {
				items[i] = yamlTemplate(items[i])
			}
			y.line(1, "%s: [%s]", name, strings.Join(items, ", "))
		case isText:
			y.line(1, "%s: %s", name, yamlTemplate(text))
		default:
			return noRecipe("the option %s", name)
		}
	}
	return nil
}

// limits writes what the run may use.
func (y *yamlText) limits(o *runtime.Options) {
	var lines []string
	if o.BatchRows > 0 {
		lines = append(lines, "batch: "+strconv.Itoa(o.BatchRows))
	}
	if o.Budget > 0 {
		lines = append(lines, fmt.Sprintf("memory: %d", int64(o.Budget)))
	}
	if o.Workers > 0 {
		lines = append(lines, "workers: "+strconv.Itoa(o.Workers))
	}
	if len(lines) > 0 {
		y.line(0, "limits:")
	}
	for _, l := range lines {
		y.line(1, "%s", l)
	}
}
