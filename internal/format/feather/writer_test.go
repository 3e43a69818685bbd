package feather_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/feather"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/source/format"
)

// writing says how a batch is written.
type writing struct {
	compression string
	threads     int
	rows        int // of a write; 0 is all
}

func (w writing) open(path string, s *colstore.Schema) (colstore.Sink, error) {
	given := map[string]any{}
	if w.compression != "" {
		given["compression"] = w.compression
	}
	o, err := format.CheckOptions("writing feather", feather.Descriptor.Write.Options, given)
	if err != nil {
		return nil, err
	}
	return feather.Descriptor.Write.Create(context.Background(), &format.CreateRequest{
		Path: path, Schema: s, Options: o, Replace: true, Threads: w.threads,
	})
}

func store(path string, b *colstore.Batch, how writing) (err error) {
	ctx := context.Background()
	w, err := how.open(path, b.Schema())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	rows := how.rows
	if rows == 0 {
		rows = max(1, b.Rows())
	}
	for at := 0; at < b.Rows(); at += rows {
		if err := w.Write(ctx, b.Slice(at, min(at+rows, b.Rows()))); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

var everyType = []colstore.DType{
	colstore.Bool, colstore.Int8, colstore.Int16, colstore.Int32, colstore.Int64, colstore.Uint8, colstore.Uint16, colstore.Uint32, colstore.Uint64,
	colstore.Float16, colstore.Float32, colstore.Float64, colstore.BytesOf(1), colstore.BytesOf(9), colstore.TextOf(1), colstore.TextOf(6), colstore.TextOf(300),
	colstore.DatetimeOf(colstore.Day), colstore.DatetimeOf(colstore.Second), colstore.DatetimeOf(colstore.Nanosecond), colstore.TimedeltaOf(colstore.Microsecond),
	colstore.Int16.Swapped(), colstore.Float64.Swapped(), colstore.TextOf(3).Swapped(),
}

// anyBatch returns rows of values of some dtypes; every other column repeats one value.
func anyBatch(tb rapid.TB, types []colstore.DType, rows int, seed uint64) *colstore.Batch {
	r := rand.New(rand.NewPCG(seed, 1))
	fields, cols := make([]colstore.Field, len(types)), make([]colstore.Column, len(types))
	for i, t := range types {
		fields[i] = colstore.Field{Name: fmt.Sprintf("c%d é", i), Type: t}
		data := make([]byte, rows*t.Size())
		fillColumn(data, t, r)
		c, err := colstore.NewColumn(t, rows, data)
		if err != nil {
			tb.Fatal(err)
		}
		if i%2 == 1 {
			p, n, _ := c.Raw()
			c = colstore.RawColumn(t, n, 0, p)
		}
		cols[i] = c
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// fillColumn fills in values that Arrow can hold, among them NaT.
func fillColumn(data []byte, t colstore.DType, r *rand.Rand) {
	size := t.Size()
	for at := 0; at < len(data); at += size {
		v := data[at : at+size]
		switch {
		case t.Kind() == colstore.KindBool:
			v[0] = byte(r.IntN(2))
		case t.Kind() == colstore.KindText:
			for k := range r.IntN(t.Width() + 1) {
				c := [3]uint32{uint32('a' + r.IntN(26)), 0x20ac, 0}[min(2, r.IntN(9)/4)] // letters, euros, NULs inside
				for i := range 4 {
					place := i
					if t.BigEndian() {
						place = 3 - i
					}
					v[4*k+place] = byte(c >> (8 * i))
				}
			}
		case t.IsTime() && r.IntN(5) == 0:
			v[7] = 0x80
		case t.Unit() == colstore.Day:
			v[0], v[1] = byte(r.Uint32()), byte(r.Uint32())
		default:
			for i := range v {
				v[i] = byte(r.Uint32())
			}
		}
	}
}

// A file holds the same bytes however its rows arrive, and reads back as what was written, whatever the batches.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom(everyType), 1, 5).Draw(t, "types")
		rows := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 9_000)).Draw(t, "rows")
		b := anyBatch(t, types, rows, rapid.Uint64().Draw(t, "seed"))
		compression := rapid.SampledFrom([]string{"none", "lz4", "lz4:3", "zstd", "zstd:3"}).Draw(t, "compression")
		var first []byte
		for i := range 3 {
			how := writing{compression: compression, threads: i, rows: rapid.IntRange(1, max(1, rows)).Draw(t, "write")}
			how.rows = max(how.rows, rows/100)
			path := filepath.Join(dir, "f.feather")
			if err := store(path, b, how); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = data
			} else if !bytes.Equal(data, first) {
				t.Fatalf("%+v gives other bytes", how)
			}
			scan := colstore.Scan{BatchRows: rapid.IntRange(0, max(1, rows)).Draw(t, "batch"), Threads: i}
			if scan.BatchRows > 0 {
				scan.BatchRows = max(scan.BatchRows, rows/100)
			}
			if rows > 0 && rapid.Bool().Draw(t, "part") {
				scan.Rows.Begin = int64(rapid.IntRange(0, rows-1).Draw(t, "begin"))
				scan.Rows.End = int64(rapid.IntRange(int(scan.Rows.Begin)+1, rows).Draw(t, "end"))
			}
			got, err := readTable(path, reading{scan: scan})
			if err != nil {
				t.Fatal(err)
			}
			want := b
			if scan.Rows.End > 0 {
				want = b.Slice(int(scan.Rows.Begin), int(scan.Rows.End))
			}
			same(t, got, want)
		}
	})
}

