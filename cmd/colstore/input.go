package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// inputFlags are the flags of every command that reads a file.
type inputFlags struct {
	noGlob     bool
	columns    string
	selecting  bool // columns are a step of the frame
	dtypes     pairFlag
	opts       pairFlag
	nulls      nullFlag
	jagged     string
	mismatch   string
	delimiter  string
	noHeader   bool
	missing    string
	quote      string
	skip       string
	member     string
	tree       string
	orient     string
	batchSize  string
	maxWorkers string
	paths      string // the column of the files' paths
	hive       bool
}

// register adds the flags to a command.
func (f *inputFlags) register(c *cobra.Command) {
	s := c.Flags()
	s.BoolVar(&f.noGlob, "no-glob", false, "take * ? [ in paths for plain characters")
	s.StringVar(&f.columns, "columns", "", "only these columns, in this order: A,B")
	s.Var(&f.dtypes, "dtype", "give a column another dtype while reading: NAME=DTYPE (repeatable)")
	s.Var(&f.nulls, "nulls", "nulls of typed formats: error (default), fill, mask, or NAME=VALUE (repeatable)")
	s.StringVar(&f.jagged, "jagged", "", "lists, arrays and structures: error (default), skip, explode, pad=N")
	s.StringVar(&f.mismatch, "on-mismatch", "strict", "several files with different columns: strict, drop or union")
	s.StringVar(&f.paths, "source-column", "", "add a column of this name with the path of the file that a row is from")
	s.BoolVar(&f.hive, "hive", false, "folders called NAME=VALUE are columns; a folder is read with all that is below it")
	s.StringVar(&f.delimiter, "delimiter", "", "CSV: the character between cells")
	s.BoolVar(&f.noHeader, "no-header", false, "CSV: the first line is data")
	s.StringVar(&f.missing, "missing", "", "CSV: spellings of a missing value beside the empty cell: NA,-")
	s.StringVar(&f.quote, "quote", "", "CSV: the character that encloses cells")
	s.StringVar(&f.skip, "skip", "", "CSV: lines before the header")
	s.StringVar(&f.member, "member", "", "NPZ: the one array to read")
	s.StringVar(&f.tree, "tree", "", "ROOT: the tree to read or write: NAME, DIR/NAME, NAME;CYCLE")
	s.StringVar(&f.orient, "orient", "", "JSON: how the table is laid out: records, columns, split, index, values, table; IN:OUT for an input and an output")
	s.Var(&f.opts, "opt", "an option of the format by its name, see colstore formats NAME: NAME=VALUE (repeatable)")
	s.StringVar(&f.batchSize, "batch-size", "", "memory of the run (64 MiB), or rows of a batch (100_000)")
	s.StringVar(&f.maxWorkers, "max-workers", "auto", "files and batches at once: a number or auto")
}

// input returns the flags as a pipeline's input.
func (f *inputFlags) input(c *cobra.Command, paths []string) (pipeline.Input, error) {
	in := pipeline.Input{
		Paths: paths, NoGlob: f.noGlob, Options: map[string]any{}, Mismatch: f.mismatch,
		NullMode: f.nulls.mode, NullValue: f.nulls.values, Jagged: f.jagged,
		SourceColumn: f.paths, Hive: f.hive,
	}
	if c.Flags().Changed("source-column") && f.paths == "" {
		return in, usagef("--source-column needs a name")
	}
	if c.Flags().Changed("delimiter") && f.delimiter == "" {
		return in, usagef("--delimiter needs a character")
	}
	if f.jagged != "" {
		if _, err := source.ParseJagged(f.jagged); err != nil {
			return in, usagef("--jagged %q; there is error, skip, explode, pad=N with N from 1 to %d", f.jagged, source.MaxJagged)
		}
	}
	if _, err := source.ParseMismatch(f.mismatch); err != nil {
		return in, usagef("--on-mismatch %q; there is strict, drop, union", f.mismatch)
	}
	if !f.selecting {
		names, err := f.columnNames(c)
		if err != nil {
			return in, err
		}
		in.Columns = names
	}
	for name, code := range f.dtypes.all() {
		t, err := colstore.ParseDType(code)
		if err != nil {
			return in, usageError{fmt.Errorf("--dtype %s: %w", name, err)}
		}
		if in.DTypes == nil {
			in.DTypes = map[string]colstore.DType{}
		}
		in.DTypes[name] = t
	}
	if f.delimiter != "" {
		in.Options["delimiter"] = unescape(f.delimiter)
	}
	if f.noHeader {
		in.Options["header"] = false
	}
	if c.Flags().Changed("missing") {
		in.Options["missing"] = f.missing
	}
	if c.Flags().Changed("quote") {
		in.Options["quote"] = f.quote
	}
	if f.member != "" {
		in.Options["member"] = f.member
	}
	if f.tree != "" {
		in.Options["tree"] = f.tree
	}
	o, paired := parseOrients(f.orient)
	if paired && c.Flags().Lookup("overwrite") == nil {
		return in, usagef("--orient %s: %s writes no file, so there is only the orient of the input", f.orient, c.Name())
	}
	if o.in != "" {
		in.Options["orient"] = o.in
	}
	if f.skip != "" {
		in.Options["skip"] = f.skip
	}
	for name, value := range f.opts.all() {
		in.Options[name] = value
	}
	return in, nil
}

