package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/pipeline"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/format"
)

var (
	numberColumns = []string{"b1", "i1", "i2", "i4", "i4b", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f8b"}
	timeColumns   = []string{"m8d", "m8s", "m8ms"}
)

// drawNumber draws an expression of numbers, often just a column.
func drawNumber(rt *rapid.T, depth int) frame.Expr {
	column := func() frame.Expr { return frame.Col(rapid.SampledFrom(numberColumns).Draw(rt, "column")) }
	if depth == 0 || rapid.IntRange(0, 2).Draw(rt, "plain") == 0 {
		return column()
	}
	x := drawNumber(rt, depth-1)
	switch rapid.IntRange(0, 9).Draw(rt, "number") {
	case 0:
		return x.Neg()
	case 1:
		return frame.Call("absolute", x)
	case 2:
		return x.Cast(dtype(rapid.SampledFrom([]string{"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}).Draw(rt, "cast")))
	case 3:
		return x.Add(drawLiteral(rt))
	case 4:
		return x.Mul(drawLiteral(rt))
	case 5:
		return x.Sub(column())
	case 6:
		return x.Div(drawLiteral(rt))
	case 7:
		return frame.Call(rapid.SampledFrom([]string{"floor", "ceil", "trunc", "rint", "sqrt", "sign", "positive", "exp", "log"}).Draw(rt, "func"), x)
	case 8:
		return frame.Call(rapid.SampledFrom([]string{"minimum", "maximum", "fmin", "fmax"}).Draw(rt, "extreme"), x, column())
	default:
		return frame.Row()
	}
}

func drawLiteral(rt *rapid.T) any {
	switch rapid.IntRange(0, 3).Draw(rt, "literal") {
	case 0:
		return rapid.SampledFrom([]any{true, false, 0, 1, 2, -1, -3, 100, 127, 128, -128, -129, 255, 256, 32768, 65535, 1 << 31, math.MaxInt64, uint64(math.MaxUint64), new(big.Int).Lsh(big.NewInt(1), 64)}).Draw(rt, "int")
	case 1:
		return rapid.SampledFrom([]any{0.0, math.Copysign(0, -1), 0.1, 0.5, 2.5, -1.5, 1e6, 1e-300, 9007199254740993.0, 70000.0, math.Inf(1), math.NaN()}).Draw(rt, "float")
	case 2:
		return rapid.SampledFrom([]any{
			colstore.ScalarOf(int8(-1)), colstore.ScalarOf(uint8(255)), colstore.ScalarOf(uint64(math.MaxUint64)), colstore.ScalarOf(int64(-1)),
			colstore.ScalarOf(float32(0.1)), colstore.ScalarOf(math.Inf(-1)), colstore.ScalarOf(float32(2)),
		}).Draw(rt, "scalar")
	}
	return rapid.SampledFrom([]any{0, 1, 2, 0.5}).Draw(rt, "near")
}

func drawTime(rt *rapid.T) any {
	if rapid.Bool().Draw(rt, "scalar") {
		t := dtype(rapid.SampledFrom([]string{"<M8[D]", "<M8[s]", "<M8[Y]", "<M8[ns]", "<m8[ms]", "<m8[s]"}).Draw(rt, "unit"))
		return colstore.TimeScalar(t, rapid.SampledFrom([]int64{0, 1, 2, -1, 100, 86400, 1 << 31, math.MaxInt64, colstore.NaT}).Draw(rt, "tick"))
	}
	x := frame.Col(rapid.SampledFrom(timeColumns).Draw(rt, "time"))
	if rapid.IntRange(0, 2).Draw(rt, "cast") == 0 {
		x = x.Cast(dtype(rapid.SampledFrom([]string{"<M8[D]", "<M8[Y]", "<M8[ms]", "<m8[s]", "<m8[ns]", "<i8", "<f8"}).Draw(rt, "to")))
	}
	return x
}

var comparisons = []string{"less", "less_equal", "greater", "greater_equal", "equal", "not_equal"}

// drawPredicate draws a condition, often one that has no meaning for its types.
func drawPredicate(rt *rapid.T, depth int) frame.Expr {
	if depth > 0 && rapid.IntRange(0, 2).Draw(rt, "nested") > 0 {
		x := drawPredicate(rt, depth-1)
		switch rapid.IntRange(0, 4).Draw(rt, "logic") {
		case 0, 1:
			return x.And(drawPredicate(rt, depth-1))
		case 2:
			return x.Or(drawPredicate(rt, depth-1))
		case 3:
			return frame.Call("logical_xor", x, drawPredicate(rt, depth-1))
		default:
			return x.Not()
		}
	}
	compare := rapid.SampledFrom(comparisons).Draw(rt, "compare")
	switch rapid.IntRange(0, 9).Draw(rt, "predicate") {
	case 0:
		return frame.Call(compare, drawNumber(rt, 2), drawNumber(rt, 1))
	case 1, 2:
		return frame.Call(compare, drawNumber(rt, 2), drawLiteral(rt))
	case 3:
		return frame.Call(compare, drawLiteral(rt), drawNumber(rt, 1))
	case 4:
		list := make([]any, rapid.IntRange(1, 12).Draw(rt, "members"))
		for i := range list {
			list[i] = drawLiteral(rt)
		}
		return drawNumber(rt, 1).IsIn(list...)
	case 5:
		return frame.Call(compare, frame.Col(rapid.SampledFrom(timeColumns).Draw(rt, "time")), drawTime(rt))
	case 6:
		text := []any{"", "a", "ab", "b", "zzz", []byte("a"), "é", frame.Col("s2"), frame.Col("t2")}
		x := frame.Col(rapid.SampledFrom([]string{"s2", "t2"}).Draw(rt, "text"))
		if rapid.Bool().Draw(rt, "in") {
			return x.IsIn(rapid.SampledFrom(text[:7]).Draw(rt, "member"), rapid.SampledFrom(text[:7]).Draw(rt, "member"))
		}
		return frame.Call(compare, x, rapid.SampledFrom(text).Draw(rt, "other"))
	case 7:
		return frame.Call(rapid.SampledFrom([]string{"isnan", "isinf", "isfinite", "signbit"}).Draw(rt, "class"), drawNumber(rt, 1))
	case 8:
		return frame.Col(rapid.SampledFrom([]string{"b1", "i4", "f8", "u8", "f2", "m8ms", "s2", "t2"}).Draw(rt, "truth")).Not()
	default:
		// Fails on negative exponents.
		return frame.Call(compare, frame.Call("power", frame.Col("i4"), frame.Col("i1")), drawLiteral(rt))
	}
}

// drawSteps draws a frame of one to three cuts that has a meaning for the table, some weighted.
func drawSteps(rt *rapid.T, s *colstore.Schema) *frame.Frame {
	f := frame.New().Assign("twice", frame.MustParse("f8 + f8"))
	for range rapid.IntRange(1, 3).Draw(rt, "cuts") {
		for range 20 {
			var o []frame.CutOption
			if rapid.IntRange(0, 4).Draw(rt, "weighted") == 0 {
				o = append(o, frame.Weighted("f4"))
			}
			next := f.Where(drawPredicate(rt, 2), o...)
			if bindable(next, s) {
				f = next
				break
			}
		}
	}
	return f
}

func bindable(f *frame.Frame, s *colstore.Schema) bool {
	_, err := f.Bind(s)
	return err == nil
}

// bytesOf returns the columns of a batch.
func bytesOf(b *colstore.Batch) [][]byte {
	out := make([][]byte, b.Schema().Len())
	for i := range out {
		out[i], _ = b.At(i).Copy().Bytes()
	}
	return out
}

// everything is what a frame makes of a source: rows, cutflow, number and reductions, or the error.
type everything struct {
	Rows   [][]byte
	Flow   string
	Count  int64
	Values []ops.Result
	Err    string
}

var skipAggs = []ops.Agg{ops.Sum("f8"), ops.Mean("f4"), ops.Min("i4"), ops.Max("m8d"), ops.Count(""), ops.Std("f8", 1), ops.Median("i8")}

func sequential(ctx context.Context, f *frame.Frame) everything {
	b, err := f.Collect(ctx)
	if err != nil {
		return everything{Err: err.Error()}
	}
	e := everything{Rows: bytesOf(b)}
	flow, err := f.Report(ctx)
	if err == nil {
		e.Flow = fmt.Sprintf("%+v", flow)
		if e.Count, err = f.Count(ctx); err == nil {
			e.Values, err = f.Reduce(ctx, skipAggs...)
		}
	}
	if err != nil {
		e.Err = err.Error()
	}
	return e
}

func parallel(ctx context.Context, f *frame.Frame, o *runtime.Options) everything {
	e := everything{}
	for b, err := range runtime.Batches(ctx, f, o) {
		if err != nil {
			return everything{Err: err.Error()}
		}
		e.Count += int64(b.Rows())
		for i, v := range bytesOf(b) {
			if len(e.Rows) <= i {
				e.Rows = append(e.Rows, nil)
			}
			e.Rows[i] = append(e.Rows[i], v...)
		}
	}
	if e.Rows == nil {
		s, _ := f.Schema()
		e.Rows = make([][]byte, s.Len())
	}
	flow, err := runtime.Cutflow(ctx, f, o)
	if err == nil {
		e.Flow = fmt.Sprintf("%+v", flow)
		e.Values, err = runtime.Reduce(ctx, f, o, skipAggs...)
	}
	if err != nil {
		e.Err = err.Error()
	}
	return e
}

func compareAll(rt *rapid.T, what string, want, got everything) {
	rt.Helper()
	if (want.Err == "") != (got.Err == "") {
		rt.Fatalf("%s: error %q instead of %q", what, got.Err, want.Err)
	}
	if want.Err != "" {
		return
	}
	for i := range want.Rows {
		if !bytes.Equal(want.Rows[i], got.Rows[i]) {
			rt.Fatalf("%s: column %d differs: %x instead of %x", what, i, got.Rows[i], want.Rows[i])
		}
	}
	if want.Flow != got.Flow {
		rt.Fatalf("%s: cutflow\n%s instead of\n%s", what, got.Flow, want.Flow)
	}
	if want.Count != got.Count {
		rt.Fatalf("%s: %d rows instead of %d", what, got.Count, want.Count)
	}
	for i, v := range want.Values {
		if !bytes.Equal(v.Cell().At(0), got.Values[i].Cell().At(0)) {
			rt.Fatalf("%s: reduction %d differs", what, i)
		}
	}
}

// counting counts the groups that a scan leaves out.
type counting struct {
	colstore.Source
	skipped *int
	counted *colstore.Skipped
}

func (c counting) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	if s.Skip != nil {
		s.Skip, s.Skipped = countingSkipper{s.Skip, c.skipped}, c.counted
	}
	return c.Source.Scan(ctx, s)
}

type countingSkipper struct {
	colstore.Skipper
	skipped *int
}

func (c countingSkipper) Skip(rows colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	ok := c.Skipper.Skip(rows, bounds)
	if ok {
		*c.skipped++
	}
	return ok
}

// Rows, cutflows, counts, reductions and errors are the same whether or not groups are left out, for any values, bounds,
// predicates, batches and workers.
func TestSkippingIsNeutral(t *testing.T) {
	cases, skipped := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		table := drawTable(rt, rapid.IntRange(0, 3).Draw(rt, "big endian") == 0, true)
		f := drawSteps(rt, table.Schema())
		blind := *table
		blind.blind = true
		want := sequential(t.Context(), f.Over(&blind))
		before := skipped
		compareAll(rt, "in sequence", want, sequential(t.Context(), f.Over(counting{Source: table, skipped: &skipped})))
		if cases++; skipped == before {
			return
		}
		o := &runtime.Options{Workers: rapid.IntRange(1, 3).Draw(rt, "workers"), BatchRows: rapid.SampledFrom([]int{1, 5, 64, 1000}).Draw(rt, "batch")}
		compareAll(rt, "in parallel", want, parallel(t.Context(), f.Over(table), o))
	})
	if skipped < cases/10 {
		t.Errorf("only %d groups were left out in %d cases: the test has no teeth", skipped, cases)
	}
}

// written writes a table as files of one or several records or row groups, at its groups' borders, and opens them.
func written(ctx context.Context, tb rapid.TB, dir, ext string, g *groupedTable, files int, stats bool) (colstore.Source, []string) {
	var paths []string
	per := (len(g.groups) + files - 1) / files
	for at := 0; at < len(g.groups); at += per {
		path := filepath.Join(dir, fmt.Sprintf("%v%d%s", stats, at, ext))
		var w colstore.Sink
		var err error
		if ext == ".parquet" {
			// Row groups of three rows straddle the table's. Pages of so many bytes end at other rows in every column.
			o := map[string]any{"row_group": "3"}
			if rt, ok := tb.(*rapid.T); ok {
				o["row_group"] = rapid.SampledFrom([]string{"3", "50", "1000"}).Draw(rt, "row group")
				o["page"] = rapid.SampledFrom([]string{"1", "2", "7", "16 B", "100 B"}).Draw(rt, "page")
			}
			w, err = sink.Create(ctx, sink.Spec{Path: path, Schema: g.Schema(), Replace: true, Options: o})
		} else {
			w, err = cstore.Create(path, g.Schema(), &cstore.WriteOptions{Mode: cstore.ModeReplace, Stats: stats})
		}
		if err != nil {
			tb.Fatal(err)
		}
		for _, r := range g.groups[at:min(at+per, len(g.groups))] {
			if err := w.Write(ctx, g.b.Slice(int(r.Begin), int(r.End))); err != nil {
				tb.Fatal(err)
			}
		}
		if err := w.Commit(ctx); err != nil {
			tb.Fatal(err)
		}
		paths = append(paths, path)
	}
	src, err := source.Open(ctx, source.Spec{Paths: paths, Nulls: source.Nulls{Mode: format.NullFill}})
	if err != nil {
		tb.Fatal(err)
	}
	return src, paths
}

// blinded is a file that never skips.
type blinded struct{ colstore.Source }

func (b blinded) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	s.Skip = nil
	return b.Source.Scan(ctx, s)
}

func (b blinded) Splits(rows int) []colstore.Range { return b.Source.(colstore.Splitter).Splits(rows) }

func (b blinded) Cost(columns []string) colstore.Cost {
	return b.Source.(colstore.Coster).Cost(columns)
}

// The same through files with the statistics that their writers gave them.
func TestSkippingFilesIsNeutral(t *testing.T) {
	for _, ext := range []string{".cstore", ".parquet"} {
		t.Run(ext, func(t *testing.T) {
			dir := t.TempDir()
			cases, skipped := 0, 0
			var counted colstore.Skipped
			rapid.Check(t, func(rt *rapid.T) {
				table := drawTable(rt, false, rapid.Bool().Draw(rt, "missing"))
				if ext == ".parquet" {
					table = storable(rt, table)
				}
				f := drawSteps(rt, table.Schema())
				src, _ := written(t.Context(), rt, dir, ext, table, rapid.IntRange(1, 3).Draw(rt, "files"), true)
				defer src.Close()
				want := sequential(t.Context(), f.Over(blinded{src}))
				compareAll(rt, "in sequence", want, sequential(t.Context(), f.Over(counting{src, &skipped, &counted})))
				cases++
				compareAll(rt, "in parallel", want, parallel(t.Context(), f.Over(src), &runtime.Options{Workers: 2, BatchRows: 40}))
			})
			if skipped < cases/10 {
				t.Errorf("only %d groups were left out in %d cases: the test has no teeth", skipped, cases)
			}
			if n := counted.Counts(); n.Groups == 0 || ext == ".parquet" && n.Pages < int64(cases) {
				t.Errorf("only %s were left out in %d cases: the test has no teeth", n, cases)
			}
		})
	}
}

// storable is the table without what Parquet does not hold: dates beyond 32 bits, seconds beyond milliseconds.
func storable(rt *rapid.T, g *groupedTable) *groupedTable {
	names := slices.DeleteFunc(g.Schema().Names(), func(n string) bool { return n == "m8d" || n == "m8s" })
	s, err := g.Schema().Select(names...)
	if err != nil {
		rt.Fatal(err)
	}
	days, ticks := make([]int64, g.b.Rows()), make([]int64, g.b.Rows())
	i4, _ := g.b.Column("i4")
	for i, v := range must(colstore.CopyOf[int32](i4)) {
		days[i], ticks[i] = int64(v), 3*int64(v)
	}
	fields, cols := []colstore.Field{}, []colstore.Column{}
	for _, f := range s.All() {
		c, _ := g.b.Column(f.Name)
		fields, cols = append(fields, f), append(cols, c)
	}
	for name, c := range map[string]colstore.Column{
		"m8d": colstore.Wrap(days).As(dtype("<M8[D]")), "m8s": colstore.Wrap(ticks).As(dtype("<M8[s]")),
	} {
		fields, cols = append(fields, colstore.Field{Name: name, Type: c.Type()}), append(cols, c)
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		rt.Fatal(err)
	}
	return &groupedTable{b: b, groups: g.groups, hidden: g.hidden}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A run writes the same bytes and reports the same cutflow from files with statistics as without, also where rows are
// counted in a pass of their own and where several outputs share the scan.
func TestRunSkipsNeutrally(t *testing.T) {
	dir := t.TempDir()
	var skipped int64
	rapid.Check(t, func(rt *rapid.T) {
		table := drawTable(rt, false, false)
		f := drawSteps(rt, table.Schema())
		other := frame.New()
		if rapid.IntRange(0, 3).Draw(rt, "all rows") > 0 {
			if next := other.Where(drawPredicate(rt, 1)); bindable(f.Then(next), table.Schema()) {
				other = next
			}
		}
		ext := rapid.SampledFrom([]string{".cstore", ".csv"}).Draw(rt, "output")
		run := func(stats bool) (string, []string, error) {
			src, in := written(t.Context(), rt, dir, ".cstore", table, 2, stats)
			if err := src.Close(); err != nil {
				rt.Fatal(err)
			}
			out := []string{filepath.Join(dir, fmt.Sprint("a", stats, ext)), filepath.Join(dir, fmt.Sprint("b", stats, ".cstore"))}
			p := &pipeline.Pipeline{Input: pipeline.Input{Paths: in}, Frame: f, Branches: []pipeline.Branch{
				{Output: pipeline.Output{Path: out[0], Mode: pipeline.Replace}},
				{Frame: other, Output: pipeline.Output{Path: out[1], Mode: pipeline.Replace}},
			}}
			report, err := runtime.Run(t.Context(), p, &runtime.Options{Workers: 2, BatchRows: 33})
			if err != nil {
				return "", nil, err
			}
			if report.Skips.Rows != report.Skipped {
				rt.Fatalf("%s instead of %d rows were left out", report.Skips, report.Skipped)
			}
			if stats {
				skipped += report.Skipped
			} else if report.Skipped != 0 {
				rt.Fatalf("%d rows were left out by no statistics", report.Skipped)
			}
			return fmt.Sprintf("%d rows %+v", report.Rows, report.Cutflow), out, nil
		}
		want, wantFiles, wantErr := run(false)
		got, gotFiles, err := run(true)
		switch {
		case (err == nil) != (wantErr == nil):
			rt.Fatalf("error %v instead of %v", err, wantErr)
		case err != nil:
			return
		case want != got:
			rt.Fatalf("%s instead of %s", got, want)
		}
		for i := range wantFiles {
			if !bytes.Equal(must(os.ReadFile(wantFiles[i])), must(os.ReadFile(gotFiles[i]))) {
				rt.Fatalf("output %d differs", i)
			}
		}
	})
	if skipped == 0 {
		t.Error("nothing was left out: the test has no teeth")
	}
}

// Skipping happens, in every source that has statistics.
func TestSkippingHappens(t *testing.T) {
	rows := 6000
	id, x, text := make([]int64, rows), make([]float32, rows), []byte(nil)
	for i := range rows {
		id[i], x[i] = int64(i), float32(i)/100
		text = append(text, fmt.Sprintf("%05d", i)...)
	}
	name, err := colstore.NewColumn(colstore.BytesOf(5), rows, text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := colstore.NewBatch(colstore.MustSchema(
		colstore.Field{Name: "id", Type: colstore.Int64}, colstore.Field{Name: "x", Type: colstore.Float32}, colstore.Field{Name: "name", Type: name.Type()},
	), colstore.Wrap(id), colstore.Wrap(x), name)
	if err != nil {
		t.Fatal(err)
	}
	g := &groupedTable{b: b}
	for at := 0; at < rows; at += 1000 {
		g.groups = append(g.groups, colstore.Range{Begin: int64(at), End: int64(at + 1000)})
	}
	store := func(ext string, files int) colstore.Source {
		src, _ := written(t.Context(), t, t.TempDir(), ext, g, files, true)
		t.Cleanup(func() { src.Close() })
		return src
	}
	sources := map[string]colstore.Source{
		"records": store(".cstore", 1), "files of one record": store(".cstore", 6), "row groups": store(".parquet", 2),
	}
	tests := map[string]struct {
		where string
		rows  int64
		least map[string]int64 // rows that are left out
	}{
		"range":       {"id >= 2100 and id < 2200", 100, map[string]int64{"records": 5000, "files of one record": 5000, "row groups": 5800}},
		"floats":      {"20 < x < 20.5", 49, map[string]int64{"records": 5000, "files of one record": 5000, "row groups": 5900}},
		"list":        {"id in [7, 8, 5999]", 3, map[string]int64{"records": 4000, "files of one record": 4000, "row groups": 5990}},
		"text":        {"name < b'00010'", 10, map[string]int64{"row groups": 5980}},
		"not":         {"not (id > 10 or x > 1)", 11, map[string]int64{"records": 5000, "files of one record": 5000, "row groups": 5980}},
		"magnitude":   {"abs(x - 30) < 0.5", 99, map[string]int64{"records": 4000, "files of one record": 4000, "row groups": 5890}},
		"out of type": {"id > 1e19", 0, map[string]int64{"records": 6000, "files of one record": 6000, "row groups": 6000}},
		"nothing":     {"x * x < 0.5 or id % 2 == 0", 3035, nil},
	}
	for name, test := range tests {
		for kind, src := range sources {
			t.Run(name+" in "+kind, func(t *testing.T) {
				f := frame.From(src).Where(frame.MustParse(test.where))
				p, err := f.Bind(src.Schema())
				if err != nil {
					t.Fatal(err)
				}
				skip := p.Skipper(0)
				n := int64(0)
				for in, err := range src.Scan(t.Context(), colstore.Scan{Columns: p.Inputs(), Skip: skip}) {
					if err != nil {
						t.Fatal(err)
					}
					out, err := p.Eval(t.Context(), in, nil, nil)
					if err != nil {
						t.Fatal(err)
					}
					n += int64(out.Rows())
					out.Release()
				}
				counts, err := f.Skips(t.Context(), false)
				if err != nil || counts.Rows != skip.Rows() || test.least != nil && counts.AllRows != src.Rows() {
					t.Errorf("%s, %v; it was %d rows", counts, err, skip.Rows())
				}
				if n != test.rows || skip.Rows() < test.least[kind] {
					t.Errorf("%d rows, %d left out; want %d, at least %d", n, skip.Rows(), test.rows, test.least[kind])
				}
				if (p.Prunes() == "") != (test.least == nil) {
					t.Errorf("prunes by %q", p.Prunes())
				}
			})
		}
	}
	if diff := cmp.Diff("id >= 2100, id < 2200", pruned(t, b.Schema(), "id >= 2100 and id < 2200 and id % 2 == 0")); diff != "" {
		t.Error(diff)
	}
	p, err := frame.New().Where(frame.Col("id").Gt(3).Or(frame.Row()).Not()).Bind(b.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("not (id > 3 or row())", p.Prunes()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("(not x < 3 or id in [1, 2])", pruned(t, b.Schema(), "not x < 3 or id in [1, 2]")); diff != "" {
		t.Error(diff)
	}
}

func pruned(tb testing.TB, s *colstore.Schema, where string) string {
	tb.Helper()
	p, err := frame.New().Where(frame.MustParse(where)).Bind(s)
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(p.Prunes())
}

// enclosed is a skipper that keeps everything, and the bounds of every group.
type enclosed struct {
	columns []string
	groups  []group
}

type group struct {
	rows   colstore.Range
	bounds map[string]colstore.Bounds
}

func (e *enclosed) Skip(rows colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	g := group{rows, map[string]colstore.Bounds{}}
	for _, n := range e.columns {
		if b, ok := bounds(n); ok {
			g.bounds[n] = b
		}
	}
	e.groups = append(e.groups, g)
	return false
}

// Bounds enclose the values of every file that another writer made.
func TestForeignBoundsEnclose(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"foreign/parquet/*.parquet", "*.cstore"} {
		paths = append(paths, must(filepath.Glob(golden.Path(t, pattern)))...)
	}
	known := map[string]int{}
	for _, path := range paths {
		src, err := source.Open(t.Context(), source.Spec{Paths: []string{path}, NoGlob: true, Nulls: source.Nulls{Mode: format.NullMask}})
		if err != nil {
			continue // files that cannot be read are of other tests
		}
		e := &enclosed{columns: src.Schema().Names()}
		var rows []*colstore.Batch
		for b, err := range src.Scan(t.Context(), colstore.Scan{Skip: e}) {
			if err != nil {
				rows = nil
				break
			}
			rows = append(rows, b.Detach())
		}
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
		if rows == nil {
			continue
		}
		all, err := colstore.Stack(rows[0].Schema(), rows...)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range e.groups {
			for name, b := range g.bounds {
				known[filepath.Ext(path)]++
				c, _ := all.Column(name)
				for r := int(g.rows.Begin); r < int(g.rows.End); r++ {
					if missing := isNaN(c, r); missing && b.NaN || !missing && compareCells(c, r, b.Lo, 0) >= 0 && compareCells(c, r, b.Hi, 0) <= 0 {
						continue
					}
					t.Fatalf("%s: column %q, row %d: %x is not within %x and %x (NaN %v)", path, name, r, c.At(r), b.Lo.At(0), b.Hi.At(0), b.NaN)
				}
			}
		}
	}
	if known[".parquet"] < 100 || known[".cstore"] < 20 {
		t.Errorf("bounds of %v columns in groups", known)
	}
}
