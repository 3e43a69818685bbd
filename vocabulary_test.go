package colstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
)

func TestParseDType(t *testing.T) {
	tests := []struct{ text, code, name string }{
		{"<i4", "<i4", "int32"},
		{"i4", "<i4", "int32"},
		{"=i4", "<i4", "int32"},
		{">i4", ">i4", "int32"},
		{"int32", "<i4", "int32"},
		{"|b1", "|b1", "bool"},
		{"?", "|b1", "bool"},
		{"bool", "|b1", "bool"},
		{">i1", "|i1", "int8"},
		{"uint8", "|u1", "uint8"},
		{"<f2", "<f2", "float16"},
		{"float64", "<f8", "float64"},
		{"S16", "|S16", "S16"},
		{"|S1", "|S1", "S1"},
		{"U8", "<U8", "U8"},
		{">U8", ">U8", "U8"},
		{"M8[ns]", "<M8[ns]", "datetime64[ns]"},
		{"datetime64[D]", "<M8[D]", "datetime64[D]"},
		{"timedelta64[s]", "<m8[s]", "timedelta64[s]"},
		{">m8[as]", ">m8[as]", "timedelta64[as]"},
		{" f8 ", "<f8", "float64"},
	}
	for _, c := range tests {
		got, err := colstore.ParseDType(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got.String() != c.code || got.Name() != c.name {
			t.Errorf("%q is %s, %s; want %s, %s", c.text, got, got.Name(), c.code, c.name)
		}
		again, err := colstore.ParseCode(got.String())
		if err != nil || again != got {
			t.Errorf("%s reads back as %s, %v", got, again, err)
		}
	}
	for _, bad := range []string{"", "x", "i3", "f1", "b2", "i", "i04", "i+4", "S-1", "S0x1", "M8", "M8[]", "M8[x]", "M8[25s]", "<f16", "c8", "O", "V8", "S99999999999", "U999999999", "int", "<", "i4,f8", "datetime64", "(2,)i4"} {
		if got, err := colstore.ParseDType(bad); !errors.Is(err, colstore.ErrType) || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q is %s, %v", bad, got, err)
		}
	}
	for _, flexible := range []string{"S", "U"} {
		got, err := colstore.ParseDType(flexible)
		if err != nil || got.Valid() || got.Width() != 0 {
			t.Errorf("%q is %s, %v", flexible, got, err)
		}
		if _, err := colstore.ParseCode(flexible); err == nil {
			t.Errorf("%q is no stored code", flexible)
		}
	}
	for _, bad := range []string{"int32", "?", "<i1", ">S4", "|i4", "f8 "} {
		if got, err := colstore.ParseCode(bad); err == nil {
			t.Errorf("stored code %q is %s", bad, got)
		}
	}
}

func FuzzParseDType(f *testing.F) {
	for _, s := range []string{"<M8[ns]", "|S16", "U8", "float32", ">f8"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := colstore.ParseDType(s)
		if err != nil || !d.Valid() {
			return
		}
		if again, err := colstore.ParseCode(d.String()); err != nil || again != d {
			t.Errorf("%q is %s, which reads back as %s, %v", s, d, again, err)
		}
	})
}

