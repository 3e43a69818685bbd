package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"time"
)

// bench is what all workloads share.
type bench struct {
	root     string // of the module
	dir      string // for data
	bin      string // the built colstore
	meter    string // the built benchmark/meter; "" on a system that does not tell peaks
	python   string
	rows     int
	runs     int
	least    time.Duration // that the rounds of an access pattern take
	progress io.Writer
	contents map[string]content // of source files, by path
}

func newBench(ctx context.Context, c *config, progress io.Writer) (*bench, error) {
	mod, err := execute(ctx, []string{"go", "env", "GOMOD"})
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(lastLine(string(mod.stdout)))
	if _, err := os.Stat(requirements(root)); err != nil {
		return nil, fmt.Errorf("%w; run the benchmark in a folder of its module", err)
	}
	b := &bench{
		root: root, dir: dir, bin: filepath.Join(dir, "bin", "colstore"),
		python: c.peers, rows: c.rows, runs: c.runs, least: 200 * time.Millisecond, progress: progress, contents: map[string]content{},
	}
	if b.python == "" {
		if b.python, err = environment(ctx, b.root, findPython, b.tell); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(b.python); err != nil {
		return nil, fmt.Errorf("%w; -peers names a Python with the packages of benchmark/peers/requirements.txt", err)
	}
	if err := complete(ctx, b.python, requirements(root)); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o777); err != nil {
		return nil, err
	}
	if c.patterns {
		return b, nil // no workload runs the command
	}
	if _, err = execute(ctx, []string{"go", "build", "-C", b.root, "-o", b.bin, "./cmd/colstore"}); err != nil {
		return nil, err
	}
	if goruntime.GOOS == "windows" { // where a process is handed no files but the standard ones
		return b, nil
	}
	b.meter = filepath.Join(dir, "bin", "meter")
	_, err = execute(ctx, []string{"go", "build", "-C", b.root, "-o", b.meter, "./benchmark/meter"})
	return b, err
}

// machine describes what the numbers were measured on.
func (b *bench) machine() string {
	return fmt.Sprintf("%s, %s/%s, %d CPUs, %s; %d rows of flights, %d of numbers; %d rounds",
		time.Now().UTC().Format(time.DateOnly), goruntime.GOOS, goruntime.GOARCH, goruntime.NumCPU(), goruntime.Version(),
		b.rows, b.numberRows(), b.runs)
}

// tell prints a line about what is going on, to somebody who need not be there.
func (b *bench) tell(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, format+"\n", args...)
}

// numberRows returns the rows of the tables of noise.
func (b *bench) numberRows() int { return b.rows * 5 / 2 }

func (b *bench) script(name string, args ...string) []string {
	return append([]string{b.python, filepath.Join(b.root, "benchmark", "peers", name)}, args...)
}

// source returns the path of an input file of the given kind (peers/make.py) and extension, written if it is not there.
func (b *bench) source(ctx context.Context, kind, extension string) (string, error) {
	rows, noise := b.rows, !strings.HasPrefix(kind, "flights")
	switch {
	case kind == "mixed":
		rows = b.textRows(extension)
	case noise:
		rows = b.numberRows()
	}
	path := filepath.Join(b.dir, fmt.Sprintf("%s-%d%s", kind, rows, extension))
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	b.tell("writing %s", path)
	if !noise && extension == ".cstore" {
		parquet, err := b.source(ctx, kind, ".parquet")
		if err != nil {
			return "", err
		}
		if _, err = execute(ctx, []string{b.bin, "convert", parquet, "-o", path, "-q"}); err != nil {
			return "", err
		}
		if err := b.same(ctx, path, parquet); err != nil {
			return "", errors.Join(err, os.Remove(path)) // or the next run would take it
		}
		return path, nil
	}
	files, err := filepath.Glob(filepath.Join(b.root, "recipes", "data", "flights-2013-0*.parquet"))
	if err != nil {
		return "", err
	}
	if len(files) == 0 {
		return "", errors.New("recipes/data has no flights-2013-0*.parquet")
	}
	_, err = execute(ctx, b.script("make.py", append([]string{kind, strconv.Itoa(rows), path}, files...)...))
	return path, err
}

// column is a column as peers/check.py prints it: name, kind, checksum.
type column [3]string

// content is what a file holds.
type content struct {
	Rows    int64    `json:"n_rows"`
	Columns []column `json:"columns"`
}

// read returns what the file at path holds, nulls filled, as the peers' libraries read it.
func (b *bench) read(ctx context.Context, path string) (content, error) {
	if c, ok := b.contents[path]; ok {
		return c, nil
	}
	r, err := execute(ctx, b.script("check.py", path, "fill"))
	if err != nil {
		return content{}, fmt.Errorf("reading %s: %w", filepath.Base(path), err)
	}
	var c content
	if err := json.Unmarshal(r.stdout, &c); err != nil {
		return content{}, fmt.Errorf("reading %s: %w", filepath.Base(path), err)
	}
	return c, nil
}

// same compares the content of a file with that of a source file, which is read once.
func (b *bench) same(ctx context.Context, path, source string) error {
	want, err := b.read(ctx, source)
	if err != nil {
		return err
	}
	b.contents[source] = want
	got, err := b.read(ctx, path)
	if err != nil {
		return err
	}
	return got.differs(want)
}

// differs tells the first difference between two files' contents.
func (c content) differs(want content) error {
	if c.Rows != want.Rows {
		return fmt.Errorf("%w: %d rows, not %d", errDifferent, c.Rows, want.Rows)
	}
	if len(c.Columns) != len(want.Columns) {
		return fmt.Errorf("%w: %d columns, not %d", errDifferent, len(c.Columns), len(want.Columns))
	}
	for i, col := range c.Columns {
		if w := want.Columns[i]; col != w {
			return fmt.Errorf("%w: column %d is %s of type %s with checksum %s, not %s of type %s with %s", errDifferent,
				i, col[0], col[1], col[2], w[0], w[1], w[2])
		}
	}
	return nil
}

// errDifferent is returned when an engine's output is not what it should be.
var errDifferent = errors.New("the output is different")
