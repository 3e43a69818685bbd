package source_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

// tree writes files of text and enters their folder.
func tree(tb testing.TB, files map[string]string) {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			tb.Fatal(err)
		}
	}
	switch t := tb.(type) {
	case *testing.T:
		t.Chdir(dir)
	default:
		tb.Fatal("no test")
	}
}

// rendered returns a table as lines of text: the columns with their dtypes, then the rows.
func rendered(tb testing.TB, s source.Spec, scan colstore.Scan) (string, error) {
	tb.Helper()
	src, err := source.Open(tb.Context(), s)
	if err != nil {
		return "", err
	}
	defer src.Close()
	var out strings.Builder
	for _, f := range src.Schema().All() {
		if scan.Columns == nil || slices.Contains(scan.Columns, f.Name) {
			fmt.Fprintf(&out, "%s:%s ", f.Name, f.Type)
		}
	}
	for b, err := range src.Scan(tb.Context(), scan) {
		if err != nil {
			return "", err
		}
		for i := range b.Rows() {
			out.WriteByte('\n')
			for j := range b.Schema().Len() {
				fmt.Fprintf(&out, "%s ", cell(b.At(j), i))
			}
		}
	}
	return out.String(), nil
}

func cell(c colstore.Column, i int) string {
	c = c.Slice(i, i+1, 1).Copy()
	switch {
	case c.Type().IsString():
		return string(c.AppendString(nil, 0))
	case c.Type() == colstore.Int64:
		v, _ := colstore.Values[int64](c)
		return fmt.Sprint(v[0])
	case c.Type() == colstore.Uint64:
		v, _ := colstore.Values[uint64](c)
		return fmt.Sprint(v[0])
	case c.Type() == colstore.Float64:
		v, _ := colstore.Values[float64](c)
		return fmt.Sprint(v[0])
	case c.Type() == colstore.Bool:
		v, _ := colstore.CopyOf[bool](c)
		return fmt.Sprint(v[0])
	}
	return fmt.Sprintf("%x", c.At(0))
}

