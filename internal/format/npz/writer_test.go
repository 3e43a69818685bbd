package npz_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/npz"
	"github.com/colstore/colstore-go/source/format"
)

// writing says how a batch is written.
type writing struct {
	compression string
	threads     int
	rows        int        // of a write; 0 is all
	order       *rand.Rand // if set, rows are reserved and written in its order
}

func (w writing) open(path string, s *colstore.Schema) (colstore.Sink, error) {
	if w.compression == "" {
		w.compression = "none"
	}
	o, err := format.CheckOptions("writing npz", npz.Descriptor.Write.Options, map[string]any{"compression": w.compression})
	if err != nil {
		return nil, err
	}
	return npz.Descriptor.Write.Create(context.Background(), &format.CreateRequest{
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
	var begins []int
	for at := 0; at < b.Rows(); at += rows {
		begins = append(begins, at)
	}
	if how.order != nil {
		if err := w.(colstore.OffsetSink).Reserve(int64(b.Rows())); err != nil {
			return err
		}
		how.order.Shuffle(len(begins), func(i, j int) { begins[i], begins[j] = begins[j], begins[i] })
	}
	for _, at := range begins {
		part := b.Slice(at, min(at+rows, b.Rows()))
		if how.order != nil {
			err = w.(colstore.OffsetSink).WriteAt(ctx, int64(at), part)
		} else {
			err = w.Write(ctx, part)
		}
		if err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

var everyType = []colstore.DType{
	colstore.Bool, colstore.Int8, colstore.Int16, colstore.Int32, colstore.Int64, colstore.Uint8, colstore.Uint16, colstore.Uint32, colstore.Uint64,
	colstore.Float16, colstore.Float32, colstore.Float64, colstore.BytesOf(1), colstore.BytesOf(9), colstore.TextOf(1), colstore.TextOf(6),
	colstore.DatetimeOf(colstore.Year), colstore.DatetimeOf(colstore.Nanosecond), colstore.TimedeltaOf(colstore.Attosecond),
	colstore.Int16.Swapped(), colstore.Float64.Swapped(), colstore.TextOf(3).Swapped(),
}

// anyBatch returns rows of bytes of some dtypes; every other column repeats one value.
func anyBatch(tb rapid.TB, types []colstore.DType, rows int, seed uint64) *colstore.Batch {
	r := rand.New(rand.NewPCG(seed, 1))
	fields, cols := make([]colstore.Field, len(types)), make([]colstore.Column, len(types))
	for i, t := range types {
		fields[i] = colstore.Field{Name: fmt.Sprintf("c%d é", i), Type: t}
		data := make([]byte, rows*t.Size())
		for j := range data {
			data[j] = byte(r.Uint32())
		}
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

// An archive holds the same bytes however its rows arrive, and reads back as what was written, whatever the batches.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom(everyType), 1, 5).Draw(t, "types")
		rows := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 90_000)).Draw(t, "rows")
		b := anyBatch(t, types, rows, rapid.Uint64().Draw(t, "seed"))
		compression := rapid.SampledFrom([]string{"none", "deflate", "deflate:1"}).Draw(t, "compression")
		var first []byte
		for i := range 3 {
			how := writing{compression: compression, threads: i, rows: rapid.IntRange(1, max(1, rows)).Draw(t, "write")}
			how.rows = max(how.rows, rows/100)
			if i == 1 {
				how.order = rand.New(rand.NewPCG(uint64(rows), 2))
			}
			path := filepath.Join(dir, "f.npz")
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
			scan := colstore.Scan{BatchRows: rapid.IntRange(0, max(1, rows)).Draw(t, "batch"), Threads: i, Once: i == 2}
			scan.BatchRows = max(scan.BatchRows, rows/100)
			if rows > 0 && rapid.Bool().Draw(t, "part") {
				scan.Rows.Begin = int64(rapid.IntRange(0, rows-1).Draw(t, "begin"))
				scan.Rows.End = int64(rapid.IntRange(int(scan.Rows.Begin)+1, rows).Draw(t, "end"))
			}
			got, err := readTable(path, nil, scan)
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

// A member of several blocks, deflated by several threads, is the same as by one, and what it was.
func TestDeflatedBlocks(t *testing.T) {
	b := anyBatch(t, []colstore.DType{colstore.Uint16, colstore.BytesOf(3)}, 700_000, 3)
	dir := t.TempDir()
	var sizes [2][]byte
	for i, threads := range []int{1, 4} {
		path := filepath.Join(dir, fmt.Sprint(threads, ".npz"))
		if err := store(path, b, writing{compression: "deflate", threads: threads, rows: 33_333}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes[i] = data
		got, err := readTable(path, nil, colstore.Scan{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, b)
	}
	if !bytes.Equal(sizes[0], sizes[1]) {
		t.Error("the number of threads shows")
	}
}

func TestRefusedNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.npz")
	for _, name := range []string{"a\x00b", "\xff", strings.Repeat("x", 65_532)} {
		s := colstore.MustSchema(colstore.Field{Name: name, Type: colstore.Int8})
		if _, err := (writing{}).open(path, s); !errors.Is(err, colstore.ErrValue) {
			t.Errorf("%.20q: %v", name, err)
		}
	}
	if _, err := (writing{}).open(path, colstore.MustSchema()); !errors.Is(err, colstore.ErrValue) {
		t.Errorf("no columns: %v", err)
	}
	for _, name := range []string{"", "../../up", "/etc/x", "a/", strings.Repeat("x", 65_531)} {
		b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: name, Type: colstore.Int8}), colstore.Wrap([]int8{1, 2}))
		if err != nil {
			t.Fatal(err)
		}
		if err := store(path, b, writing{}); err != nil {
			t.Errorf("%.20q: %v", name, err)
			continue
		}
		got, err := readTable(path, nil, colstore.Scan{})
		if err != nil {
			t.Errorf("%.20q: %v", name, err)
			continue
		}
		same(t, got, b)
	}
}

func TestCompressionOption(t *testing.T) {
	for text, ok := range map[string]bool{
		"none": true, "deflate": true, "deflate:1": true, "deflate:9": true,
		"": false, "none:1": false, "deflate:0": false, "deflate:10": false, "deflate:x": false, "deflate:": false, "gzip": false,
	} {
		_, err := format.CheckOptions("writing npz", npz.Descriptor.Write.Options, map[string]any{"compression": text})
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}
