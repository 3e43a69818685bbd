package json_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// What texts are as tables.
func TestTables(t *testing.T) {
	fill := format.Nulls{Mode: format.NullFill}
	mask := format.Nulls{Mode: format.NullMask}
	value := func(v string) format.Nulls { return format.Nulls{Values: map[string]string{"a": v}} }
	tests := []struct {
		name string
		text string
		how  reading
		want string
	}{
		{"one object", `{"a": 1}`, reading{}, "a <i8: 1\n"},
		{"objects over several lines", "{\"a\":\n1}\n{\"a\":2}", reading{lines: true}, "a <i8: 1 2\n"},
		{"a list in a file of lines", `[{"a":1}]`, reading{lines: true}, "a <i8: 1\n"},
		{"blanks everywhere", "\ufeff \r\n[ {\t\"a\" : 1 ,\"b\" :\n\"x\" } , {\"b\":\"y\",\"a\":2}\n]\n ", reading{}, "a <i8: 1 2\nb <U1: x y\n"},
		{"a missing key", `[{"a":1,"b":2},{"b":3}]`, reading{}, "a <f8: 1.0 nan\nb <i8: 2 3\n"},
		{"a late key", `[{},{"a":1}]`, reading{}, "a <f8: nan 1.0\n"},
		{"the later of two values counts", `[{"a":[1],"a":2},{"a":null,"b":1,"a":3}]`, reading{columns: []string{"a"}}, "a <i8: 2 3\n"},
		{"a name with escapes", `[{"a\n\u00e9\"":1},{"a\né\"":2}]`, reading{}, "a\né\" <i8: 1 2\n"},
		{"a name that looks like an escape", `[{"\\u0061":1},{"\u0061":2}]`, reading{}, "\\u0061 <f8: 1.0 nan\na <f8: nan 2.0\n"},
		{"the empty name", `[{"":1}]`, reading{}, " <i8: 1\n"},
		{"a short list", `[[1,"x"],[2.5]]`, reading{nulls: fill}, "0 <f8: 1.0 2.5\n1 <U1: x \n"},
		{"a long list", `[[1],[2,3]]`, reading{}, "0 <i8: 1 2\n1 <f8: nan 3.0\n"},
		{"single values", `[true, false]`, reading{}, "0 |b1: True False\n"},
		{"numbers", `[{"a":-0},{"a":-0.0},{"a":1E2},{"a":1e-400},{"a":1e400},{"a":-Infinity}]`, reading{}, "a <f8: -0.0 -0.0 100.0 0.0 inf -inf\n"},
		{"minus zero is no negative number", `[{"a":-0},{"a":18446744073709551615}]`, reading{}, "a <u8: 0 18446744073709551615\n"},
		{"whole numbers beside a fraction", `[{"a":123456789012345678901234567890},{"a":0.5}]`, reading{}, "a <f8: 1.2345678901234568e+29 0.5\n"},
		{"zero rows", `{"columns":["a","b"],"data":[]}`, reading{orient: "split"}, "a <f8:\nb <f8:\n"},
		{"zero rows by column", `{"a":[],"b":{}}`, reading{}, "a <f8:\nb <f8:\n"},
		{"split, data first", `{"data":[[1,2],[3]],"index":[[1],{"x":[2]}],"name":null,"columns":["a",7,"c"]}`, reading{orient: "split", nulls: fill}, "a <i8: 1 3\n7 <f8: 2.0 nan\nc <f8: nan nan\n"},
		{"split, seen by its index", `{"columns": ["a"], "index": ["x"], "data": [[1]]}`, reading{}, "a <i8: 1\n"},
		{"split, seen by its data", `{"columns":["a"],"data": [ [1],[2]]}`, reading{}, "a <i8: 1 2\n"},
		{"split, without rows", `{"columns":["a"],"data":[]}`, reading{}, "a <f8:\n"},
		{"a column named columns", `{"columns":["a"],"data":[1]}`, reading{}, "columns <U1: a\ndata <i8: 1\n"},
		{"a column named columns alone", `{"columns":["a"]}`, reading{}, "columns <U1: a\n"},
		{"index", `{"r1":{"a":1},"r2":{"a":2}}`, reading{orient: "index"}, "a <i8: 1 2\n"},
		{"columns by label", `{"a":{"x":1,"y":2},"b":{"\u0078":"p","y":"q"}}`, reading{}, "a <i8: 1 2\nb <U1: p q\n"},
		{"columns of two kinds", `{"a":{"x":1,"y":2},"b":["p","q"]}`, reading{}, "a <i8: 1 2\nb <U1: p q\n"},
		{"a column that is there twice", `{"a":["x","y"],"b":[1],"a":[2]}`, reading{}, "a <i8: 2\nb <i8: 1\n"},
		{"columns of other lengths that are not asked for", `{"a":[1,2],"b":[3]}`, reading{columns: []string{"b"}}, "b <i8: 3\n"},
		{"a column named schema", `{"schema":{"0":1}}`, reading{}, "schema <i8: 1\n"},
		{"a table without dtypes", `{"schema":{"fields":[{"name":"i"},{"name":"a"}],"primaryKey":"i"},"data":[{"i":1,"a":2}]}`, reading{}, "a <i8: 2\n"},
		{"a table with dtypes", `{"schema":{"fields":[{"name":"a","colstore.dtype":"<M8[s]"},{"name":"b","colstore.dtype":"|i1"}]},"data":[{"a":"2020-01-02","b":-3},{"a":null,"b":4}]}`, reading{}, "a <M8[s]: 2020-01-02T00:00:00 NaT\nb |i1: -3 4\n"},
		{"a column that is not asked for", `[{"a":1,"b":[1,{"c":[]}]},{"a":2,"b":"x"}]`, reading{columns: []string{"a"}}, "a <i8: 1 2\n"},
		{"other order", `[{"a":1,"b":2}]`, reading{columns: []string{"b", "a"}}, "b <i8: 2\na <i8: 1\n"},

		{"nulls among texts, filled", `[{"a":"x"},{"a":null}]`, reading{nulls: fill}, "a <U1: x \n"},
		{"nulls among texts, masked", `[{"a":"x"},{}]`, reading{nulls: mask}, "a <U1: x \na_valid |b1: True False\n"},
		{"nulls among texts, a value", `[{"a":"x"},{"a":null}]`, reading{nulls: value("none")}, "a <U4: x none\n"},
		{"nulls among bools, masked", `[{"a":true},{"a":null}]`, reading{nulls: mask}, "a |b1: True False\na_valid |b1: True False\n"},
		{"nulls among numbers are NaN whatever the policy", `[{"a":1},{"a":null}]`, reading{nulls: mask}, "a <f8: 1.0 nan\n"},
		{"nulls among whole numbers, a value", `[{"a":9007199254740993},{"a":null}]`, reading{nulls: value("-1")}, "a <i8: 9007199254740993 -1\n"},
		{"nulls among whole numbers, a fraction", `[{"a":1},{"a":null}]`, reading{nulls: value("0.5")}, "a <f8: 1.0 0.5\n"},
		{"nulls among large whole numbers, filled", `[{"a":9007199254740993},{"a":null}]`, reading{nulls: fill}, "a <i8: 9007199254740993 0\n"},
		{"nothing but nulls, a value", `[{"a":null},{"a":null}]`, reading{nulls: value("7")}, "a <i8: 7 7\n"},
		{"nothing but nulls, a text", `[{"a":null}]`, reading{nulls: value("none")}, "a <U4: none\n"},

		{"dates", `[{"a":"2020-01-02"},{"a":"2020-01-02T03:04:05.25Z"},{"a":"NaT"},{"a":null},{"a":1500}]`, reading{types: declared("M8[ms]")}, "a <M8[ms]: 2020-01-02T00:00:00.000 2020-01-02T03:04:05.250 NaT NaT 1970-01-01T00:00:01.500\n"},
		{"ticks beside a null", `[{"a":1577934245000000001},{"a":null}]`, reading{types: declared("M8[ns]")}, "a <M8[ns]: 2020-01-02T03:04:05.000000001 NaT\n"},
		{"spans", `[{"a":-5},{"a":"NaT"}]`, reading{types: declared("m8[s]")}, "a <m8[s]: -5 NaT\n"},
		{"anything as text", `[{"a":"x"},{"a":1.50},{"a":true},{"a":"\u00e9"}]`, reading{types: declared("U")}, "a <U4: x 1.50 true é\n"},
		{"numbers as text", `[{"a":1.50},{"a":-7}]`, reading{types: declared("U")}, "a <U4: 1.50 -7\n"},
		{"true and false as text", `[{"a":true},{"a":null}]`, reading{types: declared("S5"), nulls: value("?")}, "a |S5: true ?\n"},
		{"large numbers as text", `[{"a":123456789012345678901234567890}]`, reading{types: declared("S")}, "a |S30: 123456789012345678901234567890\n"},
		{"large numbers as floats", `[{"a":123456789012345678901234567890},{"a":null}]`, reading{types: declared("f8")}, "a <f8: 1.2345678901234568e+29 nan\n"},
		{"text as bytes", `[{"a":"\u00e9x"}]`, reading{types: declared("S4")}, "a |S4: éx\n"},
		{"single precision is rounded once", `[{"a":1.000000059604644775390626}]`, reading{types: declared("f4")}, "a <f4: 1.0000001\n"},
	}
	for _, test := range tests {
		for _, size := range []int{0, 1, 7} {
			t.Run(fmt.Sprint(test.name, "/", size), func(t *testing.T) {
				t.Parallel()
				how := test.how
				how.text, how.cells, how.scan.BatchRows = size, size, size
				got, err := how.readText(t, test.text)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(test.want, table(got)); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			})
		}
	}
}

