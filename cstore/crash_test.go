package cstore_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// createStep returns a step that writes rows first, first+1, … in writes of those sizes.
func createStep(tb testing.TB, o cstore.WriteOptions, first int, sizes ...int) fsxtest.Step {
	if o.Layout == cstore.LayoutBlocks {
		o.BlockRows = 50
	}
	return func(ctx context.Context, dir string) error {
		w, err := cstore.CreateIn(ctx, filepath.Join(dir, scenarioFile), countedSchema, &o)
		if err != nil {
			return err
		}
		defer w.Abort()
		at := first
		for _, n := range sizes {
			if err := w.Write(ctx, countedRows(tb, at, n)); err != nil {
				return err
			}
			at += n
		}
		return w.Commit(ctx)
	}
}

// reservedStep is createStep with rows in any order.
func reservedStep(tb testing.TB, o cstore.WriteOptions, first, rows int) fsxtest.Step {
	if o.Layout == cstore.LayoutBlocks {
		o.BlockRows = 50
	}
	return func(ctx context.Context, dir string) error {
		w, err := cstore.CreateIn(ctx, filepath.Join(dir, scenarioFile), countedSchema, &o)
		if err != nil {
			return err
		}
		defer w.Abort()
		if err := w.Reserve(int64(rows)); err != nil {
			return err
		}
		const piece = 37
		for at := (rows - 1) / piece * piece; at >= 0; at -= piece {
			if err := w.WriteAt(ctx, int64(at), countedRows(tb, first+at, min(piece, rows-at))); err != nil {
				return err
			}
		}
		return w.Commit(ctx)
	}
}

// createCases are all ways to write a new file or to replace one.
func createCases(tb testing.TB) []fsxtest.Scenario {
	var out []fsxtest.Scenario
	for _, layout := range []cstore.Layout{cstore.LayoutPerWrite, cstore.LayoutSingle, cstore.LayoutBlocks} {
		for _, stats := range []bool{false, true} {
			for _, sizes := range [][]int{{}, {1}, {30, 40}, {120, 1, 250}} {
				rows := 0
				for _, n := range sizes {
					rows += n
				}
				for _, replace := range []bool{false, true} {
					o := cstore.WriteOptions{Layout: layout, Stats: stats}
					var setup []fsxtest.Step
					if replace {
						setup = append(setup, createStep(tb, cstore.WriteOptions{Stats: !stats}, 1000, 60, 60))
						o.Mode = cstore.ModeReplace
					}
					name := fmt.Sprintf("layout %d, statistics %t, replace %t, %v rows", layout, stats, replace, sizes)
					out = append(out, fsxtest.Scenario{Identify: identifyWhole, Name: name, Setup: setup, Steps: []fsxtest.Step{createStep(tb, o, 0, sizes...)}})
					if layout != cstore.LayoutPerWrite {
						out = append(out, fsxtest.Scenario{Identify: identifyWhole, Name: name + " reserved", Setup: setup, Steps: []fsxtest.Step{reservedStep(tb, o, 0, rows)}})
					}
				}
			}
		}
	}
	return out
}

// appendStep returns a step that appends rows first, first+1, … in writes of those sizes.
func appendStep(tb testing.TB, o cstore.AppendOptions, first int, sizes ...int) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		a, err := cstore.NewAppenderIn(ctx, dir, countedSchema, &o)
		if err != nil {
			return err
		}
		defer a.Abort()
		at := first
		for _, n := range sizes {
			if err := a.Write(ctx, countedRows(tb, at, n)); err != nil {
				return err
			}
			at += n
		}
		return a.Commit(ctx)
	}
}

// appendCases are ways to add shards to a folder, one that is there and a new one below it.
func appendCases(tb testing.TB) []fsxtest.Scenario {
	in := func(folder string, step fsxtest.Step) fsxtest.Step {
		return func(ctx context.Context, dir string) error { return step(ctx, filepath.Join(dir, folder)) }
	}
	var out []fsxtest.Scenario
	for _, c := range []struct {
		folder string
		o      cstore.AppendOptions
	}{
		{"", cstore.AppendOptions{Stats: true}},
		{"", cstore.AppendOptions{ShardRows: 50, Split: true}},
		{"", cstore.AppendOptions{ShardRows: 50, PublishFull: true}},
		{"new", cstore.AppendOptions{ShardRows: 50}},
	} {
		s := fsxtest.Scenario{
			Name:     fmt.Sprintf("folder %q, %+v", c.folder, c.o),
			Identify: identifyWhole,
			Steps:    []fsxtest.Step{in(c.folder, appendStep(tb, c.o, 0, 20, 40, 110, 5))},
			Next:     in(c.folder, appendStep(tb, cstore.AppendOptions{}, 2000, 5)),
		}
		if c.folder == "" {
			s.Setup = []fsxtest.Step{appendStep(tb, cstore.AppendOptions{}, 1000, 60)}
		}
		out = append(out, s)
	}
	return out
}

// Whatever of what is not durable a crash leaves, each file is that of before or that of after, and what Commit promised
// is there.
func TestCrash(t *testing.T) {
	var total fsxtest.Counted
	seen := new(fsxtest.Seen)
	for _, c := range append(createCases(t), appendCases(t)...) {
		counted := c.Crash(t, fsxtest.Exploring{Random: 200, Seed: 1, Workers: 2, Seen: seen})
		t.Logf("%s: %+v", c.Name, counted)
		total.Add(counted)
	}
	t.Logf("%+v", total)
}

// Each fsync that a writer left out would lose something, but for the first of a file that appears whole: the second, after
// the counters, comes before the rename too.
func TestCrashNeedsEverySync(t *testing.T) {
	for _, c := range createCases(t) {
		var found []bool
		for n := 0; ; n++ {
			var l *fsxtest.Lying
			err := c.Flawed(t, fsxtest.Exploring{Workers: 2}, func(fsys fsx.FS) fsx.FS {
				l = &fsxtest.Lying{FS: fsys, N: n}
				return l
			})
			if n >= l.Syncs {
				break
			}
			found = append(found, err != nil)
		}
		if d := cmp.Diff([]bool{false, true, true}, found); d != "" {
			t.Errorf("%s: syncs without which something is lost: %s", c.Name, d)
		}
	}
}
