package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// appendFlags are the flags of append beside those of its input.
type appendFlags struct {
	in        inputFlags
	steps     stepsFlag
	params    paramFlag
	name      string
	shardSize string
	stats     bool
	lock      lockFlag
	dryRun    bool
}

func (a *app) append() *cobra.Command {
	f := &appendFlags{}
	c := &cobra.Command{
		Use:   "append DIR SOURCE...",
		Short: "Add shards to a folder",
		Long: `Add the rows of files to a folder of shards, which is one table. The folder is made if it is missing.

  colstore append trades/ jan.csv feb.csv            a shard for each file
  colstore append trades/ 'new/*.csv' --shard-size 256MiB
                                                     shards of one size from all rows
  colstore append trades/ mar.cstore                 the file itself, copied byte for byte

Columns have the names, the order and the dtypes of the folder's first shard. All shards appear when all of them are
complete; if anything fails, none does. Steps (--where, --assign, --rename-column, --drop) apply in the order written.`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runAppend(cmd, f, args[0], args[1:]) },
	}
	s := c.Flags()
	s.StringVar(&f.name, "name", cstore.DefaultShardName, "the shards' names; {index} is the next free number")
	s.StringVar(&f.shardSize, "shard-size", "", "rows (100_000) or size (256 MiB) of each shard, instead of one shard a source")
	s.BoolVar(&f.stats, "statistics", false, "append the bounds of every column to each shard, by which later filtered reads skip")
	f.in.register(c)
	f.steps.params = &f.params
	f.steps.register(s)
	s.VarP(&f.params, "param", "p", "value of @NAME in expressions: NAME=VALUE, NAME:=JSON, NAME=DTYPE:VALUE")
	f.lock.register(s)
	s.BoolVar(&f.dryRun, "dry-run", false, "check and show what would be done, write nothing")
	a.jsonFlag(c, "the result as JSON")
	return c
}

// options returns how the folder grows.
func (f *appendFlags) options() (*cstore.AppendOptions, error) {
	o := &cstore.AppendOptions{Name: f.name, Split: true, Stats: f.stats, Lock: f.lock.policy}
	if f.name == "" {
		return nil, usagef("--name is empty")
	}
	if f.shardSize != "" {
		if n, err := colstore.ParseCount(f.shardSize); err == nil {
			if n < 1 {
				return nil, usagef("--shard-size %s: a shard has at least one row; leave it out for one shard a source", f.shardSize)
			}
			o.ShardRows = n
		} else if o.ShardBytes, err = colstore.ParseByteSize(f.shardSize); err != nil {
			return nil, usageError{fmt.Errorf("--shard-size: %w", err)}
		}
	}
	if err := o.Validate(); err != nil {
		return nil, usageError{err}
	}
	return o, nil
}

// An appendJob is what becomes of one or several sources.
type appendJob struct {
	paths  []string
	copied bool // the file is a shard as it is
	rows   int64
}

func (a *app) runAppend(cmd *cobra.Command, f *appendFlags, dir string, sources []string) (err error) {
	o, err := f.options()
	if err != nil {
		return err
	}
	steps, err := f.steps.frame()
	if err != nil {
		return err
	}
	jobs, err := f.jobs(cmd, sources)
	if err != nil {
		return err
	}
	f.in.noGlob = true // patterns are expanded
	if f.dryRun {
		return a.appendDry(cmd, f, dir, jobs, steps, o)
	}
	began := time.Now()
	out, err := cstore.NewAppenderIn(cmd.Context(), dir, nil, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Abort()) }() // does nothing after Commit
	a.warn(out.Warnings()...)
	for i := range jobs {
		if err := a.appendJob(cmd, f, dir, out, &jobs[i], steps); err != nil {
			return ofAppended(jobs[i], dir, err)
		}
	}
	if err := out.Commit(cmd.Context()); err != nil {
		return err
	}
	return a.appended(dir, jobs, o, out.Shards(), time.Since(began))
}

// jobs finds the sources: one job for all of them if their rows are divided by number or size, else one for each file.
func (f *appendFlags) jobs(cmd *cobra.Command, sources []string) ([]appendJob, error) {
	var paths []string
	for _, s := range sources {
		found, err := fsx.Expand(s, !f.in.noGlob)
		if err != nil {
			return nil, dataError{err}
		}
		paths = append(paths, found...)
	}
	if f.shardSize != "" {
		return []appendJob{{paths: paths}}, nil
	}
	jobs := make([]appendJob, len(paths))
	for i, p := range paths {
		jobs[i] = appendJob{paths: []string{p}, copied: f.copies(cmd, p)}
	}
	return jobs, nil
}

