package feather_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/feather"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// reading is what to read of a file.
type reading struct {
	columns []string
	types   map[string]colstore.DType
	nulls   format.Nulls
	scan    colstore.Scan
}

// openFile opens a file; the caller closes it.
func openFile(path string, nulls format.Nulls) (format.File, error) {
	return feather.Descriptor.Read.Open(context.Background(), &format.OpenRequest{Path: path, Options: format.Options{}, Nulls: nulls, Limits: format.DefaultLimits})
}

// readTable returns the columns of a file as one batch that owes nothing.
func readTable(path string, r reading) (_ *colstore.Batch, err error) {
	f, err := openFile(path, r.nulls)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	src, err := f.Source(context.Background(), format.Projection{Columns: r.columns, Types: r.types})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	var parts []*colstore.Batch
	next := r.scan.Rows.Begin
	for b, err := range src.Scan(context.Background(), r.scan) {
		if err != nil {
			return nil, err
		}
		if b.Begin() != next || b.Rows() == 0 || r.scan.BatchRows > 0 && b.Rows() > r.scan.BatchRows {
			return nil, errors.New("a batch is not where it should be")
		}
		next += int64(b.Rows())
		parts = append(parts, b.Detach())
	}
	return colstore.Stack(src.Schema(), parts...)
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

// differs lists the fixtures where the Python package is not followed: streams are read, the first version of Feather is
// not.
var differs = map[string]bool{
	"feather_v1.feather": false,
	"ipc_stream.feather": true,
	"file.arrow":         true,
}

// Every fixture gives what its manifest says, whatever the size of the batches and the number of threads.
func TestFixtures(t *testing.T) {
	files := golden.LoadForeign(t, "feather")
	if len(files) != 33 {
		t.Fatalf("%d fixtures", len(files))
	}
	for _, f := range files {
		for i, c := range f.Cases {
			if c.Args["batch_size"] != nil {
				continue // a schema of ours does not depend on batches
			}
			ok, has := differs[filepath.Base(f.File)]
			if !has {
				ok = c.Outcome.OK
			}
			path := golden.Path(t, "foreign/"+f.File)
			for _, batch := range []int{0, 1, 16, 97} {
				t.Run(fmt.Sprint(filepath.Base(f.File), columnsOf(c), batch), func(t *testing.T) {
					t.Parallel()
					got, err := readTable(path, reading{columns: columnsOf(c), scan: colstore.Scan{BatchRows: batch, Threads: 1 + batch%3}})
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
		if w.DType == "<U1" && len(w.Head) == 0 && f.Type.Kind() == colstore.KindBytes {
			continue // the Python package makes bytes without a row text
		}
		if f.Name != w.Name || f.Type.String() != w.DType || hex.EncodeToString(sum[:]) != w.SHA256 {
			t.Errorf("column %d is %q %s, want %q %s %v", i, f.Name, f.Type, w.Name, w.DType, w.Head)
		}
	}
}

// What a column cannot be read as is said with what it holds.
func TestRefusals(t *testing.T) {
	for name, want := range map[string]string{
		"decimal":    "values of type decimal128(2, 1), which is no dtype; cast it to a number, text or a timestamp first or leave it out with --columns",
		"interval":   "values of type interval",
		"list":       "nested values (list<item: int64>), and a column has one value a row; choose with --jagged skip, explode or pad=N",
		"ree":        "nested values (run_end_encoded<run_ends: int32, values: int64>)",
		"struct":     "nested values (struct<a: int64>)",
		"time":       "values of type time64[us]",
		"tz":         "timestamps of a time zone (timestamp[ms, tz=UTC])",
		"null_i32":   "there is no null in a .cstore file",
		"feather_v1": "Feather's first version",
		"bad":        "no footer",
	} {
		if _, err := readTable(golden.Path(t, "foreign/feather/"+name+".feather"), reading{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
