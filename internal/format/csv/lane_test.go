package csv_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/csv"
	"github.com/colstore/colstore-go/source/format"
)

// The number of goroutines that encode changes neither bytes nor errors.
func TestThreadsThatWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const rows = 20_000
	numbers, words := make([]float64, rows), make([]any, rows)
	for i := range numbers {
		numbers[i], words[i] = float64(i*i%977)/8, []string{"x", `a "b"`, "p,q", "é"}[i%4]
	}
	fields := []colstore.Field{{Name: "x", Type: colstore.Float64}, {Name: "w", Type: colstore.TextOf(6)}, {Name: "v", Type: colstore.BytesOf(6)}}
	good := batchOf(t, fields, colstore.Wrap(numbers), columnOf(t, fields[1].Type, words), columnOf(t, fields[2].Type, words))
	words[9_001] = "\xff"
	broken := batchOf(t, fields, colstore.Wrap(numbers), good.At(1), columnOf(t, fields[2].Type, words))
	var want []byte
	for _, threads := range []int{0, 1, 2, 5, 100} {
		for _, n := range []int{rows, 1000, 7777} {
			path := filepath.Join(dir, fmt.Sprintf("%d-%d.csv", threads, n))
			write := func(b *colstore.Batch) error {
				o, err := format.CheckOptions("writing csv", csv.Descriptor.Write.Options, nil)
				if err != nil {
					return err
				}
				w, err := csv.Descriptor.Write.Create(t.Context(), &format.CreateRequest{Path: path, Schema: b.Schema(), Options: o, Replace: true, Threads: threads})
				if err != nil {
					return err
				}
				defer func() { _ = w.Abort() }()
				for at := 0; at < rows; at += n {
					if err := w.Write(t.Context(), b.Slice(at, min(at+n, rows))); err != nil {
						return err
					}
				}
				return w.Commit(t.Context())
			}
			if err := write(good); err != nil {
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
				t.Errorf("%d threads, batches of %d: other bytes", threads, n)
			}
			if err := write(broken); err == nil || !strings.Contains(err.Error(), `column "v": row 9001`) {
				t.Errorf("%d threads, batches of %d: %v", threads, n, err)
			}
		}
	}
}
