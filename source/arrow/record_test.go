package arrow_test

import (
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/endian"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	source "github.com/colstore/colstore-go/source/arrow"
)

func dictionary(index, value arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: index, ValueType: value}
}

var (
	zoned   = &arrow.TimestampType{Unit: arrow.Second, TimeZone: "UTC"}
	decimal = &arrow.Decimal128Type{Precision: 5, Scale: 2}
	list    = arrow.ListOf(arrow.PrimitiveTypes.Int8)
)

func TestFromRecordTypes(t *testing.T) {
	tests := []struct {
		typ    arrow.DataType
		values string
		want   string
	}{
		{arrow.PrimitiveTypes.Int8, `[-1, 2]`, "a |i1: -1 2"},
		{arrow.PrimitiveTypes.Int16, `[-1, 2]`, "a <i2: -1 2"},
		{arrow.PrimitiveTypes.Int32, `[-1, 2]`, "a <i4: -1 2"},
		{arrow.PrimitiveTypes.Int64, `[-1, 2]`, "a <i8: -1 2"},
		{arrow.PrimitiveTypes.Uint8, `[255, 2]`, "a |u1: 255 2"},
		{arrow.PrimitiveTypes.Uint16, `[1, 2]`, "a <u2: 1 2"},
		{arrow.PrimitiveTypes.Uint32, `[1, 2]`, "a <u4: 1 2"},
		{arrow.PrimitiveTypes.Uint64, `[9223372036854775808, 2]`, "a <u8: 9223372036854775808 2"},
		{arrow.FixedWidthTypes.Float16, `[1.5, 2]`, "a <f2: 1.5 2.0"},
		{arrow.PrimitiveTypes.Float32, `[1.5, 2]`, "a <f4: 1.5 2.0"},
		{arrow.PrimitiveTypes.Float64, `[1.5, 2]`, "a <f8: 1.5 2.0"},
		{arrow.FixedWidthTypes.Boolean, `[true, false, true]`, "a |b1: True False True"},
		{arrow.BinaryTypes.String, `["", "né日", "x"]`, "a <U3:  né日 x"},
		{arrow.BinaryTypes.LargeString, `["", "né日", "x"]`, "a <U3:  né日 x"},
		{arrow.BinaryTypes.StringView, `["", "longer than twelve é", "x"]`, "a <U20:  longer than twelve é x"},
		{arrow.BinaryTypes.String, `["", ""]`, "a <U1:  "},
		{arrow.BinaryTypes.String, `[]`, "a <U1:"},
		{arrow.BinaryTypes.Binary, `["YWI=", ""]`, "a |S2: ab "},
		{arrow.BinaryTypes.LargeBinary, `["YWI=", ""]`, "a |S2: ab "},
		{arrow.BinaryTypes.BinaryView, `["bG9uZ2VyIHRoYW4gdHdlbHZl", "eA=="]`, "a |S18: longer than twelve x"},
		{arrow.BinaryTypes.Binary, `[]`, "a |S1:"},
		{&arrow.FixedSizeBinaryType{ByteWidth: 2}, `["YWI=", "Y2Q="]`, "a |S2: ab cd"},
		{arrow.FixedWidthTypes.Date32, `["1969-12-31", "2024-02-29"]`, "a <M8[D]: 1969-12-31 2024-02-29"},
		{arrow.FixedWidthTypes.Date64, `["1969-12-31", "2024-02-29"]`, "a <M8[ms]: 1969-12-31T00:00:00.000 2024-02-29T00:00:00.000"},
		{&arrow.TimestampType{Unit: arrow.Second}, `["1970-01-01 00:00:01"]`, "a <M8[s]: 1970-01-01T00:00:01"},
		{&arrow.TimestampType{Unit: arrow.Microsecond}, `[1]`, "a <M8[us]: 1970-01-01T00:00:00.000001"},
		{&arrow.TimestampType{Unit: arrow.Nanosecond}, `[-9223372036854775808]`, "a <M8[ns]: NaT"},
		{arrow.FixedWidthTypes.Duration_ms, `["5ms"]`, "a <m8[ms]: 5"},
		{arrow.Null, `[]`, "a <f8:"},
		{arrow.Null, `[null, null]`, "a <f8: nan nan"},
		{dictionary(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), `["yes", "no", "yes"]`, "a <U3: yes no yes"},
		{dictionary(arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Float64), `[2, 1, 2]`, "a <f8: 2.0 1.0 2.0"},
		{dictionary(arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Date32), `["2024-02-29"]`, "a <M8[D]: 2024-02-29"},
		{dictionary(arrow.PrimitiveTypes.Uint32, &arrow.FixedSizeBinaryType{ByteWidth: 2}), `["YWI="]`, "a |S2: ab"},
	}
	for _, test := range tests {
		t.Run(test.typ.String(), func(t *testing.T) {
			b, err := source.FromRecord(record(t, nil, build(t, test.typ, test.values)), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Release()
			if got := shown(b); got != test.want {
				t.Errorf("%s, want\n%s", got, test.want)
			}
		})
	}
}

func TestFromRecordExtension(t *testing.T) {
	stored := build(t, arrow.BinaryTypes.String, `["x", "yy"]`)
	defer stored.Release()
	a := array.NewExtensionArrayWithStorage(newTag(), stored)
	b, err := source.FromRecord(record(t, nil, a), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Release()
	if got := shown(b); got != "a <U2: x yy" {
		t.Error(got)
	}
}

// tag is an extension type stored as text.
type tag struct{ arrow.ExtensionBase }

func newTag() *tag { return &tag{arrow.ExtensionBase{Storage: arrow.BinaryTypes.String}} }

func (*tag) ArrayType() reflect.Type                    { return reflect.TypeFor[tagArray]() }
func (*tag) ExtensionName() string                      { return "tag" }
func (*tag) ExtensionEquals(o arrow.ExtensionType) bool { return o.ExtensionName() == "tag" }
func (*tag) Serialize() string                          { return "" }
func (*tag) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) {
	return newTag(), nil
}

type tagArray struct{ array.ExtensionArrayBase }

func TestFromRecordNulls(t *testing.T) {
	day, second := arrow.FixedWidthTypes.Date32, &arrow.TimestampType{Unit: arrow.Second}
	fill, mask := source.Nulls{Mode: source.NullFill}, source.Nulls{Mode: source.NullMask}
	value := func(v string) source.Nulls { return source.Nulls{Values: map[string]string{"a": v}} }
	yesNo := dictionary(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String)
	tests := []struct {
		name   string
		typ    arrow.DataType
		values string
		meta   string
		o      source.Options
		want   string // the batch, or the error
	}{
		{
			"refused by default", arrow.PrimitiveTypes.Int32, `[1, null]`, "",
			source.Options{},
			`from arrow: column "a": row 1: null value: a batch has none; choose what it becomes with Options.Nulls: fill, mask, or a value in Values["a"]`,
		},
		{
			"a null timestamp of others is a null", second, `[null, 1]`, "",
			source.Options{},
			`from arrow: column "a": row 0: null value: a batch has none; choose what it becomes with Options.Nulls: fill, mask, or a value in Values["a"]`,
		},
		{"a null timestamp of ours is NaT", second, `[null, 1]`, "<M8[s]", source.Options{}, "a <M8[s]: NaT 1970-01-01T00:00:01"},
		{"all of ours are NaT", second, `[null, null]`, "<M8[s]", source.Options{}, "a <M8[s]: NaT NaT"},
		{"null days of ours", day, `[null, "1970-01-02"]`, "<M8[D]", source.Options{}, "a <M8[D]: NaT 1970-01-02"},
		{"fill integers", arrow.PrimitiveTypes.Int32, `[1, null]`, "", source.Options{Nulls: fill}, "a <i4: 1 0"},
		{"fill floats", arrow.PrimitiveTypes.Float32, `[null, 1]`, "", source.Options{Nulls: fill}, "a <f4: nan 1.0"},
		{"fill bools", arrow.FixedWidthTypes.Boolean, `[true, null]`, "", source.Options{Nulls: fill}, "a |b1: True False"},
		{"fill days", day, `[null, "1970-01-02"]`, "", source.Options{Nulls: fill}, "a <M8[D]: NaT 1970-01-02"},
		{"fill text", arrow.BinaryTypes.String, `["xy", null]`, "", source.Options{Nulls: fill}, "a <U2: xy "},
		{"fill a dictionary", yesNo, `["yes", null, "no"]`, "", source.Options{Nulls: fill}, "a <U3: yes  no"},
		{"mask", arrow.PrimitiveTypes.Int32, `[null, 1]`, "", source.Options{Nulls: mask}, "a <i4: 0 1; a_valid |b1: False True"},
		{"no mask without nulls", arrow.PrimitiveTypes.Int32, `[2, 1]`, "", source.Options{Nulls: mask}, "a <i4: 2 1"},
		{"a value", arrow.PrimitiveTypes.Int32, `[1, null]`, "", source.Options{Nulls: value("-9")}, "a <i4: 1 -9"},
		{"a value wider than the text", arrow.BinaryTypes.String, `["xy", null]`, "", source.Options{Nulls: value("none")}, "a <U4: xy none"},
		{"a value wider than the bytes", arrow.BinaryTypes.Binary, `["eA==", null]`, "", source.Options{Nulls: value("none")}, "a |S4: x none"},
		{
			"a value of another kind", arrow.PrimitiveTypes.Int32, `[1, null]`, "",
			source.Options{Nulls: value("x")},
			`from arrow: column "a": the value for nulls: bad value: "x" is not a whole number`,
		},
		{
			"a value wider than the declared text", arrow.BinaryTypes.String, `["xy", null]`, "",
			source.Options{Nulls: value("none"), Types: map[string]colstore.DType{"a": colstore.TextOf(3)}},
			`from arrow: column "a": the value for nulls: bad value: "none" is not a U3, it is 4 wide`,
		},
		{"nothing but nulls is float64", arrow.PrimitiveTypes.Int32, `[null, null]`, "", source.Options{}, "a <f8: nan nan"},
		{"of a type without dtype too", decimal, `[null]`, "", source.Options{}, "a <f8: nan"},
		{"a dictionary of nothing", yesNo, `[null]`, "", source.Options{}, "a <f8: nan"},
		{"with a mask", arrow.BinaryTypes.String, `[null]`, "", source.Options{Nulls: mask}, "a <f8: nan; a_valid |b1: False"},
		{"with a value", arrow.PrimitiveTypes.Int32, `[null]`, "", source.Options{Nulls: value("3")}, "a <i4: 3"},
		{"with a text value", arrow.BinaryTypes.String, `[null]`, "", source.Options{Nulls: value("abc")}, "a <U3: abc"},
		{"with a dtype", arrow.Null, `[null]`, "", source.Options{Nulls: fill, Types: map[string]colstore.DType{"a": colstore.Int8}}, "a |i1: 0"},
		{
			"with a dtype, refused", arrow.Null, `[null]`, "",
			source.Options{Types: map[string]colstore.DType{"a": colstore.Int8}},
			`from arrow: column "a": row 0: null value: a batch has none; choose what it becomes with Options.Nulls: fill, mask, or a value in Values["a"]`,
		},
		{
			"but not of nested types", list, `[null]`, "",
			source.Options{},
			`from arrow: column "a": type error: it holds nested values (list<item: int8, nullable>), and a column has one value a row; flatten it first or leave it out with Options.Columns`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			meta := map[string]string{}
			if test.meta != "" {
				meta["colstore.dtype:a"] = test.meta
			}
			b, err := source.FromRecord(record(t, meta, build(t, test.typ, test.values)), &test.o)
			if got := result(b, err); got != test.want {
				t.Errorf("%s, want\n%s", got, test.want)
			}
		})
	}
}

