package source

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// jaggedFiles are files with lists, arrays and structures, and what their columns become.
type jaggedFiles struct {
	Files []struct {
		File, Format, Table string
	}
	Tables map[string]map[string][]golden.ForeignColumn // by table, then by policies: "explode mask"
}

func loadJagged(t *testing.T) *jaggedFiles {
	t.Helper()
	m := new(jaggedFiles)
	golden.Decode(t, golden.Bytes(t, "jagged/expected.json"), m)
	return m
}

// policies returns those that a key of the expectation names.
func policies(t *testing.T, key string) (Jagged, Nulls) {
	t.Helper()
	mode, nulls, _ := strings.Cut(key, " ")
	j, err := ParseJagged(mode)
	if err != nil {
		t.Fatal(err)
	}
	return j, Nulls{Mode: map[string]format.NullMode{"error": format.NullError, "fill": format.NullFill, "mask": format.NullMask}[nulls]}
}

// hashes reads a source in batches of some rows, and returns its columns as the expectation has them.
func hashes(t *testing.T, src colstore.Source, scan colstore.Scan) []golden.ForeignColumn {
	t.Helper()
	sums := make([][]byte, src.Schema().Len())
	for b, err := range src.Scan(t.Context(), scan) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range sums {
			data, ok := b.At(i).Copy().Bytes()
			if !ok {
				t.Fatal("a copy is not dense")
			}
			sums[i] = append(sums[i], data...)
		}
	}
	var out []golden.ForeignColumn
	for i, f := range src.Schema().All() {
		sum := sha256.Sum256(sums[i])
		out = append(out, golden.ForeignColumn{Name: f.Name, DType: f.Type.String(), SHA256: hex.EncodeToString(sum[:])})
	}
	return out
}

// What lists, arrays and structures become is the same whoever wrote them, in all layouts, and however it is read.
func TestJagged(t *testing.T) {
	m := loadJagged(t)
	for _, f := range m.Files {
		for key, want := range m.Tables[f.Table] {
			t.Run(f.File+" "+key, func(t *testing.T) {
				t.Parallel()
				j, n := policies(t, key)
				src, err := Open(t.Context(), Spec{Paths: []string{golden.Path(t, "jagged/"+f.File)}, Format: f.Format, Jagged: j, Nulls: n})
				if err != nil {
					t.Fatal(err)
				}
				defer src.Close()
				if w := src.(colstore.Warner).Warnings(); len(w) > 0 {
					t.Errorf("warnings %q", w)
				}
				for _, scan := range []colstore.Scan{{}, {BatchRows: 1}, {BatchRows: 5, Threads: 3}, {BatchRows: 64, Threads: 2}} {
					compareJagged(t, fmt.Sprint(scan.BatchRows), hashes(t, src, scan), want)
				}
			})
		}
	}
}

func compareJagged(t *testing.T, what string, got, want []golden.ForeignColumn) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("%s: no column %q", what, want[i].Name)
		case i >= len(want):
			t.Errorf("%s: a column %q too many", what, got[i].Name)
		case got[i].Name != want[i].Name:
			t.Fatalf("%s: column %d is %q %s, want %q %s", what, i, got[i].Name, got[i].DType, want[i].Name, want[i].DType)
		case got[i].DType != want[i].DType || got[i].SHA256 != want[i].SHA256:
			t.Errorf("%s: column %d is %q %s, want %q %s %v", what, i, got[i].Name, got[i].DType, want[i].Name, want[i].DType, want[i].Head)
		}
	}
}

