package csv_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// types parses "a=float32 b=S4".
func types(tb testing.TB, text string) map[string]colstore.DType {
	tb.Helper()
	out := map[string]colstore.DType{}
	for field := range strings.FieldsSeq(text) {
		name, code, _ := strings.Cut(field, "=")
		t, err := colstore.ParseDType(code)
		if err != nil {
			tb.Fatal(err)
		}
		out[name] = t
	}
	return out
}

func TestDeclaredTypes(t *testing.T) {
	tests := []struct {
		dtype, cells, want string // cells and wanted values are separated by blanks; _ is an empty cell
	}{
		{"bool", "true False 1 0 TRUE", "True False True False True"},
		{"int8", "-128 127 007 +5 0", "-128 127 7 5 0"},
		{"int16", "-32768 32767", "-32768 32767"},
		{"int32", "-2147483648 2147483647", "-2147483648 2147483647"},
		{"int64", "-9223372036854775808 9223372036854775807 9007199254740993", "-9223372036854775808 9223372036854775807 9007199254740993"},
		{"uint8", "0 255 -0", "0 255 0"},
		{"uint16", "65535", "65535"},
		{"uint32", "4294967295", "4294967295"},
		{"uint64", "18446744073709551615 9223372036854775808 00012", "18446744073709551615 9223372036854775808 12"},
		{"float16", "0.1 65504 1e9 _ nan", "0.1 65500.0 inf nan nan"},
		{"float32", "0.1 16777217 1e-46 3.5e38 _ 007", "0.1 16777216.0 0.0 inf nan 7.0"},
		{"float64", "0.1 1e400 -inf _ 1", "0.1 inf -inf nan 1.0"},
		{"S3", "abc é _", "abc é "},
		{"U3", "abc é日x _ 007", "abc é日x  007"},
		{"datetime64[D]", "2020-02-29 _ NaT 2020-05-17T03:04:05", "2020-02-29 NaT NaT 2020-05-17"},
		{"datetime64[ns]", "1969-12-31T23:59:59.999999999", "1969-12-31T23:59:59.999999999"},
		{"datetime64[ms]", "2020-05-17T03:04:05.25Z 0001-01-01", "2020-05-17T03:04:05.250 0001-01-01T00:00:00.000"},
		{"datetime64[Y]", "2020 1969-12-31", "2020 1969"},
		{"timedelta64[s]", "90 -1 _ NaT", "90 -1 NaT NaT"},
		{">i4", "1 2", "1 2"},
	}
	for _, c := range tests {
		t.Run(c.dtype, func(t *testing.T) {
			text := "pad,x\n1," + strings.ReplaceAll(strings.ReplaceAll(c.cells, "_", ""), " ", "\n1,") + "\n"
			want := types(t, "x="+c.dtype)["x"].Native()
			for _, columns := range [][]string{{"x"}, {"pad", "x"}} {
				r := reading{project: format.Projection{Columns: columns, Types: map[string]colstore.DType{"x": types(t, "x="+c.dtype)["x"]}}}
				got, err := r.read(write(t, text))
				if err != nil {
					t.Fatal(err)
				}
				x := got.Columns[len(columns)-1]
				if d := cmp.Diff(strings.Split(c.want, " "), x.Values); d != "" || x.Type != want.String() {
					t.Errorf("%v: dtype %s: %s", columns, x.Type, d)
				}
			}
		})
	}
}

// Text and bytes may be declared without a width, which is then found.
func TestDeclaredWithoutWidth(t *testing.T) {
	path := write(t, "a,b,c\n1,é2,\n33,4,\n")
	r := reading{project: format.Projection{Types: types(t, "a=U b=S c=U")}}
	got, err := r.read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff("a <U2: 1 | 33\nb |S3: é2 | 4\nc <U1:  | \n", got.String()); d != "" {
		t.Error(d)
	}
}

