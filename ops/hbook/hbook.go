package hbook

import (
	"fmt"

	"go-hep.org/x/hep/hbook"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// H1D returns a histogram of one column.
//
// Errors: colstore.ErrMismatch for one of two columns.
func H1D(h *ops.Hist) (*hbook.H1D, error) {
	if h.Is2D() {
		return nil, fmt.Errorf("%w: an H1D of a histogram of two columns", colstore.ErrMismatch)
	}
	out := hbook.NewH1DFromEdges(h.X.Edges())
	b := &out.Binning
	for cell := range h.Counts {
		x, side := place(h.X, cell)
		d := dist1D(h, cell, x)
		addDist1D(&b.Dist, d)
		switch side {
		case below:
			b.Outflows[0] = d
		case above:
			b.Outflows[1] = d
		default:
			b.Bins[cell-1].Dist = d
		}
	}
	return out, nil
}

func dist1D(h *ops.Hist, cell int, x float64) hbook.Dist1D {
	d := hbook.Dist1D{Dist: hbook.Dist0D{N: h.Counts[cell], SumW: h.SumW[cell], SumW2: h.SumW2[cell]}}
	// The conversions forbid to fuse operations: the bits would depend on the processor.
	d.Stats.SumWX = float64(x * d.Dist.SumW)
	d.Stats.SumWX2 = float64(x * x * d.Dist.SumW)
	return d
}

func addDist1D(to *hbook.Dist1D, d hbook.Dist1D) {
	to.Dist.N += d.Dist.N
	to.Dist.SumW += d.Dist.SumW
	to.Dist.SumW2 += d.Dist.SumW2
	to.Stats.SumWX += d.Stats.SumWX
	to.Stats.SumWX2 += d.Stats.SumWX2
}

// H2D returns a histogram of two columns. The cells outside are joined to the eight that hbook has.
//
// Errors: colstore.ErrMismatch for one of one column.
func H2D(h *ops.Hist) (*hbook.H2D, error) {
	if !h.Is2D() {
		return nil, fmt.Errorf("%w: an H2D of a histogram of one column", colstore.ErrMismatch)
	}
	out := hbook.NewH2DFromEdges(h.X.Edges(), h.Y.Edges())
	b := &out.Binning
	for iy := range h.Y.Bins + 2 {
		y, sideY := place(h.Y, iy)
		for ix := range h.X.Bins + 2 {
			x, sideX := place(h.X, ix)
			cell := h.Cell(ix, iy)
			d := hbook.Dist2D{X: dist1D(h, cell, x), Y: dist1D(h, cell, y)}
			d.Stats.SumWXY = float64(x * y * h.SumW[cell])
			addDist2D(&b.Dist, d)
			if sideX == inside && sideY == inside {
				b.Bins[(iy-1)*h.X.Bins+ix-1].Dist = d
			} else {
				addDist2D(&b.Outflows[outflow[sideY][sideX]-1], d)
			}
		}
	}
	return out, nil
}

func addDist2D(to *hbook.Dist2D, d hbook.Dist2D) {
	addDist1D(&to.X, d.X)
	addDist1D(&to.Y, d.Y)
	to.Stats.SumWXY += d.Stats.SumWXY
}

// The sides of an axis that a cell may lie on.
const (
	below = iota
	inside
	above
)

// outflow is hbook's number of the region by the sides of y and x.
var outflow = [3][3]int{
	below:  {hbook.BngSW, hbook.BngS, hbook.BngSE},
	inside: {hbook.BngW, 0, hbook.BngE},
	above:  {hbook.BngNW, hbook.BngN, hbook.BngNE},
}

// place returns the value that stands for a cell of an axis, and its side.
func place(a ops.Axis, cell int) (at float64, side int) {
	switch {
	case cell == 0:
		return a.Low, below
	case cell > a.Bins:
		return a.High, above
	}
	return a.Center(cell - 1), inside
}
