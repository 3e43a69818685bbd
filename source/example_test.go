package source_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/source"
)

// trades writes a file of five trades, and returns its path and what removes it.
func trades() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "colstore")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "trades.cstore")
	b, err := colstore.NewBatch(
		colstore.MustSchema(
			colstore.Field{Name: "price", Type: colstore.Float64},
			colstore.Field{Name: "qty", Type: colstore.Int32},
		),
		colstore.Wrap([]float64{10.5, 11, 9.75, 12, 10}), colstore.Wrap([]int32{100, 20, 5, 70, 10}),
	)
	if err == nil {
		err = cstore.Store(context.Background(), path, b, nil)
	}
	if err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(dir) }
}

// Rows and columns are chosen first and read once.
func ExampleViewOf() {
	path, remove := trades()
	defer remove()
	ctx := context.Background()
	ds, err := source.OpenPath(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer ds.Close()

	view := source.ViewOf(ds)                                       // ds
	some := view.Pick(source.Slice(1, 4)).Select("price")           // ds[1:4, ["price"]]
	back := view.Pick(source.All().By(-1))                          // ds[::-1]
	picked := view.Pick(source.Rows(4, 0, 4))                       // ds[[4, 0, 4]]
	expensive := view.Pick(source.Where(frame.Col("price").Gt(10))) // ds[col("price") > 10]
	fmt.Println(some)
	fmt.Println(expensive)

	b, err := some.Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	prices, _ := colstore.Values[float64](b.At(0))
	fmt.Println(prices)
	for _, v := range []*source.View{back, picked, expensive.Pick(source.To(2))} {
		prices, err := source.Values[float64](ctx, v, "price")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(prices)
	}
	// Output:
	// View: 3 rows, 1 columns [price]
	// View: lazy selection, 2 columns [price, qty]
	// [11 9.75 12]
	// [10 12 9.75 11 10.5]
	// [10 10.5 10]
	// [10.5 11]
}

// A view without a copy is granted or refused.
func ExampleView_ZeroCopy() {
	path, remove := trades()
	defer remove()
	ds, err := source.OpenPath(context.Background(), path)
	if err != nil {
		log.Fatal(err)
	}
	shown, err := source.ViewOf(ds).Pick(source.Slice(0, 3)).ZeroCopy()
	if err != nil {
		log.Fatal(err)
	}
	defer shown.Release()
	_, err = source.ViewOf(ds).Pick(source.Rows(2, 0)).ZeroCopy()
	fmt.Println(errors.Is(err, colstore.ErrNotViewable))

	ds.Close() // what is shown holds the mapping
	qty, _ := shown.Column("qty")
	fmt.Println(colstore.Values[int32](qty))
	// Output:
	// true
	// [100 20 5] <nil>
}

// What is read often is prepared, and read into memory that is there.
func ExampleView_Prepare() {
	path, remove := trades()
	defer remove()
	ctx := context.Background()
	ds, err := source.OpenPath(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer ds.Close()
	ready, err := source.ViewOf(ds).Prepare(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer ready.Close()

	price := make([]float64, 3)
	for _, rows := range [][]int64{{4, 0}, {1, 2, -2}} {
		n, err := source.ValuesInto(ctx, ready.Pick(source.Rows(rows...)), "price", price)
		fmt.Println(price[:n], err)
	}
	// Output:
	// [10 10.5] <nil>
	// [11 9.75 12] <nil>
}

// Several columns are read into slices of the program's own.
func ExampleView_CollectInto() {
	path, remove := trades()
	defer remove()
	ctx := context.Background()
	ds, err := source.OpenPath(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer ds.Close()
	price, qty := make([]float64, 5), make([]int32, 5)
	cheap := source.ViewOf(ds).Pick(source.Where(frame.Col("price").Lt(11)))
	rows, err := cheap.CollectInto(ctx, colstore.Wrap(price), colstore.Wrap(qty))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(price[:rows], qty[:rows])
	// Output:
	// [10.5 9.75 10] [100 5 10]
}

// Rows become structs of the program's own.
func ExampleStructs() {
	path, remove := trades()
	defer remove()
	ctx := context.Background()
	ds, err := source.OpenPath(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer ds.Close()
	type trade struct {
		Price    float64 `colstore:"price"`
		Quantity int32   `colstore:"qty"`
	}
	last, err := source.Structs[trade](ctx, source.ViewOf(ds).Pick(source.From(-2)))
	fmt.Println(last, err)
	// Output:
	// [{12 70} {10 10}] <nil>
}

// A frame starts from a view: an edit of chosen rows.
func ExampleView_Pick() {
	path, remove := trades()
	defer remove()
	ctx := context.Background()
	ds, err := source.OpenPath(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	defer ds.Close()
	hot := source.ViewOf(ds).Pick(source.Where(frame.MustParse("qty >= 20")))
	b, err := frame.From(hot).Assign("value", frame.MustParse("price * qty")).Select("value").Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(colstore.Values[float64](b.At(0)))
	// Output:
	// [1050 220 840] <nil>
}

// Lists and structures become columns of their own.
func ExampleParseJagged() {
	dir, err := os.MkdirTemp("", "colstore")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "tracks.jsonl")
	if err := os.WriteFile(path, []byte(`{"id":1,"pt":[31.5,8],"hit":{"x":0.5}}`+"\n"+`{"id":2,"pt":[12],"hit":{"x":1.5}}`+"\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	policy, err := source.ParseJagged("explode")
	if err != nil {
		log.Fatal(err)
	}
	src, err := source.Open(context.Background(), source.Spec{Paths: []string{path}, Jagged: policy})
	if err != nil {
		log.Fatal(err)
	}
	defer src.Close()
	fmt.Println(src.Schema())
	// Output: id <i8, pt_0 <f8, pt_1 <f8, pt_n <i8, hit.x <f8
}
