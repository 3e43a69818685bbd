package csv_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/csv"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/internal/invariants"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/source/format"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if n := invariants.Batches.Load(); n != 0 && code == 0 {
		fmt.Fprintf(os.Stderr, "%d batches were not released\n", n)
		code = 1
	}
	os.Exit(code)
}

// A reading is one way to read a file; its zero value is that of a user who says nothing.
type reading struct {
	format  *format.Descriptor // nil: csv
	options map[string]any
	nulls   format.Nulls
	limits  format.Limits
	project format.Projection
	scan    colstore.Scan
	blocks  [3]int // bytes, cells and rows of a block; 0: as usual
}

// open opens a file and a source of it; close closes both.
func (r reading) open(path string) (s colstore.Source, close func(), err error) {
	d := r.format
	if d == nil {
		d = csv.Descriptor
	}
	o, err := format.CheckOptions("reading "+d.Name, d.Read.Options, r.options)
	if err != nil {
		return nil, nil, err
	}
	if r.limits == (format.Limits{}) {
		r.limits = format.DefaultLimits
	}
	q := &format.OpenRequest{Path: path, Options: o, Nulls: r.nulls, Limits: r.limits}
	var f format.File
	if r.blocks[0] > 0 {
		f, err = csv.OpenSized(context.Background(), q, r.blocks[0], r.blocks[1], r.blocks[2])
	} else {
		f, err = d.Read.Open(context.Background(), q)
	}
	if err != nil {
		return nil, nil, err
	}
	if s, err = f.Source(context.Background(), r.project); err != nil {
		f.Close()
		return nil, nil, err
	}
	return s, func() { s.Close(); f.Close() }, nil
}

// source opens a source that the test closes at its end.
func (r reading) source(tb testing.TB, path string) colstore.Source {
	tb.Helper()
	s, close, err := r.open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(close)
	return s
}

// A table is what a scan yields, in a form that compares and prints.
type table struct {
	Rows    int
	Columns []tableColumn
}

type tableColumn struct {
	Name, Type string
	Raw        string // the bytes of all rows
	Values     []string
}

// read returns all rows that a reading yields. Batches must follow one another and keep to the rows asked for.
func (r reading) read(path string) (*table, error) {
	s, close, err := r.open(path)
	if err != nil {
		return nil, err
	}
	defer close()
	return collect(s, r.scan)
}

// collect returns the rows of a scan, with their values as text if there are few.
func collect(s colstore.Source, q colstore.Scan) (*table, error) {
	t := &table{}
	schema := s.Schema()
	if picked, err := schema.Select(q.Columns...); q.Columns != nil && err == nil {
		schema = picked
	}
	for _, f := range schema.All() {
		t.Columns = append(t.Columns, tableColumn{Name: f.Name, Type: f.Type.String()})
	}
	const few = 1000
	raws := make([][]byte, len(t.Columns))
	next := q.Rows.Begin
	for b, err := range s.Scan(context.Background(), q) {
		if err != nil {
			return nil, err
		}
		if b.Begin() != next || b.Rows() == 0 || q.BatchRows > 0 && b.Rows() > q.BatchRows {
			return nil, fmt.Errorf("a batch of %d rows from %d on, want it to begin at %d", b.Rows(), b.Begin(), next)
		}
		next += int64(b.Rows())
		t.Rows += b.Rows()
		for i := range t.Columns {
			raw, ok := b.At(i).Bytes()
			if !ok {
				return nil, fmt.Errorf("column %q is not dense", t.Columns[i].Name)
			}
			raws[i] = append(raws[i], raw...)
			for r := 0; r < b.Rows() && t.Rows <= few; r++ {
				t.Columns[i].Values = append(t.Columns[i].Values, string(text.AppendPlain(nil, b.At(i), r)))
			}
		}
	}
	for i, raw := range raws {
		t.Columns[i].Raw = string(raw)
		if t.Rows > few {
			t.Columns[i].Values = nil
		}
	}
	if want := q.Rows.End; want > 0 && next != want {
		return nil, fmt.Errorf("rows end at %d, want %d", next, want)
	}
	return t, nil
}

// String shows names, dtypes and values, a line a column.
func (t *table) String() string {
	var b strings.Builder
	for _, c := range t.Columns {
		fmt.Fprintf(&b, "%s %s: %s\n", c.Name, c.Type, strings.Join(c.Values, " | "))
	}
	return b.String()
}

// write makes a file of that text.
func write(tb testing.TB, text string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		tb.Fatal(err)
	}
	return path
}

// What the fixtures hold where the reference reader has another opinion (CONVERT C43); for the others its answer is ours.
var decided = map[string]string{
	"csv/quoted.csv":         "a <i8: 1 | 2 | 3 | 4\nb c <U10: x,y | line\nbreak |  lead | é日😀\nd\"e <U8: say \"hi\" |  | trail  | '\n",
	"csv/missing.csv":        "a <f8: 1.0 | nan | 3.0\nb <U3:  | 2.5 | NA\ns <U3: x |  | NaN\n",
	"csv/leading_zeros.csv":  "z <U3: 007 | 010\n",
	"csv/dup_header.csv":     `open X: column "a": duplicate column: columns 1 and 2 of the header have this name; give them different ones, or read without a header`,
	"csv/empty.csv":          "open X: format error: the file is empty: there is no header and no row",
	"csv/ragged_long.csv":    "read X: row 1: format error: line 3: the row has 3 cells, there are 2 columns",
	"csv/latin1.csv":         "read X: row 0: format error: line 2: the text is not UTF-8; convert the file first",
	"csv/unclosed_quote.csv": "read X: row 0: format error: line 2: the quote that opens here is never closed",
}

func TestFixtures(t *testing.T) {
	for _, f := range golden.LoadForeign(t, "csv", "tsv") {
		for i, c := range f.Cases {
			t.Run(fmt.Sprintf("%s#%d", f.File, i), func(t *testing.T) {
				r := reading{options: map[string]any{}}
				if f.Format == "tsv" {
					r.format = csv.TSV
				}
				for name, v := range c.Args {
					if name != "sep" {
						t.Fatalf("argument %q", name)
					}
					r.options["delimiter"] = v
				}
				path := golden.Path(t, "foreign/"+f.File)
				got, err := r.read(path)
				want, ours := decided[f.File]
				switch {
				case err != nil:
					if msg := strings.ReplaceAll(err.Error(), path, "X"); msg != want {
						t.Errorf("error %q, want %q", msg, want)
					}
				case ours:
					if d := cmp.Diff(want, got.String()); d != "" {
						t.Error(d)
					}
				case !c.Reference.Inferred.OK:
					t.Errorf("undecided; we read\n%s", got)
				default:
					var columns []golden.ForeignColumn
					golden.Decode(t, c.Reference.Inferred.Columns, &columns)
					if len(columns) != len(got.Columns) {
						t.Fatalf("%d columns, want %d", len(got.Columns), len(columns))
					}
					for i, want := range columns {
						g := got.Columns[i]
						sum := sha256.Sum256([]byte(g.Raw))
						if g.Name != want.Name || g.Type != want.DType || hex.EncodeToString(sum[:]) != want.SHA256 {
							t.Errorf("column %q %s %v, want %q %s %v…", g.Name, g.Type, g.Values, want.Name, want.DType, want.Head)
						}
					}
				}
			})
		}
	}
}
