package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/source"
)

// repairFlags are those of repair.
type repairFlags struct {
	o         cstore.RepairOptions
	lock      string
	dryRun    bool
	overwrite bool
}

// repairedFile is what repair tells as JSON.
type repairedFile struct {
	Path           string    `json:"path"`
	Output         *string   `json:"output"`
	Needed         bool      `json:"needed"`
	Problems       []finding `json:"problems"`
	Kept           extent    `json:"kept"`
	Lost           extent    `json:"lost"`
	Uncommitted    extent    `json:"uncommitted"`
	Salvageable    extent    `json:"salvageable"`
	StatisticsLost bool      `json:"statistics_lost"`
}

// extent is a part of a file; null is unknown.
type extent struct {
	Records *int64 `json:"records"`
	Rows    *int64 `json:"rows"`
	Bytes   int64  `json:"bytes"`
}

func (a *app) repair() *cobra.Command {
	f := &repairFlags{}
	c := &cobra.Command{
		Use:   "repair FILE [-o OUT | --in-place | --dry-run]",
		Short: "Make a .cstore file readable again",
		Long: `Make a .cstore file readable again.

The counters are made anew from the records; a torn record at the end and damaged statistics are left out; what is wrong,
kept and lost is told. The result is FILE.repaired, which no folder of shards takes for one of its files, unless -o or
--in-place says otherwise; FILE itself is never written to. If nothing is wrong nothing is written, except to -o OUT.

Exit code 0 if the file is repaired or nothing is wrong, 1 if it cannot be, 3 with --dry-run if something is wrong.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runRepair(cmd, f, args[0]) },
	}
	s := c.Flags()
	s.StringVarP(&f.o.Out, "output", "o", "", "where the repaired file goes")
	s.BoolVar(&f.o.InPlace, "in-place", false, "the repaired file takes the place of FILE once it is complete")
	s.BoolVar(&f.dryRun, "dry-run", false, "tell what is wrong, write nothing")
	s.BoolVar(&f.overwrite, "overwrite", false, "replace an existing output")
	s.StringVar(&f.o.SchemaFrom, "schema-from", "", "a `FILE` with the same columns, if those of the damaged one cannot be read")
	s.BoolVar(&f.o.Uncommitted, "uncommitted", false, "also take whole records of a writer that died before it committed them")
	s.BoolVar(&f.o.Salvage, "salvage", false, "also take records behind a damaged one, and those whose header alone is damaged")
	s.StringVar(&f.lock, "lock", "auto", "the lock of the file that is replaced: auto, off, required")
	a.jsonFlag(c, "what is wrong, kept and lost as JSON")
	return c
}

func (a *app) runRepair(cmd *cobra.Command, f *repairFlags, path string) error {
	var err error
	if f.o.Lock, err = colstore.ParseLockPolicy(f.lock); err != nil {
		return usageError{fmt.Errorf("--lock: %w", err)}
	}
	if cmd.Flags().Changed("output") && f.o.Out == "" {
		return usagef("--output needs a path")
	}
	if f.o.Out != "" && (f.o.InPlace || f.dryRun) || f.o.InPlace && f.dryRun {
		return usagef("of --output, --in-place and --dry-run there can be one")
	}
	if name, err := source.FormatName(path, ""); err == nil && name != "cstore" {
		return dataError{&colstore.Error{Op: "repair", Path: path, Err: fmt.Errorf("%w: only .cstore files can be repaired, this is %s; make it anew from what it was made of",
			colstore.ErrFormat, name)}}
	}
	f.o.Replace = f.overwrite
	r, err := cstore.Repair(cmd.Context(), path, &f.o)
	if err == nil && r.Needed() && !f.dryRun && f.o.Out == "" && !f.o.InPlace {
		f.o.Out = path + ".repaired"
		r, err = cstore.Repair(cmd.Context(), path, &f.o)
	}
	if err != nil {
		return err
	}
	a.warn(r.Warnings...)
	if err := a.printRepaired(r, f); err != nil {
		return err
	}
	if f.dryRun && len(r.Problems) > 0 {
		return checkError{text: path + " is damaged"}
	}
	return nil
}

func (a *app) printRepaired(r *cstore.Repaired, f *repairFlags) error {
	if a.asJSON {
		out := repairedFile{
			Path: r.Path, Needed: r.Needed(), Problems: []finding{}, Kept: extentJSON(r.Kept), Lost: extentJSON(r.Lost),
			Uncommitted: extentJSON(r.Uncommitted), Salvageable: extentJSON(r.Salvageable), StatisticsLost: r.StatisticsLost,
		}
		if r.Output != "" {
			out.Output = &r.Output
		}
		for _, p := range r.Problems {
			out.Problems = append(out.Problems, findingOf(p))
		}
		return a.writeJSON(out)
	}
	var b strings.Builder
	for _, p := range r.Problems {
		b.WriteString(p.Error() + "\n")
	}
	line := func(format string, args ...any) {
		fmt.Fprintf(&b, "%s: "+format+"\n", append([]any{r.Path}, args...)...)
	}
	kept := plural(r.Kept.Rows, "row", "rows") + " in " + plural(r.Kept.Records, "record", "records")
	switch {
	case !r.Needed():
		line("nothing to repair, %s", kept)
	case r.Output == "" && r.Kept.Rows == 0 && r.Lost.Rows != 0:
		line("no row is left to keep, so a repair is refused")
	case r.Output == "":
		line("a repair keeps %s", kept)
	default:
		line("kept %s", kept)
	}
	switch {
	case r.Lost == cstore.Extent{}:
	case r.Lost.Records == cstore.Unknown:
		line("lost %s that may have been rows", plural(r.Lost.Bytes, "byte", "bytes"))
	default:
		line("lost %s in %s, %s", plural(r.Lost.Rows, "row", "rows"), plural(r.Lost.Records, "record", "records"), plural(r.Lost.Bytes, "byte", "bytes"))
	}
	if n := r.Salvageable; n.Records > 0 && !f.o.Salvage {
		line("%s in %s behind the damage can be taken with --salvage", plural(n.Rows, "row", "rows"), plural(n.Records, "record", "records"))
	}
	if n := r.Uncommitted; n.Records > 0 && !f.o.Uncommitted {
		line("%s in %s were never committed; --uncommitted takes them", plural(n.Rows, "row", "rows"), plural(n.Records, "record", "records"))
	}
	if r.StatisticsLost {
		line("the statistics are left out")
	}
	if r.Output != "" {
		line("wrote %s", r.Output)
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}

func extentJSON(e cstore.Extent) extent {
	out := extent{Records: &e.Records, Rows: &e.Rows, Bytes: e.Bytes}
	if e.Records == cstore.Unknown {
		out.Records, out.Rows = nil, nil
	}
	return out
}
