package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/plot"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/runtime"
)

// The columns that hist computes.
const (
	histX      = "\xffx"
	histY      = "\xffy"
	histWeight = "\xffweight"
)

// histFlags are the flags of hist.
type histFlags struct {
	bins, ranges, weight, out string
	overwrite                 bool
	lock                      lockFlag
}

func (a *app) hist() *cobra.Command {
	in, steps, params, h := &inputFlags{}, &stepsFlag{}, &paramFlag{}, &histFlags{}
	c := &cobra.Command{
		Use:   "hist FILE EXPR [EXPR2]",
		Short: "A histogram of an expression, or of two, as bars, picture, ROOT file or JSON",
		Long: `Count the values of an expression in bins of equal width, or the pairs of values of two.

  colstore hist muons.cstore pt --bins 40 --range 0,100
  colstore hist muons.cstore pt eta --weight w -o pt-eta.svg`,
		Args: cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			format, err := h.format()
			if err != nil {
				return err
			}
			bins, ranges, err := h.axes(len(args) - 1)
			if err != nil {
				return err
			}
			f, err := steps.frame()
			if err != nil {
				return err
			}
			f, labels, err := h.columns(f, args[1:], params.values)
			if err != nil {
				return err
			}
			opened, err := a.open(cmd.Context(), cmd, in, args[:1], f)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, opened.Close()) }()
			o, err := in.options()
			if err != nil {
				return err
			}
			hist, err := h.fill(cmd.Context(), opened.Frame(0), o, bins, ranges, labels)
			if err != nil {
				return err
			}
			if h.out != "" {
				if err := a.writeHist(h, format, hist, labels); err != nil {
					return err
				}
			}
			switch {
			case a.asJSON:
				_, err = a.out.Write(plot.JSON(hist))
			case h.out == "":
				_, err = fmt.Fprint(a.out, strings.Map(printableLine, plot.Text(hist, labels, a.width())))
			}
			return err
		},
	}
	in.register(c)
	steps.whereFlags(c.Flags(), params)
	s := c.Flags()
	s.StringVar(&h.bins, "bins", "50", "the number of bins; of two expressions N or NX,NY")
	s.StringVar(&h.ranges, "range", "", "from A to B: A,B, of two expressions A,B,C,D; a further pass finds the least and greatest value without it")
	s.StringVar(&h.weight, "weight", "", "add up an expression instead of counting rows")
	s.StringVarP(&h.out, "output", "o", "", "a file instead of bars: .svg, .png, .pdf, .root, .json")
	s.BoolVar(&h.overwrite, "overwrite", false, "replace an existing output")
	h.lock.register(s)
	a.jsonFlag(c, `{"edges": […], "counts": […], "sumw2": […], "underflow": …, "overflow": …, "entries": …, "nan": …}`)
	return c
}

// printableLine is printable, but for the ends of lines.
func printableLine(r rune) rune {
	if r == '\n' {
		return r
	}
	return printable(r)
}

// format returns what the extension of the output says.
func (h *histFlags) format() (string, error) {
	if h.out == "" {
		return "", nil
	}
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(h.out), "."))
	for _, f := range plot.Formats() {
		if f == ext {
			return f, nil
		}
	}
	return "", usagef("-o %q; the extension is one of %s", h.out, strings.Join(plot.Formats(), ", "))
}

// axes returns the bins of each axis, and its range if one was given.
func (h *histFlags) axes(n int) (bins []int, ranges []float64, err error) {
	for part := range strings.SplitSeq(h.bins, ",") {
		v, err := colstore.ParseCount(strings.TrimSpace(part))
		if err != nil || v < 1 || v > ops.MaxCells {
			return nil, nil, usagef("--bins %q: not a number from 1 to %d", h.bins, ops.MaxCells)
		}
		bins = append(bins, int(v))
	}
	if len(bins) == 1 && n == 2 {
		bins = append(bins, bins[0])
	}
	if len(bins) != n {
		return nil, nil, usagef("--bins %q: %d numbers for %d axes", h.bins, len(bins), n)
	}
	if h.ranges == "" {
		return bins, nil, nil
	}
	for part := range strings.SplitSeq(h.ranges, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, nil, usagef("--range %q: %q is no number", h.ranges, part)
		}
		ranges = append(ranges, v)
	}
	if len(ranges) != 2*n {
		return nil, nil, usagef("--range %q: %d numbers where two for each axis are needed, %d", h.ranges, len(ranges), 2*n)
	}
	for i := range n {
		if err := (ops.Axis{Bins: bins[i], Low: ranges[2*i], High: ranges[2*i+1]}).Validate(); err != nil {
			return nil, nil, usageError{fmt.Errorf("--range: %w", err)}
		}
	}
	return bins, ranges, nil
}

