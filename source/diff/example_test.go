package diff_test

import (
	"context"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source"
	"github.com/colstore/colstore-go/source/diff"
)

func ExampleTables() {
	of := func(pt ...float64) colstore.Source {
		b, err := colstore.NewBatch(colstore.MustSchema(colstore.Field{Name: "pt", Type: colstore.Float64}), colstore.Wrap(pt))
		if err != nil {
			panic(err)
		}
		return source.Memory(b)
	}
	r, err := diff.Tables(context.Background(), of(30, 41.5, 27), of(30, 42, 27.0000001), &diff.Options{Tolerance: 1e-6})
	if err != nil {
		panic(err)
	}
	for _, c := range r.Columns {
		fmt.Printf("%s: %d of %d rows differ, by at most %g\n", c.Name, c.Different, r.Compared, c.Most)
		for _, s := range c.First {
			fmt.Printf("row %d: %s and %s\n", s.Row, s.A, s.B)
		}
	}
	// Output:
	// pt: 1 of 3 rows differ, by at most 0.5
	// row 1: 41.5 and 42.0
}