func TestErrors(t *testing.T) {
	declare := func(text string) reading { return reading{project: format.Projection{Types: types(t, text)}} }
	with := func(name string, v any) reading { return reading{options: map[string]any{name: v}} }
	page := func(n colstore.ByteSize) reading { return reading{limits: format.Limits{Expand: 200, Page: n}} }
	fill := func(r reading, values map[string]string) reading {
		r.nulls.Values = values
		return r
	}
	tests := []struct {
		name, text string
		r          reading
		is         error
		want       string // X is the path
	}{
		{"no header", "\n\r\n", reading{}, colstore.ErrFormat, "open X: format error: the file is empty: there is no header and no row"},
		{"only a mark", "\ufeff", reading{}, colstore.ErrFormat, "open X: format error: the file is empty: there is no header and no row"},
		{"skipped", "a\n1\n", with("skip", 2), colstore.ErrFormat, "open X: format error: the file is empty: there is no header and no row"},
		{"skipped too far", "a\n1\n", with("skip", 3), colstore.ErrFormat, "open X: format error: there are only 2 lines, 3 are to be skipped"},
		{"two names", "a,b,a\n", reading{}, colstore.ErrDuplicate, `open X: column "a": duplicate column: columns 1 and 3 of the header have this name; give them different ones, or read without a header`},
		{"a million columns", strings.Repeat(",", 1<<20) + "\n", reading{}, colstore.ErrFormat, "read X: format error: line 1: the row has 1048577 cells, more than the 1048576 columns a table may have; is the delimiter right?"},
		{"quote in the header", "a,\"b\n", reading{}, colstore.ErrFormat, "read X: format error: line 1: the quote that opens here is never closed"},
		{"header is not UTF-8", "a\n\xe9,\xff\n", with("skip", 1), colstore.ErrFormat, "read X: format error: line 2: the text is not UTF-8; convert the file first"},
		{"many cells", "a,b\n1,2\n\n\"x\ny\",2,3,4\n", reading{}, colstore.ErrFormat, "read X: row 1: format error: line 4: the row has 4 cells, there are 2 columns"},
		{"behind a quote", "a,b\r\n1,2\r\n\"x\" ,2\r\n", reading{}, colstore.ErrFormat, `read X: row 1: format error: line 3: there is text behind the closing quote of "x"; a quote inside quotes is written twice`},
		{"open quote", "a,b\r1,2\r3,\"4\r5,6\r", reading{}, colstore.ErrFormat, "read X: row 1: format error: line 3: the quote that opens here is never closed"},
		{"not UTF-8", "a,b\n1,2\n3,\"4\n\xff\"\n5,6\n", reading{}, colstore.ErrFormat, "read X: row 1: format error: line 4: the text is not UTF-8; convert the file first"},
		{"long record", "a\n" + strings.Repeat("x", 200) + "\n", page(100), colstore.ErrFormat, "read X: row 0: format error: line 2: the row that begins here is longer than 100 B (limits.page)"},
		{"long quote", "a\n1\n\"" + strings.Repeat("x\n", 200) + "\"\n", page(100), colstore.ErrFormat, "read X: row 1: format error: line 3: the quote that opens here is not closed within 100 B (limits.page)"},
		{"long header", strings.Repeat("x", 200) + "\n", page(100), colstore.ErrFormat, "read X: format error: line 1: the row that begins here is longer than 100 B (limits.page)"},

		{"no such column", "abc\n", reading{project: format.Projection{Columns: []string{"abd"}}}, colstore.ErrNoColumn, `read X: column "abd": no such column; did you mean "abc"?`},
		{"a column twice", "a\n", reading{project: format.Projection{Columns: []string{"a", "a"}}}, colstore.ErrDuplicate, `read X: column "a": duplicate column: it is asked for twice`},
		{"scan of no such column", "a\n1\n", reading{scan: colstore.Scan{Columns: []string{"b"}}}, colstore.ErrNoColumn, `read X: column "b": no such column; did you mean "a"?`},

		{"large beside missing", "a\n1\n\"\"\n9007199254740993\n", reading{}, colstore.ErrNull, `read X: column "a": row 1: null value: a missing cell makes the column float64, which may not hold the whole number of row 2 exactly; declare a dtype (--dtype a=float64 or a=U20), or give a value for nulls (--nulls a=VALUE)`},
		{"null", "a,b\n1,\n", declare("b=int8"), colstore.ErrNull, `read X: column "b": row 0: null value: there is no null in a .cstore file; choose what it becomes (--nulls fill, --nulls mask, --nulls b=VALUE, or from.nulls in a recipe)`},
		{"null bool", "a,b\n1,1\n1\n", declare("a=int8 b=bool"), colstore.ErrNull, `read X: column "b": row 1: null value: there is no null in a .cstore file; choose what it becomes (--nulls fill, --nulls mask, --nulls b=VALUE, or from.nulls in a recipe)`},
		{"bad value for nulls", "a\n\"\"\n", fill(declare("a=int8"), map[string]string{"a": "x"}), colstore.ErrValue, `read X: column "a": the value for nulls: bad value: "x" is not a whole number`},

		{"word among numbers", "a\n1\nx\n", declare("a=int32"), colstore.ErrValue, `read X: column "a": row 1: bad value: "x" is not a whole number`},
		{"fraction", "a\n1.0\n", declare("a=int32"), colstore.ErrValue, `read X: column "a": row 0: bad value: "1.0" is not a whole number`},
		{"out of range", "a\n127\n128\n", declare("a=int8"), colstore.ErrValue, `read X: column "a": row 1: bad value: "128" does not fit int8`},
		{"negative", "a\n-1\n", declare("a=uint16"), colstore.ErrValue, `read X: column "a": row 0: bad value: "-1" does not fit uint16`},
		{"no number", "a\n0x10\n", declare("a=float32"), colstore.ErrValue, `read X: column "a": row 0: bad value: "0x10" is not a number`},
		{"no bool", "a\nyes\n", declare("a=bool"), colstore.ErrValue, `read X: column "a": row 0: bad value: "yes" is not a bool (true or false)`},
		{"no date", "a\n2020-02-30\n", declare("a=datetime64[D]"), colstore.ErrValue, `read X: column "a": row 0: bad value: "2020-02-30" is not a date (examples: 2020-05-17, 2020-05-17T03:04:05.25)`},
		{"blank date", "a\n  \n", declare("a=datetime64[D]"), colstore.ErrValue, `read X: column "a": row 0: bad value: "  " is not datetime64[D]`},
		{"distant date", "a\n1600-01-01\n", declare("a=datetime64[ns]"), colstore.ErrValue, `read X: column "a": row 0: bad value: "1600-01-01" is beyond what datetime64[ns] can hold`},
		{"no ticks", "a\n1.5\n", declare("a=timedelta64[s]"), colstore.ErrValue, `read X: column "a": row 0: bad value: "1.5" is not a whole number`},
		{"wide text", "a\néa\néab\n", declare("a=U2"), colstore.ErrValue, `read X: column "a": row 1: bad value: "éab" has 3 characters, too many for U2`},
		{"wide ASCII", "a\nabc\n", declare("a=U2"), colstore.ErrValue, `read X: column "a": row 0: bad value: "abc" has 3 characters, too many for U2`},
		{"wide bytes", "a\néa\n", declare("a=S2"), colstore.ErrValue, `read X: column "a": row 0: bad value: "éa" has 3 bytes, too many for S2`},
		{"long cell", "a\n" + strings.Repeat("1", 100) + "\n", declare("a=int8"), colstore.ErrValue, `read X: column "a": row 0: bad value: "` + strings.Repeat("1", 60) + `…" is not int8`},
		{"quoted cell", "a\n\"x\"\"y\"\n", declare("a=int8"), colstore.ErrValue, `read X: column "a": row 0: bad value: "x\"y" is not a whole number`},
		{"the first row counts", "a,b\n1,2\n1,y\nx,2\n", declare("a=int8 b=int8"), colstore.ErrValue, `read X: column "b": row 1: bad value: "y" is not a whole number`},

		{"rows behind the end", "a\n1\n2\n", reading{scan: colstore.Scan{Rows: colstore.Range{Begin: 1, End: 3}}}, colstore.ErrRange, "read X: out of range: rows 1 to 3 of 2"},
		{"rows from behind the end", "a\n1\n2\n", reading{scan: colstore.Scan{Rows: colstore.Range{Begin: 3}}}, colstore.ErrRange, "read X: out of range: rows from 3 on, there are 2"},
		{"the same where only reading tells", "a\n1\n2\n", reading{project: format.Projection{Types: types(t, "a=i1")}, scan: colstore.Scan{Rows: colstore.Range{Begin: 1, End: 4}}}, colstore.ErrRange, "read X: out of range: rows 1 to 4 of 2"},
		{"from behind the end where only reading tells", "a\n1\n2\n", reading{project: format.Projection{Types: types(t, "a=i1")}, scan: colstore.Scan{Rows: colstore.Range{Begin: 3}}}, colstore.ErrRange, "read X: out of range: rows from 3 on, there are 2"},

		{"delimiter of two", "a\n", with("delimiter", "::"), colstore.ErrOption, `bad option: reading csv: option "delimiter": "::" is not one ASCII character other than a line break`},
		{"delimiter of two bytes", "a\n", with("delimiter", "§"), colstore.ErrOption, `bad option: reading csv: option "delimiter": "§" is not one ASCII character other than a line break`},
		{"no delimiter", "a\n", with("delimiter", ""), colstore.ErrOption, `bad option: reading csv: option "delimiter": "" is not one ASCII character other than a line break`},
		{"line end as quote", "a\n", with("quote", "\n"), colstore.ErrOption, `bad option: reading csv: option "quote": "\n" is not one ASCII character other than a line break`},
		{"quote as delimiter", "a\n", with("delimiter", `"`), colstore.ErrOption, `open X: bad option: delimiter and quote are both "\""`},
		{"unknown option", "a\n", with("sep", ";"), colstore.ErrOption, `bad option: reading csv has no option "sep"; there is delimiter, header, missing, quote, skip`},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.text)
			for _, blocks := range [][3]int{{}, {8, 4, 2}} {
				c.r.blocks = blocks
				got, err := c.r.read(path)
				if err == nil {
					t.Fatalf("it reads as\n%s", got)
				}
				if msg := strings.ReplaceAll(err.Error(), path, "X"); !errors.Is(err, c.is) || msg != c.want {
					t.Errorf("blocks %v: error\n%s, want\n%s (%v)", blocks, msg, c.want, c.is)
				}
			}
		})
	}
	if _, err := (reading{}).read(t.TempDir()); !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := (reading{}).read(filepath.Join(t.TempDir(), "x")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestNulls(t *testing.T) {
	const text = "i,f,s,b,big\n1,,x,true,9007199254740993\n,2.5,,,\n3,,z,false,5\n"
	mode := func(m format.NullMode, values ...string) format.Nulls {
		n := format.Nulls{Mode: m, Values: map[string]string{}}
		for i := 0; i < len(values); i += 2 {
			n.Values[values[i]] = values[i+1]
		}
		return n
	}
	tests := []struct {
		name, types string
		nulls       format.Nulls
		want        string
	}{
		{
			"values", "", mode(format.NullError, "i", "-1", "f", "0", "s", "none", "b", "true", "big", "0"),
			"i <i8: 1 | -1 | 3\nf <f8: 0.0 | 2.5 | 0.0\ns <U4: x | none | z\nb |b1: True | True | False\nbig <i8: 9007199254740993 | 0 | 5\n",
		},
		{
			"values of another kind", "", mode(format.NullError, "i", "0.5", "f", "?", "b", "?", "big", "18446744073709551615"),
			"i <f8: 1.0 | 0.5 | 3.0\nf <U3: ? | 2.5 | ?\ns <U1: x |  | z\nb <U5: true | ? | false\nbig <u8: 9007199254740993 | 18446744073709551615 | 5\n",
		},
		{
			"filled", "", mode(format.NullFill),
			"i <f8: 1.0 | nan | 3.0\nf <f8: nan | 2.5 | nan\ns <U1: x |  | z\nb <U5: true |  | false\nbig <i8: 9007199254740993 | 0 | 5\n",
		},
		{
			"masked", "", mode(format.NullMask),
			"i <f8: 1.0 | nan | 3.0\nf <f8: nan | 2.5 | nan\ns <U1: x |  | z\nb <U5: true |  | false\nbig <i8: 9007199254740993 | 0 | 5\nbig_valid |b1: True | False | True\n",
		},
		{
			"declared and filled", "i=i1 f=f4 s=S1 b=bool big=u8", mode(format.NullFill, "b", "true"),
			"i <i1: 1 | 0 | 3\nf <f4: nan | 2.5 | nan\ns |S1: x |  | z\nb |b1: True | True | False\nbig <u8: 9007199254740993 | 0 | 5\n",
		},
		{
			"declared and masked", "i=i1 f=f4 s=S1 b=bool big=u8", mode(format.NullMask, "big", "7"),
			"i |i1: 1 | 0 | 3\ni_valid |b1: True | False | True\nf <f4: nan | 2.5 | nan\ns |S1: x |  | z\nb |b1: True | False | False\nb_valid |b1: True | False | True\nbig <u8: 9007199254740993 | 7 | 5\n",
		},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			r := reading{nulls: c.nulls, project: format.Projection{Types: types(t, c.types)}}
			got, err := r.read(write(t, text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.ReplaceAll(c.want, "<i1", "|i1"), strings.ReplaceAll(got.String(), "<i1", "|i1")); d != "" {
				t.Error(d)
			}
		})
	}
	// A name that is taken.
	r := reading{nulls: mode(format.NullMask), project: format.Projection{Types: types(t, "a=i1")}}
	if _, err := r.read(write(t, "a,a_valid\n1,2\n")); !errors.Is(err, colstore.ErrDuplicate) || !strings.Contains(err.Error(), `"a_valid"`) {
		t.Error(err)
	}
	// A value for nulls of a column that has none need not fit it.
	r = reading{nulls: mode(format.NullError, "a", "none")}
	if got, err := r.read(write(t, "a\n1\n")); err != nil || got.String() != "a <i8: 1\n" {
		t.Error(got, err)
	}
}

