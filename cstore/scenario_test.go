package cstore_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// countedSchema is that of tables whose values follow from a row's number.
var countedSchema = colstore.MustSchema(
	colstore.Field{Name: "n", Type: colstore.Int64},
	colstore.Field{Name: "x", Type: colstore.Float64},
	colstore.Field{Name: "s", Type: colstore.BytesOf(3)},
)

// countedRows returns rows first, first+1, … of the counted table.
func countedRows(tb testing.TB, first, rows int) *colstore.Batch {
	tb.Helper()
	n, x, s := make([]int64, rows), make([]float64, rows), make([]byte, 0, 3*rows)
	for i := range rows {
		n[i], x[i] = int64(first+i), float64(first+i)/2
		s = append(s, countedText(int64(first+i))...)
	}
	text, err := colstore.NewColumn(colstore.BytesOf(3), rows, s)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := colstore.NewBatch(countedSchema, colstore.Wrap(n), colstore.Wrap(x), text)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func countedText(n int64) []byte {
	return []byte{'a' + byte(n%26), 'a' + byte(n/26%26), 'a' + byte(n/676%26)}
}

// readCounted reads a file of the counted table in memory, demands that every row is what it should be and that
// statistics are true, and returns the first row's number and how many there are.
func readCounted(data []byte) (first, rows int64, err error) {
	c, err := cstore.ReadContent(data)
	if err != nil {
		return 0, 0, err
	}
	if !c.Schema.Equal(countedSchema) {
		return 0, 0, fmt.Errorf("the schema is %v", c.Schema)
	}
	next := int64(0)
	width := int64(countedSchema.RowBytes())
	for i, body := range c.Records {
		n := body.Rows() / width
		numbers, reals, texts := data[body.Begin:], data[body.Begin+8*n:], data[body.Begin+16*n:]
		lowest := int64(0)
		for r := range n {
			got := int64(binary.LittleEndian.Uint64(numbers[8*r:]))
			if rows == 0 {
				first, next = got, got
			}
			if r == 0 {
				lowest = got
			}
			if x := math.Float64frombits(binary.LittleEndian.Uint64(reals[8*r:])); got != next || x != float64(got)/2 || !bytes.Equal(texts[3*r:3*r+3], countedText(got)) {
				return 0, 0, fmt.Errorf("record %d, row %d: %d, %v, %q where row number %d belongs", i, r, got, x, texts[3*r:3*r+3], next)
			}
			next, rows = next+1, rows+1
		}
		if lo, hi, ok := c.Bounds(0, i); ok {
			least, _ := lo.Bytes()
			most, _ := hi.Bytes()
			if l, m := int64(binary.LittleEndian.Uint64(least)), int64(binary.LittleEndian.Uint64(most)); l > lowest || m < next-1 {
				return 0, 0, fmt.Errorf("record %d: the statistics say %d to %d, the rows are %d to %d", i, l, m, lowest, next-1)
			}
		}
	}
	return first, rows, nil
}

// identifyCounted says which rows a file has.
func identifyCounted(_ string, data []byte) (int64, error) {
	first, rows, err := readCounted(data)
	return first<<32 | rows, err
}

// identifyWhole reads a file that is never changed where it lies, and says which bytes it has. A CRC would not do: it is
// the same for all counters that end with their own.
func identifyWhole(_ string, data []byte) (int64, error) {
	_, _, err := readCounted(data)
	return int64(maphash.Bytes(contentSeed, data) >> 1), err
}

var contentSeed = maphash.MakeSeed()

const scenarioFile = "x.cstore"

// options are those of a layout, with records that are small enough for a test to fill.
func options(layout cstore.Layout, stats bool) cstore.WriteOptions {
	o := cstore.WriteOptions{Layout: layout, Stats: stats}
	if layout == cstore.LayoutBlocks {
		o.BlockRows = 50
	}
	return o
}

// replaced is o for a file that is there.
func replaced(o cstore.WriteOptions) cstore.WriteOptions {
	o.Mode = cstore.ModeReplace
	return o
}

// writes gives a writer rows first, first+1, … in writes of those sizes.
func writes(ctx context.Context, tb testing.TB, w *cstore.Writer, first int, sizes []int) error {
	for _, n := range sizes {
		if err := w.Write(ctx, countedRows(tb, first, n)); err != nil {
			return err
		}
		first += n
	}
	return nil
}

// backwards gives a writer rows first, first+1, …, the last ones first.
func backwards(ctx context.Context, tb testing.TB, w *cstore.Writer, first, rows int) error {
	if err := w.Reserve(int64(rows)); err != nil {
		return err
	}
	const piece = 37
	for at := (rows - 1) / piece * piece; at >= 0 && rows > 0; at -= piece {
		if err := w.WriteAt(ctx, int64(at), countedRows(tb, first+at, min(piece, rows-at))); err != nil {
			return err
		}
	}
	return nil
}

// createStep writes a file of rows first, first+1, … in writes of those sizes.
func createStep(tb testing.TB, o cstore.WriteOptions, first int, sizes ...int) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		w, err := cstore.CreateIn(ctx, filepath.Join(dir, scenarioFile), countedSchema, &o)
		if err != nil {
			return err
		}
		return finish(ctx, w, writes(ctx, tb, w, first, sizes))
	}
}