// Of several files the longest list of any decides, whatever their order, and the mismatch rule sees its columns.
func TestJaggedFiles(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	three := put("three.jsonl", `{"x":[1,2,3],"s":["a"]}`+"\n"+`{"x":[],"s":["bb"]}`+"\n")
	five := put("five.jsonl", `{"x":[10,20,30,40,50],"s":[]}`+"\n")
	none := put("none.jsonl", `{"x":[],"s":["long text","y"]}`+"\n")
	other := put("other.jsonl", `{"y":1}`+"\n")
	flat := put("flat.jsonl", `{"x":7,"s":["z"]}`+"\n")
	parts, flatParts := put("parts.jsonl", `{"c":{"a":1}}`), put("flatparts.jsonl", `{"c":2}`)
	tests := []struct {
		name     string
		paths    []string
		jagged   string
		columns  []string
		mismatch Mismatch
		want     string // the columns, then the rows of x_0 x_4 or of the column that is asked for
	}{
		{
			"explode",
			[]string{three, five, none},
			"explode", nil, Strict,
			"x_0 <i8 x_1 <i8 x_2 <i8 x_3 <i8 x_4 <i8 x_n <i8 s_0 <U9 s_1 <U9 s_n <i8",
		},
		{
			"another order",
			[]string{none, five, three},
			"explode", nil, Strict,
			"x_0 <i8 x_1 <i8 x_2 <i8 x_3 <i8 x_4 <i8 x_n <i8 s_0 <U9 s_1 <U9 s_n <i8",
		},
		{"some columns", []string{three, five}, "explode", []string{"x_4", "x_n"}, Strict, "x_4 <i8 x_n <i8"},
		{"a list by its name", []string{three, five}, "explode", []string{"s", "x_0"}, Strict, "s_0 <U2 s_n <i8 x_0 <i8"},
		{"pad", []string{three, five}, "pad=2", nil, Strict, "x_0 <i8 x_1 <i8 x_n <i8 s_0 <U2 s_1 <U2 s_n <i8"},
		{
			"union",
			[]string{other, three, five},
			"explode", nil, Union,
			"y <i8 x_0 <i8 x_1 <i8 x_2 <i8 x_3 <i8 x_4 <i8 x_n <i8 s_0 <U2 s_n <i8",
		},
		{"a list here, a number there", []string{three, flat}, "explode", nil, Union, "x_0 <i8 x_1 <i8 x_2 <i8 x_n <i8 s_0 <U2 s_n <i8 x <i8"},
		{"parts here, a number there", []string{parts, flatParts}, "explode", nil, Union, "c.a <i8 c <i8"},
		{"shared", []string{three, flat}, "explode", nil, Drop, "s_0 <U2 s_n <i8"},
		{"skip", []string{three, flat}, "skip", nil, Union, "x <i8"},
	}
	for _, c := range tests {
		j, err := ParseJagged(c.jagged)
		if err != nil {
			t.Fatal(err)
		}
		src, err := Open(t.Context(), Spec{Paths: c.paths, Columns: c.columns, Jagged: j, Mismatch: c.mismatch})
		if err != nil {
			if c.name == "skip" && errors.Is(err, colstore.ErrType) && strings.Contains(err.Error(), "every column (x, s)") {
				continue
			}
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for _, f := range src.Schema().All() {
			got = append(got, f.Name+" "+f.Type.String())
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %s, want %s", c.name, g, c.want)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	src, err := Open(t.Context(), Spec{Paths: []string{three, five, none}, Jagged: Jagged{Mode: format.JaggedExplode}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var rows []string
	for b, err := range src.Scan(t.Context(), colstore.Scan{Columns: []string{"x_2", "x_4", "x_n"}}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows() {
			row := ""
			for k := range 3 {
				v, err := colstore.CopyOf[int64](b.At(k))
				if err != nil {
					t.Fatal(err)
				}
				row += fmt.Sprint(v[i], " ")
			}
			rows = append(rows, row)
		}
	}
	if got := fmt.Sprint(rows); got != "[3 0 3  0 0 0  30 50 5  0 0 0 ]" {
		t.Errorf("rows %s", got)
	}
}

// What is left out is said once, and only if all columns were asked for.
func TestJaggedSkip(t *testing.T) {
	spec := Spec{
		Paths:  []string{golden.Path(t, "jagged/plain.arrow"), golden.Path(t, "jagged/plain_batches.arrow"), golden.Path(t, "jagged/plain_v2.parquet")},
		Jagged: Jagged{Mode: format.JaggedSkip},
	}
	src, err := Open(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	w := src.(colstore.Warner).Warnings()
	if len(w) != 1 || !strings.Contains(w[0], "left out: li, lf, ls, lb, lt, ld, lo, lu, l8, lh, empty, arr, st (") {
		t.Errorf("warnings %q", w)
	}
	if got := src.Schema().String(); got != "id <i8, last <i4" {
		t.Errorf("columns %s", got)
	}
	spec.Columns = []string{"last"}
	if src, err = Open(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if w := src.(colstore.Warner).Warnings(); len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
	spec.Columns = []string{"last", "li"}
	if _, err := Open(t.Context(), spec); !errors.Is(err, colstore.ErrType) || !strings.Contains(err.Error(), `column "li"`) {
		t.Errorf("a column that is left out: %v", err)
	}
}

// A null is refused where the policy refuses it, with its column and row, however it is read.
func TestJaggedNulls(t *testing.T) {
	for _, f := range []string{"nulls.arrow", "nulls_batches.arrow", "nulls_slices.arrows", "nulls_default.parquet", "nulls_pages.parquet"} {
		formatName := "feather"
		if strings.HasSuffix(f, ".parquet") {
			formatName = "parquet"
		}
		for column, row := range map[string]int64{"li_0": -1, "li_n": -1, "ls_n": -2, "st.a": 0, "st.b.l_n": 0} {
			src, err := Open(t.Context(), Spec{Paths: []string{golden.Path(t, "jagged/"+f)}, Format: formatName, Columns: []string{column}, Jagged: Jagged{Mode: format.JaggedExplode}})
			if err != nil {
				t.Fatalf("%s %s: %v", f, column, err)
			}
			for _, rows := range []int{0, 1, 7} {
				var failed error
				for _, err := range src.Scan(t.Context(), colstore.Scan{BatchRows: rows}) {
					failed = err
				}
				if row == -2 {
					if failed != nil {
						t.Errorf("%s %s: %v", f, column, failed)
					}
					continue
				}
				e, ok := errors.AsType[*colstore.Error](failed)
				if !ok || !errors.Is(failed, colstore.ErrNull) || e.Column != column {
					t.Fatalf("%s %s: %v", f, column, failed)
				}
				at, _ := e.Row.Get()
				if row == -1 {
					row = at
				}
				if at != row {
					t.Errorf("%s %s: %v in batches of %d, want row %d", f, column, failed, rows, row)
				}
			}
			src.Close()
		}
	}
}
