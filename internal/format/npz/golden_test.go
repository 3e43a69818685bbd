package npz_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/npz"
	"github.com/colstore/colstore-go/internal/golden"
	"github.com/colstore/colstore-go/source/format"
)

// openFile opens an archive; the caller closes it.
func openFile(path string, options map[string]any) (format.File, error) {
	o, err := format.CheckOptions("reading npz", npz.Descriptor.Read.Options, options)
	if err != nil {
		return nil, err
	}
	return npz.Descriptor.Read.Open(context.Background(), &format.OpenRequest{Path: path, Options: o, Limits: format.DefaultLimits})
}

// readTable returns the columns of an archive as one batch that owes nothing.
func readTable(path string, columns []string, scan colstore.Scan) (_ *colstore.Batch, err error) {
	f, err := openFile(path, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	src, err := f.Source(context.Background(), format.Projection{Columns: columns})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	var parts []*colstore.Batch
	next := scan.Rows.Begin
	for b, err := range src.Scan(context.Background(), scan) {
		if err != nil {
			return nil, err
		}
		if b.Begin() != next || b.Rows() == 0 || scan.BatchRows > 0 && b.Rows() > scan.BatchRows {
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

// differs lists the fixtures where the Python package is not followed: a member that is no array is left out, 80-bit floats
// are refused, and a column that is not asked for is no error.
var differs = map[string]struct {
	ok     bool
	answer int // the case that has the columns; -1 if none has
}{
	"versions.npz/":    {true, 1},
	"longdouble.npz/":  {false, 0},
	"object.npz/k":     {true, -1},
	"structured.npz/k": {true, 1},
}

// Every fixture gives what its manifest says, whatever the size of the batches and the number of threads.
func TestFixtures(t *testing.T) {
	files := golden.LoadForeign(t, "npz")
	if len(files) != 19 {
		t.Fatalf("%d fixtures", len(files))
	}
	for _, f := range files {
		for i, c := range f.Cases {
			if c.Args["format"] != nil {
				continue // a bare array, which is refused as it is without
			}
			id := filepath.Base(f.File) + "/" + strings.Join(columnsOf(c), ",")
			ok, answer := c.Outcome.OK, i
			if d, there := differs[id]; there {
				ok, answer = d.ok, d.answer
			}
			path := golden.Path(t, "foreign/"+f.File)
			for _, batch := range []int{0, 1, 16, 97} {
				t.Run(id, func(t *testing.T) {
					t.Parallel()
					got, err := readTable(path, columnsOf(c), colstore.Scan{BatchRows: batch, Threads: 1 + batch%3})
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
					if answer >= 0 {
						compare(t, got, f.Table(t, answer))
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

// What numpy.savez wrote, read and written again, gives the same bytes.
func TestRewriteIsByteIdentical(t *testing.T) {
	for _, name := range []string{"types.npz", "names.npz", "positional.npz", "rows0.npz", "strided.npz"} {
		t.Run(name, func(t *testing.T) {
			b, err := readTable(golden.Path(t, "foreign/npz/"+name), nil, colstore.Scan{})
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "out.npz")
			if err := store(path, b, writing{}); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, golden.Bytes(t, "foreign/npz/"+name)) {
				t.Error("the bytes differ")
			}
		})
	}
}

// Members that are no arrays are left out, and told.
func TestWarnings(t *testing.T) {
	f, err := openFile(golden.Path(t, "foreign/npz/versions.npz"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := f.Source(t.Context(), format.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if w := src.(colstore.Warner).Warnings(); len(w) != 1 || !strings.Contains(w[0], `"readme.txt"`) {
		t.Errorf("warnings %q", w)
	}
}

// One array can be picked, with or without its ending.
func TestMember(t *testing.T) {
	path := golden.Path(t, "foreign/npz/names.npz")
	for member, want := range map[string]string{"arr.npy": "arr.npy", "arr.npy.npy": "arr.npy", "dir/x": "dir/x", "dir/x.npy": "dir/x", "é日": "é日"} {
		f, err := openFile(path, map[string]any{"member": member})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{want}, f.Names()); d != "" {
			t.Errorf("%s: %s", member, d)
		}
		f.Close()
	}
	if _, err := openFile(path, map[string]any{"member": "dir"}); !errors.Is(err, colstore.ErrNoColumn) {
		t.Errorf("no error for a member that is not there: %v", err)
	}
}
