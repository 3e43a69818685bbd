package arrow_test

import (
	"context"
	"fmt"
	"log"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/sink/arrow"
	"github.com/colstore/colstore-go/source"
)

func ExampleRecord() {
	schema := colstore.MustSchema(
		colstore.Field{Name: "pt", Type: colstore.Float64},
		colstore.Field{Name: "day", Type: colstore.DatetimeOf(colstore.Day)},
	)
	b, err := colstore.NewBatch(schema, colstore.Wrap([]float64{31.5, 8}),
		colstore.Wrap([]int64{19_782, colstore.NaT}).As(colstore.DatetimeOf(colstore.Day)))
	if err != nil {
		log.Fatal(err)
	}
	rec, err := arrow.Record(b) // pt is a view, day is a copy
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Release()
	for i, c := range rec.Columns() {
		fmt.Println(rec.ColumnName(i), c.DataType(), c)
	}
	// Output:
	// pt float64 [31.5 8]
	// day date32 [19782 (null)]
}

func ExampleNewReader() {
	schema := colstore.MustSchema(colstore.Field{Name: "pt", Type: colstore.Float64})
	b, err := colstore.NewBatch(schema, colstore.Wrap([]float64{31, 8, 44, 52}))
	if err != nil {
		log.Fatal(err)
	}
	src := source.Memory(b)
	defer src.Close()
	f := frame.From(src).Where(frame.Col("pt").Gt(30)).Assign("half", frame.Col("pt").Div(2))

	out, err := f.Schema()
	if err != nil {
		log.Fatal(err)
	}
	r, err := arrow.NewReader(out, f.Batches(context.Background(), 2)) // two rows are looked at a time
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		fmt.Println(r.Record().Column(1).(*array.Float64).Float64Values())
	}
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [15.5]
	// [22 26]
}
