package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/text"
)

// valueName is the column that eval computes.
const valueName = "\xffvalue"

func (a *app) eval() *cobra.Command {
	in, steps, params := &inputFlags{}, &stepsFlag{}, &paramFlag{}
	as, limit := "", limitValue{}
	c := &cobra.Command{
		Use:   "eval FILE EXPR",
		Short: "The value of an expression in every row",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			e, err := frame.Parse(args[1], params.values)
			if err != nil {
				return err
			}
			f, err := steps.frame()
			if err != nil {
				return err
			}
			if as != "" {
				t, err := colstore.ParseDType(as)
				if err != nil {
					return usageError{fmt.Errorf("--as: %w", err)}
				}
				e = e.Cast(t)
			}
			name := valueName
			if a.explaining {
				name = "value" // is shown
			}
			f = limit.limit(f.Assign(name, e).Select(name))
			opened, err := a.open(cmd.Context(), cmd, in, args[:1], f)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, opened.Close()) }()
			if a.explaining {
				return a.explain(cmd.Context(), opened.Frame(0), false)
			}
			o, err := in.options()
			if err != nil {
				return err
			}
			return a.printValues(cmd.Context(), selection{opened.Frame(0), o})
		},
	}
	in.register(c)
	steps.whereFlags(c.Flags(), params)
	c.Flags().StringVar(&as, "as", "", "cast the value to a dtype")
	c.Flags().Var(&limit, "limit", "at most this many rows")
	a.explainFlag(c)
	a.jsonFlag(c, `{"dtype": …, "values": […]}`)
	return c
}

// printValues prints a frame of one column: a value a line, or as JSON.
func (a *app) printValues(ctx context.Context, rows selection) error {
	schema, err := rows.f.Schema()
	if err != nil {
		return err
	}
	t := schema.Field(0).Type
	w, flush := a.buffered()
	if a.asJSON {
		key := "values"
		if t.Kind() == colstore.KindBytes {
			key = "bytes_base64"
		}
		_, _ = fmt.Fprintf(w, `{"dtype": "%s", "%s": [`, t, key)
	}
	n := 0
	var buf []byte
	err = rows.each(ctx, func(b *colstore.Batch) error {
		for i := range b.Rows() {
			buf = buf[:0]
			switch {
			case a.asJSON:
				if n > 0 {
					buf = append(buf, ", "...)
				}
				buf = text.AppendJSON(buf, b.At(0), i, text.JSONStyle{WideAsText: true, Base64: true})
			default:
				buf = append(text.AppendPlain(buf, b.At(0), i), '\n')
			}
			n++
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && a.asJSON {
		_, _ = fmt.Fprintln(w, "]}")
	}
	return errors.Join(err, flush())
}
