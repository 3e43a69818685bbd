package arrow_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	apache "github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source/arrow"
)

// events builds a record: who hands out records is somebody else.
func events() apache.Record {
	b := array.NewRecordBuilder(memory.DefaultAllocator, apache.NewSchema([]apache.Field{
		{Name: "pt", Type: apache.PrimitiveTypes.Float64},
		{Name: "region", Type: apache.BinaryTypes.String, Nullable: true},
	}, nil))
	defer b.Release()
	b.Field(0).(*array.Float64Builder).AppendValues([]float64{31, 8, 44}, nil)
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"SR", "", "CR1"}, []bool{true, false, true})
	return b.NewRecord()
}

func ExampleFromRecord() {
	rec := events()
	defer rec.Release()
	b, err := arrow.FromRecord(rec, &arrow.Options{Nulls: arrow.Nulls{Values: map[string]string{"region": "none"}}})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Release()
	fmt.Println(b.Schema())
	for i, region := range b.At(1).Strings() {
		fmt.Println(i, region)
	}
	// Output:
	// pt <f8, region <U4
	// 0 SR
	// 1 none
	// 2 CR1
}

// A record becomes a file in one call.
func ExampleFromRecord_store() {
	rec := events()
	defer rec.Release()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b, err := arrow.FromRecord(rec, &arrow.Options{Nulls: arrow.Nulls{Mode: arrow.NullMask}})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Release()
	path := filepath.Join(dir, "events.cstore")
	if err := cstore.Store(context.Background(), path, b, nil); err != nil {
		log.Fatal(err)
	}
	info, err := cstore.Stat(path)
	fmt.Println(info.Rows, info.Schema, err)
	// Output: 3 pt <f8, region <U3, region_valid |b1 <nil>
}

// A null that no policy covers is an error that names it.
func ExampleFromRecord_nulls() {
	rec := events()
	defer rec.Release()
	_, err := arrow.FromRecord(rec, nil)
	fmt.Println(err)
	// Output:
	// from arrow: column "region": row 1: null value: a batch has none; choose what it becomes with Options.Nulls: fill, mask, or a value in Values["region"]
}

func ExampleFromFunc() {
	rec := events()
	defer rec.Release()
	open := func(context.Context) (array.RecordReader, error) {
		return array.NewRecordReader(rec.Schema(), []apache.Record{rec, rec})
	}
	ctx := context.Background()
	src, err := arrow.FromFunc(ctx, open, &arrow.Options{
		Types: map[string]colstore.DType{"region": colstore.TextOf(8)}, // the records are still to come
		Nulls: arrow.Nulls{Mode: arrow.NullFill},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	f := frame.From(src).Where(frame.Col("pt").Gt(30))
	n, err := f.Count(ctx)
	if err != nil {
		log.Fatal(err)
	}
	sums, err := f.Reduce(ctx, ops.Sum("pt"))
	if err != nil {
		log.Fatal(err)
	}
	sum, err := colstore.Values[float64](sums[0].Column(1))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, sum)
	// Output:
	// 4 [150]
}
