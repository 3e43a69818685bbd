package source_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source"
)

// paths returns the paths of a golden dataset: a folder, or a list of files.
func paths(tb testing.TB, name any) []string {
	tb.Helper()
	if dir, ok := name.(string); ok {
		return []string{golden.Path(tb, dir)}
	}
	var out []string
	for _, n := range name.([]any) {
		out = append(out, golden.Path(tb, n.(string)))
	}
	return out
}

func TestGoldenDatasets(t *testing.T) {
	for _, d := range golden.Load(t).Datasets {
		outcomes := map[source.Mismatch]*golden.Outcome{source.Strict: d.Strict, source.Drop: d.Drop}
		if d.Strict == nil && d.Drop == nil {
			outcomes[source.Strict] = &golden.Outcome{Rows: d.Rows}
		}
		for mode, want := range outcomes {
			if want == nil {
				continue
			}
			src, err := source.Open(t.Context(), source.Spec{Paths: paths(t, d.Name), Mismatch: mode})
			if want.Error != "" {
				last := paths(t, d.Name)[len(paths(t, d.Name))-1]
				if !errors.Is(err, colstore.ErrMismatch) || mode == source.Strict && !strings.Contains(err.Error(), last) {
					t.Errorf("%v, mode %d: %v", d.Name, mode, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%v, mode %d: %v", d.Name, mode, err)
				continue
			}
			if want.Columns != nil {
				if diff := cmp.Diff(want.Columns, src.Schema().Names()); diff != "" {
					t.Errorf("%v, mode %d: %s", d.Name, mode, diff)
				}
			}
			if want.Rows != 0 && src.Rows() != want.Rows {
				t.Errorf("%v, mode %d: %d rows, want %d", d.Name, mode, src.Rows(), want.Rows)
			}
			if len(want.Dropped) > 0 {
				table, err := source.Find(t.Context(), source.Spec{Paths: paths(t, d.Name), Mismatch: mode})
				if err != nil {
					t.Fatal(err)
				}
				w := strings.Join(table.Warnings(), "\n")
				for _, c := range want.Dropped {
					if !strings.Contains(w, c) {
						t.Errorf("%v: no warning names %q: %q", d.Name, c, w)
					}
				}
				if err := table.Close(); err != nil {
					t.Error(err)
				}
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Rows of several files are numbered through, whatever range is scanned.
func TestConcatRanges(t *testing.T) {
	src, err := source.OpenPath(t.Context(), golden.Path(t, "shards"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	read := func(s colstore.Scan) (rows []int64, values []string) {
		for b, err := range src.Scan(t.Context(), s) {
			if err != nil {
				t.Fatal(err)
			}
			tags, err := b.Column("tag")
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range tags.Strings() {
				rows, values = append(rows, b.Begin()+int64(i)), append(values, v)
			}
		}
		return rows, values
	}
	_, all := read(colstore.Scan{})
	for begin := range int64(21) {
		for end := begin + 1; end <= 21; end++ {
			rows, got := read(colstore.Scan{Columns: []string{"e", "tag"}, Rows: colstore.Range{Begin: begin, End: end}, BatchRows: 4})
			if d := cmp.Diff(all[begin:end], got); d != "" || rows[0] != begin || rows[len(rows)-1] != end-1 {
				t.Fatalf("rows %d to %d: %v, %s", begin, end, rows, d)
			}
		}
	}
	at := int64(0)
	for _, r := range src.(colstore.Splitter).Splits(5) {
		if r.Begin != at || r.Rows() > 5 || r.Rows() < 1 {
			t.Errorf("split %v after row %d", r, at)
		}
		at = r.End
	}
	if at != 21 {
		t.Errorf("splits end at %d", at)
	}
}

func TestFindRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := golden.Path(t, "one_record.cstore")
	tests := []struct {
		name string
		spec source.Spec
		is   error
		says string
	}{
		{"nothing", source.Spec{}, colstore.ErrOption, "no input"},
		{"missing", source.Spec{Paths: []string{filepath.Join(dir, "no.cstore")}}, fs.ErrNotExist, "no.cstore"},
		{"folder without shards", source.Spec{Paths: []string{t.TempDir()}}, fs.ErrNotExist, "no .cstore file"},
		{"unknown extension", source.Spec{Paths: []string{write("x.dat", "hello")}}, colstore.ErrFormat, ".dat"},
		{"unknown format", source.Spec{Paths: []string{good}, Format: "cstor"}, colstore.ErrOption, `"cstore"`},
		{"damaged", source.Spec{Paths: []string{write("bad.cstore", "hello")}}, colstore.ErrFormat, "bad.cstore"},
		{"unknown column", source.Spec{Paths: []string{good}, Columns: []string{"idd"}}, colstore.ErrNoColumn, `"id"`},
		{"unknown option", source.Spec{Paths: []string{good}, Options: map[string]any{"tree": "x"}}, colstore.ErrOption, `"tree"`},
		{"all excluded", source.Spec{Paths: []string{good}, Exclude: []string{good}}, fs.ErrNotExist, "no input is left"},
	}
	for _, c := range tests {
		src, err := source.Open(t.Context(), c.spec)
		if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, %v", c.name, src, err)
		}
	}
	// The first bytes tell the format where the extension does not.
	if src, err := source.OpenPath(t.Context(), write("renamed.data", string(golden.Bytes(t, "one_record.cstore")))); err != nil || src.Rows() != 12 {
		t.Errorf("%v", err)
	}
}

// Files without dtypes of their own are read as one table: found dtypes are made to agree, with masks where asked for.
func TestFoundTypesAgree(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole := write("a.csv", "price,name,none\n1,x,\n2,yy,\n")
	broken := write("b.csv", "price,name,none\n1.5,zzzz,7\n")
	header := write("c.csv", "price,name,none\n")
	// Whole numbers and missing cells are floats, as they would be in one file, in any order.
	none := write("d.csv", "price,name,none\n,,\n")
	for _, paths := range [][]string{{whole, none}, {none, whole}, {none, header, whole}} {
		src, err := source.Open(t.Context(), source.Spec{Paths: paths})
		if err != nil {
			t.Fatal(err)
		}
		if typ := src.Schema().Field(0).Type; typ != colstore.Float64 {
			t.Errorf("%v: %s", paths, typ)
		}
		if err := src.Close(); err != nil {
			t.Fatal(err)
		}
	}
	src, err := source.Open(t.Context(), source.Spec{Paths: []string{whole, broken, header}})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	want := colstore.MustSchema(colstore.Field{Name: "price", Type: colstore.Float64}, colstore.Field{Name: "name", Type: colstore.TextOf(4)},
		colstore.Field{Name: "none", Type: colstore.Float64})
	if !src.Schema().Equal(want) {
		t.Errorf("%v", src.Schema())
	}
	rows := 0
	for b, err := range src.Scan(t.Context(), colstore.Scan{}) {
		if err != nil {
			t.Fatal(err)
		}
		rows += b.Rows()
	}
	if rows != 3 {
		t.Errorf("%d rows", rows)
	}
}

// A part of a structure is named by its last part, and a mask follows the column whose nulls it tells. Both can be asked
// for by the names they have then.
func TestMadeColumns(t *testing.T) {
	tests := []struct {
		path, column, open string
		names              []string
	}{
		{"foreign/parquet/struct.parquet", "c.a", "a", []string{"a"}},
		{"foreign/parquet/null_i32.parquet", "i32", "i32_valid", []string{"i32", "i32_valid"}},
	}
	for _, c := range tests {
		table, err := source.Find(t.Context(), source.Spec{
			Paths: []string{golden.Path(t, c.path)}, Columns: []string{c.column}, Nulls: source.Nulls{Mode: source.NullMask},
		})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.names, table.Names()); d != "" {
			t.Errorf("%s: %s", c.path, d)
		}
		src, err := table.Open(t.Context(), []string{c.open})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.names, src.Schema().Names()); d != "" {
			t.Errorf("%s opened for %s: %s", c.path, c.open, d)
		}
		if err := errors.Join(src.Close(), table.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A device or a pipe is refused before it is opened, which could wait for ever.
func TestNotRegular(t *testing.T) {
	if _, err := os.Stat("/dev/null"); err != nil {
		t.Log("no device to try")
		return
	}
	_, err := source.OpenPath(t.Context(), "/dev/null")
	if !errors.Is(err, colstore.ErrFormat) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a device: %v", err)
	}
}
