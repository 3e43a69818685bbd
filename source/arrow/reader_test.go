package arrow_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/runtime"
	source "github.com/colstore/colstore-go/source/arrow"
)

// stream returns a reader of records of the rows 0 to 9, four, none, one and five of them, in columns "a" int32, "b" text
// and "c" bool, which is null in row 6.
func stream(t *testing.T) array.RecordReader {
	t.Helper()
	records := []arrow.Record{
		record(t, nil, build(t, arrow.PrimitiveTypes.Int32, `[0, 1, 2, 3]`), build(t, arrow.BinaryTypes.String, `["", "1", "22", "333"]`),
			build(t, arrow.FixedWidthTypes.Boolean, `[true, false, true, false]`)),
		record(t, nil, build(t, arrow.PrimitiveTypes.Int32, `[]`), build(t, arrow.BinaryTypes.String, `[]`), build(t, arrow.FixedWidthTypes.Boolean, `[]`)),
		record(t, nil, build(t, arrow.PrimitiveTypes.Int32, `[4]`), build(t, arrow.BinaryTypes.String, `["4"]`), build(t, arrow.FixedWidthTypes.Boolean, `[true]`)),
		record(t, nil, build(t, arrow.PrimitiveTypes.Int32, `[5, 6, 7, 8, 9]`), build(t, arrow.BinaryTypes.String, `["5", "6", "7", "8", "9"]`),
			build(t, arrow.FixedWidthTypes.Boolean, `[true, null, true, true, false]`)),
	}
	r, err := array.NewRecordReader(records[0].Schema(), records)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// filled are the options with which the stream can be read.
func filled() *source.Options {
	return &source.Options{Types: map[string]colstore.DType{"b": colstore.TextOf(4)}, Nulls: source.Nulls{Mode: source.NullFill}}
}

// scanned prints the batches of a scan, with the row that each begins at.
func scanned(t *testing.T, src colstore.Source, s colstore.Scan) string {
	t.Helper()
	var parts []string
	for b, err := range src.Scan(t.Context(), s) {
		if err != nil {
			parts = append(parts, err.Error())
			break
		}
		parts = append(parts, fmt.Sprintf("%d: %s", b.Begin(), shown(b)))
	}
	return strings.Join(parts, "\n")
}

func TestFromReader(t *testing.T) {
	mask := filled()
	mask.Nulls.Mode = source.NullMask
	tests := []struct {
		name string
		o    *source.Options
		scan colstore.Scan
		want string
	}{
		{
			"batches lie in one record", filled(),
			colstore.Scan{Columns: []string{"a"}, BatchRows: 3},
			"0: a <i4: 0 1 2\n3: a <i4: 3\n4: a <i4: 4\n5: a <i4: 5 6 7\n8: a <i4: 8 9",
		},
		{
			"rows", filled(),
			colstore.Scan{Columns: []string{"b", "a"}, Rows: colstore.Range{Begin: 3, End: 7}},
			"3: b <U4: 333; a <i4: 3\n4: b <U4: 4; a <i4: 4\n5: b <U4: 5 6; a <i4: 5 6",
		},
		{"rows to the end", filled(), colstore.Scan{Columns: []string{"a"}, Rows: colstore.Range{Begin: 8}}, "8: a <i4: 8 9"},
		{
			"rows that there are not", filled(),
			colstore.Scan{Columns: []string{"a"}, Rows: colstore.Range{Begin: 9, End: 11}},
			"9: a <i4: 9\nfrom arrow: out of range: rows 9 to 11 of 10",
		},
		{
			"a mask", mask,
			colstore.Scan{Columns: []string{"c_valid", "c"}, Rows: colstore.Range{Begin: 5, End: 8}},
			"5: c_valid |b1: True False True; c |b1: True False True",
		},
		{
			"nothing of a column but its mask", mask,
			colstore.Scan{Columns: []string{"c_valid"}, Rows: colstore.Range{Begin: 6, End: 7}},
			"6: c_valid |b1: False",
		},
		{"no columns", filled(), colstore.Scan{Columns: []string{}, Rows: colstore.Range{Begin: 0, End: 1}}, "0: "},
		{"a column that is not there", filled(), colstore.Scan{Columns: []string{"d"}}, `from arrow: column "d": no such column; did you mean "a"?`},
		{
			"a null that is refused", &source.Options{Types: filled().Types},
			colstore.Scan{Columns: []string{"c"}, Rows: colstore.Range{Begin: 5}},
			`from arrow: column "c": row 6: null value: a batch has none; choose what it becomes with Options.Nulls: fill, mask, or a value in Values["c"]`,
		},
		{
			"text that is too long", &source.Options{Columns: []string{"b"}, Types: map[string]colstore.DType{"b": colstore.TextOf(2)}},
			colstore.Scan{},
			`from arrow: column "b": row 3: bad value: text of 3 characters does not fit U2`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := stream(t)
			src, err := source.FromReader(r, test.o)
			r.Release()
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			if got := scanned(t, src, test.scan); got != test.want {
				t.Errorf("%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestFromReaderSchema(t *testing.T) {
	tests := []struct {
		o    source.Options
		want string
	}{
		{source.Options{Types: map[string]colstore.DType{"b": colstore.TextOf(4)}}, "a <i4, b <U4, c |b1"},
		{
			source.Options{Types: map[string]colstore.DType{"b": colstore.TextOf(4)}, Nulls: source.Nulls{Mode: source.NullMask, Values: map[string]string{"a": "0"}}},
			"a <i4, b <U4, b_valid |b1, c |b1, c_valid |b1",
		},
		{source.Options{}, `from arrow: column "b": type error: text of any length, and the records that hold it are still to come; give its width with Options.Types, for instance <U32`},
		{source.Options{Columns: []string{"c", "a"}}, "c |b1, a <i4"},
	}
	for _, test := range tests {
		r := stream(t)
		src, err := source.FromReader(r, &test.o)
		r.Release()
		got := fmt.Sprint(err)
		if err == nil {
			got = src.Schema().String()
			src.Close()
		}
		if got != test.want {
			t.Errorf("%s, want\n%s", got, test.want)
		}
	}
}

// A null column has no type that a record could tell; metadata tell widths.
func TestFromReaderTypesBeforehand(t *testing.T) {
	fields := []arrow.Field{{Name: "n", Type: arrow.Null, Nullable: true}, {Name: "t", Type: arrow.BinaryTypes.String}}
	meta := arrow.MetadataFrom(map[string]string{"colstore.dtype:t": "<U9"})
	nulls, text := build(t, arrow.Null, `[null]`), build(t, arrow.BinaryTypes.String, `["x"]`)
	defer nulls.Release()
	defer text.Release()
	rec := array.NewRecord(arrow.NewSchema(fields, &meta), []arrow.Array{nulls, text}, 1)
	defer rec.Release()
	r, err := array.NewRecordReader(rec.Schema(), []arrow.Record{rec})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	src, err := source.FromReader(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if got := scanned(t, src, colstore.Scan{}); got != "0: n <f8: nan; t <U9: x" {
		t.Error(got)
	}
}

func TestFromReaderOnce(t *testing.T) {
	r := stream(t)
	src, err := source.FromReader(r, filled())
	r.Release()
	if err != nil {
		t.Fatal(err)
	}
	first := scanned(t, src, colstore.Scan{Columns: []string{"a"}, Rows: colstore.Range{End: 1}})
	if first != "0: a <i4: 0" {
		t.Error(first)
	}
	want := "from arrow: already closed: a record reader is read once; make the source with FromFunc to scan it again"
	if got := scanned(t, src, colstore.Scan{}); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	for range 2 {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := scanned(t, src, colstore.Scan{}); got != "from arrow: already closed" {
		t.Error(got)
	}
}

// Scans of a source of readers do not know of each other.
func TestFromFunc(t *testing.T) {
	records := stream(t)
	defer records.Release()
	var all []arrow.Record
	for records.Next() {
		records.Record().Retain()
		all = append(all, records.Record())
	}
	defer func() {
		for _, rec := range all {
			rec.Release()
		}
	}()
	open := func(context.Context) (array.RecordReader, error) { return array.NewRecordReader(all[0].Schema(), all) }
	src, err := source.FromFunc(t.Context(), open, filled())
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	want := scanned(t, src, colstore.Scan{})
	if strings.Count(want, "\n") != 2 {
		t.Fatalf("%s", want)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got := scanned(t, src, colstore.Scan{}); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
	wg.Wait()
	f := frame.From(src).Where(frame.Col("a").Gt(2)).Assign("d", frame.Col("a").Mul(2))
	collected, err := f.Collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(collected); got != "a <i4: 3 4 5 6 7 8 9; b <U4: 333 4 5 6 7 8 9; c |b1: False True True False True True False; d <i4: 6 8 10 12 14 16 18" {
		t.Error(got)
	}
	for _, workers := range []int{1, 3} {
		sums, err := runtime.Reduce(t.Context(), f, &runtime.Options{Workers: workers, BatchRows: 2}, ops.Sum("d"))
		if err != nil {
			t.Fatal(err)
		}
		if sums[0].Scalar != colstore.ScalarOf(int64(84)) {
			t.Errorf("%d workers: %v", workers, sums)
		}
	}
}

func TestFromFuncErrors(t *testing.T) {
	broken := errors.New("no connection")
	fails := func(context.Context) (array.RecordReader, error) { return nil, broken }
	if _, err := source.FromFunc(t.Context(), fails, nil); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	n := 0
	open := func(context.Context) (array.RecordReader, error) {
		n++
		if n > 1 {
			return fails(t.Context())
		}
		return stream(t), nil
	}
	src, err := source.FromFunc(t.Context(), open, filled())
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if got := scanned(t, src, colstore.Scan{}); got != "from arrow: no connection" {
		t.Error(got)
	}
}

// failing is a reader that ends in an error.
type failing struct {
	array.RecordReader
	err error
}

func (f failing) Err() error { return f.err }

func TestFromReaderErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	r := stream(t)
	src, err := source.FromReader(failing{r, broken}, filled())
	r.Release()
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if got := scanned(t, src, colstore.Scan{Columns: []string{"a"}, BatchRows: 100}); !strings.HasSuffix(got, "5: a <i4: 5 6 7 8 9\nfrom arrow: broken pipe") {
		t.Error(got)
	}
}

// mixed is a reader whose records are of another schema than it says.
type mixed struct{ array.RecordReader }

func (mixed) Schema() *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.BinaryTypes.String}, {Name: "c", Type: arrow.FixedWidthTypes.Boolean}}, nil)
}

func TestFromReaderOfMixedRecords(t *testing.T) {
	r := stream(t)
	src, err := source.FromReader(mixed{r}, filled())
	r.Release()
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	want := `from arrow: column "a": mismatch: column 0 of a record is int32, the schema has "a" int64`
	if got := scanned(t, src, colstore.Scan{}); got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

func TestFromReaderCancelled(t *testing.T) {
	r := stream(t)
	src, err := source.FromReader(r, filled())
	r.Release()
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	n := 0
	for _, err = range src.Scan(ctx, colstore.Scan{BatchRows: 1}) {
		n++
		cancel(enough)
	}
	if n != 2 || !errors.Is(err, enough) {
		t.Errorf("%d batches, then %v", n, err)
	}
}

// counting is an allocator that refuses to hand out more than its share.
type counting struct{ left, out int }

func (c *counting) Get(n int) []byte {
	if n > c.left {
		return nil
	}
	c.left, c.out = c.left-n, c.out+n
	return make([]byte, n)
}

func (c *counting) Put(b []byte) { c.left, c.out = c.left+len(b), c.out-len(b) }

// Copies come from the allocator of the scan and go back with their batch; views take nothing.
func TestFromReaderMemory(t *testing.T) {
	for _, test := range []struct {
		share int
		want  string
	}{
		{4*4*4 + 4, ""},
		{4*4*4 + 3, `from arrow: column "c": memory budget too small: a batch of 4 rows`},
	} {
		r := stream(t)
		src, err := source.FromReader(r, filled())
		r.Release()
		if err != nil {
			t.Fatal(err)
		}
		mem := &counting{left: test.share}
		for b, err := range src.Scan(t.Context(), colstore.Scan{Mem: mem, BatchRows: 4}) {
			if err != nil {
				if err.Error() != test.want {
					t.Errorf("%v, want %s", err, test.want)
				}
				break
			}
			if want := b.Rows() * (4*4 + 1); mem.out != want {
				t.Errorf("%d bytes for %d rows, want %d", mem.out, b.Rows(), want)
			}
		}
		if mem.out != 0 {
			t.Errorf("%d bytes were not given back", mem.out)
		}
		if got := src.(colstore.Coster).Cost([]string{"a", "b"}); got != (colstore.Cost{Row: 20}) {
			t.Errorf("%+v", got)
		}
		src.Close()
	}
}