// result prints a batch, which it releases, or the error.
func result(b *colstore.Batch, err error) string {
	if err != nil {
		return err.Error()
	}
	defer b.Release()
	return shown(b)
}

func TestFromRecordOptions(t *testing.T) {
	types := func(t colstore.DType) source.Options {
		return source.Options{Types: map[string]colstore.DType{"a": t}}
	}
	tests := []struct {
		name   string
		typ    arrow.DataType
		values string
		meta   string
		o      source.Options
		want   string
	}{
		{"a width", arrow.BinaryTypes.String, `["xy"]`, "", types(colstore.TextOf(5)), "a <U5: xy"},
		{
			"a width that is too little", arrow.BinaryTypes.String, `["x", "xyz"]`, "", types(colstore.TextOf(2)),
			`from arrow: column "a": row 1: bad value: text of 3 characters does not fit U2`,
		},
		{
			"bytes that are too long", arrow.BinaryTypes.Binary, `["eHl6"]`, "", types(colstore.BytesOf(2)),
			`from arrow: column "a": row 0: bad value: 3 bytes do not fit S2`,
		},
		{
			"no width", arrow.BinaryTypes.String, `["xy"]`, "", types(colstore.TextOf(0)),
			`from arrow: column "a": type error: it cannot be read as <U0; give a dtype with a width in native byte order`,
		},
		{
			"another kind", arrow.BinaryTypes.String, `["xy"]`, "", types(colstore.BytesOf(2)),
			`from arrow: column "a": mismatch: it holds text, which is not read as S2; read it as it is and cast it in a frame`,
		},
		{"what it is", arrow.PrimitiveTypes.Int8, `[1]`, "", types(colstore.Int8), "a |i1: 1"},
		{
			"another number", arrow.PrimitiveTypes.Int8, `[1]`, "", types(colstore.Int16),
			`from arrow: column "a": mismatch: it holds int8, which is not read as int16; read it as it is and cast it in a frame`,
		},
		{"metadata", arrow.BinaryTypes.String, `["xy"]`, "<U5", source.Options{}, "a <U5: xy"},
		{"outgrown metadata", arrow.BinaryTypes.String, `["longer"]`, "<U5", source.Options{}, "a <U6: longer"},
		{"another column's metadata", arrow.BinaryTypes.String, `["xy"]`, "<f8", source.Options{}, "a <U2: xy"},
		{"a duration that went through Parquet", arrow.PrimitiveTypes.Int64, `[7]`, "<m8[us]", source.Options{}, "a <m8[us]: 7"},
		{
			"a name that is not there", arrow.PrimitiveTypes.Int8, `[1]`, "",
			source.Options{Columns: []string{"b"}},
			`from arrow: column "b": no such column; did you mean "a"?`,
		},
		{
			"a dtype for one that is not there", arrow.PrimitiveTypes.Int8, `[1]`, "",
			source.Options{Types: map[string]colstore.DType{"b": colstore.Int8}},
			`from arrow: column "b": no such column; did you mean "a"?`,
		},
		{
			"a zone", zoned, `["1970-01-01 00:00:00"]`, "",
			source.Options{},
			`from arrow: column "a": type error: it holds timestamps of a time zone (timestamp[s, tz=UTC]), and a dtype has none; convert it to timestamps without a zone first or leave it out with Options.Columns`,
		},
		{
			"decimals", decimal, `["1.25"]`, "",
			source.Options{},
			`from arrow: column "a": type error: it holds values of type decimal(5, 2), which is no dtype; cast it to a number, text or a timestamp first or leave it out with Options.Columns`,
		},
		{"text that is none", arrow.BinaryTypes.String, `["x", "\ufffd"]`, "", source.Options{}, "a <U1: x \ufffd"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			meta := map[string]string{}
			if test.meta != "" {
				meta["colstore.dtype:a"] = test.meta
			}
			b, err := source.FromRecord(record(t, meta, build(t, test.typ, test.values)), &test.o)
			if got := result(b, err); got != test.want {
				t.Errorf("%s, want\n%s", got, test.want)
			}
		})
	}
}