// same demands the same names and values.
func same(tb rapid.TB, got, want *colstore.Batch) {
	want = want.Detach()
	if !got.Schema().Equal(want.Schema()) || got.Rows() != want.Rows() {
		tb.Fatalf("%d rows of %v, want %d of %v", got.Rows(), got.Schema(), want.Rows(), want.Schema())
	}
	for i := range want.Schema().All() {
		if !bytes.Equal(raw(got, i), raw(want, i)) {
			tb.Fatalf("the values of column %d differ", i)
		}
	}
}

// Several record batches, with columns that are encoded in memory and one that is too large for that, and any range of
// their rows.
func TestManyRecordBatches(t *testing.T) {
	b := anyBatch(t, []colstore.DType{colstore.TextOf(300), colstore.DatetimeOf(colstore.Second), colstore.Bool, colstore.Uint16}, 30_001, 5)
	dir := t.TempDir()
	for _, compression := range []string{"none", "lz4", "zstd"} {
		var first []byte
		for _, threads := range []int{1, 3} {
			path := filepath.Join(dir, "f.feather")
			if err := store(path, b, writing{compression: compression, threads: threads, rows: 33_333 * threads}); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = data
			} else if !bytes.Equal(data, first) {
				t.Error("the number of threads shows")
			}
			for _, rows := range []colstore.Range{{}, {Begin: 27_647, End: 30_001}, {Begin: 27_648, End: 27_649}, {Begin: 27_003, End: 29_000}} {
				got, err := readTable(path, reading{scan: colstore.Scan{Rows: rows, Threads: 2, BatchRows: 10_007}})
				if err != nil {
					t.Fatal(err)
				}
				want := b
				if rows.End > 0 {
					want = b.Slice(int(rows.Begin), int(rows.End))
				}
				same(t, got, want)
			}
		}
		f, err := openFile(filepath.Join(dir, "f.feather"), format.Nulls{})
		if err != nil {
			t.Fatal(err)
		}
		src, err := f.Source(t.Context(), format.Projection{})
		if err != nil {
			t.Fatal(err)
		}
		checkSplits(t, src, compression == "none")
		f.Close()
	}
}

// checkSplits demands ranges that cover the rows in order; those of a compressed file begin with a record batch.
func checkSplits(t *testing.T, src colstore.Source, stored bool) {
	t.Helper()
	const group = 27_648 // rows of a record batch: 32 MiB of 1,211 bytes, in whole multiples of 1,024
	for _, rows := range []int{1_000, 30_000, 60_000, 1 << 30} {
		next := int64(0)
		for _, r := range src.(colstore.Splitter).Splits(rows) {
			if r.Begin != next || r.End <= r.Begin || stored && r.Rows() > int64(rows) || !stored && r.Begin%group != 0 {
				t.Fatalf("splits of %d rows: %v after %d", rows, r, next)
			}
			next = r.End
		}
		if next != src.Rows() {
			t.Errorf("splits of %d rows end at %d", rows, next)
		}
	}
}

func TestRefusedSchemas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.feather")
	tests := []struct {
		field colstore.Field
		want  error
	}{
		{colstore.Field{Name: "t", Type: colstore.DatetimeOf(colstore.Hour)}, colstore.ErrType},
		{colstore.Field{Name: "t", Type: colstore.TimedeltaOf(colstore.Day)}, colstore.ErrType},
		{colstore.Field{Name: "\xff", Type: colstore.Int8}, colstore.ErrValue},
	}
	for _, test := range tests {
		_, err := (writing{}).open(path, colstore.MustSchema(test.field))
		if e, ok := errors.AsType[*colstore.Error](err); !ok || !errors.Is(err, test.want) || e.Path != path || e.Column != test.field.Name {
			t.Errorf("%v: %v", test.field, err)
		}
	}
	if _, err := (writing{}).open(path, colstore.MustSchema()); !errors.Is(err, colstore.ErrValue) {
		t.Errorf("no columns: %v", err)
	}
}

// A value that Arrow cannot hold is told with its row, wherever it is in a record batch.
func TestRefusedValues(t *testing.T) {
	days := make([]int64, 300_000)
	days[299_999] = 1 << 40
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "d", Type: colstore.DatetimeOf(colstore.Day)}),
		colstore.Wrap(days).As(colstore.DatetimeOf(colstore.Day)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f.feather")
	err = store(path, b, writing{rows: 100_000})
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok || !errors.Is(err, colstore.ErrValue) || e.Path != path || e.Column != "d" || e.Row != colstore.At(299_999) {
		t.Errorf("%v", err)
	}
	if left := fsxtest.Snapshot(t, filepath.Dir(path)); len(left) != 0 {
		t.Errorf("left behind: %d files", len(left))
	}
}

func TestCompressionOption(t *testing.T) {
	for text, ok := range map[string]bool{
		"none": true, "uncompressed": true, "lz4": true, "lz4:1": true, "lz4:9": true, "zstd": true, "zstd:1": true, "zstd:22": true,
		"": false, "none:1": false, "lz4:0": false, "lz4:10": false, "zstd:23": false, "zstd:": false, "gzip": false,
	} {
		_, err := format.CheckOptions("writing feather", feather.Descriptor.Write.Options, map[string]any{"compression": text})
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