// reservedStep is createStep with rows in any order.
func reservedStep(tb testing.TB, o cstore.WriteOptions, first, rows int) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		w, err := cstore.CreateIn(ctx, filepath.Join(dir, scenarioFile), countedSchema, &o)
		if err != nil {
			return err
		}
		return finish(ctx, w, backwards(ctx, tb, w, first, rows))
	}
}

// finish commits if there was no error.
func finish(ctx context.Context, w *cstore.Writer, err error) error {
	if err == nil {
		err = w.Commit(ctx)
	}
	return errors.Join(err, w.Abort())
}

// updateStep appends to the file the rows that follow those it has, in writes of those sizes.
func updateStep(tb testing.TB, o cstore.WriteOptions, sizes ...int) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		w, err := cstore.UpdateIn(ctx, filepath.Join(dir, scenarioFile), &o)
		if err != nil {
			return err
		}
		return finish(ctx, w, writes(ctx, tb, w, int(w.Rows()), sizes))
	}
}

// reservedUpdateStep is updateStep with rows in any order.
func reservedUpdateStep(tb testing.TB, o cstore.WriteOptions, rows int) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		w, err := cstore.UpdateIn(ctx, filepath.Join(dir, scenarioFile), &o)
		if err != nil {
			return err
		}
		return finish(ctx, w, backwards(ctx, tb, w, int(w.Rows()), rows))
	}
}

// abortedStep writes rows to the file and gives them up, when all but their publication was done.
func abortedStep(tb testing.TB, o cstore.WriteOptions, sizes ...int) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		w, err := cstore.UpdateIn(ctx, filepath.Join(dir, scenarioFile), &o)
		if err != nil {
			return err
		}
		if err = writes(ctx, tb, w, int(w.Rows()), sizes); err == nil {
			err = w.Prepare(ctx)
		}
		return errors.Join(err, w.Abort())
	}
}

// leftoversStep puts behind the file what a writer leaves that dies before it writes the counters: a whole record and the
// beginning of another.
func leftoversStep(tb testing.TB) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		f, err := fsx.Of(ctx).OpenFile(filepath.Join(dir, scenarioFile), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		st, err := f.Stat()
		if err != nil {
			return err
		}
		raw := make([]byte, st.Size())
		if _, err := f.ReadAt(raw, 0); err != nil {
			return err
		}
		c, err := cstore.ReadContent(raw)
		if err != nil {
			return err
		}
		last := c.Records[len(c.Records)-1]
		record := raw[last.Begin-32:]
		if _, err := f.WriteAt(append(append([]byte{}, record...), record[:len(record)/2]...), st.Size()); err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	}
}

// compactStep makes one record of the file's.
func compactStep(o cstore.CompactOptions) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		to := o
		if to.Out != "" {
			to.Out = filepath.Join(dir, to.Out)
		}
		_, err := cstore.Compact(ctx, filepath.Join(dir, scenarioFile), &to)
		return err
	}
}

// createScenarios are all ways to write a new file or to replace one.
func createScenarios(tb testing.TB) []fsxtest.Scenario {
	var out []fsxtest.Scenario
	add := func(name string, setup, step fsxtest.Step) {
		c := fsxtest.Scenario{Name: name, Identify: identifyWhole, Steps: []fsxtest.Step{step}}
		if setup != nil {
			c.Setup = append(c.Setup, setup)
		}
		out = append(out, c)
	}
	for _, layout := range []cstore.Layout{cstore.LayoutPerWrite, cstore.LayoutSingle, cstore.LayoutBlocks} {
		for _, stats := range []bool{false, true} {
			for _, sizes := range [][]int{{}, {1}, {30, 40}, {120, 1, 250}} {
				name := fmt.Sprintf("layout %d, statistics %t, rows %v", layout, stats, sizes)
				rows := 0
				for _, n := range sizes {
					rows += n
				}
				o, old := options(layout, stats), createStep(tb, options(cstore.LayoutPerWrite, !stats), 1000, 60, 60)
				add("create, "+name, nil, createStep(tb, o, 0, sizes...))
				add("replace, "+name, old, createStep(tb, replaced(o), 0, sizes...))
				if layout != cstore.LayoutPerWrite {
					add("create, reserved, "+name, nil, reservedStep(tb, o, 0, rows))
					add("replace, reserved, "+name, old, reservedStep(tb, replaced(o), 0, rows))
				}
			}
		}
	}
	return out
}