// copies reports whether a file can be a shard as it is: a .cstore file of which nothing is asked.
func (f *appendFlags) copies(cmd *cobra.Command, path string) bool {
	for _, flag := range []string{"columns", "dtype", "source-column", "hive", "opt"} {
		if cmd.Flags().Changed(flag) {
			return false
		}
	}
	if len(f.steps.steps) > 0 || isFolder(path) {
		return false
	}
	file, part := fsx.Inside(path)
	name, err := source.FormatName(file, "")
	return err == nil && part == "" && name == "cstore"
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

// appendJob hands the rows of a job to an appender.
func (a *app) appendJob(cmd *cobra.Command, f *appendFlags, dir string, out *cstore.Appender, job *appendJob, steps *frame.Frame) (err error) {
	ctx := cmd.Context()
	before := out.Pending()
	defer func() { job.rows = out.Pending() - before }()
	if job.copied {
		if err := out.CopyFile(ctx, job.paths[0]); err != nil {
			return dataError{err}
		}
		return nil
	}
	o, err := f.in.options()
	if err != nil {
		return err
	}
	in, err := a.open(ctx, cmd, &f.in, job.paths, steps)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	for _, path := range in.Paths() {
		if err := cstore.CheckApart(dir, path); err != nil {
			return dataError{err}
		}
	}
	bar := a.progress()
	defer bar.stop()
	for b, err := range runtime.Batches(ctx, in.Frame(0), o) {
		if err == nil {
			err = fault.Guard(func() error { return out.Write(ctx, b) })
		}
		if err != nil {
			return err
		}
		bar.event(runtime.Event{Name: job.name(), Phase: runtime.PhaseWrite, Rows: out.Pending() - before, Total: in.Source().Rows()})
	}
	return out.Roll(ctx)
}

// ofAppended names the sources of a job in an error that names the folder alone, or no file.
func ofAppended(j appendJob, dir string, err error) error {
	e, ok := errors.AsType[*colstore.Error](err)
	if ok && e.Path != "" && e.Path != dir || errors.Is(err, errInterrupted) {
		return err
	}
	return fmt.Errorf("%s: %w", strings.Join(j.paths, ", "), err)
}

// name returns what the job is called where there is little room.
func (j *appendJob) name() string {
	if len(j.paths) == 1 {
		return filepath.Base(j.paths[0])
	}
	return plural(int64(len(j.paths)), "file", "files")
}

// appendDry checks the jobs as far as headers tell, and shows them.
func (a *app) appendDry(cmd *cobra.Command, f *appendFlags, dir string, jobs []appendJob, steps *frame.Frame, o *cstore.AppendOptions) error {
	var first *colstore.Schema
	shard, err := cstore.CheckAppend(dir, nil, o)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		schema, err := a.schemaOf(cmd.Context(), cmd, f, dir, job, steps)
		if err == nil {
			_, err = cstore.CheckAppend(dir, schema, o)
		}
		if err == nil && first != nil && !schema.Equal(first) {
			err = fmt.Errorf("%w: its columns are not those of %s", colstore.ErrMismatch, strings.Join(jobs[0].paths, ", "))
		}
		if err != nil {
			return ofAppended(job, dir, err)
		}
		if first == nil {
			first = schema
		}
	}
	if a.asJSON {
		return a.writeJSON(appendJSON{Folder: dir, Next: shard, Inputs: inputsOf(jobs)})
	}
	_, _ = fmt.Fprintf(a.out, "Would append %s to %s, as %s%s:\n", plural(int64(len(inputsOf(jobs))), "file", "files"), dir, filepath.Base(shard), andMore(len(jobs) > 1 || f.shardSize != ""))
	for _, path := range inputsOf(jobs) {
		_, _ = fmt.Fprintf(a.out, "    %s\n", path)
	}
	_, err = fmt.Fprintln(a.out, "Dry run: nothing was written.")
	return err
}

func andMore(more bool) string {
	if more {
		return " and following"
	}
	return ""
}

// schemaOf returns the columns that a job's rows have.
func (a *app) schemaOf(ctx context.Context, cmd *cobra.Command, f *appendFlags, dir string, job appendJob, steps *frame.Frame) (_ *colstore.Schema, err error) {
	in, err := a.open(ctx, cmd, &f.in, job.paths, steps)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	for _, path := range in.Paths() {
		if err := cstore.CheckApart(dir, path); err != nil {
			return nil, dataError{err}
		}
	}
	return in.Frame(0).Schema()
}

type appendJSON struct {
	Folder  string      `json:"folder"`
	Next    string      `json:"next,omitempty"`
	Inputs  []string    `json:"inputs"`
	Rows    int64       `json:"rows"`
	Shards  []shardJSON `json:"shards"`
	Seconds float64     `json:"seconds"`
}

type shardJSON struct {
	Path  string `json:"path"`
	Input string `json:"input,omitempty"` // that it is all rows of
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

func inputsOf(jobs []appendJob) []string {
	var out []string
	for _, j := range jobs {
		out = append(out, j.paths...)
	}
	return out
}

// appended prints what was done.
func (a *app) appended(dir string, jobs []appendJob, o *cstore.AppendOptions, shards []cstore.Shard, took time.Duration) error {
	result := appendJSON{Folder: dir, Inputs: inputsOf(jobs), Shards: []shardJSON{}, Seconds: took.Seconds()}
	for _, s := range shards {
		result.Rows += s.Rows
		result.Shards = append(result.Shards, shardJSON{Path: s.Path, Rows: s.Rows, Bytes: s.Bytes})
	}
	each := o.ShardRows == 0 && o.ShardBytes == 0
	if each {
		made := slices.DeleteFunc(slices.Clone(jobs), func(j appendJob) bool { return j.rows == 0 && !j.copied })
		for i, j := range made {
			result.Shards[i].Input = j.paths[0]
		}
	}
	for _, j := range jobs {
		if j.rows == 0 && !j.copied {
			a.warn(strings.Join(j.paths, ", ") + " has no rows, so there is no shard of it")
		}
	}
	if a.asJSON {
		return a.writeJSON(result)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Appended %s to %s", plural(result.Rows, "row", "rows"), dir)
	switch n := len(shards); {
	case n == 0:
		b.WriteString("\n")
	case each:
		b.WriteString(":\n")
		for _, s := range result.Shards {
			fmt.Fprintf(&b, "    %s -> %s\n", s.Input, s.Path)
		}
	default:
		fmt.Fprintf(&b, " as %s\n", strings.TrimPrefix(shardText(pathsOf(shards)), ", "))
	}
	_, err := fmt.Fprint(a.out, b.String())
	return err
}

func pathsOf(shards []cstore.Shard) []string {
	out := make([]string, len(shards))
	for i, s := range shards {
		out[i] = s.Path
	}
	return out
}
