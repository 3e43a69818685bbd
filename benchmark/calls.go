package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// call is one engine of ours: a form, and on how many processors it runs.
type call struct {
	name    string
	threads int
	call    func(ctx context.Context) (output, error)
}

// calls is an open table and what is called on it.
type calls struct {
	pattern pattern
	src     colstore.Source
	rows    int64
	by      map[string]call
	order   []string
}

func (c *calls) engines() []string { return c.order }

func (c *calls) close() error { return c.src.Close() }

// both adds a call on one processor and on two.
func (c *calls) both(name string, f func(ctx context.Context, threads int) (output, error)) {
	for threads := range 2 {
		e := call{name: name, threads: threads + 1}
		if threads > 0 {
			e.name = fmt.Sprintf("%s@%d", name, e.threads)
		}
		e.call = func(ctx context.Context) (output, error) { return f(ctx, e.threads) }
		c.by[e.name] = e
		c.order = append(c.order, e.name)
	}
}

// open opens the files of a pattern, in the folder of its size, and prepares the calls.
func open(ctx context.Context, folder string, p pattern) (_ *calls, err error) {
	path := filepath.Join(folder, p.File+".cstore")
	if p.File == "dataset" {
		path = filepath.Join(folder, p.File+".files", "*.cstore")
	}
	src, err := source.OpenPath(ctx, path)
	if err != nil {
		return nil, err
	}
	c := &calls{pattern: p, src: src, by: map[string]call{}, rows: source.ViewOf(src).Rows()}
	if err := c.prepare(folder); err != nil {
		return nil, errors.Join(err, src.Close())
	}
	return c, nil
}

func (c *calls) prepare(folder string) error {
	p := c.pattern
	switch p.Kind {
	case "reduce":
		return c.reduce()
	case "dict":
		c.collect(source.ViewOf(c.src))
		return nil
	case "query", "derive", "expr":
		return c.compute()
	}
	selection, err := c.selection(folder)
	if err != nil {
		return err
	}
	if p.Kind == "records" {
		c.both("fresh", func(ctx context.Context, _ int) (output, error) {
			r, err := source.ViewOf(c.src).Pick(selection()).Records(ctx)
			if err != nil {
				return output{}, err
			}
			return output{columns: [][]byte{r.Data}}, nil
		})
		return nil
	}
	view := source.ViewOf(c.src).Select(p.Column)
	c.both("fresh", func(ctx context.Context, _ int) (output, error) {
		return collected(view.Pick(selection()).Collect(ctx))
	})
	return nil
}

// selection reads the rows that a pattern selects and returns what makes a selection of them, which is a part of the call.
func (c *calls) selection(folder string) (func() source.Selection, error) {
	p := c.pattern
	switch {
	case p.Kind == "slice":
		begin := c.rows / 4
		return func() source.Selection { return source.Slice(begin, begin+c.rows/2) }, nil
	case p.Kind == "strided":
		return func() source.Selection { return source.All().By(int64(p.Step)) }, nil
	case p.Percent == 0:
		return source.All, nil
	case p.Kind == "mask":
		data, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("mask%d.mask", p.Percent)))
		if err != nil {
			return nil, err
		}
		keep := make([]bool, len(data))
		for i, b := range data {
			keep[i] = b != 0
		}
		return func() source.Selection { return source.Mask(keep) }, nil
	}
	kind := "sorted"
	if p.Kind == "random" {
		kind = p.Kind
	}
	data, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("%s%d.rows", kind, p.Percent)))
	if err != nil {
		return nil, err
	}
	rows := make([]int64, len(data)/8)
	if _, err := binary.Decode(data, binary.LittleEndian, rows); err != nil {
		return nil, err
	}
	return func() source.Selection { return source.Rows(rows...) }, nil
}

func (c *calls) collect(v *source.View) {
	c.both("fresh", func(ctx context.Context, _ int) (output, error) { return collected(v.Collect(ctx)) })
}

// collected returns the columns of a batch of the caller's own.
func collected(b *colstore.Batch, err error) (output, error) {
	if err != nil {
		return output{}, err
	}
	o := output{batch: b}
	for i := range b.Schema().Len() {
		data, ok := b.At(i).Bytes()
		if !ok {
			return output{}, fmt.Errorf("column %q is not dense", b.Schema().Field(i).Name)
		}
		o.columns = append(o.columns, data)
	}
	return o, nil
}

func (c *calls) reduce() error {
	agg, err := ops.AggByName(c.pattern.Function, c.pattern.Column, 0)
	if err != nil {
		return err
	}
	f := frame.From(c.src)
	c.both("fresh", func(ctx context.Context, threads int) (output, error) {
		r, err := runtime.Reduce(ctx, f, &runtime.Options{Workers: threads}, agg)
		if err != nil {
			return output{}, err
		}
		return output{columns: [][]byte{oneValue(r[0].Float())}}, nil
	})
	return nil
}

// oneValue is a float64 as a column of one row.
func oneValue(v float64) []byte {
	b, _ := colstore.Wrap([]float64{v}).Bytes()
	return b
}

func (c *calls) compute() error {
	parse := func(text string) frame.Expr {
		e, err := frame.Parse(text, nil)
		if err != nil {
			panic(fmt.Sprintf("%s: %v", text, err)) // of the table of patterns
		}
		return e
	}
	f := frame.From(c.src)
	if c.pattern.Kind == "expr" {
		f = f.Assign("r", parse(c.pattern.Expression)).Select("r")
	} else {
		f = f.Where(parse("a > 0 and b < 3"))
	}
	if c.pattern.Kind == "derive" {
		f = f.Assign("d", parse("a*2+b/c")).Assign("e", parse("sqrt(a*a+b*b)")).Assign("g", parse("a-c"))
	}
	if err := f.Err(); err != nil {
		return err
	}
	c.both("fresh", func(ctx context.Context, _ int) (output, error) { return collected(f.Collect(ctx)) })
	return nil
}
