package plot

import (
	"strconv"

	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/ops"
)

// JSON returns a histogram as one line of JSON. counts are the rows, or the sums of the weights, of the bins; sumw2 the
// sums of the squares of the weights. Those of a histogram of two columns are a list of columns: counts[x][y].
func JSON(h *ops.Hist) []byte {
	out := []byte{'{'}
	key := func(name string) {
		if len(out) > 1 {
			out = append(out, ", "...)
		}
		out = append(text.AppendJSONString(out, name), ": "...)
	}
	list := func(n int, value func(i int) float64) {
		out = append(out, '[')
		for i := range n {
			if i > 0 {
				out = append(out, ", "...)
			}
			out = text.AppendJSONFloat(out, value(i), 64)
		}
		out = append(out, ']')
	}
	f := flowsOf(h)
	if !h.Is2D() {
		key("edges")
		list(h.X.Bins+1, h.X.Edge)
		key("counts")
		list(h.X.Bins, func(i int) float64 { return bin(h, h.SumW, i, 0) })
		key("sumw2")
		list(h.X.Bins, func(i int) float64 { return bin(h, h.SumW2, i, 0) })
		key("underflow")
		out = text.AppendJSONFloat(out, f.under, 64)
		key("overflow")
		out = text.AppendJSONFloat(out, f.over, 64)
	} else {
		key("x_edges")
		list(h.X.Bins+1, h.X.Edge)
		key("y_edges")
		list(h.Y.Bins+1, h.Y.Edge)
		for _, c := range []struct {
			name string
			sums []float64
		}{{"counts", h.SumW}, {"sumw2", h.SumW2}} {
			key(c.name)
			out = append(out, '[')
			for ix := range h.X.Bins {
				if ix > 0 {
					out = append(out, ", "...)
				}
				list(h.Y.Bins, func(iy int) float64 { return bin(h, c.sums, ix, iy) })
			}
			out = append(out, ']')
		}
		key("outside")
		out = text.AppendJSONFloat(out, f.outside, 64)
	}
	key("entries")
	out = strconv.AppendInt(out, h.Entries, 10)
	key("nan")
	out = strconv.AppendInt(out, h.NaN, 10)
	return append(out, "}\n"...)
}
