package parquet

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/source/format"
)

// writeColumn writes one column, c, and returns the statistics of its chunk.
func writeColumn(t *testing.T, dt colstore.DType, data []byte) meta.Statistics {
	t.Helper()
	s := colstore.MustSchema(colstore.Field{Name: "c", Type: dt})
	c, err := colstore.NewColumn(dt, len(data)/dt.Size(), data)
	if err != nil {
		t.Fatal(err)
	}
	b, err := colstore.NewBatch(s, c)
	if err != nil {
		t.Fatal(err)
	}
	o, err := format.CheckOptions("", Descriptor.Write.Options, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.parquet")
	w, err := create(t.Context(), &format.CreateRequest{Path: path, Schema: s, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	opened, err := open(t.Context(), &format.OpenRequest{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	f := opened.(*file).footer
	if f.CreatedBy != "colstore-go" || f.KeyValues[0] != (meta.KeyValue{Key: "colstore.dtype:c", Value: dt.String()}) {
		t.Errorf("created by %q with %v", f.CreatedBy, f.KeyValues)
	}
	return f.Groups[0].Columns[0].Statistics
}

func floats64(v ...float64) (out []byte) {
	for _, x := range v {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

func words64(v ...int64) (out []byte) {
	for _, x := range v {
		out = binary.LittleEndian.AppendUint64(out, uint64(x))
	}
	return out
}

func points(width int, v ...string) (out []byte) {
	for _, x := range v {
		cell := make([]byte, 4*width)
		copy(cell, colstore.AppendText(nil, x))
		out = append(out, cell...)
	}
	return out
}

// The statistics hold for every reader: signs, zeros, NaN, nulls and long values are where bounds go wrong.
func TestBounds(t *testing.T) {
	nan, negZero := math.NaN(), math.Copysign(0, -1)
	exact := func(min, max []byte, nulls int64) meta.Statistics {
		return meta.Statistics{Min: min, Max: max, Nulls: nulls, MinExact: true, MaxExact: true}
	}
	long := strings.Repeat("é", 40) // 80 bytes
	tests := []struct {
		name string
		typ  colstore.DType
		data []byte
		want meta.Statistics
	}{
		{"int64", colstore.Int64, words64(5, -7, 3), exact(words64(-7), words64(5), 0)},
		{"uint64 above the signed range", colstore.Uint64, words64(5, -7, 3), exact(words64(3), words64(-7), 0)},
		{"int8 is widened", colstore.Int8, []byte{255, 1}, exact([]byte{255, 255, 255, 255}, []byte{1, 0, 0, 0}, 0)},
		{"uint8 is widened", colstore.Uint8, []byte{255, 1}, exact([]byte{1, 0, 0, 0}, []byte{255, 0, 0, 0}, 0)},
		{"bool", colstore.Bool, []byte{0, 7}, exact([]byte{0}, []byte{1}, 0)},
		{"all true", colstore.Bool, []byte{2, 1}, exact([]byte{1}, []byte{1}, 0)},
		{"NaN is no bound", colstore.Float64, floats64(nan, 2, nan, -1), exact(floats64(-1), floats64(2), 0)},
		{"nothing but NaN", colstore.Float64, floats64(nan, nan), meta.Statistics{}},
		{"infinities", colstore.Float64, floats64(math.Inf(1), math.Inf(-1)), exact(floats64(math.Inf(-1)), floats64(math.Inf(1)), 0)},
		{"a zero is both", colstore.Float64, floats64(0, 0), exact(floats64(negZero), floats64(0), 0)},
		{"and the other one", colstore.Float64, floats64(negZero), exact(floats64(negZero), floats64(0), 0)},
		{"float16", colstore.Float16, []byte{0, 0x3c, 0, 0xbc, 0, 0x7e}, exact([]byte{0, 0xbc}, []byte{0, 0x3c}, 0)},
		{"seconds are milliseconds", colstore.DatetimeOf(colstore.Second), words64(2, colstore.NaT, -1), exact(words64(-1000), words64(2000), 1)},
		{"dates", colstore.DatetimeOf(colstore.Day), words64(2, -1), exact([]byte{255, 255, 255, 255}, []byte{2, 0, 0, 0}, 0)},
		{"nothing but NaT", colstore.TimedeltaOf(colstore.Nanosecond), words64(colstore.NaT), meta.Statistics{Nulls: 1}},
		{"bytes are unsigned", colstore.BytesOf(2), []byte{0xff, 0, 0x7f, 1, 0x7f, 0}, exact([]byte{0x7f, 0}, []byte{0xff, 0}, 0)},
		{"long bytes have none", colstore.BytesOf(65), make([]byte, 130), meta.Statistics{}},
		{"text", colstore.TextOf(2), points(2, "b", "", "é", "a\x00"), exact([]byte{}, []byte("é"), 0)},
		{"text in the order of UTF-8", colstore.TextOf(1), points(1, "\uffff", "😀"), exact([]byte("\uffff"), []byte("😀"), 0)},
		{"long text is cut", colstore.TextOf(40), points(40, long, long), meta.Statistics{Min: []byte(long[:64]), Max: []byte(long[:62] + "ê")}},
		{"cut where nothing is greater", colstore.TextOf(40), points(40, strings.Repeat("\U0010ffff", 40)), meta.Statistics{}},
	}
	for _, c := range tests {
		got := writeColumn(t, c.typ, c.data)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}
