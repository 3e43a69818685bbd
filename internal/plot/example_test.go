package plot_test

import (
	"fmt"

	"github.com/colstore/colstore-go/internal/plot"
	"github.com/colstore/colstore-go/ops"
)

func ExampleText() {
	h := &ops.Hist{
		X: ops.Axis{Bins: 4, Low: 0, High: 100}, Entries: 22,
		Counts: []int64{1, 8, 6, 0, 3, 4}, SumW: []float64{1, 8, 6, 0, 3, 4}, SumW2: []float64{1, 8, 6, 0, 3, 4},
	}
	fmt.Print(plot.Text(h, plot.Labels{X: "pt"}, 40))
	fmt.Print(string(plot.JSON(h)))
	// Output:
	// rows of pt
	// [  0,  25) ███████████████████████████ 8
	// [ 25,  50) ████████████████████▎       6
	// [ 50,  75)                             0
	// [ 75, 100] ██████████▏                 3
	// 22 rows, below 1, above 4
	// {"edges": [0.0, 25.0, 50.0, 75.0, 100.0], "counts": [8, 6, 0, 3], "sumw2": [8, 6, 0, 3], "underflow": 1, "overflow": 4, "entries": 22, "nan": 0}
}