// updateScenarios append to files in place, with all that may be behind the records before.
func updateScenarios(tb testing.TB) []fsxtest.Scenario {
	var out []fsxtest.Scenario
	for _, before := range []struct {
		name  string
		setup []fsxtest.Step
	}{
		{"of no rows", []fsxtest.Step{createStep(tb, options(cstore.LayoutPerWrite, false), 0)}},
		{"without statistics", []fsxtest.Step{createStep(tb, options(cstore.LayoutPerWrite, false), 0, 40, 25)}},
		{"with statistics", []fsxtest.Step{createStep(tb, options(cstore.LayoutPerWrite, true), 0, 40, 3, 20)}},
		{"with leftovers", []fsxtest.Step{createStep(tb, options(cstore.LayoutPerWrite, false), 0, 40, 25), leftoversStep(tb)}},
	} {
		for _, layout := range []cstore.Layout{cstore.LayoutPerWrite, cstore.LayoutSingle, cstore.LayoutBlocks} {
			for _, stats := range []bool{false, true} {
				o := options(layout, stats)
				steps := map[string][]fsxtest.Step{
					"twice, then given up": {updateStep(tb, o, 30), updateStep(tb, o, 1, 90), abortedStep(tb, o, 60, 5)},
					"nothing, then much":   {updateStep(tb, o), updateStep(tb, o, 120, 1, 150)},
				}
				if layout != cstore.LayoutPerWrite {
					steps["reserved"] = []fsxtest.Step{reservedUpdateStep(tb, o, 210)}
				}
				for _, what := range slices.Sorted(maps.Keys(steps)) {
					out = append(out, fsxtest.Scenario{
						Name:  fmt.Sprintf("update of a file %s, layout %d, statistics %t: %s", before.name, layout, stats, what),
						Setup: before.setup, Steps: steps[what], Identify: identifyCounted, Next: updateStep(tb, o, 7, 60),
					})
				}
			}
		}
	}
	return out
}

// copyScenarios make files of others: compact in place and to another path, concat, and all that a file may go through.
func copyScenarios(tb testing.TB) []fsxtest.Scenario {
	var out []fsxtest.Scenario
	for _, stats := range []bool{false, true} {
		o := options(cstore.LayoutPerWrite, stats)
		several := []fsxtest.Step{createStep(tb, o, 0, 40, 3, 120)}
		one := []fsxtest.Step{createStep(tb, o, 0, 160)}
		name := fmt.Sprintf(", statistics %t", stats)
		out = append(out,
			fsxtest.Scenario{Name: "compact" + name, Identify: identifyWhole, Setup: several, Steps: []fsxtest.Step{compactStep(cstore.CompactOptions{})}},
			fsxtest.Scenario{Name: "compact by two threads" + name, Identify: identifyWhole, Setup: several, Steps: []fsxtest.Step{compactStep(cstore.CompactOptions{Threads: 2})}},
			fsxtest.Scenario{Name: "compact what is compact but for leftovers" + name, Identify: identifyWhole, Setup: append(one, leftoversStep(tb)), Steps: []fsxtest.Step{compactStep(cstore.CompactOptions{})}},
			fsxtest.Scenario{Name: "compact to a file" + name, Identify: identifyWhole, Setup: several, Steps: []fsxtest.Step{compactStep(cstore.CompactOptions{Out: "out.cstore"})}},
			fsxtest.Scenario{Name: "copy to a file" + name, Identify: identifyWhole, Setup: one, Steps: []fsxtest.Step{compactStep(cstore.CompactOptions{Out: "out.cstore"})}},
			fsxtest.Scenario{Name: "concat" + name, Identify: identifyWhole, Setup: several, Steps: []fsxtest.Step{concatStep(tb, stats)}},
			fsxtest.Scenario{
				Name: "a file's life" + name, Identify: identifyCounted,
				Steps: []fsxtest.Step{
					createStep(tb, o, 0, 30), updateStep(tb, o, 50, 5), compactStep(cstore.CompactOptions{}), updateStep(tb, o, 70),
					abortedStep(tb, o, 20), createStep(tb, replaced(o), 0, 200), updateStep(tb, o, 1),
				},
				Next: createStep(tb, replaced(o), 0, 11),
			},
		)
	}
	return out
}