// What is wrong with texts, told with the row, the column and the byte.
func TestErrors(t *testing.T) {
	split := reading{orient: "split"}
	tests := []struct {
		name string
		text string
		how  reading
		want error
		says string
	}{
		{"nothing", "", reading{}, colstore.ErrFormat, "the file is empty"},
		{"blanks", " \n", reading{}, colstore.ErrFormat, "the file is empty"},
		{"no rows", "[]", reading{}, colstore.ErrFormat, "there is no column"},
		{"no names", "[{},{}]", reading{}, colstore.ErrFormat, "there is no column"},
		{"a number", "3", reading{}, colstore.ErrFormat, "byte 0"},
		{"two lists", `[{"a":1}][]`, reading{}, colstore.ErrFormat, "byte 9: there is more behind"},
		{"a comma too many", `[{"a":1},]`, reading{}, colstore.ErrFormat, "row 1: format error: byte 9: there is a comma behind the last row"},
		{"a comma too many in an object", `[{"a":1,}]`, reading{}, colstore.ErrFormat, "byte 8: there should be a name"},
		{"no comma", `[{"a":1}{"a":2}]`, reading{}, colstore.ErrFormat, "byte 8: there should be a comma"},
		{"no colon", `[{"a" 1}]`, reading{}, colstore.ErrFormat, "byte 6: there should be a colon"},
		{"no line break", `{"a":1}{"a":2}`, reading{}, colstore.ErrFormat, "row 1: format error: byte 7: there should be a line break"},
		{"cut off", `[{"a":1},{"a`, reading{}, colstore.ErrTruncated, "row 1: file is truncated: the text ends at byte 12"},
		{"cut off in a line", "{\"a\":1}\n{\"a\":", reading{lines: true}, colstore.ErrTruncated, "row 1"},
		{"cut off in a split table", `{"columns":["a"],"data":[[1]]`, split, colstore.ErrTruncated, "byte 29"},
		{"not a row", `[{"a":1},5]`, reading{}, colstore.ErrFormat, "row 1: format error: byte 9: the row is not an object"},
		{"a list among objects", `[{"a":1},[2]]`, reading{}, colstore.ErrFormat, "the row is not an object"},
		{"a leading zero", `[{"a":01}]`, reading{}, colstore.ErrFormat, "byte 7: a number has a zero before other digits"},
		{"a bare point", `[{"a":1.}]`, reading{}, colstore.ErrFormat, "byte 8: a number has no digit behind its point"},
		{"no exponent", `[{"a":1e+}]`, reading{}, colstore.ErrFormat, "byte 9: a number has no digit in its exponent"},
		{"a plus", `[{"a":+1}]`, reading{}, colstore.ErrFormat, "byte 6: there should be a value"},
		{"a misspelt word", `[{"a":nul}]`, reading{}, colstore.ErrFormat, "byte 9"},
		{"single quotes", `[{'a':1}]`, reading{}, colstore.ErrFormat, "byte 2: there should be a name in double quotes"},
		{"a line break in text", "[{\"a\":\"x\ny\"}]", reading{}, colstore.ErrFormat, "byte 8: text has a control character"},
		{"a NUL", "[{\"a\":\"x\x00y\"}]", reading{}, colstore.ErrFormat, "byte 8: text has a control character"},
		{"no UTF-8", "[{\"a\":\"x\xffy\"}]", reading{}, colstore.ErrFormat, "byte 8: the text is not UTF-8"},
		{"no escape", `[{"a":"\x41"}]`, reading{}, colstore.ErrFormat, "byte 8: a backslash"},
		{"a short escape", `[{"a":"\u12g4"}]`, reading{}, colstore.ErrFormat, `byte 11: \u needs four`},
		{"half of a pair", `[{"a":"ok"},{"a":"\ud83dx"}]`, reading{}, colstore.ErrValue, `column "a": row 1: bad value: byte 18: the text holds half of a surrogate pair`},
		{"half of a pair in a name", `[{"\ud83d":1}]`, reading{}, colstore.ErrFormat, "byte 3: a name has half"},
		{"nested too deeply", strings.Repeat("[", 600), reading{}, colstore.ErrFormat, "nested too deeply"},

		{"a list", `[{"a":1},{"a":[1]}]`, reading{}, colstore.ErrType, `column "a": row 1: type error: byte 14: a list has no place`},
		{"an object", `[{"a":{"b":1}}]`, reading{}, colstore.ErrType, `column "a": row 0: type error: byte 6: an object has no place`},
		{"a number among texts", `[{"a":"x"},{"a":"y"},{"a":1}]`, reading{}, colstore.ErrType, `column "a": row 2: type error: byte 26: the value is a number, that of row 0 is text`},
		{"a bool among numbers", `[{"a":1.5},{"a":true}]`, reading{}, colstore.ErrType, `row 1: type error: byte 16: the value is true or false, that of row 0 is a number`},
		{"a null among texts", `[{"a":"x"},{"a":null}]`, reading{}, colstore.ErrNull, `column "a": row 1: null value`},
		{"a null among bools", `[{"b":1},{"a":true,"b":1}]`, reading{}, colstore.ErrNull, `column "a": row 0: null value`},
		{"a null beside a large whole number", `[{"a":9007199254740993},{"a":null}]`, reading{}, colstore.ErrNull, `column "a": row 1: null value: a null makes the column float64`},
		{"beyond 64 bits", `[{"a":-9223372036854775809}]`, reading{}, colstore.ErrValue, `column "a": row 0: bad value: byte 6: the whole number does not fit 64 bits`},
		{"neither signed nor unsigned", `[{"a":-1},{"a":18446744073709551615}]`, reading{}, colstore.ErrValue, `row 1: bad value: byte 15`},
		{"a value for nulls that is none", `[{"a":true},{"a":null}]`, reading{nulls: format.Nulls{Values: map[string]string{"a": "x"}}}, colstore.ErrValue, `column "a"`},
		{"no such column", `[{"a":1}]`, reading{columns: []string{"b"}}, colstore.ErrNoColumn, `column "b"`},
		{"a column twice", `[{"a":1}]`, reading{columns: []string{"a", "a"}}, colstore.ErrDuplicate, `column "a"`},
		{"text that is too long", `[{"a":"x"},{"a":"xyz"}]`, reading{types: map[string]colstore.DType{"a": colstore.TextOf(2)}}, colstore.ErrValue, `column "a": row 1: bad value: byte 17: "xyz" is too long for U2`},
		{"no date", `[{"a":"x"}]`, reading{types: map[string]colstore.DType{"a": colstore.DatetimeOf(colstore.Second)}}, colstore.ErrValue, `row 0: bad value: byte 7: "x" is no date`},
		{"a date beyond the range", `[{"a":"2300-01-01"}]`, reading{types: map[string]colstore.DType{"a": colstore.DatetimeOf(colstore.Nanosecond)}}, colstore.ErrValue, `is no date that datetime64[ns] can hold`},

		{"records that are lists", `[[1]]`, reading{orient: "records"}, colstore.ErrFormat, "the row is a list"},
		{"values that are objects", `[{"a":1}]`, reading{orient: "values"}, colstore.ErrFormat, "the row is an object"},
		{"records that are columns", `{"a":[1]}`, reading{orient: "records"}, colstore.ErrFormat, "no list of records"},
		{"a list, by columns", `[{"a":1}]`, reading{orient: "columns"}, colstore.ErrFormat, "the file is a list"},
		{"an object, by values", `{"a":1}`, reading{orient: "values"}, colstore.ErrFormat, "the file is an object"},
		{"a column that is a value", `{"a":[1],"b":2}`, reading{orient: "columns"}, colstore.ErrFormat, `byte 13: column "b" is neither a list nor an object`},
		{"columns of other lengths", `{"a":[1,2],"b":[3]}`, reading{}, colstore.ErrMismatch, `column "b"`},
		{"columns with other labels", `{"a":{"x":1,"y":2},"b":{"y":1,"x":2}}`, reading{}, colstore.ErrMismatch, `column "b": mismatch: its rows have other labels`},
		{"split without names", `{"data":[[1]]}`, split, colstore.ErrFormat, `"columns" and "data"`},
		{"split, a name twice", `{"columns":["a","a"],"data":[[1,2]]}`, split, colstore.ErrDuplicate, `column "a"`},
		{"split, a long row", `{"columns":["a"],"data":[[1],[1,2]]}`, split, colstore.ErrFormat, "row 1: format error: byte 32: the row has more than 1 values"},
		{"split, a long row before the names", `{"data":[[1,2]],"columns":["a"]}`, split, colstore.ErrMismatch, "2 values"},
		{"split, names that are none", `{"columns":[["a","b"]],"data":[]}`, split, colstore.ErrFormat, "column 0"},
		{"split, data that is none", `{"columns":["a"],"data":1}`, split, colstore.ErrFormat, `"data" is no list`},
		{"a table without data", `{"schema":{"fields":[{"name":"a"}]}}`, reading{}, colstore.ErrFormat, `"schema" and the list "data"`},
		{"a table with an unknown dtype", `{"schema":{"fields":[{"name":"a","colstore.dtype":"x"}]},"data":[]}`, reading{}, colstore.ErrType, `column "a"`},
		{"a table with a dtype that no row can have", `{"schema":{"fields":[{"name":"a","colstore.dtype":"<U500000000"}]},"data":[{"a":"x"}]}`, reading{}, colstore.ErrFormat, `column "a": format error: U500000000 is wider than`},
		{"a row that is too long", `[{"a":"` + strings.Repeat("x", 5000) + `"}]`, reading{page: 4096}, colstore.ErrFormat, "limits.page"},
	}
	for _, test := range tests {
		for _, size := range []int{0, 1, 7} {
			t.Run(fmt.Sprint(test.name, "/", size), func(t *testing.T) {
				t.Parallel()
				how := test.how
				how.text, how.cells = size, size
				path := put(t, test.text)
				_, err := how.read(path)
				e, ok := errors.AsType[*colstore.Error](err)
				if !ok || e.Path != path || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
					t.Errorf("%v\nwant %v and %q", err, test.want, test.says)
				}
			})
		}
	}
}

