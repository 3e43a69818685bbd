package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/source"
)

// fileInfo is what info tells of a file of any format.
type fileInfo struct {
	Path            string           `json:"path"`
	Format          string           `json:"format"`
	FormatVersion   *int             `json:"format_version"`
	Rows            int64            `json:"n_rows"`
	Records         *int64           `json:"n_records"`
	FileSize        int64            `json:"file_size"`
	NeedsCompaction bool             `json:"needs_compaction"`
	Statistics      bool             `json:"statistics"`
	Columns         []map[string]any `json:"columns"`
	schema          *colstore.Schema
}

func (a *app) info() *cobra.Command {
	in := &inputFlags{}
	c := &cobra.Command{
		Use:   "info FILE...",
		Short: "Rows, records, columns and size of files",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachInfo(cmd, in, args, func(n int, i *fileInfo) error {
				if a.asJSON {
					return a.writeJSON(i)
				}
				if n > 0 {
					_, _ = fmt.Fprintln(a.out)
				}
				return i.print(a)
			})
		},
	}
	in.register(c)
	a.jsonFlag(c, "one JSON object a line for each file")
	return c
}

func (a *app) schema() *cobra.Command {
	in := &inputFlags{}
	c := &cobra.Command{
		Use:   "schema FILE",
		Short: "The columns of a file and their dtypes",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.eachInfo(cmd, in, args, func(_ int, i *fileInfo) error {
				if a.asJSON {
					return a.writeJSON(i.Columns)
				}
				return i.printColumns(a)
			})
		},
	}
	in.register(c)
	a.jsonFlag(c, "a JSON list of columns")
	return c
}

// eachInfo calls f with the information on every file.
func (a *app) eachInfo(cmd *cobra.Command, in *inputFlags, args []string, f func(n int, i *fileInfo) error) (err error) {
	w, flush := a.buffered() // a folder may have thousands
	out := a.out
	a.out = w
	defer func() {
		a.out = out
		err = errors.Join(err, flush())
	}()
	n := 0
	for _, arg := range args {
		table, err := source.Paths(source.Spec{Paths: []string{arg}, NoGlob: in.noGlob, Hive: in.hive})
		if err != nil {
			return err
		}
		for _, p := range table {
			i, err := a.stat(cmd.Context(), cmd, in, p)
			if err != nil {
				return err
			}
			if err := f(n, i); err != nil {
				return err
			}
			n++
		}
	}
	return nil
}

// stat reads the header of a .cstore file, or what it takes to know the dtypes of another one.
func (a *app) stat(ctx context.Context, cmd *cobra.Command, in *inputFlags, path string) (*fileInfo, error) {
	name, err := source.FormatName(path, "")
	if err != nil {
		return nil, err
	}
	i := &fileInfo{Path: path, Format: name}
	if name == "cstore" {
		s, err := cstore.Stat(path)
		if err != nil {
			return nil, err
		}
		*i = fileInfo{
			Path: path, Format: name, FormatVersion: &s.FormatVersion, Rows: s.Rows, Records: &s.Records, FileSize: s.FileSize,
			NeedsCompaction: s.NeedsCompaction, Statistics: s.Statistics, Columns: s.Columns, schema: s.Schema,
		}
		if !cmd.Flags().Changed("columns") && len(in.dtypes.names) == 0 && in.paths == "" && !in.hive {
			return i, nil
		}
	}
	return i, a.statOpened(ctx, cmd, in, i)
}

// statOpened opens a file, and tells its columns as other commands would read them.
func (a *app) statOpened(ctx context.Context, cmd *cobra.Command, in *inputFlags, i *fileInfo) (err error) {
	one := *in
	one.noGlob = true
	one.jagged = cmp.Or(one.jagged, "skip")
	one.nulls.mode = cmp.Or(one.nulls.mode, "fill")
	opened, err := a.open(ctx, cmd, &one, []string{i.Path}, frame.New())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	file, _ := fsx.Inside(i.Path)
	st, err := os.Stat(file)
	if err != nil {
		return err
	}
	i.FileSize = st.Size()
	if i.Rows, err = countRows(ctx, opened.Source()); err != nil {
		return err
	}
	if i.schema, err = opened.Frame(0).Schema(); err != nil {
		return err
	}
	i.Columns = nil
	for _, f := range i.schema.All() {
		i.Columns = append(i.Columns, map[string]any{"name": f.Name, "dtype": f.Type.String(), "encoding": "raw", "nullable": false})
	}
	return nil
}

// countRows reads the rows of a source that does not know how many it has, without their values.
func countRows(ctx context.Context, src colstore.Source) (int64, error) {
	n := src.Rows()
	if n >= 0 {
		return n, nil
	}
	n = 0
	for b, err := range src.Scan(ctx, colstore.Scan{Columns: []string{}, Once: true}) {
		if err != nil {
			return 0, err
		}
		n += int64(b.Rows())
	}
	return n, nil
}

// print shows the information for people.
func (i *fileInfo) print(a *app) error {
	_, _ = fmt.Fprintln(a.out, i.Path)
	line := i.Format
	if i.FormatVersion != nil {
		line += fmt.Sprintf(" version %d", *i.FormatVersion)
	}
	line += ", " + plural(i.Rows, "row", "rows")
	if i.Records != nil {
		line += " in " + plural(*i.Records, "record", "records")
	}
	line += ", " + colstore.ByteSize(i.FileSize).String()
	if i.Statistics {
		line += ", with statistics"
	}
	_, _ = fmt.Fprintln(a.out, line)
	if i.NeedsCompaction {
		_, _ = fmt.Fprintln(a.out, "needs compaction: several records read slower than one")
	}
	return i.printColumns(a)
}

func (i *fileInfo) printColumns(a *app) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, f := range i.schema.All() {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", strings.Map(printable, f.Name), f.Type, f.Type.Name())
	}
	return w.Flush()
}

// printable replaces what would disturb a table.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return '\uFFFD'
	}
	return r
}