func TestOptions(t *testing.T) {
	tests := []struct {
		name, text string
		options    map[string]any
		want       string
	}{
		{"skip", "# note, with \"\n\r\na,b\n1,2\n", map[string]any{"skip": "2"}, "a <i8: 1\nb <i8: 2\n"},
		{"skip to CR", "x\ry\r\na\r1\r", map[string]any{"skip": 2}, "a <i8: 1\n"},
		{"no header", "1,x\n2\n", map[string]any{"header": "false"}, "0 <i8: 1 | 2\n1 <U1: x | \n"},
		{"missing", "a,b\nNA,NA \n1,-\n", map[string]any{"missing": "NA,-"}, "a <f8: nan | 1.0\nb <U3: NA  | \n"},
		{"missing minus", "a\n-\n1.5\n-\n", map[string]any{"missing": "-"}, "a <f8: nan | 1.5 | nan\n"},
		{"missing in quotes", "a\n\"NA\"\n1\n", map[string]any{"missing": []string{"", "NA"}}, "a <f8: nan | 1.0\n"},
		{"single quote", "a|b\n'x|''y'|\"\n", map[string]any{"quote": "'", "delimiter": "|"}, "a <U4: x|'y\nb <U1: \"\n"},
		{"no quote", "a,b\n\"x\",\"\n", map[string]any{"quote": ""}, "a <U3: \"x\"\nb <U1: \"\n"},
		{"tab by name", "a\tb\n1\t2\n", map[string]any{"delimiter": `\t`}, "a <i8: 1\nb <i8: 2\n"},
		{"empty names", ",b\n1,2\n", nil, " <i8: 1\nb <i8: 2\n"},
		{"header alone", "a,b", nil, "a <U1: \nb <U1: \n"},
		{"quoted header", "\"a,\"\"b\"\"\",' c '\n1,2\n", nil, "a,\"b\" <i8: 1\n' c ' <i8: 2\n"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			for _, blocks := range [][3]int{{}, {1, 1, 1}} {
				got, err := reading{options: c.options, blocks: blocks}.read(write(t, c.text))
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(c.want, got.String()); d != "" {
					t.Error(d)
				}
			}
		})
	}
}
