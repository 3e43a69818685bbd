package frame_test

import (
	"context"
	"fmt"
	"log"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

// A frame that is prepared is evaluated again and again into the same memory.
func ExampleFrame_Prepare() {
	schema := colstore.MustSchema(colstore.Field{Name: "pt", Type: colstore.Float64}, colstore.Field{Name: "eta", Type: colstore.Float64})
	b, err := colstore.NewBatch(schema, colstore.Wrap([]float64{10, 50, 60}), colstore.Wrap([]float64{0, 1, 2}))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	f := frame.From(source.Memory(b)).Where(frame.MustParse("pt > 30")).Assign("sum", frame.MustParse("pt + eta")).Select("sum", "eta")
	p, err := f.Prepare(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	sum, eta := make([]float64, 3), make([]float64, 3)
	for range 2 {
		rows, err := p.Into(ctx, colstore.Wrap(sum), colstore.Wrap(eta))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rows, sum[:rows], eta[:rows])
	}
	// Output:
	// 2 [51 62] [1 2]
	// 2 [51 62] [1 2]
}
