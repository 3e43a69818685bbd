package plot

import "github.com/colstore/colstore-go/ops"

// maxCells is the largest number of cells that are drawn along an axis: about the pixels there are for them.
const maxCells = 1000

// drawn is a histogram as pictures show it. Where it has more than maxCells bins on an axis, neighbours are merged to
// cells, whose contents are the mean of their bins: an axis of contents means the same for any number of bins, also at
// the last cell, which may have fewer of them.
type drawn struct {
	x, y       cellAxis
	sums, sum2 []float64 // contents and squares of their errors, x running fastest
}

// cellAxis is an axis of n cells of per bins each, the last of which may have fewer.
type cellAxis struct {
	ops.Axis
	per, n int
}

func newCellAxis(a ops.Axis) cellAxis {
	bins := max(a.Bins, 1) // 1 for the axis that a histogram of one column does not have
	per := (bins + maxCells - 1) / maxCells
	return cellAxis{a, per, (bins + per - 1) / per}
}

// bins returns the bins of cell i, from begin up to end.
func (a cellAxis) bins(i int) (begin, end int) {
	return i * a.per, min((i+1)*a.per, max(a.Bins, 1))
}

// ends returns where cell i begins and ends on the axis.
func (a cellAxis) ends(i int) (low, high float64) {
	begin, end := a.bins(i)
	return a.Edge(begin), a.Edge(end)
}

func newDrawn(h *ops.Hist) *drawn {
	d := &drawn{x: newCellAxis(h.X), y: newCellAxis(h.Y)}
	d.sums, d.sum2 = make([]float64, d.x.n*d.y.n), make([]float64, d.x.n*d.y.n)
	for iy := range d.y.n {
		fromY, toY := d.y.bins(iy)
		for ix := range d.x.n {
			fromX, toX := d.x.bins(ix)
			at := iy*d.x.n + ix
			for y := fromY; y < toY; y++ {
				for x := fromX; x < toX; x++ {
					d.sums[at] += finite(bin(h, h.SumW, x, y))
					d.sum2[at] += finite(bin(h, h.SumW2, x, y))
				}
			}
			n := float64((toX - fromX) * (toY - fromY))
			d.sums[at] /= n
			d.sum2[at] /= n * n
		}
	}
	return d
}
