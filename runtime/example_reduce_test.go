package runtime_test

import (
	"context"
	"fmt"
	"log"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// Several aggregates are folded in one pass, by several workers. Their number changes no bit of a result.
func ExampleReduce() {
	schema := colstore.MustSchema(colstore.Field{Name: "pt", Type: colstore.Float64})
	b, err := colstore.NewBatch(schema, colstore.Wrap([]float64{10, 50, 60, 40}))
	if err != nil {
		log.Fatal(err)
	}
	f := frame.From(source.Memory(b)).Where(frame.Col("pt").Gt(30))
	results, err := runtime.Reduce(context.Background(), f, &runtime.Options{Workers: 2}, ops.Count(""), ops.Mean("pt"), ops.Max("pt"))
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		fmt.Println(r.Float())
	}
	// Output:
	// 3
	// 50
	// 60
}