func TestSchema(t *testing.T) {
	s, err := colstore.NewSchema(colstore.Field{Name: "a", Type: colstore.Int32}, colstore.Field{Name: "", Type: colstore.TextOf(2)})
	if err != nil {
		t.Fatal(err)
	}
	if s.RowBytes() != 12 || s.Len() != 2 || s.String() != "a <i4,  <U2" {
		t.Errorf("%d bytes, %s", s.RowBytes(), s)
	}
	if i, ok := s.Index(""); i != 1 || !ok {
		t.Error("the empty name is a name")
	}
	if _, err := s.Select("a", "a"); !errors.Is(err, colstore.ErrDuplicate) {
		t.Error(err)
	}
	if _, err := s.Select("b"); !errors.Is(err, colstore.ErrNoColumn) || !strings.Contains(err.Error(), `"b"`) {
		t.Error(err)
	}
	if _, err := colstore.NewSchema(colstore.Field{Name: "x", Type: colstore.BytesOf(0)}); !errors.Is(err, colstore.ErrType) {
		t.Error(err)
	}
	if _, err := colstore.NewSchema(colstore.Field{Name: "x", Type: colstore.Bool}, colstore.Field{Name: "x", Type: colstore.Bool}); !errors.Is(err, colstore.ErrDuplicate) {
		t.Error(err)
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"pt", "eta", "phi", "mass", "region"}
	for name, want := range map[string]string{
		"ptt": `; did you mean "pt"?`, "PT": `; did you mean "pt"?`, "regoin": `; did you mean "region"?`, "energy": "; there is pt, eta, phi, mass, region",
	} {
		if got := colstore.Suggest(name, names); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	if got := colstore.Suggest("x", nil); got != "" {
		t.Errorf("nothing to suggest gives %q", got)
	}
}

func TestColumnViews(t *testing.T) {
	v := []float64{0, 1, 2, 3, 4, 5}
	c := colstore.Wrap(v)
	got, err := colstore.Values[float64](c)
	if err != nil || &got[0] != &v[0] {
		t.Errorf("a view of plain values: %v", err)
	}
	type weight float64
	if w, err := colstore.Values[weight](c); err != nil || w[3] != 3 {
		t.Errorf("a defined type: %v, %v", w, err)
	}
	back := c.Slice(4, -1, -2)
	if _, err := colstore.Values[float64](back); !errors.Is(err, colstore.ErrNotViewable) {
		t.Errorf("a strided view: %v", err)
	}
	if got, err := colstore.CopyOf[float64](back); err != nil || cmp.Diff([]float64{4, 2, 0}, got) != "" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := colstore.Values[int64](c); !errors.Is(err, colstore.ErrType) {
		t.Errorf("float64 as int64: %v", err)
	}
	if c.Slice(3, 3, 1).Rows() != 0 || c.Slice(0, 6, 4).Rows() != 2 {
		t.Error("lengths of slices")
	}
	be := colstore.RawColumn(colstore.Int16.Swapped(), 1, 2, nil)
	if _, err := colstore.Values[int16](be); !errors.Is(err, colstore.ErrNotViewable) {
		t.Errorf("big-endian: %v", err)
	}
	bools, err := colstore.NewColumn(colstore.Bool, 3, []byte{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := colstore.Values[bool](bools); !errors.Is(err, colstore.ErrNotViewable) || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("a bool of 2: %v", err)
	}
	if got, err := colstore.CopyOf[bool](bools); err != nil || !got[2] {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := colstore.NewColumn(colstore.Int32, 2, make([]byte, 7)); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("too few bytes: %v", err)
	}
}

func TestColumnText(t *testing.T) {
	raw := colstore.AppendText(nil, "日é")
	u, err := colstore.NewColumn(colstore.TextOf(3), 1, append(raw, 0, 0, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	s, err := colstore.NewColumn(colstore.BytesOf(3), 2, []byte("a\x00b\xffc\x00"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range []colstore.Column{u, s} {
		for _, v := range c.Strings() {
			got = append(got, v)
		}
	}
	if d := cmp.Diff([]string{"日é", "a\x00b", "\xffc"}, got); d != "" {
		t.Error(d)
	}
	ns := colstore.Wrap([]int64{0, -1, colstore.NaT}).As(colstore.DatetimeOf(colstore.Nanosecond))
	var times []time.Time
	for _, v := range ns.Times() {
		times = append(times, v)
	}
	if !times[0].Equal(time.Unix(0, 0)) || !times[1].Equal(time.Unix(0, -1)) || !times[2].IsZero() {
		t.Errorf("%v", times)
	}
	if got := colstore.Month.Time(13); !got.Equal(time.Date(1971, 2, 1, 0, 0, 0, 0, time.UTC)) {
		t.Error(got)
	}
	if !colstore.Week.Time(math.MaxInt64).IsZero() {
		t.Error("a week beyond time.Time")
	}
}

func TestBatchHolders(t *testing.T) {
	released := 0
	s := colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Int64})
	b, err := colstore.NewOwnedBatch(s, colstore.Range{Begin: 100, End: 103}, func() { released++ }, colstore.Wrap([]int64{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	part := b.Slice(1, 3)
	if part.Begin() != 101 || part.Rows() != 2 {
		t.Errorf("slice begins at %d", part.Begin())
	}
	part.Retain()
	b.Release()
	if released != 0 {
		t.Error("released while a holder is left")
	}
	copied := part.Detach()
	part.Release()
	if released != 1 {
		t.Errorf("released %d times", released)
	}
	if v, err := colstore.Values[int64](copied.At(0)); err != nil || v[0] != 2 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := colstore.NewBatch(s, colstore.Wrap([]int32{1})); !errors.Is(err, colstore.ErrMismatch) {
		t.Errorf("wrong dtype: %v", err)
	}
	if _, err := b.Column("y"); !errors.Is(err, colstore.ErrNoColumn) {
		t.Errorf("%v", err)
	}
}

func TestByteSizes(t *testing.T) {
	good := map[string]int64{
		"4096": 4096, "1 MB": 1000000, "1 MiB": 1048576, "1mib": 1048576, "1MIB": 1048576, "4M": 4000000, "4Mi": 4194304,
		"2.5 GiB": 2684354560, "1.5": 1, "1 PiB": 1125899906842624, " 64 KiB ": 65536, "7B": 7,
	}
	for text, want := range good {
		if got, err := colstore.ParseByteSize(text); err != nil || int64(got) != want {
			t.Errorf("%q is %d, %v; want %d", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "MB", "-1", "1e3", "1,000", "1.0.0 MB", "0", "0.5", "0.0001 KiB", "1 EB", "1 XB", "9999999 PiB", "1 M B", "٣ MB"} {
		if got, err := colstore.ParseByteSize(bad); !errors.Is(err, colstore.ErrValue) {
			t.Errorf("%q is %d, %v", bad, got, err)
		}
	}
	for n, want := range map[colstore.ByteSize]string{1: "1 B", 1024: "1 KiB", 64 * colstore.MiB: "64 MiB", 1500: "1.5 KiB"} {
		if got := n.String(); got != want {
			t.Errorf("%d prints %q, want %q", n, got, want)
		}
		text, err := n.MarshalText()
		var back colstore.ByteSize
		if err != nil || back.UnmarshalText(text) != nil || back != n {
			t.Errorf("%d marshals as %s", n, text)
		}
	}
	for text, want := range map[string]int64{"1_000_000": 1e6, "0": 0, "12": 12} {
		if got, err := colstore.ParseCount(text); err != nil || got != want {
			t.Errorf("%q is %d, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "_1", "1_", "1__0", "-1", "1.5", "1 MiB", "99999999999999999999"} {
		if got, err := colstore.ParseCount(bad); err == nil {
			t.Errorf("count %q is %d", bad, got)
		}
	}
}

func TestErrorText(t *testing.T) {
	err := error(&colstore.Error{
		Op: "scan", Path: "events.cstore", Column: "pt", Record: colstore.At(3), Row: colstore.At(0),
		Err: fmt.Errorf("%w: 1 and 2", colstore.ErrChecksum),
	})
	if got, want := err.Error(), `scan events.cstore: record 3: column "pt": row 0: checksum mismatch: 1 and 2`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !errors.Is(err, colstore.ErrChecksum) || !errors.Is(err, colstore.ErrFormat) || errors.Is(err, colstore.ErrTruncated) {
		t.Error("a checksum mismatch is a format error and no truncation")
	}
	if !errors.Is(colstore.ErrExists, fs.ErrExist) {
		t.Error("an existing output is fs.ErrExist")
	}
	if got := (&colstore.Error{Err: colstore.ErrValue}).Error(); got != "bad value" {
		t.Error(got)
	}
}

func TestGroupRows(t *testing.T) {
	for rowBytes, want := range map[int]int{1: 1 << 20, 8: 1 << 20, 100: 334848, 40_000: 838, 1 << 26: 1, 0: 1 << 20} {
		if got := colstore.GroupRows(rowBytes); got != want {
			t.Errorf("rows of %d bytes: %d, want %d", rowBytes, got, want)
		}
	}
}
