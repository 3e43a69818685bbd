package cstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
)

// A file is held against what it says of itself.
func ExampleVerify() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "run.cstore")
	ctx := context.Background()
	b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "pt", Type: colstore.Float64}), colstore.Wrap([]float64{31.5, 8.25}))
	if err == nil {
		err = cstore.Store(ctx, path, b, &cstore.WriteOptions{Stats: true})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := cstore.Verify(ctx, path, nil)
	if err != nil {
		fmt.Println("it does not open:", err)
		return
	}
	fmt.Println(v.Rows, "rows,", v.Records, "record, statistics:", v.Statistics)
	for _, f := range v.Findings {
		fmt.Println(f)
	}
	// Output: 2 rows, 1 record, statistics: true
}
