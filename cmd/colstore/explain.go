package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// explainFlag adds --explain.
func (a *app) explainFlag(c *cobra.Command) {
	c.Flags().BoolVar(&a.explaining, "explain", false, "the program instead of its result: steps, columns, bytes, what is pushed down")
}

// explain prints the program of a frame. counted tells that the counts of its cuts are wanted beside its rows.
func (a *app) explain(ctx context.Context, f *frame.Frame, counted bool) error {
	e, err := explanation(f)
	if err != nil {
		return err
	}
	if e.Skipped, err = skips(f.Skips(ctx, counted)); err != nil {
		return err
	}
	if a.asJSON {
		return a.writeJSON(e)
	}
	_, err = fmt.Fprintln(a.out, e)
	return err
}

// explanation returns what the program of a frame does, and which files its cuts leave unread.
func explanation(f *frame.Frame) (*frame.Explanation, error) {
	e, err := f.Explain()
	if err != nil {
		return nil, err
	}
	p, err := f.Unlimited().Bind(f.Source().Schema())
	if err != nil {
		return nil, err
	}
	if out, of := source.LeftOut(f.Source(), p.Skipper(0)); of > 0 {
		e.PushedDown = append(e.PushedDown, fmt.Sprintf("files: %d of %d are not read, by their paths alone", out, of))
	}
	return e, nil
}

// skips returns the counts if they are of something.
func skips(c colstore.SkipCounts, err error) (*colstore.SkipCounts, error) {
	if err != nil || c.AllGroups == 0 {
		return nil, err
	}
	return &c, nil
}

type explainedOutput struct {
	Inputs  []string           `json:"inputs"`
	Output  string             `json:"output"`
	Program *frame.Explanation `json:"program"`
}

// explainAll prints the programs of pipelines, one an output.
func (a *app) explainAll(ctx context.Context, ps []*pipeline.Pipeline, o *runtime.Options) error {
	out := []explainedOutput{}
	for _, p := range ps {
		l, err := runtime.Prepare(ctx, p, o)
		if err != nil {
			return err
		}
		for i, b := range p.Branches {
			e, err := explanation(l.Input().Frame(i))
			if err == nil {
				e.Skipped, err = skips(l.Skips(ctx, i))
			}
			if err != nil {
				return errors.Join(err, l.Close())
			}
			e.Copied = l.Copies()
			out = append(out, explainedOutput{l.Input().Paths(), b.Output.Path, e})
		}
		if err := l.Close(); err != nil {
			return err
		}
	}
	if a.asJSON {
		return a.writeJSON(out)
	}
	for i, e := range out {
		if i > 0 {
			_, _ = fmt.Fprintln(a.out)
		}
		if _, err := fmt.Fprintf(a.out, "%s -> %s\n\n%s\n", strings.Join(e.Inputs, ", "), e.Output, e.Program); err != nil {
			return err
		}
	}
	return nil
}
