package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A columnar is a format whose columns lie in a file as they do in memory, or compressed.
type columnar struct {
	library   string // that of the format, which is a peer
	extension string
	codec     string // as the library calls it; none if there is none
	ours      string // as the command calls it
}

var (
	feather    = columnar{"pyarrow", ".feather", "uncompressed", "none"}
	featherLZ4 = columnar{"pyarrow", ".feather", "lz4", "lz4"}
	npz        = columnar{"numpy", ".npz", "", "none"}
)

// columns returns the arguments of an engine of peers/columns.py.
func (b *bench) columns(f columnar, task, engine, path, out string) []string {
	argv := b.script("columns.py", task, engine, path, out)
	if f.codec != "" {
		argv = append(argv, f.codec)
	}
	return argv
}

// importingColumns returns the workload that converts flights without nulls from a format to .cstore.
func (b *bench) importingColumns(f columnar) func(context.Context) (task, error) {
	return func(ctx context.Context) (task, error) {
		table, err := b.source(ctx, "flights-full", ".cstore")
		if err != nil {
			return task{}, err
		}
		path := filepath.Join(b.dir, fmt.Sprintf("flights-full-%s-%d%s", f.ours, b.rows, f.extension))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			b.tell("writing %s", path)
			partial := filepath.Join(b.dir, "partial"+f.extension)
			if _, err := execute(ctx, b.columns(f, "make", f.library, table, partial)); err != nil {
				return task{}, err
			}
			if err := os.Rename(partial, path); err != nil {
				return task{}, err
			}
		}
		out := b.output(".cstore")
		return b.columnsTask(table, []engine{
			{name: ours, out: out, argv: []string{b.bin, "convert", path, "-o", out, "--overwrite", "-q"}},
			{name: "python-colstore", out: out, argv: b.columns(f, "import", "colstore", path, out), peer: true},
			{name: f.library, argv: b.columns(f, "import", f.library, path, out), peer: true},
		}), nil
	}
}

// exportingColumns returns the workload that converts flights without nulls from .cstore to a format.
func (b *bench) exportingColumns(f columnar) func(context.Context) (task, error) {
	return func(ctx context.Context) (task, error) {
		table, err := b.source(ctx, "flights-full", ".cstore")
		if err != nil {
			return task{}, err
		}
		out := b.output(f.extension)
		return b.columnsTask(table, []engine{
			{name: ours, out: out, argv: []string{b.bin, "convert", table, "-o", out, "--compression", f.ours, "--overwrite", "-q"}},
			{name: "python-colstore", out: out, argv: b.columns(f, "export", "colstore", table, out), peer: true},
			{name: f.library, out: out, argv: b.columns(f, "export", f.library, table, out), peer: true},
		}), nil
	}
}

func (b *bench) columnsTask(table string, engines []engine) task {
	return task{bytes: int64(b.rows) * flightBytes["flights-full"], rows: int64(b.rows), source: table, engines: engines}
}
