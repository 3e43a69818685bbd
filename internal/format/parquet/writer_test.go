package parquet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// everyType has a column of each dtype that can be written.
var everyType = func() *colstore.Schema {
	fields := []colstore.Field{
		{Name: "b1", Type: colstore.Bool},
		{Name: "i1", Type: colstore.Int8},
		{Name: "i2", Type: colstore.Int16},
		{Name: "i4", Type: colstore.Int32},
		{Name: "i8", Type: colstore.Int64},
		{Name: "u1", Type: colstore.Uint8},
		{Name: "u2", Type: colstore.Uint16},
		{Name: "u4", Type: colstore.Uint32},
		{Name: "u8", Type: colstore.Uint64},
		{Name: "f2", Type: colstore.Float16},
		{Name: "f4", Type: colstore.Float32},
		{Name: "f8", Type: colstore.Float64},
		{Name: "S1", Type: colstore.BytesOf(1)},
		{Name: "S5", Type: colstore.BytesOf(5)},
		{Name: "S90", Type: colstore.BytesOf(90)},
		{Name: "U3", Type: colstore.TextOf(3)},
		{Name: "U80", Type: colstore.TextOf(80)},
		{Name: "M8[D]", Type: colstore.DatetimeOf(colstore.Day)},
	}
	for u := colstore.Second; u <= colstore.Nanosecond; u++ {
		fields = append(fields, colstore.Field{Name: "M8[" + u.String() + "]", Type: colstore.DatetimeOf(u)},
			colstore.Field{Name: "m8[" + u.String() + "]", Type: colstore.TimedeltaOf(u)})
	}
	return colstore.MustSchema(fields...)
}()

// values returns rows values of a dtype, of which at most distinct differ (0: any number). Times are now and then NaT.
func values(t colstore.DType, rows, distinct int, r *rand.Rand) []byte {
	size := t.Size()
	value := func() []byte {
		v := make([]byte, size)
		for i := range v {
			v[i] = byte(r.Uint32())
		}
		switch t.Kind() {
		case colstore.KindBool:
			v[0] &= 1
		case colstore.KindText:
			clear(v)
			alphabet := []rune("aé日😀\x00Z\U0010ffff")
			for i := range r.IntN(t.Width() + 1) {
				binary.LittleEndian.PutUint32(v[4*i:], uint32(alphabet[r.IntN(len(alphabet))]))
			}
		case colstore.KindDatetime, colstore.KindTimedelta:
			tick := r.Int64() - 1<<62
			if t.Kind() == colstore.KindDatetime {
				tick >>= map[colstore.Unit]int{colstore.Day: 32, colstore.Second: 12}[t.Unit()]
			}
			if r.IntN(4) == 0 {
				tick = colstore.NaT
			}
			binary.LittleEndian.PutUint64(v, uint64(tick))
		}
		return v
	}
	var pool [][]byte
	for range distinct {
		pool = append(pool, value())
	}
	var out []byte
	for range rows {
		if distinct > 0 {
			out = append(out, pool[r.IntN(distinct)]...)
		} else {
			out = append(out, value()...)
		}
	}
	return out
}

