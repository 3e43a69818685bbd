package frame_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source"
)

// sixMuons is six rows of three columns.
func sixMuons() colstore.Source {
	schema := colstore.MustSchema(
		colstore.Field{Name: "pt", Type: colstore.Float64}, colstore.Field{Name: "eta", Type: colstore.Float64},
		colstore.Field{Name: "w", Type: colstore.Float64})
	b, err := colstore.NewBatch(schema,
		colstore.Wrap([]float64{41, 8, 33, 29, 52, 30}), colstore.Wrap([]float64{0.1, 1.2, -2.9, 0.4, -1.8, 2.2}),
		colstore.Wrap([]float64{1, 1, 0.5, 2, 1, 1}))
	if err != nil {
		log.Fatal(err)
	}
	return source.Memory(b)
}

// show prints the rows of a frame.
func show(f *frame.Frame) {
	b, err := f.Collect(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	numbers := make([]int64, b.Rows())
	for i := range numbers {
		numbers[i] = int64(i)
	}
	fmt.Println(frame.NewPreview("muons", b, numbers, frame.PreviewOptions{}).Text(80))
}

func ExampleFrame_Limit() {
	f := frame.From(sixMuons()).Where(frame.MustParse("pt > 29"), frame.Named("hard")).Limit(2)
	show(f)
	flow, err := f.Report(context.Background()) // the input ends at the row of the second survivor
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(flow.Text(frame.ShowAll))
	// Output:
	//      pt   eta    w
	// 0  41.0   0.1  1.0
	// 1  33.0  -2.9  0.5
	// [muons: showing 2 rows x 3 columns]
	// cut   entering  passing     eff
	// hard         3        2  66.67%
}

func ExampleFrame_Sample() {
	show(frame.From(sixMuons()).Sample(0.5, 4)) // the same rows in every run
	// Output:
	// pt   eta    w
	// 0  33.0  -2.9  0.5
	// 1  29.0   0.4  2.0
	// 2  52.0  -1.8  1.0
	// [muons: showing 3 rows x 3 columns]
}

func ExampleFrame_NMinusOne() {
	flow, err := frame.From(sixMuons()).
		Where(frame.MustParse("pt > 29"), frame.Named("hard")).
		Where(frame.MustParse("-2.4 < eta < 2.4"), frame.Named("central")).
		NMinusOne().
		Report(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(flow.Text(frame.ShowAll))
	fmt.Println(flow.NMinusOne.Text(frame.ShowAll))
	// Output:
	// cut      entering  passing     eff
	// hard            6        4  66.67%
	// central         4        3  75.00%
	// cut      entering  passing     eff
	// hard            5        3  60.00%
	// central         4        3  75.00%
}

func ExampleFrame_Vary() {
	f := frame.From(sixMuons()).
		Vary("scale", "pt", frame.MustParse("pt * 1.05"), frame.MustParse("pt * 0.95")).
		Where(frame.MustParse("pt > 29"), frame.Named("hard"), frame.Weighted("w"))
	flows, err := f.Cutflows(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range flows {
		fmt.Println(v.Name)
		fmt.Println(v.Cutflow.Text(frame.ShowAll))
	}
	// The columns of the variations, from one pass too.
	for batches, err := range f.VariedBatches(context.Background(), 0) {
		if err != nil {
			log.Fatal(err)
		}
		for i, v := range f.Variations() {
			pt, err := colstore.Values[float64](batches[i].At(0))
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf("%s %.4g\n", v.Name, pt)
		}
	}
	// Output:
	// nominal
	// cut   entering  passing     eff  wt_entering  wt_passing  wt_eff
	// hard         6        4  66.67%          6.5         3.5  53.85%
	// scale_up
	// cut   entering  passing     eff  wt_entering  wt_passing  wt_eff
	// hard         6        5  83.33%          6.5         5.5  84.62%
	// scale_down
	// cut   entering  passing     eff  wt_entering  wt_passing  wt_eff
	// hard         6        3  50.00%          6.5         2.5  38.46%
	// nominal [41 33 52 30]
	// scale_up [43.05 34.65 30.45 54.6 31.5]
	// scale_down [38.95 31.35 49.4]
}

func ExampleDiffCutflows() {
	ctx := context.Background()
	cuts := func(pt float64) *frame.Cutflow {
		flow, err := frame.From(sixMuons()).Where(frame.Col("pt").Gt(pt), frame.Named("hard")).
			Where(frame.MustParse("w < 2"), frame.Named("light")).Report(ctx)
		if err != nil {
			log.Fatal(err)
		}
		return flow
	}
	fmt.Println(frame.DiffCutflows(cuts(25), cuts(35)).Text(frame.ShowRaw))
	// Output:
	// cut    entering_a  entering_b  entering_diff  passing_a  passing_b  passing_diff   eff_a    eff_b  eff_diff
	// hard            6           6              0          5          2            -3  83.33%   33.33%   -50.00%
	// light           5           2             -3          4          2            -2  80.00%  100.00%   +20.00%
}

func ExampleFrame_Explain() {
	f := frame.From(sixMuons()).
		Where(frame.MustParse("pt * cosh(eta) > 40"), frame.Named("energetic"), frame.Weighted("w")).
		Assign("p", frame.MustParse("pt * cosh(eta)")).
		Select("p")
	e, err := f.Explain()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e)
	// Output:
	// steps
	//   1  where energetic: pt * cosh(eta) > 40, weight w
	//   2  assign p = pt * cosh(eta)
	//   3  select p
	//
	// reads 3 of 3 columns, 24 bytes a row
	//   pt   <f8
	//   eta  <f8
	//   w    <f8
	//
	// gives 1 column, 8 bytes a row; a batch holds 8 bytes a row beside its input
	//   p  <f8  t2
	//
	// for every row, in chunks of 4096
	//   t1  <f8   cosh(eta)          cosh(eta)
	//   t2  <f8   multiply(pt, t1)   pt * cosh(eta)
	//   t3  bits  greater(t2, 40.0)  pt * cosh(eta) > 40
	//   cut energetic: keep t3, weight w
	//
	// for the survivors of each chunk
	//   t2  <f8  survivors of t2
	//   intermediate values take 24 bytes a row of a chunk
	//
	// computed once, used more than once
	//   t2  2 uses  pt * cosh(eta)
	//
	// left to the source
	//   columns: 3 of 3 are read
}

func ExampleFrame_Apply() {
	// A Go function over whole batches: any code, as long as a row's value does not depend on the batch it comes in.
	momentum := &ops.BatchFunc{
		Title: "momentum", In: []string{"pt", "eta"},
		Out: []colstore.Field{{Name: "p", Type: colstore.Float64}, {Name: "pz", Type: colstore.Float64}},
		Func: func(_ context.Context, in *colstore.Batch) ([]colstore.Column, error) {
			pt, err := colstore.CopyOf[float64](in.At(0))
			if err != nil {
				return nil, err
			}
			eta, err := colstore.CopyOf[float64](in.At(1))
			if err != nil {
				return nil, err
			}
			p, pz := make([]float64, len(pt)), make([]float64, len(pt))
			for i := range pt {
				p[i], pz[i] = pt[i]*math.Cosh(eta[i]), pt[i]*math.Sinh(eta[i])
			}
			return []colstore.Column{colstore.Wrap(p), colstore.Wrap(pz)}, nil
		},
	}
	show(frame.From(sixMuons()).Apply(momentum).Where(frame.MustParse("p < 60")).Select("p", "pz"))
	// Output:
	// p         pz
	// 0  41.205171   4.106837
	// 1  14.485245  12.075691
	// 2  31.351099  11.911817
	// [muons: showing 3 rows x 2 columns]
}

func ExampleCallFunc() {
	// A Go function in expressions of one program, without a name in the query language.
	dr := ops.Map2("delta", "distance on a circle", func(a, b, out []float64) {
		for i := range out {
			out[i] = math.Remainder(a[i]-b[i], 2*math.Pi)
		}
	})
	show(frame.From(sixMuons()).Assign("d", frame.CallFunc(&dr, frame.Col("eta"), 3.0)).Select("eta", "d"))
	// Output:
	// eta          d
	// 0   0.1  -2.900000
	// 1   1.2  -1.800000
	// 2  -2.9   0.383185
	// 3   0.4  -2.600000
	// 4  -1.8   1.483185
	// 5   2.2  -0.800000
	// [muons: showing 6 rows x 2 columns]
}

func ExampleFrame_BatchesOf() {
	f := frame.From(sixMuons()).Where(frame.MustParse("pt > 20"))
	for b, err := range f.BatchesOf(context.Background(), "2") { // rows, or a size: "4 MiB"
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(b.Rows())
	}
	// Output:
	// 2
	// 2
	// 1
}
