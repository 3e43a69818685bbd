package parquet_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
	"github.com/colstore/colstore-go/source/format"
)

// Nulls become what the policy says.
func TestNulls(t *testing.T) {
	path := handmade(t, nil,
		handColumn{element: element("i", meta.Int32), rows: 3, pages: []handPage{plainPage("101", ints32(5, 6)...)}},
		handColumn{element: logical(element("s", meta.ByteArray), meta.Logical{Kind: meta.KindString}), rows: 3, pages: []handPage{plainPage("110", texts("a", "bc")...)}},
		handColumn{element: element("full", meta.Int32), rows: 3, pages: []handPage{plainPage("111", ints32(1, 2, 3)...)}},
		handColumn{element: element("none", meta.Int64), rows: 3, pages: []handPage{plainPage("000")}},
		handColumn{element: logical(element("t", meta.Int64), meta.Logical{Kind: meta.KindTimestamp, Unit: meta.Millis}), rows: 3, pages: []handPage{plainPage("010", ticks(1)...)}},
		handColumn{element: element("f", meta.Double), rows: 3, pages: []handPage{plainPage("011", ticks(0, 0)...)}},
		handColumn{element: element("b", meta.Boolean), rows: 3, pages: []handPage{plainPage("011", 3)}},
	)
	at := map[string]int64{"i": 1, "s": 2, "t": 0, "f": 0, "b": 0}
	for name, row := range at {
		_, err := readTable(t, path, format.Nulls{}, format.Projection{Columns: []string{"full", name}}, colstore.Scan{})
		e, ok := errors.AsType[*colstore.Error](err)
		if !ok || !errors.Is(err, colstore.ErrNull) || e.Column != name || e.Row != colstore.At(row) || e.Path != path {
			t.Errorf("%s: %v", name, err)
		}
	}
	filled := map[string]string{
		"i": "<i4 5 0 6", "s": "<U2 a bc ", "full": "<i4 1 2 3", "none": "<f8 nan nan nan",
		"t": "<M8[ms] NaT 1970-01-01T00:00:00.001 NaT", "f": "<f8 nan 0.0 0.0", "b": "|b1 False True True",
	}
	masked := map[string]string{
		"i_valid": "|b1 True False True", "s_valid": "|b1 True True False", "none_valid": "|b1 False False False",
		"t_valid": "|b1 False True False", "f_valid": "|b1 False True True", "b_valid": "|b1 False True True",
	}
	maps.Copy(masked, filled)
	given := map[string]string{
		"i": "<i4 5 -1 6", "s": "<U4 a bc none", "full": "<i4 1 2 3", "none": "<i8 7 7 7",
		"t": "<M8[ms] 2000-01-01T00:00:00.000 1970-01-01T00:00:00.001 2000-01-01T00:00:00.000", "f": "<f8 1.5 0.0 0.0", "b": "|b1 True True True",
	}
	values := map[string]string{"i": "-1", "s": "none", "full": "9", "none": "7", "t": "2000-01-01", "f": "1.5", "b": "true"}
	tests := []struct {
		nulls format.Nulls
		want  map[string]string
	}{
		{format.Nulls{Mode: format.NullFill}, filled},
		{format.Nulls{Mode: format.NullMask}, masked},
		{format.Nulls{Values: values}, given},
		{format.Nulls{Mode: format.NullMask, Values: values}, given},
	}
	for _, c := range tests {
		for _, batch := range []int{0, 1, 2} {
			got, err := readTable(t, path, c.nulls, format.Projection{}, colstore.Scan{BatchRows: batch, Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, show(got)); d != "" {
				t.Error(d)
			}
		}
	}
	// A mask can be read without its values, and follows them in the schema.
	got, err := readTable(t, path, format.Nulls{Mode: format.NullMask}, format.Projection{Columns: []string{"s", "i"}}, colstore.Scan{Columns: []string{"i_valid", "s"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"i_valid": masked["i_valid"], "s": masked["s"]}, show(got)); d != "" {
		t.Error(d)
	}
	f, _ := openFile(t, path, format.Nulls{Mode: format.NullMask})
	src, err := f.Source(t.Context(), format.Projection{Columns: []string{"s", "full", "i"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"s", "s_valid", "full", "i", "i_valid"}, src.Schema().Names()); d != "" {
		t.Error(d)
	}
	if _, err := readTable(t, path, format.Nulls{Values: map[string]string{"i": "x"}}, format.Projection{}, colstore.Scan{}); !errors.Is(err, colstore.ErrValue) || !strings.Contains(err.Error(), `column "i"`) {
		t.Error(err)
	}
}

// The name of a mask may be taken.
func TestMaskNameTaken(t *testing.T) {
	path := handmade(t, nil,
		handColumn{element: element("i", meta.Int32), rows: 1, pages: []handPage{plainPage("0")}},
		handColumn{element: element("i_valid", meta.Int32), rows: 1, pages: []handPage{plainPage("1", ints32(1)...)}})
	_, err := readTable(t, path, format.Nulls{Mode: format.NullMask}, format.Projection{}, colstore.Scan{})
	if !errors.Is(err, colstore.ErrDuplicate) || !strings.Contains(err.Error(), `column "i_valid": duplicate column`) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, err := readTable(t, path, format.Nulls{Mode: format.NullMask}, format.Projection{Columns: []string{"i"}}, colstore.Scan{}); err != nil {
		t.Error(err)
	}
}

// A dtype that was decided elsewhere is taken where the column is flexible, and what does not fit it is an error.
func TestDeclaredTypes(t *testing.T) {
	path := handmade(t, nil,
		handColumn{element: textType, rows: 2, pages: []handPage{plainPage("11", texts("a", "bcé")...)}},
		handColumn{element: element("n", meta.Int32), rows: 2, pages: []handPage{plainPage("00")}},
		handColumn{element: element("i", meta.Int32), rows: 2, pages: []handPage{plainPage("11", ints32(1, 2)...)}},
		handColumn{element: element("s", meta.ByteArray), rows: 2, pages: []handPage{dictPage(1, texts("xyz")...), indexPage("11", 1, 0, 0)}},
		handColumn{element: element("old", meta.Int96), rows: 2, pages: []handPage{plainPage("11", int96(1000, 0, 2000, 0)...)}})
	declare := func(name string, t colstore.DType) format.Projection {
		return format.Projection{Columns: []string{name}, Types: map[string]colstore.DType{name: t}}
	}
	tests := []struct {
		name string
		typ  colstore.DType
		want string
		err  error
		text string
	}{
		{"c", colstore.TextOf(5), "<U5 a bcé", nil, ""},
		{"c", colstore.TextOf(3), "<U3 a bcé", nil, ""},
		{"c", colstore.TextOf(2), "", colstore.ErrValue, `column "c": row 1: bad value: text of 3 characters does not fit U2`},
		{"c", colstore.BytesOf(9), "", colstore.ErrMismatch, `column "c": mismatch: it holds text, which is not read as S9`},
		{"n", colstore.Int8, "", colstore.ErrNull, `column "n": row 0: null value`},
		{"n", colstore.TextOf(3), "", colstore.ErrNull, `column "n": row 0: null value`},
		{"n", colstore.DatetimeOf(colstore.Second), "", colstore.ErrNull, `column "n": row 0: null value`},
		{"n", colstore.Float32, "<f4 nan nan", nil, ""},
		{"i", colstore.Int32, "<i4 1 2", nil, ""},
		{"i", colstore.Int64, "", colstore.ErrMismatch, `column "i": mismatch: it holds int32, which is not read as int64`},
		{"s", colstore.BytesOf(4), "|S4 xyz xyz", nil, ""},
		{"s", colstore.BytesOf(2), "", colstore.ErrValue, `column "s": row 0: bad value: 3 bytes do not fit S2`},
		{"s", colstore.BytesOf(0), "", colstore.ErrType, `S0 has no width`},
		{"old", colstore.DatetimeOf(colstore.Microsecond), "<M8[us] 1970-01-01T00:00:00.000001 1970-01-01T00:00:00.000002", nil, ""},
	}
	for _, c := range tests {
		got, err := readTable(t, path, format.Nulls{}, declare(c.name, c.typ), colstore.Scan{})
		if c.err != nil {
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s as %s: %v", c.name, c.typ, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, show(got)[c.name]); d != "" {
			t.Errorf("%s as %s: %s", c.name, c.typ, d)
		}
	}
	f, err := openFile(t, path, format.Nulls{})
	if err != nil {
		t.Fatal(err)
	}
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	freedom := map[string]format.Freedom{}
	for _, n := range src.Schema().Names() {
		freedom[n] = src.(format.Flexible).Freedom(n)
	}
	want := map[string]format.Freedom{"c": format.Wider, "n": format.Anything, "i": format.Fixed, "s": format.Wider, "old": format.Wider}
	if d := cmp.Diff(want, freedom); d != "" {
		t.Error(d)
	}
}

// Nulls of a column that has nothing else become what its declared dtype has for them, if the policy lets them.
func TestDeclaredTypesOfNulls(t *testing.T) {
	path := handmade(t, nil, handColumn{element: element("n", meta.Int32), rows: 2, pages: []handPage{plainPage("00")}})
	for typ, want := range map[colstore.DType]string{
		colstore.Int8: "|i1 0 0", colstore.TextOf(3): "<U3  ", colstore.DatetimeOf(colstore.Second): "<M8[s] NaT NaT",
	} {
		project := format.Projection{Types: map[string]colstore.DType{"n": typ}}
		got, err := readTable(t, path, format.Nulls{Mode: format.NullFill}, project, colstore.Scan{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, show(got)["n"]); d != "" {
			t.Errorf("%s: %s", typ, d)
		}
	}
}

// The dtype in the metadata is taken where the column can carry it, and ignored where it cannot.
func TestRestoredTypes(t *testing.T) {
	stamp := logical(element("c", meta.Int64), meta.Logical{Kind: meta.KindTimestamp, Unit: meta.Millis})
	tests := []struct {
		code   string
		column meta.Element
		page   handPage
		want   string
		text   string
	}{
		{"<U5", textType, plainPage("11", texts("a", "bc")...), "<U5 a bc", ""},
		{"<U1", textType, plainPage("11", texts("a", "bc")...), "", "row 1: bad value: text of 2 characters does not fit U1"},
		{"|S5", textType, plainPage("11", texts("a", "bc")...), "<U2 a bc", ""},
		{">U5", textType, plainPage("11", texts("a", "bc")...), "<U2 a bc", ""},
		{"nonsense", textType, plainPage("11", texts("a", "bc")...), "<U2 a bc", ""},
		{"<M8[s]", stamp, plainPage("10", ticks(-2000)...), "<M8[s] 1969-12-31T23:59:58 NaT", ""},
		{"<M8[s]", stamp, plainPage("11", ticks(0, 1)...), "", "row 1: bad value: 1 milliseconds are no whole seconds"},
		{"<M8[D]", stamp, plainPage("11", ticks(0, 1)...), "<M8[ms] 1970-01-01T00:00:00.000 1970-01-01T00:00:00.001", ""},
		{"<m8[us]", element("c", meta.Int64), plainPage("01", ticks(5)...), "<m8[us] NaT 5", ""},
		{"<m8[D]", element("c", meta.Int64), plainPage("11", ticks(5, 6)...), "<i8 5 6", ""},
		{"<f8", element("c", meta.Int64), plainPage("11", ticks(5, 6)...), "<i8 5 6", ""},
		{"<i8", element("c", meta.Int64), plainPage("10", ticks(5)...), "", "row 1: null value"},
		{"<i8", element("c", meta.Int64), plainPage("00"), "", "row 0: null value"},
	}
	for _, c := range tests {
		path := handmade(t, func(f *meta.File) { f.KeyValues = []meta.KeyValue{{Key: "colstore.dtype:c", Value: c.code}} },
			handColumn{element: c.column, rows: 2, pages: []handPage{c.page}})
		got, err := readTable(t, path, format.Nulls{}, format.Projection{}, colstore.Scan{})
		if c.text != "" {
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s: %v", c.code, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, show(got)["c"]); d != "" {
			t.Errorf("%s: %s", c.code, d)
		}
	}
}

// Without rows columns keep their types; one whose type has no values is as free as one without a value.
func TestNoRows(t *testing.T) {
	path := handmade(t, nil,
		handColumn{element: textType},
		handColumn{element: element("i", meta.Int32)},
		handColumn{element: logical(element("n", meta.Int32), meta.Logical{Kind: meta.KindUnknown})})
	for declared, want := range map[colstore.DType]string{{}: "<f8", colstore.Int16: "<i2"} {
		types := map[string]colstore.DType{}
		if declared.Valid() {
			types["n"] = declared
		}
		got, err := readTable(t, path, format.Nulls{}, format.Projection{Types: types}, colstore.Scan{})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(map[string]string{"c": "<U1", "i": "<i4", "n": want}, show(got)); d != "" {
			t.Error(d)
		}
	}
}