func TestFromRecordColumns(t *testing.T) {
	rec := record(t, nil, build(t, list, `[[1]]`), build(t, arrow.PrimitiveTypes.Int8, `[2]`), build(t, arrow.FixedWidthTypes.Boolean, `[true]`))
	b, err := source.FromRecord(rec, &source.Options{Columns: []string{"c", "b"}})
	if got := result(b, err); got != "c |b1: True; b |i1: 2" {
		t.Error(got)
	}
	if _, err := source.FromRecord(rec, nil); !errors.Is(err, colstore.ErrType) {
		t.Errorf("%v for a list", err)
	}
}

func TestFromRecordDuplicates(t *testing.T) {
	x := build(t, arrow.PrimitiveTypes.Int8, `[2]`)
	defer x.Release()
	field := arrow.Field{Name: "x", Type: x.DataType()}
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{field, field}, nil), []arrow.Array{x, x}, 1)
	defer rec.Release()
	_, err := source.FromRecord(rec, nil)
	if want := `from arrow: column "x": duplicate column: the record has several columns of this name; rename them or leave them out with Options.Columns`; err == nil || err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
	masked := record(t, nil, build(t, arrow.PrimitiveTypes.Int8, `[null, 1]`), build(t, arrow.PrimitiveTypes.Int8, `[1, 1]`))
	names := arrow.NewSchema([]arrow.Field{{Name: "x", Type: x.DataType()}, {Name: "x_valid", Type: x.DataType()}}, nil)
	clash := array.NewRecord(names, masked.Columns(), 2)
	defer clash.Release()
	_, err = source.FromRecord(clash, &source.Options{Nulls: source.Nulls{Mode: source.NullMask}})
	if want := `from arrow: column "x_valid": duplicate column: the mask of another column's nulls would have this name; rename it or leave it out`; err == nil || err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
}