func batchOf(tb testing.TB, s *colstore.Schema, data ...[]byte) *colstore.Batch {
	tb.Helper()
	cols := make([]colstore.Column, s.Len())
	for i, f := range s.All() {
		var err error
		if cols[i], err = colstore.NewColumn(f.Type, len(data[i])/f.Type.Size(), data[i]); err != nil {
			tb.Fatal(err)
		}
	}
	b, err := colstore.NewBatch(s, cols...)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func randomTable(tb testing.TB, s *colstore.Schema, rows, distinct int, seed uint64) *colstore.Batch {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	data := make([][]byte, s.Len())
	for i, f := range s.All() {
		data[i] = values(f.Type, rows, distinct, r)
	}
	return batchOf(tb, s, data...)
}

// writeTable writes the rows of b in batches that end at cuts.
func writeTable(ctx context.Context, path string, b *colstore.Batch, given map[string]any, threads int, cuts ...int) (err error) {
	o, err := format.CheckOptions("writing parquet", parquet.Descriptor.Write.Options, given)
	if err != nil {
		return err
	}
	w, err := parquet.Descriptor.Write.Create(ctx, &format.CreateRequest{Path: path, Schema: b.Schema(), Options: o, Replace: true, Threads: threads})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	begin := 0
	for _, end := range append(cuts, b.Rows()) {
		if err := w.Write(ctx, b.Slice(begin, end)); err != nil {
			return err
		}
		begin = end
	}
	return w.Commit(ctx)
}

func equalTables(a, b *colstore.Batch) bool {
	if !a.Schema().Equal(b.Schema()) || a.Rows() != b.Rows() {
		return false
	}
	for i := range a.Schema().All() {
		x, _ := a.At(i).Bytes()
		y, _ := b.At(i).Bytes()
		if !bytes.Equal(x, y) {
			return false
		}
	}
	return true
}

// What is written reads back as the same bytes of the same dtypes, by every codec, and the file does not depend on
// batches or threads.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	codecs := []string{"none", "snappy", "zstd", "zstd:1", "zstd:19", "gzip", "gzip:1", "brotli", "brotli:0", "lz4_raw"}
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 3000)).Draw(rt, "rows")
		table := randomTable(t, everyType, rows, rapid.SampledFrom([]int{0, 1, 2, 30}).Draw(rt, "distinct"), rapid.Uint64().Draw(rt, "seed"))
		given := map[string]any{
			"compression": rapid.SampledFrom(codecs).Draw(rt, "codec"),
			"row_group":   rapid.SampledFrom([]string{"0", "1", "64", "1000", "100 kB"}).Draw(rt, "group"),
		}
		var cuts []int
		for range rapid.IntRange(0, 5).Draw(rt, "batches") {
			cuts = append(cuts, rapid.IntRange(0, rows).Draw(rt, "cut"))
		}
		slices.Sort(cuts)
		once, twice := filepath.Join(dir, "once.parquet"), filepath.Join(dir, "twice.parquet")
		if err := writeTable(t.Context(), once, table, given, 1); err != nil {
			rt.Fatal(err)
		}
		if err := writeTable(t.Context(), twice, table, given, 3, cuts...); err != nil {
			rt.Fatal(err)
		}
		a, errA := os.ReadFile(once)
		b, errB := os.ReadFile(twice)
		if err := errors.Join(errA, errB); err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			rt.Fatal("the bytes depend on the batches")
		}
		back, err := readTable(t, once, format.Nulls{}, format.Projection{}, colstore.Scan{BatchRows: rapid.IntRange(0, 700).Draw(rt, "read"), Threads: 2})
		if err != nil {
			rt.Fatal(err)
		}
		if !equalTables(table, back) {
			rt.Fatalf("%v reads back as %v", table.Schema(), back.Schema())
		}
	})
}

