package arrow_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/invariants"
	sink "github.com/colstore/colstore-go/sink/arrow"
	source "github.com/colstore/colstore-go/source/arrow"
)

// table returns a batch with an owner of one column "x".
func table(t *testing.T, c colstore.Column) *colstore.Batch {
	t.Helper()
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: c.Type()})
	b, err := colstore.NewOwnedBatch(s, colstore.Range{Begin: 100, End: 100 + int64(c.Rows())}, func() {}, c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func address(data []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(data)) }

// Numbers, S and times in s to ns have the same address in the batch, in its record, and in the record's batch; all else
// is copied.
func TestWhatIsCopied(t *testing.T) {
	for _, typ := range exportable {
		t.Run(typ.Name(), func(t *testing.T) {
			shared := typ != colstore.Bool && typ.Kind() != colstore.KindText && typ != colstore.DatetimeOf(colstore.Day)
			c, err := colstore.NewColumn(typ, 3, make([]byte, 3*typ.Size()+1)[1:])
			if err != nil {
				t.Fatal(err)
			}
			b := table(t, c)
			defer b.Release()
			rec, err := sink.Record(b)
			if err != nil {
				t.Fatal(err)
			}
			defer rec.Release()
			at, _, _ := c.Raw()
			buffer := rec.Column(0).Data().Buffers()[1]
			if got := address(buffer.Bytes()) == at; got != shared {
				t.Errorf("the record shows the batch's memory: %v, want %v", got, shared)
			}
			tail := rec.NewSlice(1, 3)
			defer tail.Release()
			back, err := source.FromRecord(tail, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer back.Release()
			got, _, _ := back.At(0).Raw()
			if same := got == unsafe.Add(at, typ.Size()); same != shared {
				t.Errorf("the batch shows the record's memory: %v, want %v", same, shared)
			}
		})
	}
}

// A record of a mapped file outlives the file's reader, and an array of it the record.
func TestRecordOutlivesItsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.cstore")
	if err := cstore.Store(t.Context(), path, floats(t, 1, nan, 3), nil); err != nil {
		t.Fatal(err)
	}
	r, err := cstore.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var rec arrow.Record
	for b, err := range r.Scan(t.Context(), colstore.Scan{}) {
		if err != nil {
			t.Fatal(err)
		}
		if rec, err = sink.Record(b); err != nil {
			t.Fatal(err)
		}
		at, _, _ := b.At(0).Raw()
		if got := address(rec.Column(0).Data().Buffers()[1].Bytes()); got != at {
			t.Errorf("the record is at %p, the mapping's column at %p", got, at)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	x := rec.Column(0).(*array.Float64)
	x.Retain()
	rec.Release()
	if v := x.Float64Values(); v[0] != 1 || !math.IsNaN(v[1]) || v[2] != 3 {
		t.Errorf("%v after the reader was closed", v)
	}
	if invariants.Enabled && invariants.Mappings.Load() == 0 {
		t.Error("the mapping is gone while an array shows it")
	}
	x.Release()
	if invariants.Mappings.Load() != 0 {
		t.Error("the mapping is still there")
	}
}

// A file that is cut while it is mapped is an error where its values are looked at.
func TestRecordOfTruncatedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.cstore")
	b := table(t, colstore.TextScalar("text").Column(100_000))
	err := cstore.Store(t.Context(), path, b, nil)
	b.Release()
	if err != nil {
		t.Fatal(err)
	}
	r, err := cstore.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	batches, err := sink.NewReader(r.Schema(), r.Scan(t.Context(), colstore.Scan{}))
	if err != nil {
		t.Fatal(err)
	}
	defer batches.Release()
	if batches.Next() || !errors.Is(batches.Err(), colstore.ErrTruncated) || !strings.Contains(batches.Err().Error(), path) {
		t.Errorf("%v", batches.Err())
	}
}

func TestRecord(t *testing.T) {
	second := colstore.DatetimeOf(colstore.Second)
	tests := []struct {
		name string
		c    colstore.Column
		typ  string
		want string
	}{
		{"bool bytes beyond 1 are true", colstore.Wrap([]uint8{0, 1, 2, 255}).As(colstore.Bool), "bool", "[false true true true]"},
		{"a NaN is a value", colstore.Wrap([]float64{1, nan}), "float64", "[1 NaN]"},
		{"NaT is null", colstore.Wrap([]int64{0, colstore.NaT}).As(second), "timestamp[s]", "[1970-01-01 00:00:00 (null)]"},
		{"one timedelta repeated", colstore.TimeScalar(colstore.TimedeltaOf(colstore.Microsecond), colstore.NaT).Column(2), "duration[us]", "[(null) (null)]"},
		{"days", colstore.Wrap([]int64{-1, colstore.NaT, 19000}).As(colstore.DatetimeOf(colstore.Day)), "date32", "[1969-12-31 (null) 2022-01-08]"},
		{"no days", colstore.Wrap([]int64{}).As(colstore.DatetimeOf(colstore.Day)), "date32", "[]"},
		{"text without padding, with NULs inside", colstore.TextScalar("a\x00é\x00").Column(2), "utf8", `["a` + "\x00" + `é" "a` + "\x00" + `é"]`},
		{"no text", colstore.TextScalar("a").Column(0), "utf8", "[]"},
		{"S keeps its padding", colstore.BytesScalar([]byte("a\x00")).Column(1), "fixed_size_binary[2]", `["a\x00"]`},
		{"big-endian", colstore.Wrap([]uint16{0x0100}).As(colstore.Uint16.Swapped()), "uint16", "[1]"},
		{"backwards", colstore.Wrap([]int32{1, 2, 3}).Slice(2, -1, -2), "int32", "[3 1]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := table(t, test.c)
			defer b.Release()
			rec, err := sink.Record(b)
			if err != nil {
				t.Fatal(err)
			}
			defer rec.Release()
			if got := rec.Column(0).DataType().String(); got != test.typ {
				t.Errorf("type %s, want %s", got, test.typ)
			}
			var values []string
			for i := range int(rec.NumRows()) {
				v := rec.Column(0).ValueStr(i)
				switch a := rec.Column(0).(type) {
				case *array.FixedSizeBinary:
					v = strings.ReplaceAll(`"`+string(a.Value(i))+`"`, "\x00", `\x00`)
				case *array.String:
					v = `"` + v + `"`
				case *array.Timestamp:
					if a.IsValid(i) {
						v = a.Value(i).ToTime(arrow.Second).Format("2006-01-02 15:04:05")
					}
				}
				values = append(values, v)
			}
			if got := "[" + strings.Join(values, " ") + "]"; got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestRecordOfRowsWithoutColumns(t *testing.T) {
	b, err := colstore.NewOwnedBatch(colstore.MustSchema(), colstore.Range{End: 7}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := sink.Record(b)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	if rec.NumRows() != 7 || rec.NumCols() != 0 {
		t.Errorf("%d rows of %d columns", rec.NumRows(), rec.NumCols())
	}
	back, err := source.FromRecord(rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Release()
	if back.Rows() != 7 || back.Schema().Len() != 0 {
		t.Errorf("%d rows of %v come back", back.Rows(), back.Schema())
	}
}

func TestSchema(t *testing.T) {
	s, err := sink.Schema(colstore.MustSchema(
		colstore.Field{Name: "name", Type: colstore.TextOf(16)},
		colstore.Field{Name: "t", Type: colstore.DatetimeOf(colstore.Nanosecond).Swapped()},
	))
	if err != nil {
		t.Fatal(err)
	}
	want := `schema:
  fields: 2
    - name: type=utf8, nullable
    - t: type=timestamp[ns], nullable
  metadata: ["colstore.dtype:name": "<U16", "colstore.dtype:t": "<M8[ns]"]`
	if s.String() != want {
		t.Errorf("%s\nwant\n%s", s, want)
	}
}

func TestRecordErrors(t *testing.T) {
	day := colstore.DatetimeOf(colstore.Day)
	tests := []struct {
		c    colstore.Column
		is   error
		want string
	}{
		{colstore.Wrap([]int64{1}).As(colstore.DatetimeOf(colstore.Hour)), colstore.ErrType, `to arrow: column "x": type error: Arrow has no timestamp of unit h; cast the column to datetime in D, s, ms, us or ns first`},
		{colstore.Wrap([]int64{1}).As(colstore.TimedeltaOf(colstore.Day)), colstore.ErrType, `to arrow: column "x": type error: Arrow has no duration of unit D; cast the column to timedelta in s, ms, us or ns first`},
		{colstore.Wrap([]int64{0, 1 << 31}).As(day), colstore.ErrValue, `to arrow: column "x": row 101: bad value: day 2147483648 is beyond the 32 bits of Arrow's date32; cast the column to datetime in s first`},
		{colstore.Wrap([]uint32{'a', 0xd800}).As(colstore.TextOf(1)), colstore.ErrValue, `to arrow: column "x": row 101: bad value: text with the number 0xd800, which is no character`},
	}
	for _, test := range tests {
		b := table(t, test.c)
		rec, err := sink.Record(b)
		b.Release()
		if err == nil {
			rec.Release()
			t.Errorf("%s: no error", test.want)
		} else if !errors.Is(err, test.is) || err.Error() != test.want {
			t.Errorf("%v, want\n%s", err, test.want)
		}
	}
}
