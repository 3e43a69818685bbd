package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/fsx"
)

// head is the command head, or tail.
func (a *app) head(which string) *cobra.Command {
	in, steps, params := &inputFlags{}, &stepsFlag{}, &paramFlag{}
	n, asHTML := 10, false
	short := "The first rows of a file, as a table"
	if which == "tail" {
		short = "The last rows of a file, as a table"
	}
	c := &cobra.Command{
		Use:   which + " FILE...",
		Short: short,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := steps.frame()
			if err != nil {
				return err
			}
			if f, err = in.selected(cmd, f); err != nil {
				return err
			}
			rows, err := a.pick(cmd, in, args, f, n, which == "tail")
			if err != nil {
				return err
			}
			return a.show(rows, titleOf(args), asHTML)
		},
	}
	in.register(c)
	c.Flags().IntVarP(&n, "rows", "n", n, "how many rows")
	steps.whereFlags(c.Flags(), params)
	c.Flags().BoolVar(&asHTML, "html", false, "as an HTML table")
	a.jsonFlag(c, "a JSON list of objects")
	return c
}

// titleOf names what a preview shows.
func titleOf(args []string) string {
	if len(args) == 1 {
		file, _ := fsx.Inside(args[0])
		return filepath.Base(file) + args[0][len(file):]
	}
	return fmt.Sprintf("%d files", len(args))
}

// rowNumber is the name of the column that carries the rows' numbers through a frame. It is no name that a file can have:
// names are UTF-8.
const rowNumber = "\xffrow"

// picked is some rows and their numbers in the source.
type picked struct {
	rows    *colstore.Batch
	numbers []int64
}

// pick returns the first or the last n rows that survive a frame.
func (a *app) pick(cmd *cobra.Command, in *inputFlags, args []string, f *frame.Frame, n int, last bool) (_ *picked, err error) {
	ctx := cmd.Context()
	opened, err := a.open(ctx, cmd, in, args, f)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	o, err := in.options()
	if err != nil {
		return nil, err
	}
	f = opened.Frame(0)
	schema, err := f.Schema()
	if err != nil {
		return nil, err
	}
	p, err := f.Assign(rowNumber, frame.Row()).Bind(opened.Source().Schema())
	if err != nil {
		return nil, err
	}
	// A preview should not decode much more than it shows.
	scan := colstore.Scan{Columns: p.Inputs(), Skip: p.Skipper(0), BatchRows: max(o.BatchRows, min(n, 1<<16), 1<<12)}
	if total := opened.Source().Rows(); last && !p.HasCuts() && total > int64(n) {
		scan.Rows = colstore.Range{Begin: total - int64(n), End: total}
	}
	var kept []*colstore.Batch
	if n > 0 {
		if kept, err = firstOrLast(ctx, opened.Source(), p, scan, n, last); err != nil {
			return nil, err
		}
	}
	return numbered(p.Schema(), schema, kept)
}

// firstOrLast returns the first or the last n rows that survive a program, in copies.
func firstOrLast(ctx context.Context, src colstore.Source, p *frame.Program, scan colstore.Scan, n int, last bool) ([]*colstore.Batch, error) {
	var kept []*colstore.Batch
	rows := 0
	for in, err := range src.Scan(ctx, scan) {
		if err != nil {
			return nil, err
		}
		var part *colstore.Batch
		if err := fault.Guard(func() error {
			b, err := p.Eval(ctx, in, nil, nil)
			if err != nil {
				return err
			}
			defer b.Release()
			if last {
				part = b.Slice(max(0, b.Rows()-n), b.Rows()).Detach()
			} else {
				part = b.Slice(0, min(b.Rows(), n-rows)).Detach()
			}
			return nil
		}); err != nil {
			return nil, err
		}
		kept = append(kept, part)
		rows += part.Rows()
		if !last && rows == n {
			break
		}
		for last && rows-kept[0].Rows() >= n {
			rows -= kept[0].Rows()
			kept = kept[1:]
		}
	}
	if extra := rows - n; last && extra > 0 {
		kept[0] = kept[0].Slice(extra, kept[0].Rows())
	}
	return kept, nil
}

// numbered takes the column of row numbers, the last one, off rows.
func numbered(with, without *colstore.Schema, parts []*colstore.Batch) (*picked, error) {
	all, err := colstore.Stack(with, parts...)
	if err != nil {
		return nil, err
	}
	cols := make([]colstore.Column, without.Len())
	for i := range cols {
		cols[i] = all.At(i)
	}
	numbers, err := colstore.CopyOf[int64](all.At(len(cols)))
	if err != nil {
		return nil, err
	}
	b, err := colstore.NewOwnedBatch(without, colstore.Range{Begin: 0, End: int64(all.Rows())}, nil, cols...)
	return &picked{b, numbers}, err
}

// show prints picked rows as a table, as HTML or as JSON objects.
func (a *app) show(p *picked, title string, asHTML bool) error {
	if a.asJSON {
		names := quotedNames(p.rows.Schema())
		out := []byte{'['}
		for i := range p.rows.Rows() {
			if i > 0 {
				out = append(out, ",\n "...)
			}
			out = appendObject(out, names, p.rows, i)
		}
		_, err := a.out.Write(append(out, "]\n"...))
		return err
	}
	view := frame.NewPreview(strings.Map(printable, title), p.rows, p.numbers, frame.PreviewOptions{})
	if asHTML {
		_, err := fmt.Fprint(a.out, view.HTML())
		return err
	}
	_, err := fmt.Fprintln(a.out, view.Text(a.width()))
	return err
}