func TestHive(t *testing.T) {
	const x = "x\n1\n"
	mask := source.Nulls{Mode: source.NullMask}
	tests := []struct {
		name  string
		files map[string]string
		spec  source.Spec
		want  string // or what the error says
		err   error
	}{
		{
			name:  "whole numbers, in natural order",
			files: map[string]string{"d/y=2/m=10/a.csv": x, "d/y=2/m=9/a.csv": x, "d/y=-1/m=0/a.csv": x, "d/_SUCCESS": "", "d/.hidden/y=3/a.csv": x},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true},
			want:  "x:<i8 y:<i8 m:<i8 \n1 -1 0 \n1 2 9 \n1 2 10 ",
		}, {
			name:  "one leading zero makes text",
			files: map[string]string{"d/m=01/a.csv": x, "d/m=2/a.csv": x},
			spec:  source.Spec{Paths: []string{"d/*/*.csv"}, Hive: true},
			want:  "x:<i8 m:<U2 \n1 01 \n1 2 ",
		}, {
			name:  "numbers beyond int64 are text",
			files: map[string]string{"d/m=9223372036854775808/a.csv": x},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true},
			want:  "x:<i8 m:<U19 \n1 9223372036854775808 ",
		}, {
			name:  "percent signs",
			files: map[string]string{"d/a%3Db=x%2Fy%20%c3%a9/f.csv": x, "d/a%3Db=100%/f.csv": x},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true},
			want:  "x:<i8 a=b:<U5 \n1 100% \n1 x/y é ",
		}, {
			name:  "a null is refused",
			files: map[string]string{"d/m=1/a.csv": x, "d/m=__HIVE_DEFAULT_PARTITION__/a.csv": x},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true},
			want:  `read d/m=__HIVE_DEFAULT_PARTITION__/a.csv: column "m": null value`, err: colstore.ErrNull,
		}, {
			name:  "a null is filled and masked",
			files: map[string]string{"d/m=1/a.csv": x, "d/m=__HIVE_DEFAULT_PARTITION__/a.csv": x},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true, Nulls: mask},
			want:  "x:<i8 m:<i8 m_valid:|b1 \n1 1 true \n1 0 false ",
		}, {
			name:  "a value for nulls, of text",
			files: map[string]string{"d/m=a/a.csv": x, "d/m=__HIVE_DEFAULT_PARTITION__/a.csv": x},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true, Nulls: source.Nulls{Values: map[string]string{"m": "none"}}},
			want:  "x:<i8 m:<U4 \n1 none \n1 a ",
		}, {
			name:  "nothing but nulls",
			files: map[string]string{"d/m=__HIVE_DEFAULT_PARTITION__/a.csv": x},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true},
			want:  "x:<i8 m:<f8 \n1 NaN ",
		}, {
			name:  "the folder, and not the file's own column",
			files: map[string]string{"d/x=7/a.csv": "x,z\nq,2\n", "d/x=8/a.csv": "z\n3\n"},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true},
			want:  "z:<i8 x:<i8 \n2 7 \n3 8 ",
		}, {
			name:  "columns in any order, and the path last",
			files: map[string]string{"d/y=1/a.csv": "x,z\n5,2\n"},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true, Columns: []string{"y", "z"}, SourceColumn: "from"},
			want:  "y:<i8 z:<i8 from:<U11 \n1 2 d/y=1/a.csv ",
		}, {
			name:  "nothing of the files",
			files: map[string]string{"d/y=1/a.csv": "x\n5\n6\n", "d/y=2/a.csv": "x\n7\n"},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true, Columns: []string{"y"}},
			want:  "y:<i8 \n1 \n1 \n2 ",
		}, {
			name:  "files that differ, strictly",
			files: map[string]string{"d/y=1/a.csv": x, "d/a.csv": x},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true},
			want:  `open d/a.csv: column "y": mismatch: no folder of the path tells it, one of d/y=1/a.csv does`, err: colstore.ErrMismatch,
		}, {
			name:  "files that differ, dropped",
			files: map[string]string{"d/y=1/a.csv": x, "d/a.csv": x},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true, Mismatch: source.Drop},
			want:  "x:<i8 \n1 \n1 ",
		}, {
			name:  "files that differ, united",
			files: map[string]string{"d/y=1/a.csv": x, "d/a.csv": "z\n4\n"},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true, Mismatch: source.Union, SourceColumn: "p"},
			want:  "z:<i8 x:<i8 y:<i8 p:<U11 \n4 0 0 d/a.csv \n0 1 1 d/y=1/a.csv ",
		}, {
			name:  "a column twice",
			files: map[string]string{"d/y=1/y=2/a.csv": x},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true},
			want:  `column "y": duplicate column: two folders of the path tell it`, err: colstore.ErrDuplicate,
		}, {
			name:  "two formats",
			files: map[string]string{"d/y=1/a.csv": x, "d/y=1/a.json": "[]"},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true},
			want:  "open d: bad option: the folder has files of several formats (csv, json)", err: colstore.ErrOption,
		}, {
			name:  "one of two formats",
			files: map[string]string{"d/y=1/a.csv": x, "d/y=1/a.json": "[]"},
			spec:  source.Spec{Paths: []string{"d"}, Hive: true, Format: "csv"},
			want:  "x:<i8 y:<i8 \n1 1 ",
		}, {
			name:  "a folder without looking into its folders",
			files: map[string]string{"d/y=1/a.csv": x, "d/b.csv": x, "d/_c.csv": x},
			spec:  source.Spec{Paths: []string{"d"}},
			want:  "x:<i8 \n1 ",
		}, {
			name:  "a name for the paths that is taken",
			files: map[string]string{"a.csv": x},
			spec:  source.Spec{Paths: []string{"a.csv"}, SourceColumn: "x"},
			want:  `open a.csv: column "x": duplicate column`, err: colstore.ErrDuplicate,
		}, {
			name:  "an unknown column",
			files: map[string]string{"y=1/a.csv": x},
			spec:  source.Spec{Paths: []string{"y=1/a.csv"}, Hive: true, Columns: []string{"z"}},
			want:  `open y=1/a.csv: column "z": no such column`, err: colstore.ErrNoColumn,
		},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			tree(t, c.files)
			got, err := rendered(t, c.spec, colstore.Scan{})
			if c.err != nil {
				if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, filepath.ToSlash(got)); d != "" {
				t.Error(d)
			}
			// In batches of one row, and by a range.
			if one, err := rendered(t, c.spec, colstore.Scan{BatchRows: 1}); err != nil || one != got {
				t.Errorf("row by row: %v\n%s", err, one)
			}
		})
	}
}