// Rows of an array that begins inside its buffers are found, in every layout.
func TestFromRecordSlices(t *testing.T) {
	const nulls = 3
	rec := record(t, nil,
		build(t, arrow.PrimitiveTypes.Int16, `[0, 1, 2, null, 4, 5, 6, 7, 8, 9, 10]`),
		build(t, arrow.FixedWidthTypes.Boolean, `[true, false, true, null, true, true, true, true, false, false, true]`),
		build(t, arrow.BinaryTypes.String, `["", "1", "22", null, "4", "5", "6", "7", "8", "9", "ten"]`),
		build(t, arrow.BinaryTypes.StringView, `["", "1", "twenty two and more", null, "4", "5", "6", "7", "8", "9", "ten"]`),
		build(t, dictionary(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), `["", "1", "22", null, "4", "1", "6", "7", "8", "1", "ten"]`),
		build(t, arrow.FixedWidthTypes.Date32, `[0, 1, 2, null, 4, 5, 6, 7, 8, 9, 10]`),
	)
	whole, err := source.FromRecord(rec, &source.Options{Nulls: source.Nulls{Mode: source.NullFill}})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Release()
	types := map[string]colstore.DType{"c": colstore.TextOf(3), "d": colstore.TextOf(19), "e": colstore.TextOf(3)}
	for begin := range int64(11) {
		for end := begin + 1; end <= 11; end++ {
			if begin == nulls && end == nulls+1 {
				continue // nothing but nulls has another dtype
			}
			slice := rec.NewSlice(begin, end)
			b, err := source.FromRecord(slice, &source.Options{Types: types, Nulls: source.Nulls{Mode: source.NullFill}})
			slice.Release()
			if got, want := result(b, err), shown(whole.Slice(int(begin), int(end))); got != want {
				t.Errorf("rows %d to %d: %s, want\n%s", begin, end, got, want)
			}
		}
	}
}

