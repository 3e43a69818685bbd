package plot

import (
	"fmt"
	"math"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// Labels say what a histogram is of.
type Labels struct {
	X, Y   string // the axes
	Weight string // what is added up; empty for rows
}

// content is what the bins hold.
func (l Labels) content() string {
	if l.Weight != "" {
		return "sum of " + l.Weight
	}
	return "rows"
}

// title names the histogram in a file.
func (l Labels) title() string {
	t := l.X
	if l.Y != "" {
		t += " and " + l.Y
	}
	if l.Weight != "" {
		t += ", weighted by " + l.Weight
	}
	if len(t) > maxTitle {
		t = strings.ToValidUTF8(t[:maxTitle], "") + "…"
	}
	return t
}

// maxTitle keeps titles well below the 32 KiB that the head of a ROOT record may have.
const maxTitle = 1000

// Formats returns the formats of files, which are their extensions too.
func Formats() []string { return []string{"svg", "png", "pdf", "root", "json"} }

// Encode returns a histogram as a file of a format.
//
// Errors: colstore.ErrOption for another format, colstore.ErrValue for a histogram that cannot be drawn.
func Encode(format string, h *ops.Hist, l Labels) ([]byte, error) {
	switch format {
	case "svg", "png", "pdf":
		return picture(format, h, l)
	case "root":
		return rootFile(h, l)
	case "json":
		return JSON(h), nil
	}
	return nil, fmt.Errorf("%w: no plot format %q; there is %s", colstore.ErrOption, format, strings.Join(Formats(), ", "))
}

// flows are the contents outside the bins of a histogram of one column, and of all cells outside of one of two.
type flows struct{ under, over, outside float64 }

func flowsOf(h *ops.Hist) flows {
	if !h.Is2D() {
		return flows{under: h.SumW[0], over: h.SumW[h.X.Bins+1]}
	}
	f := flows{}
	for iy := range h.Y.Bins + 2 {
		for ix := range h.X.Bins + 2 {
			if ix == 0 || iy == 0 || ix > h.X.Bins || iy > h.Y.Bins {
				f.outside += h.SumW[h.Cell(ix, iy)]
			}
		}
	}
	return f
}

// bin returns the content of bin ix, iy, from 0 on; iy is 0 for a histogram of one column.
func bin(h *ops.Hist, sums []float64, ix, iy int) float64 {
	if h.Is2D() {
		iy++
	}
	return sums[h.Cell(ix+1, iy)]
}

// finite returns v, or 0 for what cannot be drawn.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