// A column named "columns" may be longer than what is looked at to tell a split table.
func TestLongFirstColumn(t *testing.T) {
	text := `{"columns":[1` + strings.Repeat(",1", 2<<20) + `],"data":[1` + strings.Repeat(",2", 2<<20) + `]}`
	path := put(t, text)
	f, err := reading{page: 3 << 20}.open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil || src.Rows() != 2<<20+1 {
		t.Fatal(err)
	}
	src.Close()
}

// A file that changes after it was opened is noticed.
func TestChangedFile(t *testing.T) {
	old := `[{"a":1},{"a":2},{"a":3}]`
	for name, now := range map[string]string{
		"shorter": `[{"a":1}]`, "longer": old + " ", "empty": "", "the same size": `[{"a":1},{"b":2},{"a":3}]`,
	} {
		t.Run(name, func(t *testing.T) {
			path := put(t, old)
			f, err := reading{}.open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			src, err := f.Source(t.Context(), format.Projection{})
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			if err := os.WriteFile(path, []byte(now), 0o666); err != nil {
				t.Fatal(err)
			}
			if len(now) == len(old) {
				// Its time may be too coarse to tell, but there is no column b.
				if _, err := collect(src, colstore.Scan{}); !errors.Is(err, colstore.ErrFormat) {
					t.Errorf("no error: %v", err)
				}
				return
			}
			if _, err := collect(src, colstore.Scan{}); !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), path) {
				t.Errorf("no error: %v", err)
			}
		})
	}
}

