package main

import (
	"context"
	"strings"
)

// wideColumns are the columns of the table wide (peers/noise.py), all of float64; h is a weight.
var wideColumns = []string{"a", "b", "c", "d", "e", "f", "g", "h"}

// layouts are the extensions of the files that peers read: what each computes with soonest.
var layouts = map[string]string{"colstore": ".cstore", "polars": ".arrow", "duckdb": ".parquet", "numpy": ".columns"}

// asked returns an engine of peers/answer.py that reads a table of the kind.
func (b *bench) asked(ctx context.Context, name, action, kind string, args ...string) (engine, error) {
	path, err := b.source(ctx, kind, layouts[name])
	if err != nil {
		return engine{}, err
	}
	e := engine{name: name, argv: b.script("answer.py", append([]string{action, name, path}, args...)...), peer: true}
	if name == "colstore" {
		e.name = "python-colstore"
	}
	return e, nil
}

// answering returns a task whose engines read a table of the kind and print an answer: ours, then the named peers. ours is
// given the path of the table.
func (b *bench) answering(
	ctx context.Context, ours func(path string) engine, action, kind string, peers []string, args ...string,
) (task, error) {
	path, err := b.source(ctx, kind, ".cstore")
	if err != nil {
		return task{}, err
	}
	t := task{engines: []engine{ours(path)}, answers: true}
	for _, name := range peers {
		e, err := b.asked(ctx, name, action, kind, args...)
		if err != nil {
			return task{}, err
		}
		t.engines = append(t.engines, e)
	}
	return t, nil
}

// analysts are the peers that answer questions about a table.
var analysts = []string{"colstore", "polars", "duckdb", "numpy"}

// cutflow counts the rows that pass seven cuts, and adds up their weights. The weights are multiples of a power of two, so
// that no order of adding them rounds.
func (b *bench) cutflow(ctx context.Context) (task, error) {
	t, err := b.answering(ctx, func(path string) engine {
		return engine{name: ours, read: readCutflow, argv: []string{
			b.bin, "report", path, "--json", "--weight", "h", "--cut", "first=a > 0", "--cut", "second=b < 3",
			"--cut", "window=c > 0.5 and c < 6", "--cut", "sum=d + e > 5", "--cut", "pair=f * 2 > g",
			"--cut", "ratio=e / h > 1", "--cut", "square=g * g < 150",
		}}
	}, "cutflow", "wide", analysts)
	t.bytes, t.tolerance = int64(b.numberRows())*int64(len(wideColumns))*8, 1e-12
	return t, err
}

// reductions are what stats8 asks of every column.
var reductions = []string{"sum", "mean", "min", "max", "std", "var", "count"}

// stats8 reduces eight columns. Engines that add one value after the other lose some digits of the sums of 50 M rows.
func (b *bench) stats8(ctx context.Context) (task, error) {
	list := strings.Join(reductions, ",")
	t, err := b.answering(ctx, func(path string) engine {
		return engine{
			name: ours, argv: []string{b.bin, "stats", path, "--ops", list, "--json"},
			read: readStats(wideColumns, reductions),
		}
	}, "stats", "wide", analysts, list)
	t.bytes, t.tolerance = int64(b.numberRows())*int64(len(wideColumns))*8, 1e-9
	return t, err
}

// textBytes are the bytes of a value of the columns of words: eight bytes, and eight code points.
var textBytes = map[string]int64{"s": 8, "u": 32}

// word is what a twentieth of the rows of the table text hold.
const word = "abc"

// equalText returns the workload that counts the rows with the word in a column.
func (b *bench) equalText(column string) func(context.Context) (task, error) {
	return func(ctx context.Context) (task, error) {
		t, err := b.answering(ctx, func(path string) engine {
			return engine{name: ours, read: readCount, argv: []string{
				b.bin, "query", path, column + " == '" + word + "'", "--count", "--json",
			}}
		}, "count", "text", analysts, column, word)
		t.bytes = int64(b.numberRows()) * textBytes[column]
		return t, err
	}
}

// selectText writes two columns of the rows with the word.
func (b *bench) selectText(ctx context.Context) (task, error) {
	path, err := b.source(ctx, "text", ".cstore")
	if err != nil {
		return task{}, err
	}
	const column = "s"
	out := b.output(".cstore")
	t := task{bytes: int64(b.numberRows()) * (textBytes[column] + 2*8), engines: []engine{{
		name: ours, out: out,
		argv: []string{b.bin, "query", path, column + " == '" + word + "'", "--columns", "x,y", "-o", out, "--overwrite", "-q"},
	}}}
	for _, name := range analysts {
		out := b.output(layouts[name])
		e, err := b.asked(ctx, name, "select", "text", out, column, word)
		if err != nil {
			return task{}, err
		}
		if name != "numpy" {
			e.out = out
		}
		t.engines = append(t.engines, e)
	}
	return t, nil
}