// Large columns take every way of encoding: dictionaries of all widths, differences, several pages.
func TestLargeColumns(t *testing.T) {
	const rows = 300_000
	s := colstore.MustSchema(
		colstore.Field{Name: "count", Type: colstore.Int64}, colstore.Field{Name: "walk", Type: colstore.Int32},
		colstore.Field{Name: "wrap", Type: colstore.Uint32}, colstore.Field{Name: "noise", Type: colstore.Float64},
		colstore.Field{Name: "few", Type: colstore.Float64}, colstore.Field{Name: "many", Type: colstore.Int64},
		colstore.Field{Name: "runs", Type: colstore.Int16}, colstore.Field{Name: "text", Type: colstore.TextOf(12)},
		colstore.Field{Name: "stamps", Type: colstore.DatetimeOf(colstore.Microsecond)}, colstore.Field{Name: "flag", Type: colstore.Bool},
		colstore.Field{Name: "code", Type: colstore.BytesOf(7)},
	)
	r := rand.New(rand.NewPCG(1, 2))
	data := make([][]byte, s.Len())
	walk, stamp := int64(0), int64(1e15)
	for i := range rows {
		le := binary.LittleEndian
		walk += r.Int64N(7) - 3
		stamp += r.Int64N(5000)
		data[0] = le.AppendUint64(data[0], uint64(i))
		data[1] = le.AppendUint32(data[1], uint32(walk))
		data[2] = le.AppendUint32(data[2], uint32(i)<<20)
		data[3] = le.AppendUint64(data[3], r.Uint64())
		data[4] = le.AppendUint64(data[4], math.Float64bits(float64(r.IntN(300))/7))
		data[5] = le.AppendUint64(data[5], uint64(r.IntN(40_000))*0x123456789)
		data[6] = le.AppendUint16(data[6], uint16(i/10_000))
		data[7] = append(data[7], values(colstore.TextOf(12), 1, 0, r)...)
		if i%1000 == 7 {
			stamp = colstore.NaT
		} else if stamp < 0 {
			stamp = int64(1e15) + int64(i)
		}
		data[8] = le.AppendUint64(data[8], uint64(stamp))
		data[9] = append(data[9], byte(i/3%2))
		data[10] = append(data[10], values(colstore.BytesOf(7), 1, 0, r)...)
	}
	table := batchOf(t, s, data...)
	path := filepath.Join(t.TempDir(), "large.parquet")
	for _, group := range []string{"0", "300_000"} {
		if err := writeTable(t.Context(), path, table, map[string]any{"row_group": group}, 2, 1, 70_000, 200_001); err != nil {
			t.Fatal(err)
		}
		for _, scan := range []colstore.Scan{{Threads: 2}, {BatchRows: 33_333}, {Rows: colstore.Range{Begin: 131_071, End: 299_999}, BatchRows: 50_000}} {
			back, err := readTable(t, path, format.Nulls{}, format.Projection{}, scan)
			if err != nil {
				t.Fatal(err)
			}
			want := table
			if scan.Rows.End > 0 {
				want = table.Slice(int(scan.Rows.Begin), int(scan.Rows.End))
			}
			if !equalTables(want, back) {
				t.Fatalf("row groups of %s: %+v reads other values", group, scan)
			}
		}
	}
}

// Columns that do not lie back to back, or the wrong way round, are written as what they mean.
func TestForeignLayouts(t *testing.T) {
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int32.Swapped()}, colstore.Field{Name: "u", Type: colstore.TextOf(2).Swapped()},
		colstore.Field{Name: "ok", Type: colstore.Bool})
	b := batchOf(t, s, []byte{0, 0, 0, 1, 0, 0, 0, 2, 255, 255, 255, 255}, []byte{0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0, 'b', 0, 0, 0, 'c', 0, 0, 0, 0, 0, 0, 0, 'd'}, []byte{0, 7, 255})
	path := filepath.Join(t.TempDir(), "x.parquet")
	if err := writeTable(t.Context(), path, b, nil, 1); err != nil {
		t.Fatal(err)
	}
	back, err := readTable(t, path, format.Nulls{}, format.Projection{}, colstore.Scan{})
	if err != nil {
		t.Fatal(err)
	}
	native := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int32}, colstore.Field{Name: "u", Type: colstore.TextOf(2)}, colstore.Field{Name: "ok", Type: colstore.Bool})
	want := batchOf(t, native, []byte{1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255}, []byte{'a', 0, 0, 0, 0, 0, 0, 0, 'b', 0, 0, 0, 'c', 0, 0, 0, 0, 0, 0, 0, 'd', 0, 0, 0}, []byte{0, 1, 1})
	if !equalTables(want, back) {
		t.Error("the values differ")
	}
}

func ticks(v ...int64) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