// columns adds the columns of the expressions.
func (h *histFlags) columns(f *frame.Frame, exprs []string, p frame.Params) (*frame.Frame, plot.Labels, error) {
	labels := plot.Labels{X: exprs[0], Weight: h.weight}
	texts := map[string]string{histX: exprs[0]}
	names := []string{histX}
	if len(exprs) == 2 {
		labels.Y, texts[histY] = exprs[1], exprs[1]
		names = append(names, histY)
	}
	if h.weight != "" {
		texts[histWeight] = h.weight
		names = append(names, histWeight)
	}
	for _, name := range names {
		e, err := frame.Parse(texts[name], p)
		if err != nil {
			return nil, labels, err
		}
		f = f.Assign(name, e)
	}
	return f.Select(names...), labels, nil
}

// fill makes the histogram.
func (h *histFlags) fill(ctx context.Context, f *frame.Frame, o *runtime.Options, bins []int, ranges []float64, l plot.Labels) (*ops.Hist, error) {
	names := []string{histX, histY}[:len(bins)]
	axes := make([]ops.Axis, len(bins))
	if ranges == nil {
		var ends []ops.Agg
		for _, n := range names {
			ends = append(ends, ops.FiniteMin(n), ops.FiniteMax(n))
		}
		found, err := runtime.Reduce(ctx, f, o, ends...)
		if err != nil {
			return nil, named(err, l)
		}
		for i, n := range bins {
			axes[i] = ops.AxisAround(n, found[2*i].Float(), found[2*i+1].Float())
			if err := axes[i].Validate(); err != nil { // it depends on the data
				return nil, named(&colstore.Error{Column: names[i], Err: dataError{fmt.Errorf("%w; give a --range", err)}}, l)
			}
		}
	} else {
		for i, n := range bins {
			axes[i] = ops.Axis{Bins: n, Low: ranges[2*i], High: ranges[2*i+1]}
		}
	}
	ho := &ops.HistOptions{}
	if h.weight != "" {
		ho.Weight = histWeight
	}
	agg := ops.Hist1D(histX, axes[0], ho)
	if len(axes) == 2 {
		agg = ops.Hist2D(histX, histY, axes[0], axes[1], ho)
	}
	got, err := runtime.Reduce(ctx, f, o, agg)
	if err != nil {
		return nil, named(err, l)
	}
	return got[0].Hist, nil
}

// named puts the expressions in the place of the columns that are made of them.
func named(err error, l plot.Labels) error {
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok {
		return err
	}
	c := *e
	c.Column = strings.NewReplacer(histX, l.X, histY, l.Y, histWeight, l.Weight).Replace(c.Column)
	return &c
}

// writeHist makes the output, whole or not at all.
func (a *app) writeHist(h *histFlags, format string, hist *ops.Hist, l plot.Labels) (err error) {
	data, err := plot.Encode(format, hist, l)
	if err != nil {
		return &colstore.Error{Op: "plot", Path: h.out, Err: err}
	}
	s, err := fsx.Stage(fsx.OS, h.out, fsx.StageOptions{Replace: h.overwrite, Lock: h.lock.policy})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Abort()) }()
	a.warn(s.Warnings()...)
	if _, err := s.Write(data); err != nil {
		return &colstore.Error{Op: "write", Path: h.out, Err: fsx.Bare(err)}
	}
	return s.Commit()
}