// columnNames returns what --columns says; nil is all.
func (f *inputFlags) columnNames(c *cobra.Command) ([]string, error) {
	names := splitNames(f.columns)
	if c.Flags().Changed("columns") && len(names) == 0 {
		return nil, usagef("--columns names no column")
	}
	return names, nil
}

// selected makes --columns the last step, so that the steps before may use all columns. What comes along with a column
// that is read comes along here too: the mask of its nulls, and the paths of the files.
func (f *inputFlags) selected(c *cobra.Command, paths []string, steps *frame.Frame) (*frame.Frame, error) {
	names, err := f.columnNames(c)
	if err != nil || names == nil {
		return steps, err
	}
	f.selecting = true
	if f.nulls.mode == "mask" {
		if names, err = f.along(c, paths, names); err != nil {
			return nil, err
		}
	} else if f.paths != "" && !slices.Contains(names, f.paths) {
		names = append(names, f.paths)
	}
	return steps.Select(names...), nil
}

// along returns columns of files and those that come along with them.
func (f *inputFlags) along(c *cobra.Command, paths, names []string) ([]string, error) {
	in, err := f.input(c, paths)
	if err != nil {
		return nil, err
	}
	in.Columns = names
	other := func(name string) bool { return !slices.Contains(names, name) }
	in.DTypes, in.NullValue = maps.Clone(in.DTypes), maps.Clone(in.NullValue)
	maps.DeleteFunc(in.DTypes, func(name string, _ colstore.DType) bool { return other(name) })
	maps.DeleteFunc(in.NullValue, func(name, _ string) bool { return other(name) })
	opened, err := runtime.Open(c.Context(), in, pipeline.Limits{})
	if err != nil {
		return nil, err
	}
	return opened.Names(), opened.Close()
}

// unescape lets a tab be typed.
func unescape(s string) string { return strings.ReplaceAll(s, `\t`, "\t") }

func splitNames(s string) []string {
	var out []string
	for n := range strings.SplitSeq(s, ",") {
		if n = strings.TrimSpace(n); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// options returns the budget and the workers.
func (f *inputFlags) options() (*runtime.Options, error) {
	o := &runtime.Options{}
	if f.batchSize != "" {
		if n, err := colstore.ParseCount(f.batchSize); err == nil {
			if n < 1 || n > 1<<31 {
				return nil, usagef("--batch-size %q is no number of rows", f.batchSize)
			}
			o.BatchRows = int(n)
		} else if o.Budget, err = colstore.ParseByteSize(f.batchSize); err != nil {
			return nil, usageError{fmt.Errorf("--batch-size: %w", err)}
		}
		fitHeap(o.Budget, o.BatchRows)
	}
	if f.maxWorkers != "auto" {
		n, err := colstore.ParseCount(f.maxWorkers)
		if err != nil || n > 1<<16 {
			return nil, usagef("--max-workers %q is neither a number nor auto", f.maxWorkers)
		}
		if n < 1 {
			return nil, dataError{fmt.Errorf("%w: --max-workers is at least 1", colstore.ErrValue)}
		}
		o.Workers = int(n)
	}
	return o, nil
}

// open opens files as one table for a frame that starts from its columns.
func (a *app) open(ctx context.Context, c *cobra.Command, f *inputFlags, paths []string, steps *frame.Frame) (*runtime.Input, error) {
	if err := steps.Err(); err != nil {
		return nil, err
	}
	in, err := f.input(c, paths)
	if err != nil {
		return nil, err
	}
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	opened, err := runtime.Open(ctx, in, pipeline.Limits{Workers: o.Workers}, steps)
	if err != nil {
		return nil, err
	}
	a.warn(opened.Warnings()...)
	return opened, nil
}

// pairFlag collects NAME=VALUE in the order written.
type pairFlag struct{ names, values []string }

func (*pairFlag) Type() string   { return "NAME=VALUE" }
func (*pairFlag) String() string { return "" }

// Set implements pflag.Value.
func (p *pairFlag) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("%q is not NAME=VALUE", s)
	}
	p.names, p.values = append(p.names, name), append(p.values, value)
	return nil
}

// all returns the pairs; of a name given twice the last one counts.
func (p *pairFlag) all() map[string]string {
	out := map[string]string{}
	for i, n := range p.names {
		out[n] = p.values[i]
	}
	return out
}

// nullFlag collects --nulls.
type nullFlag struct {
	mode   string
	values map[string]string
}

func (*nullFlag) Type() string   { return "error|fill|mask|NAME=VALUE" }
func (*nullFlag) String() string { return "" }

// Set implements pflag.Value.
func (n *nullFlag) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if ok {
		if n.values == nil {
			n.values = map[string]string{}
		}
		n.values[name] = value
		return nil
	}
	switch s {
	case "error", "fill", "mask":
		n.mode = s
		return nil
	}
	return fmt.Errorf("%q is none of error, fill, mask, NAME=VALUE", s)
}
