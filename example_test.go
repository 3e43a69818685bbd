package colstore_test

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
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/runtime"
	"github.com/colstore/colstore-go/source"
)

// The examples keep their files in a folder of their own.
func folder() (path func(name string) string, remove func()) {
	dir, err := os.MkdirTemp("", "colstore")
	if err != nil {
		log.Fatal(err)
	}
	return func(name string) string { return filepath.Join(dir, name) }, func() { os.RemoveAll(dir) }
}

// must ends an example at an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// text is a column of fixed-width text.
func text(width int, values ...string) colstore.Column {
	data := make([]byte, 0, 4*width*len(values))
	for _, v := range values {
		data = append(data, make([]byte, 4*width)...)
		copy(data[len(data)-4*width:], colstore.AppendText(nil, v))
	}
	return must(colstore.NewColumn(colstore.TextOf(width), len(values), data))
}

// muons is six rows to try things on.
func muons() *colstore.Batch {
	return must(colstore.NewBatch(
		colstore.MustSchema(
			colstore.Field{Name: "pt", Type: colstore.Float64}, colstore.Field{Name: "eta", Type: colstore.Float64},
			colstore.Field{Name: "region", Type: colstore.TextOf(2)}, colstore.Field{Name: "w", Type: colstore.Float64},
		),
		colstore.Wrap([]float64{12, 35, 48, 27, 61, 33}), colstore.Wrap([]float64{0.5, -1.25, 2.25, -0.75, 1.5, -2.75}),
		text(2, "CR", "SR", "SR", "CR", "SR", "CR"), colstore.Wrap([]float64{1, 0.5, 1, 2, 1, 0.25}),
	))
}

// Store columns in a file, open it, choose, read.
func Example() {
	path, remove := folder()
	defer remove()
	ctx := context.Background()
	if err := cstore.Store(ctx, path("data.cstore"), muons(), nil); err != nil {
		log.Fatal(err)
	}
	ds := must(source.OpenPath(ctx, path("data.cstore")))
	defer ds.Close()

	view := source.ViewOf(ds)
	fmt.Println(must(source.Values[float64](ctx, view.Pick(source.Slice(1, 3)), "pt"))) // ds[1:3]["pt"].array()
	fmt.Println(must(source.Strings(ctx, view.Pick(source.Rows(4, 0)), "region")))      // ds[[4, 0]]["region"].array()
	head := must(frame.From(ds).Head(ctx, 2, frame.PreviewOptions{}))                   // ds.head(2)
	fmt.Println(head.Text(80))
	// Output:
	// [35 48]
	// [SR CR]
	//      pt    eta  region    w
	// 0  12.0   0.50      CR  1.0
	// 1  35.0  -1.25      SR  0.5
	// [frame: showing 2 rows x 4 columns]
}

// A query, with a parameter, and the same built in Go.
func Example_query() {
	ctx := context.Background()
	ds := source.Memory(muons())
	defer ds.Close()

	hot := must(frame.Parse("pt > @cut and region == 'SR'", frame.Params{"cut": 40}))
	same := frame.Col("pt").Gt(40).And(frame.Col("region").Eq("SR"))
	for _, e := range []frame.Expr{hot, same, frame.Col("pt").IsIn(12, 27)} {
		v := source.ViewOf(ds).Pick(source.Where(e)).Select("pt", "eta")
		fmt.Println(must(v.Count(ctx)), must(source.Values[float64](ctx, v, "pt")))
	}

	_, err := frame.From(ds).Where(frame.MustParse("ptt > 30")).Count(ctx)
	fmt.Println(err)
	// Output:
	// 2 [48 61]
	// 2 [48 61]
	// 2 [12 27]
	// no column "ptt" here; did you mean "pt"? at column 1 of "ptt > 30"
}

// An edit derives columns and chooses rows; nothing is read before it is written.
func Example_edit() {
	path, remove := folder()
	defer remove()
	ctx := context.Background()
	ds := source.Memory(muons())
	defer ds.Close()

	base := frame.From(ds).Assign("px", frame.MustParse("round(pt * cos(eta), 1)"))
	central := base.Where(frame.MustParse("abs(eta) < 2")).Drop("w") // branches share what is before them
	forward := base.Where(frame.MustParse("abs(eta) >= 2")).Cast(map[string]colstore.DType{"pt": colstore.Float32})
	fmt.Println(must(central.Count(ctx)), must(forward.Count(ctx)))

	must(runtime.WriteFile(ctx, central, path("central.cstore")))
	out := must(cstore.Stat(path("central.cstore")))
	fmt.Println(out.Rows, out.Schema.Names())
	// Output:
	// 4 2
	// 4 [pt eta region px]
}