// An array whose buffers do not hold what it says is an error with its row.
func TestFromRecordHostile(t *testing.T) {
	offsets := func(v ...int32) []byte { return arrow.Int32Traits.CastToBytes(v) }
	header := func(v ...uint32) []byte {
		var out []byte
		for _, x := range v {
			out = binary.LittleEndian.AppendUint32(out, x)
		}
		return out
	}
	outside := func(row string) string {
		return `from arrow: column "a": row ` + row + `: format error: the value lies outside its buffer`
	}
	utf8, view := arrow.BinaryTypes.String, arrow.BinaryTypes.StringView
	tests := []struct {
		name    string
		typ     arrow.DataType
		rows    int
		buffers [][]byte
		want    string
	}{
		{"offsets that go back", utf8, 2, [][]byte{nil, offsets(0, 2, 1), []byte("abc")}, outside("1")},
		{"an offset below 0", utf8, 2, [][]byte{nil, offsets(-1, 1, 2), []byte("abc")}, outside("0")},
		{
			"no UTF-8", utf8, 2,
			[][]byte{nil, offsets(0, 1, 2), []byte("a\xff")},
			`from arrow: column "a": row 1: bad value: text that is no UTF-8 (byte 0xff)`,
		},
		{"a view of no buffer", view, 1, [][]byte{nil, header(13, 0, 0, 0)}, outside("0")},
		{"a view behind its buffer", view, 1, [][]byte{nil, header(13, 0, 0, 8), make([]byte, 20)}, outside("0")},
		{"a view below its buffer", view, 1, [][]byte{nil, header(13, 0, 0, 0xfffffff0), make([]byte, 20)}, outside("0")},
		{"a view of negative length", view, 1, [][]byte{nil, header(0x80000000, 0, 0, 0)}, outside("0")},
		{
			"a bitmap that is too short", arrow.PrimitiveTypes.Int8, 9,
			[][]byte{{255}, make([]byte, 9)},
			`from arrow: column "a": format error: a bitmap of 1 bytes for 9 rows`,
		},
		{
			"too few values", &arrow.FixedSizeBinaryType{ByteWidth: 4}, 3,
			[][]byte{nil, make([]byte, 8)},
			`from arrow: column "a": format error: 8 bytes hold no 3 values of 4 bytes`,
		},
		{
			"no values", arrow.FixedWidthTypes.Boolean, 3,
			[][]byte{nil, nil},
			`from arrow: column "a": format error: 0 bytes hold no 3 bools`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			buffers := make([]*memory.Buffer, len(test.buffers))
			for i, b := range test.buffers {
				if b != nil {
					buffers[i] = memory.NewBufferBytes(b)
				}
			}
			data := array.NewData(test.typ, test.rows, buffers, nil, array.UnknownNullCount, 0)
			defer data.Release()
			b, err := source.FromRecord(record(t, nil, array.MakeFromData(data)), nil)
			if got := result(b, err); got != test.want {
				t.Errorf("%s, want\n%s", got, test.want)
			}
		})
	}
}

