package json_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/internal/text"
)

func appendPlain(c colstore.Column, row int) []byte { return text.AppendPlain(nil, c, row) }

// Every fixture gives what its manifest says, whatever the size of windows, blocks and batches.
func TestFixtures(t *testing.T) {
	files := golden.LoadForeign(t, "json", "ndjson")
	if len(files) != 41 {
		t.Fatalf("%d fixtures", len(files))
	}
	// The Python package takes neither a byte-order mark nor lines in a .json file, and does not see the orient split.
	more := map[string]string{"bom.json": "a <i8: 1\n", "lines.json": "a <i8: 1 2\n", "split.json": "a <i8: 1 2\nb <U1: x y\n"}
	for _, f := range files {
		name := filepath.Base(f.File)
		for i, c := range f.Cases {
			orient, _ := c.Args["orient"].(string)
			if orient == "list" {
				continue // no orient of reading, not even to pandas
			}
			how := reading{orient: orient, lines: f.Format == "ndjson"}
			want := c.Outcome
			var columns []golden.ForeignColumn
			switch {
			case f.Intended != nil:
				want = *f.Intended
				golden.Decode(t, want.Columns, &columns)
			case f.Format == "ndjson":
				if want = c.Reference.Inferred; want.OK {
					golden.Decode(t, want.Columns, &columns)
				}
			case want.OK:
				columns = f.Table(t, i)
			}
			path := golden.Path(t, "foreign/"+f.File)
			for _, size := range []int{0, 1, 3, 64} {
				t.Run(name+"/"+orient+strconv.Itoa(size), func(t *testing.T) {
					t.Parallel()
					how := how
					how.text, how.cells, how.scan.BatchRows, how.scan.Threads = size, size, size, 1+size%3
					got, err := how.read(path)
					if text := more[name]; text != "" {
						if err != nil || table(got) != text {
							t.Errorf("%v, %s", err, table(got))
						}
						return
					}
					if !want.OK {
						e, isOurs := errors.AsType[*colstore.Error](err)
						if !isOurs || e.Path != path {
							t.Fatalf("the error does not name the file: %v", err)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if name == "simple.ndjson" {
						return // its floats are those of a parser that is not exact; records.json has them right
					}
					compare(t, got, columns)
				})
			}
		}
	}
}

func compare(t *testing.T, got *colstore.Batch, want []golden.ForeignColumn) {
	t.Helper()
	if got.Schema().Len() != len(want) {
		t.Fatalf("columns %v, want %d", got.Schema(), len(want))
	}
	for i, w := range want {
		sum := sha256.Sum256(raw(got, i))
		f := got.Schema().Field(i)
		if f.Name != w.Name || f.Type.String() != w.DType || hex.EncodeToString(sum[:]) != w.SHA256 {
			t.Errorf("column %d is %q %s, want %q %s %v", i, f.Name, f.Type, w.Name, w.DType, w.Head)
		}
	}
}

// The rows of NDJSON and of the list of the same records are the same.
func TestLinesAreRecords(t *testing.T) {
	list, err := reading{}.read(golden.Path(t, "foreign/json/records.json"))
	if err != nil {
		t.Fatal(err)
	}
	lines, err := reading{lines: true}.read(golden.Path(t, "foreign/ndjson/simple.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, lines, list)
}
