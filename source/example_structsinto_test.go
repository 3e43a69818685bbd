package source_test

import (
	"context"
	"fmt"
	"log"

	"github.com/colstore/colstore-go/source"
)

// Rows are read into structs that are used again and again: here two rows at a time.
func ExampleStructsInto() {
	path, remove := trades()
	defer remove()
	ctx := context.Background()
	src, err := source.OpenPath(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	type trade struct {
		Price float64 `colstore:"price"`
		Qty   int32   `colstore:"qty"`
	}
	view := source.ViewOf(src)
	buffer := make([]trade, 2)
	for at := int64(0); at < view.Rows(); at += 2 {
		n, err := source.StructsInto(ctx, view.Pick(source.Slice(at, at+2)), buffer)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(buffer[:n])
	}
	// Output:
	// [{10.5 100} {11 20}]
	// [{9.75 5} {12 70}]
	// [{10 10}]
}