func TestFromRecordHostileDictionary(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int64}
	values := build(t, arrow.PrimitiveTypes.Int64, `[10, null, 30]`)
	defer values.Release()
	for _, test := range []struct{ indices, want string }{
		{`[2, 0, null]`, "a <i8: 30 10 0"},
		{`[2, 1, 0]`, "a <i8: 30 0 10"},
		{`[2, 3]`, `from arrow: column "a": row 1: format error: index 3 into a dictionary of 3`},
		{`[-1, 0]`, `from arrow: column "a": row 0: format error: index -1 into a dictionary of 3`},
	} {
		indices := build(t, arrow.PrimitiveTypes.Int8, test.indices)
		a := array.NewDictionaryArray(typ, indices, values)
		indices.Release()
		b, err := source.FromRecord(record(t, nil, a), &source.Options{Nulls: source.Nulls{Mode: source.NullFill}})
		if got := result(b, err); got != test.want {
			t.Errorf("%s, want\n%s", got, test.want)
		}
	}
}

// Whatever the buffers hold, there is a batch or an error.
func TestFromRecordOfAnyBuffers(t *testing.T) {
	types := []arrow.DataType{
		arrow.FixedWidthTypes.Boolean, arrow.PrimitiveTypes.Int64, arrow.FixedWidthTypes.Date32, arrow.BinaryTypes.String,
		arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.StringView, &arrow.FixedSizeBinaryType{ByteWidth: 3},
	}
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(types).Draw(t, "type")
		buffers := make([]*memory.Buffer, len(typ.Layout().Buffers)+rapid.IntRange(0, 1).Draw(t, "more"))
		for i := range buffers {
			// Of less than 16 bytes, Arrow itself makes pointers that must not be.
			if rapid.IntRange(0, 5).Draw(t, "none") > 0 {
				small := rapid.SampledFrom([]byte{0, 0, 0, 0, 1, 2, 3, 13, 0x80, 0xff})
				buffers[i] = memory.NewBufferBytes(slices.Clip(rapid.SliceOfN(small, 16, 80).Draw(t, "buffer")))
			}
		}
		data := array.NewData(typ, rapid.IntRange(0, 9).Draw(t, "rows"), buffers, nil, array.UnknownNullCount, rapid.IntRange(0, 3).Draw(t, "offset"))
		a, ok := makeArray(data)
		if !ok {
			return // Arrow itself finds the buffers too short
		}
		made++
		rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "a", Type: typ, Nullable: true}}, nil), []arrow.Array{a}, -1)
		b, err := source.FromRecord(rec, &source.Options{Nulls: source.Nulls{Mode: source.NullMask}})
		if err == nil {
			b.Release()
		} else if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Column != "a" {
			t.Fatalf("%v names no column", err)
		}
	})
	if made == 0 {
		t.Error("no array was made")
	}
}

