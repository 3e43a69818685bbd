package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/runtime"
)

// queryFlags are the flags of query beside those of its input.
type queryFlags struct {
	in       inputFlags
	params   paramFlag
	count    bool
	rowsOnly bool
	limit    limitValue
	out      rowsOutput
}

func (a *app) query() *cobra.Command {
	f := &queryFlags{}
	c := &cobra.Command{
		Use:   "query FILE EXPR",
		Short: "The rows for which an expression is true",
		Long: `Show the rows for which an expression is true, count them, or write them to a file.

  colstore query flights.cstore "dep_delay > 60 and carrier == 'UA'"
  colstore query flights.cstore 'dep_delay > @limit' -p limit=60 -o late.parquet`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runQuery(cmd, f, args[0], args[1]) },
	}
	f.in.register(c)
	s := c.Flags()
	paramsFlag(s, &f.params)
	s.BoolVar(&f.count, "count", false, "only the number of rows")
	s.BoolVar(&f.rowsOnly, "rows-only", false, "only the numbers of the rows")
	s.Var(&f.limit, "limit", "at most this many rows")
	f.out.register(s)
	a.explainFlag(c)
	a.jsonFlag(c, "the result as JSON")
	return c
}

func (a *app) runQuery(cmd *cobra.Command, f *queryFlags, file, expr string) (err error) {
	ctx := cmd.Context()
	if count(f.count, f.rowsOnly, f.out.path != "") > 1 {
		return usagef("--count, --rows-only and -o exclude each other")
	}
	e, err := frame.Parse(expr, f.params.values)
	if err != nil {
		return err
	}
	steps := frame.New().Where(e)
	if !f.count && !f.rowsOnly {
		if steps, err = f.in.selected(cmd, []string{file}, steps); err != nil {
			return err
		}
	}
	if f.out.path == "" && !f.count && !f.rowsOnly && !a.asJSON && !a.explaining {
		n := 10
		if f.limit.rows != nil {
			n = int(*f.limit.rows)
		}
		rows, err := a.pick(cmd, &f.in, []string{file}, steps, n, false)
		if err != nil {
			return err
		}
		return a.show(rows, titleOf([]string{file}), false)
	}
	switch {
	case f.count:
		steps = steps.Select()
	case f.rowsOnly:
		steps = steps.Assign(rowNumber, frame.Row()).Select(rowNumber)
	}
	opened, err := a.open(ctx, cmd, &f.in, []string{file}, f.limit.limit(steps))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	if a.explaining {
		return a.explain(ctx, opened.Frame(0), false)
	}
	o, err := f.in.options()
	if err != nil {
		return err
	}
	rows := selection{opened.Frame(0), o}
	switch {
	case f.count:
		return a.printCount(ctx, rows)
	case f.rowsOnly:
		return a.printNumbers(ctx, rows)
	case f.out.path != "":
		return f.out.write(ctx, a, &f.in, rows)
	default:
		return a.printObjects(ctx, rows)
	}
}

// selection is the rows of a frame, and with what they are read.
type selection struct {
	f *frame.Frame
	o *runtime.Options
}

// each calls use with the rows, batch by batch, under a fault guard.
func (l selection) each(ctx context.Context, use func(*colstore.Batch) error) error {
	for b, err := range runtime.Batches(ctx, l.f, l.o) {
		if err != nil {
			return err
		}
		if err := fault.Guard(func() error { return use(b) }); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printCount(ctx context.Context, rows selection) error {
	n := int64(0)
	if err := rows.each(ctx, func(b *colstore.Batch) error {
		n += int64(b.Rows())
		return nil
	}); err != nil {
		return err
	}
	if a.asJSON {
		return a.writeJSON(map[string]int64{"rows": n})
	}
	_, err := fmt.Fprintln(a.out, n)
	return err
}

func (a *app) printNumbers(ctx context.Context, rows selection) error {
	w, flush := a.buffered()
	n := 0
	separator := "\n"
	if a.asJSON {
		separator = ", "
	}
	var list []byte
	err := rows.each(ctx, func(b *colstore.Batch) error {
		numbers, err := colstore.Values[int64](b.At(0))
		if err != nil {
			return err
		}
		for _, v := range numbers {
			if n > 0 {
				list = append(list, separator...)
			}
			list = strconv.AppendInt(list, v, 10)
			n++
			if !a.asJSON && len(list) > 1<<15 {
				if _, err := w.Write(list); err != nil {
					return err
				}
				list = list[:0]
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if a.asJSON {
		_, _ = fmt.Fprintf(w, "{\"rows\": %d, \"index\": [%s]}\n", n, list)
		return flush()
	}
	if n > 0 {
		list = append(list, '\n')
	}
	if _, err := w.Write(list); err != nil {
		return err
	}
	return flush()
}

// printObjects prints rows as a list of JSON objects.
func (a *app) printObjects(ctx context.Context, rows selection) error {
	schema, err := rows.f.Schema()
	if err != nil {
		return err
	}
	w, flush := a.buffered()
	out := &jsonRows{w: w, list: true, names: quotedNames(schema)}
	if err := rows.each(ctx, func(b *colstore.Batch) error { return out.Write(ctx, b) }); err != nil {
		return errors.Join(err, flush())
	}
	return errors.Join(out.Commit(ctx), flush())
}
