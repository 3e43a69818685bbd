//go:build interop

package arrow_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
	sink "github.com/colstore/colstore-go/sink/arrow"
	source "github.com/colstore/colstore-go/source/arrow"
)

// peer runs the script with pyarrow and returns what it prints.
func peer(t *testing.T, what string, input []byte) []byte {
	t.Helper()
	python := os.Getenv("COLSTORE_PEERS")
	if python == "" {
		python = filepath.Join("..", "..", ".peers", "bin", "python")
	}
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("%v; \"make peers\" installs it, or COLSTORE_PEERS names another one", err)
	}
	cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "interop", "exchange.py"), what)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("exchange.py %s: %v\n%s", what, err, stderr.Bytes())
	}
	return out
}

// pyarrow sees in a record what the batch holds.
func TestInteropRecord(t *testing.T) {
	at := func(typ colstore.DType, ticks ...int64) colstore.Column { return colstore.Wrap(ticks).As(typ) }
	columns := []struct {
		c    colstore.Column
		want []any
	}{
		{colstore.Wrap([]uint8{0, 1, 7}).As(colstore.Bool), []any{"bool", "False", "True", "True"}},
		{colstore.Wrap([]int8{-1, 0, 1}), []any{"int8", "-1", "0", "1"}},
		{colstore.Wrap([]uint64{math.MaxUint64, 0, 1}), []any{"uint64", "18446744073709551615", "0", "1"}},
		{colstore.Wrap([]int32{3, 2, 1}).Slice(2, -1, -1), []any{"int32", "1", "2", "3"}},
		{colstore.Wrap([]uint16{0x0100, 0x0200, 0x0300}).As(colstore.Uint16.Swapped()), []any{"uint16", "1", "2", "3"}},
		{colstore.Wrap([]uint16{0x3c00, 0x7e00, 0x8000}).As(colstore.Float16), []any{"halffloat", "1.0", "nan", "-0.0"}},
		{colstore.Wrap([]float32{0.5, 0, -1}), []any{"float", "0.5", "0.0", "-1.0"}},
		{colstore.Wrap([]float64{math.Inf(1), 0.1, math.NaN()}), []any{"double", "inf", "0.1", "nan"}},
		{colstore.ScalarOf(2.5).Column(3), []any{"double", "2.5", "2.5", "2.5"}},
		{colstore.BytesScalar([]byte("a\x00")).Column(3), []any{"fixed_size_binary[2]", `b'a\x00'`, `b'a\x00'`, `b'a\x00'`}},
		{colstore.TextScalar("né日\x00").Column(3), []any{"string", "'né日'", "'né日'", "'né日'"}},
		{at(colstore.DatetimeOf(colstore.Day), 0, colstore.NaT, -1), []any{"date32[day]", "0", nil, "-1"}},
		{at(colstore.DatetimeOf(colstore.Second), 0, colstore.NaT, -1), []any{"timestamp[s]", "0", nil, "-1"}},
		{at(colstore.DatetimeOf(colstore.Nanosecond), 0, colstore.NaT, math.MaxInt64), []any{"timestamp[ns]", "0", nil, "9223372036854775807"}},
		{at(colstore.TimedeltaOf(colstore.Millisecond), 5, colstore.NaT, -5), []any{"duration[ms]", "5", nil, "-5"}},
	}
	var fields []colstore.Field
	var cols []colstore.Column
	want := map[string][]any{}
	for i, c := range columns {
		name := string(rune('a' + i))
		fields, cols = append(fields, colstore.Field{Name: name, Type: c.c.Type()}), append(cols, c.c)
		want[name] = c.want
	}
	b, err := colstore.NewBatch(colstore.MustSchema(fields...), cols...)
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{3, 0} {
		part := b.Slice(0, rows)
		rec, err := sink.Record(part)
		if err != nil {
			t.Fatal(err)
		}
		var stream bytes.Buffer
		w := ipc.NewWriter(&stream, ipc.WithSchema(rec.Schema()))
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		rec.Release()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Rows    int
			Columns map[string][]any
		}
		if err := json.Unmarshal(peer(t, "show", stream.Bytes()), &got); err != nil {
			t.Fatal(err)
		}
		for name := range want {
			want[name] = want[name][:rows+1]
		}
		if diff := cmp.Diff(want, got.Columns); diff != "" || got.Rows != rows {
			t.Errorf("%d rows (-want +pyarrow):\n%s", got.Rows, diff)
		}
	}
}

// What pyarrow made is read, record by record and as a stream.
func TestInteropStream(t *testing.T) {
	stream := peer(t, "make", nil)
	want := strings.Join([]string{
		"i <i2: 1 2 3 4", "f <f2: 0.5 nan -0.0 1.0", "b |b1: True False False True", "s <U3:  né日  x", "l <U2:  ab c d",
		"v <U24: short longer than twelve bytes  ", "y |S2: \x01 \x00\x02  \xff", "w |S2: ab cd  ef",
		"d <M8[D]: 1970-01-01 2022-01-08 NaT 1969-12-31",
		"m <M8[ms]: 1970-01-01T00:00:00.000 1970-01-02T00:00:00.000 NaT 1970-01-01T00:00:00.001",
		"t <M8[ns]: 2024-02-29T12:00:00.000000000 NaT 1969-12-31T00:00:00.000000000 1970-01-01T00:00:00.000000000",
		"n <m8[us]: 1 NaT -1 0", "c <U4: red blue  red", "k <i8: 5 6 5 6", "z <f8: nan nan nan nan", "o <f8: nan nan nan nan",
	}, "\n")
	o := &source.Options{Nulls: source.Nulls{Mode: source.NullFill}}
	r, err := ipc.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var whole *colstore.Batch
	for r.Next() {
		b, err := source.FromRecord(r.Record(), o)
		if err != nil {
			t.Fatal(err)
		}
		if whole == nil {
			whole = b.Detach()
			if got := lines(b); got != want {
				t.Errorf("a record:\n%s\nwant\n%s", got, want)
			}
		} else if b.Rows() != 2 {
			t.Errorf("%d rows in the second record", b.Rows())
		}
		b.Release()
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	o.Types = map[string]colstore.DType{}
	for _, f := range whole.Schema().All() {
		if f.Type.IsString() && f.Name != "w" {
			o.Types[f.Name] = f.Type
		}
	}
	again, err := ipc.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Release()
	src, err := source.FromReader(again, o)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	// In a stream the column "o" keeps its type, whatever it will turn out to hold.
	want = strings.Replace(want, "o <f8: nan nan nan nan", "o <i4: 0 0 0 0", 1)
	for b, err := range src.Scan(t.Context(), colstore.Scan{}) {
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(b); b.Begin() == 0 && got != want {
			t.Errorf("a stream:\n%s\nwant\n%s", got, want)
		} else if b.Begin() == 4 && (b.Rows() != 2 || !strings.Contains(got, "c <U4: blue ")) {
			t.Errorf("its second record: %s", got)
		}
	}
}

func lines(b *colstore.Batch) string {
	parts := make([]string, b.Schema().Len())
	for i, f := range b.Schema().All() {
		part := []byte(f.Name + " " + f.Type.String() + ":")
		for row := range b.Rows() {
			part = text.AppendPlain(append(part, ' '), b.At(i), row)
		}
		parts[i] = string(part)
	}
	return strings.Join(parts, "\n")
}
