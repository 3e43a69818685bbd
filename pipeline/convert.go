package pipeline

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// A Format is what a conversion knows of a file format. Extensions are lower case, with the dot; the first is the one an
// output gets.
type Format struct {
	Name       string
	Extensions []string
}

// ConvertOptions says which input of a conversion becomes which output.
type ConvertOptions struct {
	Output    string            // a literal path merges; with { } it is a template for one output an input; empty swaps the extension
	OutputDir string            // folder of the outputs, without Output
	Rename    map[string]string // stem → new stem, without a literal Output
	Format    string            // of the side that its extension does not tell
	NoGlob    bool
	Formats   []Format // that there are; the native one is called "cstore"
}

// A Conversion is the plan of a conversion.
type Conversion struct {
	Merge    bool   // all inputs into one output
	Template string // that names the outputs, if one was given
	Jobs     []Job
	Warnings []string
}

// A Job is one output of a conversion and its inputs.
type Job struct {
	Inputs       []string
	InputFormat  string // empty: by extension
	Output       string
	OutputFormat string // empty: by extension
}

const native = "cstore"

// Convert plans a conversion: paths and patterns are expanded, outputs named. It looks for the inputs but opens none.
//
// Errors: fs.ErrNotExist for an input, colstore.ErrOption for options that do not go together, a malformed template, an
// unknown format, and two inputs with one output.
func Convert(sources []string, o ConvertOptions) (*Conversion, error) {
	inputs, err := expandAll(sources, o.NoGlob)
	if err != nil {
		return nil, err
	}
	c := &Conversion{}
	template := strings.ContainsAny(o.Output, "{}")
	if o.Output != "" && !template {
		if o.OutputDir != "" || len(o.Rename) > 0 {
			return nil, fmt.Errorf("%w: a literal output takes all inputs; --output-dir and --rename name one output each", colstore.ErrOption)
		}
		c.Merge = len(inputs) > 1
		job := Job{Inputs: inputs, Output: o.Output}
		job.InputFormat, job.OutputFormat = o.sides(inputs, o.Output)
		c.Jobs = []Job{job}
	} else {
		if template && o.OutputDir != "" {
			return nil, fmt.Errorf("%w: a template has its own folder; leave out --output-dir", colstore.ErrOption)
		}
		c.Template = o.Output
		for i, in := range inputs {
			job, err := o.each(i, in)
			if err != nil {
				return nil, err
			}
			c.Jobs = append(c.Jobs, job)
		}
	}
	c.Warnings = repeated(inputs)
	return c, c.distinct()
}