// Values that Parquet cannot hold are errors that name column and row, whatever the row group; nothing is left behind.
func TestUnwritable(t *testing.T) {
	many := make([]int64, 5000)
	many[4321] = math.MaxInt64 / 999
	tests := []struct {
		name  string
		typ   colstore.DType
		data  []byte
		given map[string]any
		want  error
		text  string
	}{
		{"unit", colstore.DatetimeOf(colstore.Hour), ticks(1), nil, colstore.ErrType, `column "c": type error: Parquet has no timestamp of unit h; cast the column to datetime in s, ms, us or ns first`},
		{"years", colstore.DatetimeOf(colstore.Year), nil, nil, colstore.ErrType, `Parquet has no timestamp of unit Y`},
		{"span", colstore.TimedeltaOf(colstore.Day), ticks(1), nil, colstore.ErrType, `Parquet has no timedelta of unit D; cast the column to timedelta in s, ms, us or ns first`},
		{"date", colstore.DatetimeOf(colstore.Day), ticks(0, math.MaxInt32, math.MaxInt32+1), nil, colstore.ErrValue, `column "c": row 2: bad value: day 2147483648 since 1970 is beyond what a DATE holds`},
		{"date after NaT", colstore.DatetimeOf(colstore.Day), ticks(colstore.NaT, colstore.NaT, 5, math.MinInt32-1), nil, colstore.ErrValue, `row 3`},
		{"date in dictionary", colstore.DatetimeOf(colstore.Day), ticks(1, 1, 1, 1, 1<<40, 1, 1, 1, 1<<40), nil, colstore.ErrValue, `row 4`},
		{"NaT as a date", colstore.DatetimeOf(colstore.Day), ticks(0, colstore.NaT), map[string]any{"nat": "value"}, colstore.ErrValue, `row 1: bad value: NaT has no DATE; write it as a null (nat=null)`},
		{"seconds", colstore.DatetimeOf(colstore.Second), ticks(many...), map[string]any{"row_group": "1000"}, colstore.ErrValue, `column "c": row 4321: bad value: 9232604641496272`},
		{"no character", colstore.TextOf(1), []byte{'a', 0, 0, 0, 0, 0xd8, 0, 0}, nil, colstore.ErrValue, `column "c": row 1: bad value: text with the number 0xd800, which is no character`},
		{"beyond unicode", colstore.TextOf(1), []byte{0, 0, 0, 255}, nil, colstore.ErrValue, `row 0: bad value: text with the number 0xff000000`},
		{"codec", colstore.Int8, []byte{1}, map[string]any{"compression": "lzo"}, colstore.ErrOption, `option "compression": bad value: "lzo" is none of none, snappy`},
		{"level", colstore.Int8, []byte{1}, map[string]any{"compression": "zstd:23"}, colstore.ErrOption, `"zstd:23"`},
		{"level of none", colstore.Int8, []byte{1}, map[string]any{"compression": "snappy:1"}, colstore.ErrOption, `"snappy:1"`},
		{"group", colstore.Int8, []byte{1}, map[string]any{"row_group": "many"}, colstore.ErrOption, `"many" is neither a number of rows nor a size`},
		{"nat", colstore.Int8, []byte{1}, map[string]any{"nat": "zero"}, colstore.ErrOption, `"zero" is not one of null, value`},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := colstore.MustSchema(colstore.Field{Name: "a", Type: colstore.Int8}, colstore.Field{Name: "c", Type: c.typ})
			b := batchOf(t, s, make([]byte, len(c.data)/c.typ.Size()), c.data)
			err := writeTable(t.Context(), filepath.Join(dir, "x.parquet"), b, c.given, 2)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v, want %v with %q", err, c.want, c.text)
			}
			if left := fsxtest.Snapshot(t, dir); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A NaT is a null for others and a NaT again here; as a value it is the same number for both.
func TestNaT(t *testing.T) {
	s := colstore.MustSchema(colstore.Field{Name: "t", Type: colstore.DatetimeOf(colstore.Second)}, colstore.Field{Name: "d", Type: colstore.TimedeltaOf(colstore.Nanosecond)},
		colstore.Field{Name: "none", Type: colstore.DatetimeOf(colstore.Nanosecond)})
	b := batchOf(t, s, ticks(-5, colstore.NaT, 7), ticks(colstore.NaT, colstore.NaT, math.MinInt64+1), ticks(colstore.NaT, colstore.NaT, colstore.NaT))
	for _, nat := range []string{"null", "value"} {
		path := filepath.Join(t.TempDir(), "x.parquet")
		if err := writeTable(t.Context(), path, b, map[string]any{"nat": nat}, 1); err != nil {
			t.Fatal(err)
		}
		for _, nulls := range []format.Nulls{{}, {Mode: format.NullFill}} {
			back, err := readTable(t, path, nulls, format.Projection{}, colstore.Scan{})
			if err != nil {
				t.Fatal(err)
			}
			if !equalTables(b, back) {
				t.Errorf("nat=%s: other values", nat)
			}
		}
		back, err := readTable(t, path, format.Nulls{Mode: format.NullMask}, format.Projection{Columns: []string{"t"}}, colstore.Scan{})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[string]int{"null": 2, "value": 1}[nat]; back.Schema().Len() != want {
			t.Errorf("nat=%s with a mask: %v", nat, back.Schema())
		}
	}
}

// A writer that is misused says so and stays usable, or not, as its contract has it.
func TestWriterContract(t *testing.T) {
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int8})
	o, err := format.CheckOptions("", parquet.Descriptor.Write.Options, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := &format.CreateRequest{Path: filepath.Join(dir, "new", "x.parquet"), Schema: s, Options: o}
	if _, err := parquet.Descriptor.Write.Create(t.Context(), r); err == nil {
		t.Fatal("a folder that is not there")
	}
	r.Mkdirs = true
	w, err := parquet.Descriptor.Write.Create(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	other := batchOf(t, colstore.MustSchema(colstore.Field{Name: "y", Type: colstore.Int8}), []byte{1})
	if err := w.Write(t.Context(), other); !errors.Is(err, colstore.ErrMismatch) || !strings.Contains(err.Error(), `column "y"`) {
		t.Error(err)
	}
	if err := w.Write(t.Context(), batchOf(t, everyType, make([][]byte, everyType.Len())...)); !errors.Is(err, colstore.ErrMismatch) {
		t.Error(err)
	}
	cause := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := w.Write(ctx, other); !errors.Is(err, cause) {
		t.Error(err)
	}
	if err := w.Write(t.Context(), batchOf(t, s, []byte{1, 2})); err != nil {
		t.Fatal(err)
	}
	if err := w.(colstore.Preparer).Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(t.Context(), batchOf(t, s, []byte{3})); !errors.Is(err, colstore.ErrClosed) {
		t.Error(err)
	}
	if err := errors.Join(w.Commit(t.Context()), w.Abort(), w.Abort()); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); !errors.Is(err, colstore.ErrClosed) {
		t.Error(err)
	}
	if _, err := parquet.Descriptor.Write.Create(t.Context(), r); !errors.Is(err, colstore.ErrExists) {
		t.Error(err)
	}
	if c := w.(colstore.Coster).Cost(nil); c.Fixed < int64(colstore.GroupRows(1)) {
		t.Errorf("cost %+v", c)
	}
}

// Reading what the peers wrote and writing it again gives the same table.
func TestRewriteFixtures(t *testing.T) {
	for _, f := range golden.LoadForeign(t, "parquet") {
		table, err := readTable(t, golden.Path(t, "foreign/"+f.File), format.Nulls{}, format.Projection{}, colstore.Scan{})
		if err != nil {
			continue
		}
		path := filepath.Join(t.TempDir(), "x.parquet")
		if err := writeTable(t.Context(), path, table, map[string]any{"row_group": "200"}, 1); err != nil {
			t.Errorf("%s: %v", f.File, err)
			continue
		}
		back, err := readTable(t, path, format.Nulls{}, format.Projection{}, colstore.Scan{})
		if err != nil || !equalTables(table, back) {
			t.Errorf("%s: %v", f.File, err)
		}
	}
}
