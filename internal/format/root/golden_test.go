package root_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// reading is what to read of a file.
type reading struct {
	tree    string
	columns []string
	jagged  string
	scan    colstore.Scan
}

// openFile opens a file; the caller closes it.
func openFile(path string, r reading) (format.File, error) {
	j := format.Jagged{}
	if r.jagged != "" {
		var err error
		if j, err = format.ParseJagged(r.jagged); err != nil {
			return nil, err
		}
	}
	return root.Descriptor.Read.Open(context.Background(), &format.OpenRequest{
		Path: path, Options: format.Options{"tree": r.tree}, Jagged: j, Limits: format.DefaultLimits,
	})
}

// readTable returns the columns of a file as one batch that owes nothing, and the source's warnings.
func readTable(path string, r reading) (_ *colstore.Batch, warnings []string, err error) {
	f, err := openFile(path, r)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	src, err := f.Source(context.Background(), format.Projection{Columns: r.columns})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	var parts []*colstore.Batch
	next := r.scan.Rows.Begin
	for b, err := range src.Scan(context.Background(), r.scan) {
		if err != nil {
			return nil, nil, err
		}
		if b.Begin() != next || b.Rows() == 0 || r.scan.BatchRows > 0 && b.Rows() > r.scan.BatchRows {
			return nil, nil, errors.New("a batch is not where it should be")
		}
		next += int64(b.Rows())
		parts = append(parts, b.Detach())
	}
	b, err := colstore.Stack(src.Schema(), parts...)
	return b, src.(colstore.Warner).Warnings(), err
}

// raw returns the bytes of column i.
func raw(b *colstore.Batch, i int) []byte {
	data, _ := b.At(i).Bytes()
	return data
}

func columnsOf(c golden.ForeignCase) []string {
	list, ok := c.Args["columns"].([]any)
	if !ok {
		return nil
	}
	names := make([]string, len(list))
	for i, n := range list {
		names[i] = n.(string)
	}
	return names
}

// ofCase returns what a case reads; ok is whether it is read here as it was by the Python package.
func ofCase(file string, c golden.ForeignCase) (r reading, ok bool) {
	r.columns, r.tree, ok = columnsOf(c), "", c.Outcome.OK
	r.tree, _ = c.Args["treename"].(string)
	if c.Args["keep_valid_only"] == false {
		r.jagged = "error"
	}
	if filepath.Base(file) == "strings.root" && r.columns != nil {
		return r, true // the Python package drops strings
	}
	if strings.HasPrefix(filepath.Base(file), "rntuple") || r.tree == "nt" {
		ok = false // not supported yet
	}
	return r, ok
}

// Every fixture gives what its manifest says, whatever the size of the batches and the number of threads.
func TestFixtures(t *testing.T) {
	files := golden.LoadForeign(t, "root")
	if len(files) != 22 {
		t.Fatalf("%d fixtures", len(files))
	}
	for _, f := range files {
		for i, c := range f.Cases {
			r, ok := ofCase(f.File, c)
			path := golden.Path(t, "foreign/"+f.File)
			for _, batch := range []int{0, 1, 16, 97} {
				t.Run(fmt.Sprint(filepath.Base(f.File), i, batch), func(t *testing.T) {
					t.Parallel()
					r.scan = colstore.Scan{BatchRows: batch, Threads: 1 + batch%3}
					got, warnings, err := readTable(path, r)
					if !ok {
						e, isOurs := errors.AsType[*colstore.Error](err)
						if !isOurs || e.Path != path {
							t.Fatalf("the error does not name the file: %v", err)
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					if c.Outcome.OK {
						compare(t, got, f.Table(t, i))
					}
					if len(warnings) != len(c.Outcome.Warnings) {
						t.Errorf("warnings %q, want %q", warnings, c.Outcome.Warnings)
					}
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

// What other readers see in our own fixtures: arrays and lists too, baskets in the tree, old versions.
func TestExpectations(t *testing.T) {
	var cases []struct {
		File, Tree, Jagged string
		Rows               int64
		Columns            []golden.ForeignColumn
	}
	data, err := os.ReadFile("testdata/expect.json")
	if err != nil {
		t.Fatal(err)
	}
	golden.Decode(t, data, &cases)
	if len(cases) != 27 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		path := filepath.Join("testdata", c.File)
		if strings.HasPrefix(c.File, "foreign/") {
			path = golden.Path(t, c.File)
		}
		for _, batch := range []int{0, 1, 3, 7} {
			t.Run(fmt.Sprint(c.File, c.Tree, c.Jagged, batch), func(t *testing.T) {
				t.Parallel()
				got, _, err := readTable(path, reading{tree: c.Tree, jagged: c.Jagged, scan: colstore.Scan{BatchRows: batch, Threads: 1 + batch%3}})
				if err != nil {
					t.Fatal(err)
				}
				compare(t, got, c.Columns)
			})
		}
	}
}