func expandAll(sources []string, noGlob bool) ([]string, error) {
	var out []string
	for _, s := range sources {
		matches, err := fsx.Expand(s, !noGlob)
		if err != nil {
			return nil, err
		}
		out = append(out, matches...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no input", colstore.ErrOption)
	}
	return out, nil
}

// repeated warns of inputs that are listed more than once, which is honoured.
func repeated(inputs []string) []string {
	seen := map[string]int{}
	var out []string
	for _, in := range inputs {
		seen[in]++
		if seen[in] == 2 {
			out = append(out, in+" is listed more than once; its rows appear as often")
		}
	}
	return out
}

// distinct checks that no two jobs have one output.
func (c *Conversion) distinct() error {
	from := map[string]string{}
	for _, j := range c.Jobs {
		key := filepath.Clean(j.Output)
		if other, dup := from[key]; dup {
			return fmt.Errorf("%w: %s and %s would both become %s; name the outputs apart with --rename or a template",
				colstore.ErrOption, other, j.Inputs[0], j.Output)
		}
		from[key] = j.Inputs[0]
	}
	return nil
}

// formatOf returns the format of an extension.
func (o *ConvertOptions) formatOf(path string) (Format, bool) {
	ext := strings.ToLower(filepath.Ext(path))
	for _, f := range o.Formats {
		if slices.Contains(f.Extensions, ext) {
			return f, true
		}
	}
	return Format{}, false
}

func (o *ConvertOptions) named(name string) (Format, error) {
	var names []string
	for _, f := range o.Formats {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("%w: no format %q%s", colstore.ErrOption, name, colstore.Suggest(name, names))
}

// sides says which side of a conversion with a known output a named format is for: the one whose extension does not tell;
// if both tell, the one that is not native; if neither is, the output.
func (o *ConvertOptions) sides(inputs []string, output string) (in, out string) {
	if o.Format == "" {
		return "", ""
	}
	outFormat, outKnown := o.formatOf(output)
	allKnown, foreign := true, false
	for _, i := range inputs {
		file, _ := fsx.Inside(i)
		f, known := o.formatOf(file)
		allKnown = allKnown && known
		foreign = foreign || f.Name != native
	}
	switch {
	case !outKnown:
		return "", o.Format
	case !allKnown || outFormat.Name == native && foreign:
		return o.Format, ""
	default:
		return "", o.Format
	}
}

// each plans the output of one input.
func (o *ConvertOptions) each(index int, input string) (Job, error) {
	fail := func(format string, args ...any) (Job, error) {
		return Job{}, fmt.Errorf("%w: %s", colstore.ErrOption, fmt.Sprintf(format, args...))
	}
	job := Job{Inputs: []string{input}}
	file, _ := fsx.Inside(input) // an output is named by the file, whatever part of it is read
	file = filepath.Clean(file)
	dir, name := filepath.Split(file)
	if o.Output == "" && strings.Trim(name, ".") == "" {
		return fail("the folder %s has no name for an output; say one with -o", input)
	}
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	if o.Output != "" {
		out, err := OutputName(o.Output, index, file)
		if err != nil {
			return Job{}, err
		}
		job.Output = out
		job.InputFormat, job.OutputFormat = o.sides(job.Inputs, out)
		if _, known := o.formatOf(out); !known && job.OutputFormat == "" {
			return fail("%s has no extension that tells its format; add one to the template, or name the format", out)
		}
		return job, nil
	}
	inFormat, known := o.formatOf(file)
	target := native
	switch {
	case o.Format == "" && inFormat.Name == native:
		return fail("%s is a .cstore file already; say what it becomes with -o or --format", input)
	case o.Format != "" && known:
		target = o.Format
	case o.Format != "":
		job.InputFormat = o.Format
	}
	f, err := o.named(target)
	if err != nil {
		return Job{}, err
	}
	if job.InputFormat != "" {
		if _, err := o.named(job.InputFormat); err != nil {
			return Job{}, err
		}
	}
	extension := slices.MinFunc(f.Extensions, func(a, b string) int { return cmp.Compare(a, b) })
	if to, ok := o.Rename[stem]; ok {
		stem = to
	}
	if !strings.HasSuffix(strings.ToLower(stem), extension) {
		stem += extension
	}
	if o.OutputDir != "" {
		dir = o.OutputDir
	}
	job.Output = filepath.Join(dir, stem)
	if dir == "" {
		job.Output = stem
	}
	return job, nil
}

// OutputName replaces the fields of a template by what they are for the input of that index, from 0 on: {index} with an
// optional width like {index:03d}, {stem}, {name}, {parent}. Doubled braces are braces.
//
// Errors: colstore.ErrOption for a malformed template or an unknown field.
func OutputName(template string, index int, input string) (string, error) {
	t, err := fsx.ParseTemplate("output template", template, "index", "stem", "name", "parent")
	if err != nil {
		return "", err
	}
	name := filepath.Base(input)
	return t.Name(int64(index), map[string]string{
		"stem": strings.TrimSuffix(name, filepath.Ext(name)), "name": name, "parent": filepath.Base(filepath.Dir(input)),
	}), nil
}

// Describe returns the plan as it is shown: what is, or would be, converted into what.
func (c *Conversion) Describe(verb string) string {
	var b strings.Builder
	if c.Merge {
		fmt.Fprintf(&b, "%s (merge) %d files into %s:\n", verb, len(c.Jobs[0].Inputs), c.Jobs[0].Output)
		for _, in := range c.Jobs[0].Inputs {
			fmt.Fprintf(&b, "    %s\n", in)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "%s %d file(s):\n", verb, len(c.Jobs))
	for _, j := range c.Jobs {
		fmt.Fprintf(&b, "    %s -> %s\n", j.Inputs[0], j.Output)
	}
	return b.String()
}
