package main

import (
	"context"
	"strconv"
)

// workload is one piece of work that several engines do.
type workload struct {
	name string
	// prepare writes what the engines read and returns them, ours first.
	prepare func(ctx context.Context) (task, error)
}

// task is a workload that is ready to run.
type task struct {
	engines []engine
	bytes   int64  // of the values, uncompressed; 0 where a throughput makes no sense
	rows    int64  // that every engine has to report or write; 0 if unknown
	source  string // whose content every output has to have; none: that of the first output there is

	answers   bool    // every engine gives an answer, and it has to be that of the first
	tolerance float64 // of an answer's near numbers, relative
	byInner   bool    // the throughput and the ratios are of the seconds that engines tell, not of whole processes
}

// engine is one way of doing a task.
type engine struct {
	name   string
	argv   []string
	out    string   // the file that it writes; none if it writes none
	folder string   // that it fills, removed before and after
	probe  []string // an untimed command that prints the rows, for an engine that does not print them itself
	peer   bool     // may fail

	read func(stdout []byte) (account, error) // of an engine that prints its answer otherwise than peers do
}

// account returns what the engine tells of a run.
func (e engine) account(r run) (account, error) {
	if e.read == nil {
		return r.accountOf(), nil
	}
	return e.read(r.stdout)
}

// workloads returns all workloads, quick ones first.
func (b *bench) workloads() []workload {
	return []workload{
		{"startup", b.startup},
		{"info", b.info},
		{"parquet-cstore", b.importing("flights", ".parquet", "colstore", "pyarrow")},
		{"parquet-cstore-full", b.importing("flights-full", ".parquet", "colstore", "pyarrow")},
		{"parquet-cstore-numbers", b.importing("flights-numbers", ".parquet", "colstore", "colstore-64M", "pyarrow")},
		{"root-cstore", b.importing("flights-root", ".root", "colstore", "colstore-64M", "uproot")},
		{"cstore-parquet", b.exporting},
		{"cstore-root", b.exportingRoot},
		{"feather-cstore", b.importingColumns(feather)},
		{"feather-lz4-cstore", b.importingColumns(featherLZ4)},
		{"cstore-feather", b.exportingColumns(feather)},
		{"cstore-feather-lz4", b.exportingColumns(featherLZ4)},
		{"npz-cstore", b.importingColumns(npz)},
		{"cstore-npz", b.exportingColumns(npz)},
		{"csv-cstore", b.importingText(".csv")},
		{"json-cstore", b.importingText(".json")},
		{"cstore-csv", b.exportingText},
		{"filter-derive", b.derive},
		{"cutflow", b.cutflow},
		{"stats8", b.stats8},
		{"text-equality", b.equalText("s")},
		{"text-equality-u", b.equalText("u")},
		{"text-select", b.selectText},
		{"gather", b.gather("wide", "colstore", "polars", "numpy")},
		{"gather-64", b.gather("wide-64", "colstore")},
		{"gather-1024", b.gather("wide-1024", "colstore")},
		{"frame-write", b.frameWrite},
		{"compact-64", b.compact},
		{"concat", b.concat},
		{"small-records", b.smallWrites},
		{"append-shards", b.appending},
		{"open-1024", b.opening},
		{"open-shards", b.openingShards},
	}
}

// ours is the name of our engine. The Python package's have the prefix python-.
const ours = "colstore"

func (b *bench) startup(context.Context) (task, error) {
	return task{engines: []engine{
		{name: ours, argv: []string{b.bin, "version"}},
		{name: "python-colstore", argv: []string{b.python, "-c", "import colstore; print(colstore.__version__)"}, peer: true},
	}}, nil
}

func (b *bench) info(ctx context.Context) (task, error) {
	path, err := b.source(ctx, "flights-full", ".cstore")
	if err != nil {
		return task{}, err
	}
	code := `import colstore, sys; print('{"n_rows": %d}' % colstore.info(sys.argv[1]).n_rows)`
	return task{rows: int64(b.rows), engines: []engine{
		{name: ours, argv: []string{b.bin, "info", path}, probe: []string{b.bin, "info", "--json", path}},
		{name: "python-colstore", argv: []string{b.python, "-c", code, path}, peer: true},
	}}, nil
}