// Whatever the folders, rows, batches and columns, a table of folders is the rows of its files with what the folders say.
func TestHiveIsItsFiles(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		root := filepath.Join(dir, fmt.Sprint(n))
		type row struct{ x, year, tag string }
		var want []row
		files := rapid.IntRange(1, 6).Draw(t, "files")
		format := rapid.SampledFrom([]string{".csv", ".jsonl"}).Draw(t, "format")
		whole, widest := true, 1
		for i := range files {
			year := fmt.Sprint(rapid.IntRange(-3, 3).Draw(t, "year"))
			tag := rapid.SampledFrom([]string{"a", "bb", "007", "é/ü", "1.5", ""}).Draw(t, "tag")
			path := filepath.Join(root, fmt.Sprintf("f%d", i), "year="+year, "tag="+strings.ReplaceAll(tag, "/", "%2F"), "part"+format)
			var text strings.Builder
			if format == ".csv" {
				text.WriteString("x\n")
			}
			for range rapid.IntRange(0, 5).Draw(t, "rows") {
				x := fmt.Sprint(rapid.IntRange(-1000, 1000).Draw(t, "x"))
				line := x + "\n"
				if format == ".jsonl" {
					line = fmt.Sprintf("{\"x\":%s}\n", x)
				}
				text.WriteString(line)
				want = append(want, row{x, year, tag})
			}
			if format == ".jsonl" && text.Len() == 0 {
				text.WriteString("{\"x\":5}\n")
				want = append(want, row{"5", year, tag})
			}
			whole = whole && tag == "7"
			widest = max(widest, len([]rune(tag)))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text.String()), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		if len(want) == 0 {
			return // nothing tells the dtype of x
		}
		src, err := source.Open(t.Context(), source.Spec{Paths: []string{root}, Hive: true, SourceColumn: "path"})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		columns := rapid.SampledFrom([][]string{nil, {"tag", "x"}, {"year"}, {"path", "year", "x"}}).Draw(t, "columns")
		year := int64(rapid.IntRange(-3, 3).Draw(t, "cut"))
		cut := rapid.Bool().Draw(t, "where")
		var got []row
		f := frame.New().Over(src)
		if cut {
			f = f.Where(frame.Col("year").Eq(year))
		}
		if columns != nil {
			f = f.Select(columns...)
		} else {
			columns = src.Schema().Names()
		}
		prog, err := f.Bind(src.Schema())
		if err != nil {
			t.Fatal(err)
		}
		for b, err := range f.Batches(t.Context(), rapid.IntRange(1, 4).Draw(t, "batch")) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range b.Rows() {
				var r row
				for j, n := range prog.Schema().Names() {
					switch s := cell(b.At(j), i); n {
					case "x":
						r.x = s
					case "year":
						r.year = s
					case "tag":
						r.tag = s
					}
				}
				got = append(got, r)
			}
		}
		var expected []row
		for _, r := range want {
			if cut && r.year != fmt.Sprint(year) {
				continue
			}
			keep := row{}
			if slices.Contains(columns, "x") {
				keep.x = r.x
			}
			if slices.Contains(columns, "year") {
				keep.year = r.year
			}
			if slices.Contains(columns, "tag") {
				keep.tag = r.tag
			}
			expected = append(expected, keep)
		}
		if !slices.Equal(got, expected) {
			t.Fatalf("%v, want %v", got, expected)
		}
	})
}