// Ranges that begin inside give the rows of a scan of everything.
func TestSplits(t *testing.T) {
	var records, columns strings.Builder
	columns.WriteString(`{"a":[`)
	const rows = 5000
	for i := range rows {
		sep := ","
		if i == 0 {
			sep = "["
		}
		fmt.Fprintf(&records, `%s{"a":%d}`, sep, i)
		fmt.Fprintf(&columns, "%s%d", strings.TrimLeft(sep, "["), i)
	}
	records.WriteString("]")
	columns.WriteString(`]}`)
	for name, text := range map[string]string{"records": records.String(), "columns": columns.String()} {
		t.Run(name, func(t *testing.T) {
			f, err := reading{}.open(t.Context(), put(t, text))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			src, err := f.Source(t.Context(), format.Projection{})
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			for _, most := range []int{1, 300, 1024, 4096, 10_000} {
				next := int64(0)
				for _, r := range src.(colstore.Splitter).Splits(most) {
					if r.Begin != next || r.Rows() > int64(max(most, 256)) {
						t.Fatalf("a range %v behind row %d, at most %d rows", r, next, most)
					}
					next = r.End
					b, err := collect(src, colstore.Scan{Rows: r, BatchRows: 1000})
					if err != nil {
						t.Fatal(err)
					}
					v, err := colstore.Values[int64](b.At(0))
					if err != nil || int64(len(v)) != r.Rows() || v[0] != r.Begin || v[len(v)-1] != r.End-1 {
						t.Fatalf("rows %v are %d, %v", r, len(v), err)
					}
				}
				if next != rows {
					t.Fatalf("the ranges end at %d", next)
				}
			}
			// A range need not begin at a place.
			b, err := collect(src, colstore.Scan{Rows: colstore.Range{Begin: 777, End: 780}})
			if err != nil || table(b) != "a <i8: 777 778 779\n" {
				t.Errorf("%v %v", err, b)
			}
			if _, err := collect(src, colstore.Scan{Rows: colstore.Range{Begin: 1, End: rows + 1}}); !errors.Is(err, colstore.ErrRange) {
				t.Errorf("no error for rows that are not there: %v", err)
			}
		})
	}
}

// What other dtypes a column could have had.
func TestFreedom(t *testing.T) {
	text := `[{"i":1,"u":18446744073709551615,"big":9007199254740993,"f":0.5,"t":"x","b":true,"n":null,"s":1,"neg":-1,"low":-9007199254740993},{"neg":2,"low":2,"i":2,"u":0,"big":1,"f":1,"t":"yy","b":false,"n":null,"s":2}]`
	f, err := reading{}.open(t.Context(), put(t, text))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := f.Source(t.Context(), format.Projection{Types: map[string]colstore.DType{"f": colstore.Float32, "s": colstore.TextOf(0)}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for name, want := range map[string]format.Freedom{
		"i": format.Natural, "neg": format.Float, "low": format.Fixed, "u": format.Fixed, "big": format.Unsigned, "f": format.Fixed, "t": format.Wider, "s": format.Wider, "b": format.Fixed, "n": format.Anything, "other": format.Fixed,
	} {
		if got := src.(format.Flexible).Freedom(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	if u, ok := f.(format.Untyped); !ok || !u.Untyped() {
		t.Error("dtypes cannot be declared")
	}
}