// Named and weighted cuts, and how many rows they let through.
func Example_cutflow() {
	ctx := context.Background()
	ds := source.Memory(muons())
	defer ds.Close()
	f := frame.From(ds).
		Where(frame.MustParse("pt > 20"), frame.Named("trigger"), frame.Weighted("w")).
		Where(frame.MustParse("abs(eta) < 2.5"), frame.Named("detector")).
		Where(frame.MustParse("region == 'SR'"))
	fmt.Println(must(f.Report(ctx)).Text(frame.ShowAll))
	// Output:
	// cut       entering  passing     eff  wt_entering  wt_passing  wt_eff
	// trigger          6        5  83.33%         5.75        4.75  82.61%
	// detector         5        4  80.00%         4.75         4.5  94.74%
	// #2               4        3  75.00%          4.5         2.5  55.56%
}

// All reductions that are asked for together take one pass.
func Example_reductions() {
	ctx := context.Background()
	ds := source.Memory(muons())
	defer ds.Close()
	f := frame.From(ds).Where(frame.MustParse("region == 'SR'"))
	for i, r := range must(f.Reduce(ctx, ops.Sum("pt"), ops.Mean("pt"), ops.Std("pt", 1), ops.Max("eta"), ops.Median("pt"), ops.Count(""))) {
		fmt.Printf("%s%.4g", []string{"", " "}[min(i, 1)], r.Float())
	}
	fmt.Println()
	// Output:
	// 144 48 13 2.25 48 3
}

// Many files are one table; their columns may lie in another order.
func Example_dataset() {
	path, remove := folder()
	defer remove()
	ctx := context.Background()
	ds := source.Memory(muons())
	defer ds.Close()
	must(runtime.WriteFile(ctx, frame.From(ds), path("run_1.cstore")))
	must(runtime.WriteFile(ctx, frame.From(ds).Select("w", "region", "eta", "pt"), path("run_2.cstore")))
	must(runtime.WriteFile(ctx, frame.From(ds).Drop("w").Limit(2), path("run_10.parquet")))

	two := must(source.OpenPath(ctx, path("run_*.cstore")))
	defer two.Close()
	fmt.Println(two.Rows(), must(source.Values[float64](ctx, source.ViewOf(two).Pick(source.Slice(4, 8)), "pt")))

	_, err := source.OpenPath(ctx, path("run_*"))
	fmt.Println(errors.Is(err, colstore.ErrMismatch))
	for _, m := range []source.Mismatch{source.Drop, source.Union} {
		all := must(source.Open(ctx, source.Spec{Paths: []string{path("run_*")}, Mismatch: m}))
		defer all.Close()
		fmt.Println(all.Rows(), all.Schema().Names())
	}
	// Output:
	// 12 [61 33 12 35]
	// true
	// 14 [pt eta region]
	// 14 [pt eta region w]
}

// Statistics of records leave out what cannot match.
func Example_statistics() {
	path, remove := folder()
	defer remove()
	ctx := context.Background()
	s := colstore.MustSchema(colstore.Field{Name: "run", Type: colstore.Int64})
	w := must(cstore.Create(path("runs.cstore"), s, &cstore.WriteOptions{Stats: true}))
	for run := range int64(4) { // a record each
		if err := w.Write(ctx, must(colstore.NewBatch(s, colstore.Wrap([]int64{10 * run, 10*run + 9})))); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	ds := must(source.OpenPath(ctx, path("runs.cstore")))
	defer ds.Close()
	f := frame.From(ds).Where(frame.MustParse("25 < run < 35"))
	b := must(f.Collect(ctx))
	fmt.Println(must(colstore.Values[int64](b.At(0))))

	p := must(f.Bind(ds.Schema()))
	skip := p.Skipper(0)
	for range ds.Scan(ctx, colstore.Scan{Skip: skip}) {
	}
	fmt.Println(skip.Rows(), "rows are not read")
	// Output:
	// [29 30]
	// 4 rows are not read
}
