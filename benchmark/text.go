package main

import "context"

// mixedBytes are the bytes of one row of the table mixed (peers/noise.py) in a .cstore file: seven columns of int64, four of
// float64, a bool, text of 8 and 6 code points.
const mixedBytes = 11*8 + 1 + 4*(8+6)

// textRows returns the rows of a file of text with that extension. Peers hold all of it in memory, several times over.
func (b *bench) textRows(extension string) int {
	if extension == ".json" {
		return max(1, b.rows/100)
	}
	return max(1, b.rows/10)
}

// importingText returns the workload that converts a file of text to .cstore, whose dtypes have to be found.
func (b *bench) importingText(extension string) func(context.Context) (task, error) {
	return func(ctx context.Context) (task, error) {
		path, err := b.source(ctx, "mixed", extension)
		if err != nil {
			return task{}, err
		}
		out := b.output(".cstore")
		rows := int64(b.textRows(extension))
		t := task{bytes: rows * mixedBytes, rows: rows, engines: []engine{{
			name: ours, out: out, argv: []string{b.bin, "convert", path, "-o", out, "--overwrite", "-q"},
		}}}
		for _, name := range []string{"colstore", "pandas", "polars", "duckdb"} {
			e := engine{name: name, argv: b.script("text.py", "read", name, path, out), peer: true}
			if name == "colstore" {
				e.name, e.out = "python-colstore", out
			}
			t.engines = append(t.engines, e)
		}
		return t, nil
	}
}

// exportingText writes a table as CSV.
func (b *bench) exportingText(ctx context.Context) (task, error) {
	path, err := b.source(ctx, "mixed", ".cstore")
	if err != nil {
		return task{}, err
	}
	out := b.output(".csv")
	rows := int64(b.textRows(".cstore"))
	t := task{bytes: rows * mixedBytes, rows: rows, source: path, engines: []engine{{
		name: ours, out: out, argv: []string{b.bin, "convert", path, "-o", out, "--overwrite", "-q"},
	}}}
	for _, name := range []string{"colstore", "pandas", "polars", "duckdb"} {
		e := engine{name: name, argv: b.script("text.py", "write", name, path, out), out: out, peer: true}
		if name == "colstore" {
			e.name = "python-colstore"
		}
		t.engines = append(t.engines, e)
	}
	return t, nil
}
