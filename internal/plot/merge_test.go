package plot_test

import (
	"bytes"
	"testing"

	"github.com/colstore/colstore-go/internal/plot"
	"github.com/colstore/colstore-go/ops"
)

// A picture of many bins is drawn of fewer: neither the work nor the file grows with them, and a distribution that is
// flat is a flat line up to the last cell.
func TestPicturesOfManyBins(t *testing.T) {
	const few, many = 1000, 1000 * 200
	picture := func(format string, bins, rows, bins2 int) []byte {
		axes := []ops.Axis{{Bins: bins, Low: 0, High: 1}}
		var x, y []float64
		for i := range rows {
			x = append(x, (float64(i%bins)+0.5)/float64(bins))
		}
		if bins2 > 0 {
			axes = append(axes, ops.Axis{Bins: bins2, Low: 0, High: 1})
			for i := range rows {
				y = append(y, (float64(i/bins%bins2)+0.5)/float64(bins2))
			}
		}
		data, err := plot.Encode(format, fill(t, axes, x, y, nil), plot.Labels{X: "x", Y: "y"})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, format := range []string{"svg", "png", "pdf"} {
		// 200 bins make a cell, so both are the same outline.
		if a, b := picture(format, few, few, 0), picture(format, many, many, 0); !bytes.Equal(a, b) {
			t.Errorf("%s of %d bins is not that of %d", format, many, few)
		}
		if n := len(picture(format, ops.MaxCells, ops.MaxCells, 0)); n > 1<<19 {
			t.Errorf("%s of %d bins has %d bytes", format, ops.MaxCells, n)
		}
		if n := len(picture(format, 2, ops.MaxCells, ops.MaxCells/2)); n > 1<<20 {
			t.Errorf("%s of 2 by %d bins has %d bytes", format, ops.MaxCells/2, n)
		}
	}
}
