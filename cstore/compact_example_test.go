package cstore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// A file that was written piece by piece becomes one record, in place; then it and another become one file.
func ExampleCompact() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "run.cstore")
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "pt", Type: colstore.Float64}), colstore.Wrap([]float64{31.5, 8.25}))
	if err != nil {
		log.Fatal(err)
	}
	w, err := cstore.Create(path, b.Schema(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = w.Abort() }() // does nothing once committed
	for range 3 {
		if err := w.Write(ctx, b); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	c, err := cstore.Compact(ctx, path, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Rows, "rows,", c.Records, "records before")
	r, err := cstore.Open(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	twice, err := cstore.Concat(ctx, filepath.Join(dir, "twice.cstore"), []*cstore.Reader{r, r}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Records(), "record now;", twice.Rows, "rows in both")
	// Output:
	// 6 rows, 3 records before
	// 1 record now; 12 rows in both
}
