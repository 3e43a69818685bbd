package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
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
			if n < 0 {
				return usagef("-n %d is negative", n)
			}
			f, err := steps.frame()
			if err != nil {
				return err
			}
			if f, err = in.selected(cmd, args, f); err != nil {
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
	o, err := in.options()
	if err != nil {
		return nil, err
	}
	opened, err := a.open(ctx, cmd, in, args, f)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	batch := o.BatchRows
	if o.Budget > 0 {
		batch = int(max(1, min(1<<16, int64(o.Budget)/int64(max(1, opened.Source().Schema().RowBytes())))))
	}
	if s, err := opened.Frame(0).Schema(); err == nil { // else what follows tells
		a.warn(largePreview(n, opened.Source().Rows(), s.RowBytes())...)
	}
	p := &picked{}
	p.rows, p.numbers, err = opened.Frame(0).Ends(ctx, n, last, batch)
	return p, err
}

// previewBytes is from what size of its values on a preview is worth a warning.
const previewBytes = 256 * colstore.MiB

// largePreview warns of a preview of n rows, of so many that there are, -1 if that is not known, which is built in memory.
func largePreview(n int, rows int64, rowBytes int) []string {
	shown := int64(n)
	if rows >= 0 {
		shown = min(shown, rows)
	}
	if rowBytes <= 0 || shown <= int64(previewBytes)/int64(rowBytes) {
		return nil
	}
	return []string{fmt.Sprintf("a preview of up to %d rows of %d bytes is built in memory, beyond %s; fewer rows (-n) or columns take less, and cat prints rows as they are read",
		shown, rowBytes, previewBytes)}
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
