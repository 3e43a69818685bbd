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
	room "github.com/colstore/colstore-go/internal/memory"
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
	held    []func() error // gives back what the calls hold
}

func (c *calls) engines() []string { return c.order }

func (c *calls) close() error {
	var failed []error
	for _, give := range c.held {
		failed = append(failed, give())
	}
	return errors.Join(append(failed, c.src.Close())...)
}

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
	if err := c.prepare(ctx, folder); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

func (c *calls) prepare(ctx context.Context, folder string) error {
	rows, err := c.readRows(folder)
	if err != nil {
		return err
	}
	view := source.ViewOf(c.src)
	if c.pattern.Column != "" {
		view = view.Select(c.pattern.Column)
	}
	switch c.pattern.Kind {
	case "reduce":
		err = c.reduce()
	case "query", "derive", "expr":
		err = c.compute(ctx)
	default:
		err = c.read(ctx, view, rows.selection)
	}
	if err != nil {
		return err
	}
	return c.limits(rows.numbers)
}

// chosen is the rows that a pattern selects.
type chosen struct {
	numbers   []int64                 // if they are numbers
	selection func() source.Selection // makes a selection of them, which is a part of the call
}

func (c *calls) readRows(folder string) (chosen, error) {
	p := c.pattern
	kind := p.Kind
	switch {
	case kind == "slice":
		begin := c.rows / 4
		return chosen{selection: func() source.Selection { return source.Slice(begin, begin+c.rows/2) }}, nil
	case kind == "strided":
		return chosen{selection: func() source.Selection { return source.All().By(int64(p.Step)) }}, nil
	case p.Percent == 0:
		return chosen{selection: source.All}, nil
	case kind == "mask":
		data, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("mask%d.mask", p.Percent)))
		if err != nil {
			return chosen{}, err
		}
		keep := room.Make[bool](len(data))
		for i, b := range data {
			keep[i] = b != 0
		}
		return chosen{selection: func() source.Selection { return source.Mask(keep) }}, nil
	case kind != "random":
		kind = "sorted"
	}
	data, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("%s%d.rows", kind, p.Percent)))
	if err != nil {
		return chosen{}, err
	}
	rows := room.Make[int64](len(data) / 8)
	if _, err := binary.Decode(data, binary.LittleEndian, rows); err != nil {
		return chosen{}, err
	}
	return chosen{rows, func() source.Selection { return source.Rows(rows...) }}, nil
}

// read adds the calls that read the selected rows of a view.
func (c *calls) read(ctx context.Context, v *source.View, selection func() source.Selection) error {
	open, err := v.Prepare(ctx)
	if err != nil {
		return err
	}
	c.held = append(c.held, open.Close)
	if c.pattern.Kind == "records" {
		c.both("fresh", func(ctx context.Context, _ int) (output, error) {
			return packed(open.Pick(selection()).Records(ctx))
		})
		var again source.Records
		c.both("into", func(ctx context.Context, _ int) (output, error) {
			return packed(&again, open.Pick(selection()).RecordsInto(ctx, &again))
		})
		return nil
	}
	c.both("fresh", func(ctx context.Context, _ int) (output, error) {
		return collected(open.Pick(selection()).Collect(ctx))
	})
	picked := open.Pick(selection())
	dst := columnsOf(picked.Schema(), int(picked.Rows()))
	c.both("into", func(ctx context.Context, _ int) (output, error) {
		_, err := open.Pick(selection()).CollectInto(ctx, dst...)
		return output{columns: dst}, err
	})
	return nil
}

// packed returns records as a column of bytes.
func packed(r *source.Records, err error) (output, error) {
	if err != nil {
		return output{}, err
	}
	return output{columns: []colstore.Column{colstore.Wrap(r.Data)}}, nil
}

// touched returns memory that was written before, on huge pages if it is large: where NumPy's arrays and ours lie.
func touched(n int) []byte {
	b := room.Get(n)
	clear(b)
	return b
}

// columnsOf returns memory for so many rows of a schema, in native byte order.
func columnsOf(s *colstore.Schema, rows int) []colstore.Column {
	var out []colstore.Column
	for _, f := range s.All() {
		size := f.Type.Size()
		data, _, _ := colstore.Wrap(touched(rows * size)).Raw()
		out = append(out, colstore.RawColumn(f.Type.Native(), rows, size, data))
	}
	return out
}

// collected returns the columns of a batch of the caller's own.
func collected(b *colstore.Batch, err error) (output, error) {
	if err != nil {
		return output{}, err
	}
	o := output{batch: b}
	for i := range b.Schema().Len() {
		o.columns = append(o.columns, b.At(i))
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
		// A run gives back the pages of the mapping that are beyond its budget, and touches them anew each time.
		reduce := func() ([]ops.Result, error) { return f.Reduce(ctx, agg) }
		if threads > 1 {
			reduce = func() ([]ops.Result, error) {
				return runtime.Reduce(ctx, f, &runtime.Options{Workers: threads}, agg)
			}
		}
		r, err := reduce()
		if err != nil {
			return output{}, err
		}
		return output{columns: []colstore.Column{colstore.Wrap([]float64{r[0].Float()})}}, nil
	})
	return nil
}

func (c *calls) compute(ctx context.Context) error {
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
	ready, err := f.Prepare(ctx, nil)
	if err != nil {
		return err
	}
	c.held = append(c.held, ready.Close)
	rows, err := f.Count(ctx)
	if err != nil {
		return err
	}
	dst := columnsOf(ready.Schema(), int(rows))
	c.both("into", func(ctx context.Context, _ int) (output, error) {
		_, err := ready.Into(ctx, dst...)
		return output{columns: dst}, err
	})
	return nil
}