// importing returns the workload that converts a file of the kind and extension to .cstore.
func (b *bench) importing(kind, extension string, peers ...string) func(context.Context) (task, error) {
	return func(ctx context.Context) (task, error) {
		path, err := b.source(ctx, kind, extension)
		if err != nil {
			return task{}, err
		}
		out := b.output(".cstore")
		t := task{bytes: int64(b.rows) * flightBytes[kind], rows: int64(b.rows), source: path, engines: []engine{
			{
				name: ours, out: out,
				argv: []string{b.bin, "convert", path, "-o", out, "--nulls", "fill", "--overwrite", "-q"},
			},
		}}
		return b.withPeers(t, "import", path, out, peers), nil
	}
}

// flightBytes are the bytes of one row of a kind of flights in a .cstore file: 14 columns of int32, one of times, and text
// of 2, 6, 3 and 3 code points.
var flightBytes = map[string]int64{"flights": 120, "flights-full": 120, "flights-numbers": 64, "flights-root": 64}

func (b *bench) exporting(ctx context.Context) (task, error) {
	path, err := b.source(ctx, "flights-full", ".cstore")
	if err != nil {
		return task{}, err
	}
	out := b.output(".parquet")
	t := task{bytes: int64(b.rows) * flightBytes["flights-full"], rows: int64(b.rows), source: path, engines: []engine{{
		name: ours, out: out,
		argv: []string{
			b.bin, "convert", path, "-o", out, "--compression", "snappy", "--row-group", strconv.Itoa(rowGroup),
			"--overwrite", "-q",
		},
	}}}
	return b.withPeers(t, "export", path, out, []string{"colstore", "colstore-64M", "pyarrow"}), nil
}

// exportingRoot compresses by zlib, since that is what the Python package writes.
func (b *bench) exportingRoot(ctx context.Context) (task, error) {
	path, err := b.source(ctx, "table", ".cstore")
	if err != nil {
		return task{}, err
	}
	out := b.output(".root")
	t := task{bytes: int64(b.numberRows()) * 4 * 8, rows: int64(b.numberRows()), source: path, engines: []engine{{
		name: ours, out: out,
		argv: []string{b.bin, "convert", path, "-o", out, "--compression", "zlib", "--overwrite", "-q"},
	}}}
	return b.withPeers(t, "root", path, out, []string{"colstore", "colstore-64M", "uproot"}), nil
}

// rowGroup is the number of rows of a row group, here and in peers/.
const rowGroup = 128 << 10

func (b *bench) derive(ctx context.Context) (task, error) {
	t := task{bytes: int64(b.numberRows()) * 4 * 8}
	for _, e := range []struct{ name, extension string }{{"colstore", ".cstore"}, {"polars", ".arrow"}, {"duckdb", ".parquet"}} {
		path, err := b.source(ctx, "table", e.extension)
		if err != nil {
			return task{}, err
		}
		out := b.output(e.extension)
		if e.name == "colstore" {
			t.engines = append(t.engines, engine{name: ours, out: out, argv: []string{
				b.bin, "convert", path, "-o", out, "--where", "a > 0", "--assign", "x=a*2+b/c", "--assign", "y=sqrt(b*b+c*c)",
				"--assign", "z=(a-b)*d", "--overwrite", "-q",
			}})
		}
		t = b.withPeers(t, "derive", path, out, []string{e.name})
	}
	e, err := b.asked(ctx, "numpy", "derive", "table")
	t.engines = append(t.engines, e)
	return t, err
}

// withPeers adds engines of peers/peer.py to a task.
func (b *bench) withPeers(t task, action, path, out string, names []string) task {
	for _, n := range names {
		e := engine{name: n, argv: b.script("peer.py", action, n, path, out), out: out, peer: true}
		if n == "colstore" || n == "colstore-64M" {
			e.name = "python-" + n
		}
		if action == "import" && (n == "pyarrow" || n == "uproot") {
			e.out = ""
		}
		t.engines = append(t.engines, e)
	}
	return t
}