func makeArray(data arrow.ArrayData) (a arrow.Array, ok bool) {
	defer func() { ok = recover() == nil }()
	return array.MakeFromData(data), true
}

// Goroutines share a record, whose arrays are not made for that.
func TestFromRecordConcurrently(t *testing.T) {
	rec := record(t, nil, build(t, dictionary(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), `["yes", "no", "yes"]`))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			b, err := source.FromRecord(rec, nil)
			if got := result(b, err); got != "a <U3: yes no yes" {
				t.Error(got)
			}
		})
	}
	wg.Wait()
}

func TestFromRecordOfTheOtherByteOrder(t *testing.T) {
	x := build(t, arrow.PrimitiveTypes.Int8, `[2]`)
	defer x.Release()
	s := arrow.NewSchema([]arrow.Field{{Name: "x", Type: x.DataType()}}, nil).WithEndianness(endian.NonNativeEndian)
	rec := array.NewRecord(s, []arrow.Array{x}, 1)
	defer rec.Release()
	_, err := source.FromRecord(rec, nil)
	if want := "from arrow: type error: the record is of the other byte order; swap it first, as the IPC readers do"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// The batch holds its record.
func TestFromRecordHolds(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	builder := array.NewInt32Builder(mem)
	builder.AppendValues([]int32{1, 2, 3}, nil)
	a := builder.NewArray()
	builder.Release()
	rec := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "x", Type: a.DataType()}}, nil), []arrow.Array{a}, 3)
	a.Release()
	b, err := source.FromRecord(rec, nil)
	if err != nil {
		t.Fatal(err)
	}
	rec.Release()
	if mem.CurrentAlloc() == 0 {
		t.Fatal("the record is gone while a batch shows it")
	}
	if got := shown(b); got != "x <i4: 1 2 3" {
		t.Error(got)
	}
	b.Release()
	mem.AssertSize(t, 0)
}
