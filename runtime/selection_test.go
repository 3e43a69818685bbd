package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// Rows that were chosen in any way, of several files, are written as they are read.
func TestWriteSelections(t *testing.T) {
	dir := t.TempDir()
	all := table(t, 5000, 8)
	src, err := source.Open(t.Context(), source.Spec{Paths: store(t, dir, all, 2000, 700)})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for _, text := range []string{":", "::-1", "4999:10:-7", "[3,0,3,4999,-1]", "17", "5:5"} {
		sel, err := source.ParseSelection(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []*source.View{
			source.ViewOf(src).Pick(sel),
			source.ViewOf(src).Pick(sel).Select("when", "id"),
			source.ViewOf(src).Pick(source.Where(frame.New().Where(frame.MustParse("k > 0")))).Pick(source.To(1000).By(3)),
		} {
			rows, err := v.Collect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want, got := filepath.Join(dir, "want.cstore"), filepath.Join(dir, "got.cstore")
			if err := cstore.Store(t.Context(), want, rows, &cstore.WriteOptions{Mode: cstore.ModeReplace}); err != nil {
				t.Fatal(err)
			}
			r, err := runtime.WriteFile(t.Context(), frame.From(v), got)
			if err != nil {
				t.Fatal(err)
			}
			if r.Copied || r.Outputs[0].Rows != int64(rows.Rows()) {
				t.Errorf("%s: %+v", text, r)
			}
			sameFile(t, want, got)
		}
	}
}

// Any selection of rows and columns becomes a file, of the format that its extension says.
func ExampleWriteFile() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	schema := colstore.MustSchema(colstore.Field{Name: "pt", Type: colstore.Float64}, colstore.Field{Name: "n", Type: colstore.Int64})
	b, err := colstore.NewBatch(schema, colstore.Wrap([]float64{41, 8, 33}), colstore.Wrap([]int64{1, 2, 3}))
	if err != nil {
		log.Fatal(err)
	}
	view := source.ViewOf(source.Memory(b)).Pick(source.All().By(-1)).Select("n")
	report, err := runtime.WriteFile(ctx, frame.From(view), filepath.Join(dir, "reversed.csv"))
	if err != nil {
		log.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "reversed.csv"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d rows\n%s", report.Outputs[0].Rows, text)
	// Output:
	// 3 rows
	// n
	// 3
	// 2
	// 1
}