// concatStep replaces the file by the rows of two that lie elsewhere.
func concatStep(tb testing.TB, stats bool) fsxtest.Step {
	var readers []*cstore.Reader
	dir := tb.TempDir()
	for i, first := range []int{0, 110} {
		path := filepath.Join(dir, fmt.Sprintf("%d.cstore", i))
		if err := cstore.Store(tb.Context(), path, countedRows(tb, first, 110), &cstore.WriteOptions{Stats: stats}); err != nil {
			tb.Fatal(err)
		}
		r, err := cstore.Open(path, nil)
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = r.Close() })
		readers = append(readers, r)
	}
	return func(ctx context.Context, dir string) error {
		_, err := cstore.Concat(ctx, filepath.Join(dir, scenarioFile), readers, &cstore.ConcatOptions{Replace: true})
		return err
	}
}

// appendStep adds shards of rows first, first+1, … to a folder.
func appendStep(tb testing.TB, o cstore.AppendOptions, first int, sizes ...int) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		a, err := cstore.NewAppenderIn(ctx, filepath.Join(dir, "shards"), countedSchema, &o)
		if err != nil {
			return err
		}
		at := first
		for _, n := range sizes {
			if err := a.Write(ctx, countedRows(tb, at, n)); err != nil {
				return errors.Join(err, a.Abort())
			}
			at += n
		}
		return errors.Join(a.Commit(ctx), a.Abort())
	}
}

// flushSteps add shards to a folder by one appender, which promises each as it is published.
func flushSteps(tb testing.TB, o cstore.AppendOptions, sizes ...int) []fsxtest.Step {
	var a *cstore.Appender
	var out []fsxtest.Step
	for i, n := range sizes {
		out = append(out, func(ctx context.Context, dir string) (err error) {
			if i == 0 {
				if a, err = cstore.NewAppenderIn(ctx, filepath.Join(dir, "shards"), countedSchema, &o); err != nil {
					return err
				}
			}
			err = a.Write(ctx, countedRows(tb, 100*i, n))
			if err == nil {
				err = a.Flush(ctx)
			}
			if err != nil || i == len(sizes)-1 {
				err = errors.Join(err, a.Abort())
			}
			return err
		})
	}
	return out
}

// copiedStep adds the file as a shard, byte for byte.
func copiedStep(ctx context.Context, dir string) error {
	_, err := cstore.AppendFiles(ctx, filepath.Join(dir, "shards"), []string{filepath.Join(dir, scenarioFile)}, nil)
	return err
}

// shardScenarios add shards to folders, new ones and others.
func shardScenarios(tb testing.TB) []fsxtest.Scenario {
	var out []fsxtest.Scenario
	add := func(name string, setup []fsxtest.Step, steps ...fsxtest.Step) {
		for i := range setup {
			name += fmt.Sprintf(", after %d", i+1)
		}
		out = append(out, fsxtest.Scenario{
			Name: name, Identify: identifyWhole, Setup: setup, Steps: steps, Next: appendStep(tb, cstore.AppendOptions{}, 7, 20),
		})
	}
	for _, setup := range [][]fsxtest.Step{nil, {appendStep(tb, cstore.AppendOptions{}, 0, 30)}} {
		add("one shard", setup, appendStep(tb, cstore.AppendOptions{Stats: true}, 0, 30, 10))
		add("several at once", setup, appendStep(tb, cstore.AppendOptions{ShardRows: 50, Stats: true}, 0, 60, 20, 40, 90))
		add("several, of a size", setup, appendStep(tb, cstore.AppendOptions{ShardRows: 50, Split: true}, 0, 60, 20, 90))
		add("as they are full", setup, appendStep(tb, cstore.AppendOptions{ShardRows: 50, PublishFull: true}, 0, 60, 20, 40, 9))
		add("one after the other", append(slices.Clone(setup), createStep(tb, options(cstore.LayoutPerWrite, true), 0, 50, 20)),
			appendStep(tb, cstore.AppendOptions{}, 0, 60), copiedStep, appendStep(tb, cstore.AppendOptions{}, 0, 5))
		add("flushed", setup, flushSteps(tb, cstore.AppendOptions{}, 60, 5, 80)...)
	}
	return out
}

// scenarios are all of them.
func scenarios(tb testing.TB) []fsxtest.Scenario {
	return slices.Concat(createScenarios(tb), updateScenarios(tb), copyScenarios(tb), shardScenarios(tb))
}
