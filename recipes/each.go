package recipes

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/pipeline"
)

// Each reports whether there is one run for each input: the outputs' paths are templates.
func (r *Recipe) Each() bool { return r.each }

// Pipelines returns the runs of the recipe: its pipeline, or one for each input, in the inputs' order. A folder is one
// input. The inputs are looked for and not opened.
//
// Errors: fs.ErrNotExist for an input that is not there, colstore.ErrOption for two inputs with one output.
func (r *Recipe) Pipelines() ([]*pipeline.Pipeline, error) {
	if !r.each {
		return []*pipeline.Pipeline{r.Pipeline}, nil
	}
	inputs, err := r.inputs()
	if err != nil {
		return nil, err
	}
	out := make([]*pipeline.Pipeline, len(inputs))
	from := map[string]string{}
	for i, path := range inputs {
		p := *r.Pipeline
		p.Input.Paths, p.Input.NoGlob, p.Input.Exclude = []string{path}, true, nil
		p.Branches = slices.Clone(p.Branches)
		for k := range p.Branches {
			o := &p.Branches[k].Output
			file, _ := fsx.Inside(path)
			if o.Path, err = pipeline.OutputName(o.Path, i, filepath.Clean(file)); err != nil {
				return nil, err
			}
			key := filepath.Clean(o.Path)
			if other, taken := from[key]; taken {
				return nil, fmt.Errorf("%w: %s and %s would both become %s; tell the outputs apart, with {index} for instance", colstore.ErrOption, other, path, o.Path)
			}
			from[key] = path
		}
		p.Name = filepath.Base(p.Branches[0].Output.Path)
		out[i] = &p
	}
	return out, nil
}

// inputs returns the files and folders that the recipe reads.
func (r *Recipe) inputs() ([]string, error) {
	in := r.Pipeline.Input
	var out []string
	for _, p := range in.Paths {
		matches, err := fsx.Expand(p, !in.NoGlob)
		if err != nil {
			return nil, err
		}
		out = append(out, matches...)
	}
	for _, p := range in.Exclude {
		excluded, err := fsx.Expand(p, true)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		out = slices.DeleteFunc(out, func(p string) bool { return slices.Contains(excluded, p) })
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no input is left of %v: %w", in.Paths, fs.ErrNotExist)
	}
	return out, nil
}