// A cut on what the folders say leaves out files: their data may be damaged then.
func TestHiveLeavesOutFiles(t *testing.T) {
	path := write(t, "a.parquet", map[string]colstore.Column{"x": colstore.Wrap([]int64{1, 2, 3}), "s": texts(2, "a", "b", "c")}, "x", "s")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := slices.Clone(text)
	copy(damaged[4:60], make([]byte, 56))
	tree(t, map[string]string{"d/y=1/a.parquet": string(damaged), "d/y=2/a.parquet": string(text), "d/y=3/a.parquet": string(damaged)})
	src, err := source.Open(t.Context(), source.Spec{Paths: []string{"d"}, Hive: true, Columns: []string{"x", "y"}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	count := func(f *frame.Frame) (rows int, err error) {
		p, err := f.Bind(src.Schema())
		if err != nil {
			t.Fatal(err)
		}
		skip := p.Skipper(0)
		for b, err := range src.Scan(t.Context(), colstore.Scan{Skip: skip}) {
			if err != nil {
				return rows, err
			}
			rows += b.Rows()
		}
		if skip.Rows()+int64(rows) != 9 {
			t.Errorf("%d rows read, %d left out", rows, skip.Rows())
		}
		if out, of := source.LeftOut(src, p.Skipper(0)); out != int(skip.Rows())/3 || of != 3 {
			t.Errorf("%d of %d files left out", out, of)
		}
		return rows, nil
	}
	if rows, err := count(frame.New().Where(frame.Col("y").Eq(2))); err != nil || rows != 3 {
		t.Errorf("%d, %v", rows, err)
	}
	if rows, err := count(frame.New().Where(frame.MustParse("y > 5 and x > 0"))); err != nil || rows != 0 {
		t.Errorf("%d, %v", rows, err)
	}
	if _, err := count(frame.New().Where(frame.MustParse("y >= 2"))); !errors.Is(err, colstore.ErrFormat) {
		t.Errorf("the damage was not met: %v", err)
	}
}

// The dtypes asked for are those that files are compared by.
func TestDTypesReconcile(t *testing.T) {
	ints := write(t, "a.parquet", map[string]colstore.Column{"x": colstore.Wrap([]int64{1, -2}), "k": colstore.Wrap([]int32{1, 2})}, "x", "k")
	floats := write(t, "b.cstore", map[string]colstore.Column{"x": colstore.Wrap([]float64{0.5, nan}), "k": colstore.Wrap([]int32{3, 4})}, "k", "x")
	lacks := write(t, "c.cstore", map[string]colstore.Column{"k": colstore.Wrap([]int32{5})}, "k")
	text := filepath.Join(t.TempDir(), "d.csv")
	if err := os.WriteFile(text, []byte("k,x\n6,7\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	as := func(x colstore.DType) map[string]colstore.DType {
		return map[string]colstore.DType{"x": x, "k": colstore.Int64}
	}
	tests := []struct {
		paths    []string
		mismatch source.Mismatch
		x        colstore.DType
		want     string
	}{
		{[]string{ints, floats, text}, source.Strict, colstore.Float64, "x:<f8 k:<i8 \n1 1 \n-2 2 \n0.5 3 \nNaN 4 \n7 6 "},
		{[]string{ints, floats, text}, source.Drop, colstore.Int64, "x:<i8 k:<i8 \n1 1 \n-2 2 \n0 3 \n0 4 \n7 6 "},
		{[]string{ints, floats, lacks}, source.Union, colstore.Float64, "x:<f8 k:<i8 \n1 1 \n-2 2 \n0.5 3 \nNaN 4 \nNaN 5 "},
		{[]string{ints, lacks}, source.Union, colstore.Float64, "x:<f8 k:<i4 \n1 1 \n-2 2 \nNaN 5 "},
		{[]string{text, floats}, source.Strict, colstore.TextOf(0), "k:<i8 x:<U32 \n6 7 \n3 0.5 \n4  "},
	}
	for _, c := range tests {
		got, err := rendered(t, source.Spec{Paths: c.paths, Mismatch: c.mismatch, DTypes: as(c.x)}, colstore.Scan{})
		if c.mismatch == source.Union { // int32 is printed as bytes
			got = strings.NewReplacer("01000000", "1", "02000000", "2", "03000000", "3", "04000000", "4", "05000000", "5").Replace(got)
			c.want = strings.Replace(c.want, "k:<i8", "k:<i4", 1)
		}
		if err != nil || got != c.want {
			t.Errorf("%v: %v\n%s\nwant\n%s", c.paths, err, got, c.want)
		}
	}
	if _, err := rendered(t, source.Spec{Paths: []string{ints, floats}, DTypes: as(colstore.DatetimeOf(colstore.Day))}, colstore.Scan{}); err != nil {
		t.Errorf("%v", err)
	}
	// A value that cannot be cast is named with its file.
	words := write(t, "e.cstore", map[string]colstore.Column{"x": texts(3, "12", "abc"), "k": colstore.Wrap([]int32{3, 4})}, "k", "x")
	_, err := rendered(t, source.Spec{Paths: []string{ints, words}, DTypes: as(colstore.Int64)}, colstore.Scan{})
	if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Path != words || e.Column != "x" || e.Row != colstore.At(1) {
		t.Errorf("%v", err)
	}
}

// The error is about two files that really differ, with advice that helps.
func TestMismatchNamesThePair(t *testing.T) {
	tree(t, map[string]string{
		"none.csv": "x\n\n", "empty.jsonl": "{\"x\":null}\n", "int.jsonl": "{\"x\":1}\n", "text.jsonl": "{\"x\":\"a\"}\n", "big.jsonl": "{\"x\":18446744073709551615}\n",
		"low.jsonl": "{\"x\":-1}\n", "far.jsonl": "{\"x\":9007199254740993}\n", "half.jsonl": "{\"x\":0.5}\n",
	})
	one := write(t, "one.cstore", map[string]colstore.Column{"x": texts(1, "a")}, "x")
	three := write(t, "three.cstore", map[string]colstore.Column{"x": texts(3, "abc")}, "x")
	tests := []struct {
		paths    []string
		mismatch source.Mismatch
		want     string
	}{
		{[]string{"empty.jsonl", "int.jsonl", "text.jsonl"}, source.Strict, `open text.jsonl: column "x": mismatch: it is <U1, in int.jsonl it is <i8; give it one dtype in all inputs (--dtype x=DTYPE), or leave it out (--on-mismatch drop)`},
		{[]string{"empty.jsonl", "int.jsonl", "text.jsonl"}, source.Union, `open text.jsonl: column "x": mismatch: it is <U1, in int.jsonl it is <i8; give`},
		{[]string{"int.jsonl", "big.jsonl", "low.jsonl"}, source.Strict, `open low.jsonl: column "x": mismatch: it is <i8, in big.jsonl it is <u8; give it one dtype in all inputs (--dtype x=DTYPE)`},
		{[]string{"half.jsonl", "int.jsonl", "far.jsonl"}, source.Strict, `open far.jsonl: column "x": mismatch: it is <i8, in half.jsonl it is <f8; give it one dtype in all inputs (--dtype x=float64)`},
		{[]string{one, three}, source.Strict, "make it as wide as the widest (--on-mismatch union, or --dtype x=U3)"},
	}
	for _, c := range tests {
		_, err := source.Open(t.Context(), source.Spec{Paths: c.paths, Mismatch: c.mismatch})
		if !errors.Is(err, colstore.ErrMismatch) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.paths, err)
		}
	}
	// Whole numbers without a sign that are found in the data are as wide as they must be.
	for _, paths := range [][]string{{"int.jsonl", "far.jsonl", "big.jsonl"}, {"big.jsonl", "int.jsonl", "far.jsonl"}} {
		got, err := rendered(t, source.Spec{Paths: paths}, colstore.Scan{Columns: []string{"x"}})
		lines := strings.Split(got, "\n")
		slices.Sort(lines[1:])
		if err != nil || strings.Join(lines, "\n") != "x:<u8 \n1 \n18446744073709551615 \n9007199254740993 " {
			t.Errorf("%v: %v\n%s", paths, err, got)
		}
	}
}

// A column whose nulls some files have a mask of has it in all of them.
func TestMasksOfSomeFiles(t *testing.T) {
	tree(t, map[string]string{
		"a.jsonl": "{\"b\":true,\"k\":1}\n", "b.jsonl": "{\"b\":null,\"k\":2}\n{\"b\":false,\"k\":3}\n", "c.jsonl": "{\"b\":true,\"b_valid\":false,\"k\":1}\n",
		"d.jsonl": "{\"k\":\"x\",\"b\":null}\n{\"k\":null,\"b\":true}\n",
	})
	spec := source.Spec{Nulls: source.Nulls{Mode: source.NullMask}}
	for _, c := range []struct {
		paths    []string
		mismatch source.Mismatch
		want     string
	}{
		{[]string{"a.jsonl", "b.jsonl"}, source.Strict, "b:|b1 b_valid:|b1 k:<i8 \ntrue true 1 \nfalse false 2 \nfalse true 3 "},
		{[]string{"b.jsonl", "a.jsonl"}, source.Drop, "b:|b1 b_valid:|b1 k:<i8 \nfalse false 2 \nfalse true 3 \ntrue true 1 "},
		{[]string{"a.jsonl", "d.jsonl"}, source.Drop, "b:|b1 b_valid:|b1 \ntrue true \nfalse false \ntrue true "}, // k differs, and its mask goes with it
	} {
		spec.Paths, spec.Mismatch = c.paths, c.mismatch
		for _, rows := range []int{0, 1} {
			if got, err := rendered(t, spec, colstore.Scan{BatchRows: rows}); err != nil || got != c.want {
				t.Errorf("%v: %v\n%s", c.paths, err, got)
			}
		}
	}
	for _, m := range []source.Mismatch{source.Drop, source.Union} {
		spec.Paths, spec.Mismatch = []string{"b.jsonl", "c.jsonl"}, m
		if _, err := source.Open(t.Context(), spec); !errors.Is(err, colstore.ErrDuplicate) || !strings.Contains(err.Error(), `open c.jsonl: column "b_valid"`) {
			t.Errorf("%v", err)
		}
	}
}

// Of several nulls, the one of the first row is reported, for any batches and columns.
func TestFirstNull(t *testing.T) {
	path := filepath.Join("testdata", "nulls.parquet")
	for want, columns := range map[string][]string{
		"b 27": nil, "a 31": {"s", "a", "c"}, "s 44": {"s", "c"}, "b 27 ": {"a", "s", "b"},
	} {
		column, row, _ := strings.Cut(strings.TrimSpace(want), " ")
		for _, rows := range []int{0, 1, 7, 20, 1000} {
			src, err := source.Open(t.Context(), source.Spec{Paths: []string{path}, Columns: columns})
			if err != nil {
				t.Fatal(err)
			}
			for _, err = range src.Scan(t.Context(), colstore.Scan{BatchRows: rows, Threads: 3}) {
				if err != nil {
					break
				}
			}
			e, ok := errors.AsType[*colstore.Error](err)
			if !ok || !errors.Is(err, colstore.ErrNull) || e.Column != column || fmt.Sprint(e.Row-1) != row {
				t.Errorf("%v in batches of %d: %v", columns, rows, err)
			}
			if err := src.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

var nan = math.NaN()
