package kernel_test

import (
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// A comparison makes a bitmap, by which the rows are compressed. A constant is an operand of one value.
func ExampleLess() {
	price := []float64{10.5, 11, 9.75, 12, 10}
	keep := make([]uint64, kernel.Words(len(price)))
	kernel.Less(keep, []float64{10}, price, len(price)) // 10 < price
	cheap := make([]float64, kernel.Count(keep))
	kernel.Compress(kernel.RawOut(colstore.Wrap(cheap)), kernel.RawIn(colstore.Wrap(price)), keep, 8)
	fmt.Println(cheap)
	// Output: [10.5 11 12]
}

// Rows are gathered from a column whose parts lie in different places, as those of the records of a file.
func ExampleRuns_Gather() {
	parts := []colstore.Column{colstore.Wrap([]int32{0, 1, 2}), colstore.Wrap([]int32{3, 4})}
	runs := kernel.NewRuns([]int64{0, 3, 5})
	out := make([]int32, 3)
	bad := runs.Gather(kernel.RawOut(colstore.Wrap(out)), parts, []int64{4, 0, 3})
	fmt.Println(out, bad)
	bad = runs.Gather(kernel.RawOut(colstore.Wrap(out)), parts, []int64{4, 0, 5})
	fmt.Println("no row at", bad)
	// Output:
	// [4 0 3] -1
	// no row at 2
}

// Results are the same bits at every level of the processor; a test may run at each.
func ExampleSetLevel() {
	before := kernel.SetLevel(kernel.LevelGo) // plain loops
	defer kernel.SetLevel(before)
	want, got := make([]float64, 3), make([]float64, 3)
	kernel.Exp(want, []float64{0, 1, 2})
	for level := kernel.LevelGo; level <= kernel.Best(); level++ {
		kernel.SetLevel(level)
		kernel.Exp(got, []float64{0, 1, 2})
		if !slices.Equal(got, want) {
			fmt.Println(level, "differs")
		}
	}
	fmt.Println(kernel.Active() == kernel.Best())
	// Output: true
}
