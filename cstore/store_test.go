package cstore_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/golden"
)

// countedReader is a reader that may not know its number of rows.
type countedReader struct {
	*cstore.Reader
	rows int64
	err  error // at the end
}

func (c *countedReader) Rows() int64 { return c.rows }

func (c *countedReader) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		for b, err := range c.Reader.Scan(ctx, s) {
			if !yield(b, err) {
				return
			}
		}
		if c.err != nil {
			yield(nil, c.err)
		}
	}
}

// All rows of a source become one record, as the Python package's compacted file of the same data has them.
func TestStoreSource(t *testing.T) {
	for _, name := range []string{"many_records.cstore", "all_dtypes_multi.cstore", "empty_records.cstore", "crashed_fresh.cstore"} {
		r := open(t, golden.Path(t, name))
		want := filepath.Join(t.TempDir(), "want.cstore")
		w, err := cstore.Create(want, r.Schema(), &cstore.WriteOptions{Layout: cstore.LayoutSingle, Stats: true})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Records() {
			if err := w.Write(t.Context(), recordBatch(t, r, i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, rows := range []int64{r.Rows(), -1} {
			path := filepath.Join(t.TempDir(), "x.cstore")
			// The layout of the options does not matter.
			o := &cstore.WriteOptions{Layout: cstore.LayoutBlocks, BlockRows: 3, Stats: true}
			if err := cstore.StoreSource(t.Context(), path, &countedReader{r, rows, nil}, o); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(readFile(t, path), readFile(t, want)) {
				t.Errorf("%s, %d rows: other bytes", name, rows)
			}
			cause := errors.New("no more")
			o.Mode = cstore.ModeReplace
			if err := cstore.StoreSource(t.Context(), path, &countedReader{r, rows, cause}, o); !errors.Is(err, cause) {
				t.Errorf("a failing source: %v", err)
			}
			if !bytes.Equal(readFile(t, path), readFile(t, want)) {
				t.Error("a failing source changed the file")
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		}
	}
}

// A stored batch has the bytes of the golden file that the Python package stored.
func TestStoreIsByteIdentical(t *testing.T) {
	for _, name := range []string{"one_record.cstore", "all_dtypes.cstore", "wide64.cstore", "long_strings.cstore", "updates/stored.cstore", "updates/stored_stats.cstore"} {
		r := open(t, golden.Path(t, name))
		if r.Records() != 1 {
			t.Fatalf("%s has %d records", name, r.Records())
		}
		path := filepath.Join(t.TempDir(), "x.cstore")
		if err := cstore.Store(t.Context(), path, recordBatch(t, r, 0), &cstore.WriteOptions{Stats: r.HasStatistics()}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(readFile(t, path), golden.Bytes(t, name)) {
			t.Errorf("%s: other bytes", name)
		}
	}
}

// A source that is cut while it is stored is an error, and leaves nothing.
func TestStoreOfACutSource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.cstore")
	if err := cstore.Store(t.Context(), path, randomBatch(t, oddSchema, 100_000, 1), nil); err != nil {
		t.Fatal(err)
	}
	r := open(t, path)
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	for _, o := range []cstore.WriteOptions{{}, {Stats: true}} {
		out := filepath.Join(t.TempDir(), "y.cstore")
		if err := cstore.StoreSource(t.Context(), out, r, &o); !errors.Is(err, colstore.ErrTruncated) {
			t.Errorf("%+v: %v", o, err)
		}
		if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}
