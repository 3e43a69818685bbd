package golden

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// dir finds testdata from the folder that a test runs in, its package's.
var dir = sync.OnceValues(func() (string, error) {
	root, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(root)
		if up == root {
			err = errors.New("no go.mod above the test's folder")
		}
		root = up
	}
	return filepath.Join(root, "internal", "golden", "testdata"), err
})

// Path returns the path of a fixture, which tests must not change.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	d, err := dir()
	if err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(d, filepath.FromSlash(name))
}

// Copy returns the path of a copy of a fixture that the test may change.
func Copy(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), filepath.Base(name))
	if err := os.WriteFile(path, Bytes(tb, name), 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Bytes returns the content of a fixture.
func Bytes(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// Manifest is MANIFEST.json.
type Manifest struct {
	Files    []File    `json:"files"`
	Datasets []Dataset `json:"datasets"`
	Cases    []Case    `json:"cases"`
}

// File is what reading one file gives.
type File struct {
	Name         string                      `json:"name"`
	Note         string                      `json:"note"`
	Size         int64                       `json:"size"`
	SHA256       string                      `json:"sha256"`
	Rows         int64                       `json:"n_rows"`
	Records      int64                       `json:"n_records"`
	StatsOffset  int64                       `json:"stats_offset"`
	DataOffset   int64                       `json:"data_offset"`
	CommittedEnd int64                       `json:"committed_end"`
	Columns      []Column                    `json:"columns"`
	RecordList   []Record                    `json:"records"`
	Statistics   map[string]map[string][]any `json:"statistics"`
}

// Record is one record of a file.
type Record struct {
	HeaderOffset int64 `json:"header_offset"`
	Rows         int64 `json:"rows"`
}

// Column is one column of a file. SHA256 is of all rows, little-endian; Samples are some rows by number.
type Column struct {
	Name    string         `json:"name"`
	DType   string         `json:"dtype"`
	SHA256  string         `json:"sha256_raw"`
	Samples map[string]any `json:"samples"`
}

// Dataset is several files read as one table.
type Dataset struct {
	Name   any      `json:"name"` // a folder, or a list of files
	Files  []string `json:"files"`
	Rows   int64    `json:"n_rows"`
	Strict *Outcome `json:"strict"`
	Drop   *Outcome `json:"drop"`
}

// Outcome is what opening a dataset in one mode gives.
type Outcome struct {
	Rows    int64    `json:"n_rows"`
	Columns []string `json:"columns"`
	Dropped []string `json:"dropped"`
	Error   string   `json:"error"`
}

// Case is one behaviour; which fields it has depends on its kind.
type Case struct {
	ID      string           `json:"id"`
	Kind    string           `json:"kind"`
	Source  any              `json:"source"` // a file or folder, or a list of files
	Expr    string           `json:"expr"`
	Params  map[string]Param `json:"params"`
	Context string           `json:"ctx"`
	Reason  string           `json:"reason"`
	Note    string           `json:"note"`
	Defect  bool             `json:"defect"`
	Error   string           `json:"error"`

	Expect       json.RawMessage `json:"expect"`
	ExpectFolded json.RawMessage `json:"expect_folded"`
	ExpectExact  json.RawMessage `json:"expect_exact"`

	Column  string          `json:"column"`
	Columns []string        `json:"columns"`
	To      string          `json:"to"`
	Op      string          `json:"op"`
	Where   string          `json:"where"`
	DDOF    int             `json:"ddof"`
	Rows    []int64         `json:"rows"`
	Func    string          `json:"fn"`
	Args    []any           `json:"args"`
	Chain   json.RawMessage `json:"chain"`
	Cuts    []Cut           `json:"cuts"`
	Which   string          `json:"which"`
	N       int             `json:"n"`
}

// Cut is one cut of a report case.
type Cut struct {
	Expr   string `json:"expr"`
	Label  string `json:"label"`
	Weight string `json:"weight"`
}

// Param is an encoded parameter: T is int, float, bool, str, bytes, none, list, set or array, or a dtype code.
type Param struct {
	T     string `json:"t"`
	V     any    `json:"v"`
	DType string `json:"dtype"`
}

// RowsExpect is what a query case keeps.
type RowsExpect struct {
	Count int64   `json:"count"`
	First []int64 `json:"rows_first"`
	SHA   string  `json:"rows_sha256"`
	Error string  `json:"error"`
}

// ArrayExpect is what a value, ufunc, cast or index case computes.
type ArrayExpect struct {
	DType  string  `json:"dtype"`
	N      int     `json:"n"`
	First  []any   `json:"first"`
	SHA    string  `json:"sha256"`
	RelTol float64 `json:"rel_tol"`
	Error  string  `json:"error"`
}

// Load returns the manifest. Numbers are json.Number, so that no bit is lost.
func Load(tb testing.TB) *Manifest {
	tb.Helper()
	m := new(Manifest)
	Decode(tb, Bytes(tb, "MANIFEST.json"), m)
	return m
}

// Bad is one damaged file and what is to be done with it.
type Bad struct {
	Name   string `json:"name"`
	Damage string `json:"damage"`
	Right  string `json:"right"`
}

// LoadBad returns the damaged files; they lie in bad/.
func LoadBad(tb testing.TB) []Bad {
	tb.Helper()
	var m struct {
		Files []Bad `json:"files"`
	}
	Decode(tb, Bytes(tb, "bad/MANIFEST.json"), &m)
	return m.Files
}

// Foreign is one file of another format and what importing it gives, by the Python package and by other readers. The
// files lie in foreign/.
type Foreign struct {
	File   string        `json:"file"`
	Format string        `json:"format"`
	Note   string        `json:"note"`
	Cases  []ForeignCase `json:"cases"`
	// Intended replaces the outcome where the Python package is wrong.
	Intended *ForeignOutcome `json:"intended"`
}

// ForeignCase is one import: its arguments (columns, batch_size, sep) and its outcome.
type ForeignCase struct {
	Args      map[string]any `json:"args"`
	Outcome   ForeignOutcome `json:"outcome"`
	Reference struct {
		Inferred ForeignOutcome `json:"inferred"`
	} `json:"reference"`
}

// ForeignOutcome is a table or an error. Columns is a list of [ForeignColumn], or the text "same as case N".
type ForeignOutcome struct {
	OK       bool            `json:"ok"`
	Type     string          `json:"type"`
	Message  string          `json:"message"`
	Rows     int64           `json:"rows"`
	Columns  json.RawMessage `json:"columns"`
	Warnings []string        `json:"warnings"`
}

// ForeignColumn is one column of a table; SHA256 is of its little-endian bytes.
type ForeignColumn struct {
	Name   string `json:"name"`
	DType  string `json:"dtype"`
	SHA256 string `json:"sha256"`
	Head   []any  `json:"head"`
}

// Table returns the columns of the outcome of case i of f.
func (f *Foreign) Table(tb testing.TB, i int) []ForeignColumn {
	tb.Helper()
	raw := f.Cases[i].Outcome.Columns
	for {
		var same string
		if json.Unmarshal(raw, &same) != nil {
			break
		}
		n, err := strconv.Atoi(same[strings.LastIndexByte(same, ' ')+1:])
		if err != nil {
			tb.Fatalf("%s: columns %q", f.File, same)
		}
		raw = f.Cases[n].Outcome.Columns
	}
	var out []ForeignColumn
	Decode(tb, raw, &out)
	return out
}

// LoadForeign returns the files of the given formats: "parquet", "csv", "tsv".
func LoadForeign(tb testing.TB, formats ...string) []Foreign {
	tb.Helper()
	var m struct {
		Files []Foreign `json:"files"`
	}
	Decode(tb, Bytes(tb, "foreign/MANIFEST.json"), &m)
	return slices.DeleteFunc(m.Files, func(f Foreign) bool { return !slices.Contains(formats, f.Format) })
}

// Decode decodes JSON with exact numbers.
func Decode(tb testing.TB, raw []byte, v any) {
	tb.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		tb.Fatal(err)
	}
}
