package recipes

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/pipeline"
)

// Options are what a recipe needs to know from outside. The zero value is the default.
type Options struct {
	// Params are values of parameters. A string is text as it is typed on the command line, to be read as the
	// parameter's type has it; other values (bool, int, int64, float64, *big.Int, colstore.Scalar, []any of these and
	// strings) must be of that type.
	Params map[string]any
	// Env looks up an environment variable for ${env:NAME}; nil is os.LookupEnv.
	Env func(name string) (value string, ok bool)
	// Now is the time that ${date:…} tells; the zero time is that of the call, in UTC.
	Now time.Time
}

// A Recipe is what a file says.
type Recipe struct {
	Name  string
	About string
	// Params are the values in force: string, bool, int64, *big.Int beyond its range, float64, colstore.Scalar, or
	// []any of these.
	Params map[string]any
	// Pipeline is the run, or what the runs have in common where there is one for each input: see Pipelines.
	Pipeline *pipeline.Pipeline
	Warnings []*Error // what is no error but is likely not meant

	doc      *document
	input    input
	steps    *builder
	branches []*builder
	each     bool // the paths of the outputs are templates
}

// Load reads the recipe of a file. Relative paths in it count from the file's folder.
//
// Errors: [Errors], all problems of the recipe; *colstore.Error if the file cannot be read.
func Load(path string, o *Options) (*Recipe, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &colstore.Error{Op: "open", Path: path, Err: fsx.Bare(err)}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err != nil {
		return nil, &colstore.Error{Op: "read", Path: path, Err: fsx.Bare(err)}
	}
	return Parse(path, text, o)
}

// Parse reads the recipe of a text. name is the file it is from, or would be: it is named in messages, relative paths
// count from its folder, and without extension it is the name of a recipe that has none.
//
// Errors: [Errors], all problems of the recipe.
func Parse(name string, text []byte, o *Options) (*Recipe, error) {
	if o == nil {
		o = &Options{}
	}
	doc, problem := newDocument(name, text)
	if problem != nil {
		return nil, Errors{problem}
	}
	root, errs := compose(doc)
	if root == nil {
		return nil, errs.finish()
	}
	l := &loader{
		doc: doc, dir: filepath.Dir(name), given: o.Params, env: o.Env, now: o.Now, errs: errs,
		values: frame.Params{}, byName: map[string]*param{},
	}
	if l.env == nil {
		l.env = os.LookupEnv
	}
	if l.now.IsZero() {
		l.now = time.Now().UTC()
	}
	base := filepath.Base(name)
	l.r = &Recipe{
		Name: strings.TrimSuffix(base, filepath.Ext(base)), Pipeline: &pipeline.Pipeline{}, doc: doc,
		steps: &builder{frame: frame.New()},
	}
	l.r.input.in = &l.r.Pipeline.Input
	l.recipe(root)
	if len(l.errs) > 0 {
		return nil, l.errs.finish()
	}
	return l.r, nil
}

var recipeShape = shape[Recipe]{other: readExtra, fields: []field[Recipe]{
	{"recipe", readVersion},
	{"params", readParams},
	{"name", func(l *loader, r *Recipe, v value) {
		if s, ok := l.text(v); ok {
			r.Name = s
		}
	}},
	{"about", func(l *loader, r *Recipe, v value) { r.About, _ = l.text(v) }},
	{"from", readFrom},
	{"steps", func(l *loader, r *Recipe, v value) {
		r.steps.columns = r.input.names()
		readSteps(l, r.steps, v)
	}},
	{"to", readTo},
	{"report", func(l *loader, r *Recipe, v value) { reportShape.read(l, &r.Pipeline.Reports, v) }},
	{"limits", func(l *loader, r *Recipe, v value) { limitsShape.read(l, &r.Pipeline.Limits, v) }},
	{"incremental", nil},
	{"check", nil},
	{"schedule", nil},
	{"retry", nil},
	{"notify", nil},
	{"tests", nil},
	{"jobs", nil},
	{"needs", nil},
}}

// readExtra takes the fields that start with x-, a place for YAML anchors.
func readExtra(_ *loader, _ *Recipe, key *node, _ value) (names []string, ok bool) {
	return nil, strings.HasPrefix(key.value, "x-")
}

// readVersion checks the version of the language.
func readVersion(l *loader, _ *Recipe, v value) {
	n, ok := l.number(v)
	if ok && n != int64(1) {
		l.fail(codeVersion, v.node, "this program reads version 1 of the language, not %s", v.value)
	}
}

// recipe reads the file, until there are enough problems.
func (l *loader) recipe(root *node) {
	defer func() {
		if e := recover(); e != nil {
			if _, ok := e.(enough); !ok {
				panic(e)
			}
		}
	}()
	if root.kind != mapNode {
		l.fail(codeShape, root, "a recipe is a map, not %s; it begins with  recipe: 1", root.kind)
		return
	}
	recipeShape.read(l, l.r, value{root, "the recipe"})
	// A file of jobs has from and to in each of them; that it has jobs is error enough.
	for _, name := range []string{"recipe", "from", "to"} {
		if root.get(name) == nil && (name == "recipe" || root.get("jobs") == nil) {
			e := l.failAt(codeRequired, root.begin, root.begin, "the recipe has no %q", name)
			e.Source = ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.given)) {
		if l.param(name) == nil {
			at := root
			if p := root.get("params"); p != nil {
				at = p
			}
			l.fail(codeNoParam, at, "%s", l.noParam(name))
		}
	}
	r := l.r
	r.Params = l.values
	r.Pipeline.Name = r.Name
	if len(r.steps.places) > 0 {
		r.Pipeline.Frame = r.steps.frame
	}
	for _, p := range l.params {
		if !p.used && !p.broken {
			l.warn(warnParamUnused, p.key, "nothing uses the parameter %q", p.name)
		}
	}
	if r.each && len(r.Pipeline.Reports.Cutflow) > 0 {
		l.later(root.get("report"), "a cutflow where there is one output for each input")
	}
	checkUnread(l, r)
}
