package json_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
)

// The number of goroutines that encode changes neither bytes nor errors.
func TestThreadsThatWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const rows = 20_000
	types := []colstore.DType{colstore.Int64, colstore.Float64, colstore.TextOf(5), colstore.BytesOf(4)}
	b := anyBatch(t, types, rows, 1).Detach()
	for _, how := range []writing{{lines: true}, {orient: "records"}, {orient: "index"}, {orient: "split"}, {orient: "values"}, {orient: "table"}, {orient: "columns"}} {
		var want []byte
		for _, threads := range []int{0, 1, 2, 5, 100} {
			for _, n := range []int{0, 1000, 7777} {
				path := filepath.Join(dir, "f.json")
				how.threads, how.rows = threads, n
				if err := how.store(path, b); err != nil {
					t.Fatal(err)
				}
				got, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%+v: other bytes", how)
				}
			}
		}
	}

	// Infinities are counted by all of them.
	values := make([]float64, rows)
	for i := range values {
		values[i] = math.Inf(i%2 - 1)
	}
	infinite, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "x", Type: colstore.Float64}), colstore.Wrap(values))
	if err != nil {
		t.Fatal(err)
	}
	s, err := writing{threads: 3}.open(filepath.Join(dir, "x.json"), infinite.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), infinite); err != nil {
		t.Fatal(err)
	}
	if w := s.(colstore.Warner).Warnings(); len(w) != 1 || !strings.Contains(w[0], "20000 infinite") {
		t.Errorf("%q", w)
	}
	if err := s.Abort(); err != nil {
		t.Fatal(err)
	}

	// Of several values that cannot be written the first row's is told.
	bad := func(first int) colstore.Column {
		data := bytes.Repeat([]byte("x"), rows)
		for i := first; i < rows; i += 3 {
			data[i] = 0xff
		}
		c, err := colstore.NewColumn(colstore.BytesOf(1), rows, data)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	broken, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "p", Type: colstore.BytesOf(1)}, colstore.Field{Name: "q", Type: colstore.BytesOf(1)}), bad(9_003), bad(9_001))
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 4} {
		for _, n := range []int{0, 100} {
			err := writing{threads: threads, rows: n}.store(filepath.Join(dir, "bad.json"), broken)
			if err == nil || !strings.Contains(err.Error(), `column "q": row 9001`) {
				t.Errorf("%d threads: %v", threads, err)
			}
		}
	}
}
