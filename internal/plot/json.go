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
	edges := func(a ops.Axis) {
		for i, v := range a.Edges() {
			out = append(out, separator(i)...)
			out = text.AppendJSONFloat(out, v, 64)
		}
		out = append(out, ']')
	}
	content := func(v float64) {
		if h.Weighted {
			out = text.AppendJSONFloat(out, v, 64)
		} else {
			out = strconv.AppendInt(out, int64(v), 10)
		}
	}
	contents := func(n int, value func(i int) float64) {
		for i := range n {
			out = append(out, separator(i)...)
			content(value(i))
		}
		out = append(out, ']')
	}
	f := flowsOf(h)
	if !h.Is2D() {
		key("edges")
		edges(h.X)
		key("counts")
		contents(h.X.Bins, func(i int) float64 { return bin(h, h.SumW, i, 0) })
		key("sumw2")
		contents(h.X.Bins, func(i int) float64 { return bin(h, h.SumW2, i, 0) })
		key("underflow")
		content(f.under)
		key("overflow")
		content(f.over)
	} else {
		key("x_edges")
		edges(h.X)
		key("y_edges")
		edges(h.Y)
		for _, c := range []struct {
			name string
			sums []float64
		}{{"counts", h.SumW}, {"sumw2", h.SumW2}} {
			key(c.name)
			for ix := range h.X.Bins {
				out = append(out, separator(ix)...)
				contents(h.Y.Bins, func(iy int) float64 { return bin(h, c.sums, ix, iy) })
			}
			out = append(out, ']')
		}
		key("outside")
		content(f.outside)
	}
	key("entries")
	out = strconv.AppendInt(out, h.Entries, 10)
	key("nan")
	out = strconv.AppendInt(out, h.NaN, 10)
	return append(out, "}\n"...)
}

// separator is what comes before item i of a list.
func separator(i int) string {
	if i == 0 {
		return "["
	}
	return ", "
}
