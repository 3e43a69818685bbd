package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

type compactFlags struct {
	output    string
	overwrite bool
	stats     statsFlags
	lock      lockFlag
	noGlob    bool
	workers   string
	dryRun    bool
}

func (a *app) compact() *cobra.Command {
	f := &compactFlags{}
	c := &cobra.Command{
		Use:   "compact FILE...",
		Short: "Make one record of the records of .cstore files",
		Long: `Make one record of the records of .cstore files, which reads fastest.

Files, patterns and folders of shards; each file becomes one record, in place. The new file takes the old one's place when
it is complete and on the disk, and until then the old one is as it was. With -o, one file's rows go to another file.
Statistics are kept, and found in the data again, unless a flag says otherwise. A file that is one record is left alone.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runCompact(cmd.Context(), f, args) },
	}
	s := c.Flags()
	s.StringVarP(&f.output, "output", "o", "", "write the rows of the one FILE here and leave it alone")
	s.BoolVar(&f.overwrite, "overwrite", false, "replace an existing OUTPUT when the new one is complete")
	f.stats.register(s)
	f.lock.register(s)
	s.BoolVar(&f.noGlob, "no-glob", false, "take * ? [ in paths for plain characters")
	s.StringVar(&f.workers, "max-workers", "auto", "goroutines that copy: a number or auto")
	s.BoolVar(&f.dryRun, "dry-run", false, "tell what would be done, write nothing")
	a.jsonFlag(c, "one JSON object a line for each file")
	return c
}

func (a *app) runCompact(ctx context.Context, f *compactFlags, args []string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	paths, err := source.Paths(source.Spec{Paths: args, NoGlob: f.noGlob})
	if err != nil {
		return dataError{err}
	}
	if f.output != "" && len(paths) > 1 {
		return usagef("-o takes the rows of one file, here are %d; colstore concat makes one file of several", len(paths))
	}
	bar := a.progress()
	defer bar.stop()
	var failed []error
	for _, path := range paths {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		began := time.Now()
		o.Progress = func(done, total int64) {
			bar.event(runtime.Event{Name: path, Phase: runtime.PhaseWrite, Rows: done, Total: total})
		}
		c, err := a.compactFile(ctx, path, o)
		// A file that was published before the interruption was noticed is told of.
		if cause := context.Cause(ctx); cause != nil && err != nil {
			return cause
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		a.warn(c.Warnings...)
		if err := a.compacted(path, c, o.Dry, time.Since(began)); err != nil {
			return err
		}
	}
	if len(failed) > 0 && len(failed) == len(paths) {
		return dataError{oneOf(failed)}
	}
	return a.partial(failed, len(paths))
}

func (f *compactFlags) options() (*cstore.CompactOptions, error) {
	o := &cstore.CompactOptions{Out: f.output, Replace: f.overwrite, Mkdirs: true, Lock: f.lock.policy, Dry: f.dryRun}
	var err error
	if o.Stats, err = f.stats.policy(); err != nil {
		return nil, err
	}
	of, err := (&inputFlags{maxWorkers: f.workers}).options()
	if err != nil {
		return nil, err
	}
	if o.Threads = of.Workers; o.Threads == 0 {
		o.Threads = defaultWorkers()
	}
	return o, nil
}

// compactFile compacts a file of the format.
func (a *app) compactFile(ctx context.Context, path string, o *cstore.CompactOptions) (*cstore.Compaction, error) {
	switch name, err := source.FormatName(path, ""); {
	case err != nil:
		return nil, err
	case name != "cstore":
		return nil, &colstore.Error{Op: "compact", Path: path, Err: fmt.Errorf("%w: it is a %s file; only .cstore files have records, convert makes one", colstore.ErrOption, name)}
	}
	if o.Dry && o.Out != "" && !o.Replace {
		if same, err := sameFiles(path, o.Out); err == nil && !same {
			return nil, &colstore.Error{Op: "create", Path: o.Out, Err: fmt.Errorf("%w; --overwrite replaces it", colstore.ErrExists)}
		}
	}
	return cstore.Compact(ctx, path, o)
}

// sameFiles reports whether two paths name one file.
func sameFiles(a, b string) (bool, error) {
	x, err := os.Stat(a)
	if err != nil {
		return false, err
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y), err
}

type compaction struct {
	Path       string  `json:"path"`
	Output     string  `json:"output"`
	Rows       int64   `json:"n_rows"`
	Records    int64   `json:"n_records"` // before
	Before     int64   `json:"bytes_before"`
	After      int64   `json:"bytes_after"`
	Statistics bool    `json:"statistics"`
	Unchanged  bool    `json:"unchanged"`
	Dry        bool    `json:"dry_run"`
	Seconds    float64 `json:"seconds"`
}

// compacted tells what became of a file.
func (a *app) compacted(path string, c *cstore.Compaction, dry bool, took time.Duration) error {
	if a.asJSON {
		return a.writeJSON(compaction{path, c.Path, c.Rows, c.Records, c.Before, c.After, c.Statistics, c.Unchanged, dry, took.Seconds()})
	}
	to := ""
	if c.Path != path {
		to = " to " + c.Path
	}
	var text string
	switch {
	case c.Unchanged && to == "":
		text = "is compact already"
	case c.Unchanged && dry:
		text = "would be copied" + to + ", it is compact already"
	case c.Unchanged:
		text = "copied" + to + ", it is compact already"
	default:
		verb := "compacted"
		if dry {
			verb = "would be compacted"
		}
		text = fmt.Sprintf("%s%s: %s to 1, %s, %s to %s", verb, to, plural(c.Records, "record", "records"), plural(c.Rows, "row", "rows"),
			colstore.ByteSize(c.Before), colstore.ByteSize(c.After))
	}
	if !dry && (to != "" || !c.Unchanged) {
		text += fmt.Sprintf("; %.2f s, %s", took.Seconds(), rate(c.After, took))
	}
	_, err := fmt.Fprintf(a.out, "%s %s\n", path, text)
	return err
}

// rate returns bytes in a time for people.
func rate(bytes int64, took time.Duration) string {
	return fmt.Sprintf("%.0f MB/s", float64(bytes)/1e6/max(took.Seconds(), 1e-6))
}

// statsFlags are --statistics and --no-statistics.
type statsFlags struct{ on, off bool }

func (f *statsFlags) register(s *pflag.FlagSet) {
	s.BoolVar(&f.on, "statistics", false, "append the bounds of every column, also if the input has none")
	s.BoolVar(&f.off, "no-statistics", false, "leave out the bounds of columns that the input has")
}

func (f *statsFlags) policy() (cstore.StatsPolicy, error) {
	switch {
	case f.on && f.off:
		return cstore.StatsKeep, usagef("--statistics and --no-statistics exclude each other")
	case f.on:
		return cstore.StatsWrite, nil
	case f.off:
		return cstore.StatsDrop, nil
	}
	return cstore.StatsKeep, nil
}
