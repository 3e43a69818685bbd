package kernel

// Moments returns the sum of the values, as [SumBlocks] has that of a block, and those of x − centre and (x − centre)²,
// folded in the same way.
func Moments[T Float](v []T, centre float64) (sum, first, second float64) {
	var lanes [3][Lanes]float64
	done := momentsFast(&lanes, v, centre)
	momentsGo(&lanes, v[done:], centre)
	return FoldLanes(&lanes[0]), FoldLanes(&lanes[1]), FoldLanes(&lanes[2])
}

// momentsGo is the loop that defines Moments.
func momentsGo[T Float](lanes *[3][Lanes]float64, v []T, centre float64) {
	for at := range min(len(v), Lanes) {
		// One lane after the other: all of them together are more than there are registers.
		sum, first, second := lanes[0][at], lanes[1][at], lanes[2][at]
		for i := at; i < len(v); i += Lanes {
			x := float64(v[i])
			d := x - centre
			sum += x
			first += d
			// The conversion forbids to fuse multiplication and addition: the bits would depend on the processor.
			second += float64(d * d)
		}
		lanes[0][at], lanes[1][at], lanes[2][at] = sum, first, second
	}
}

// BlockMoments are the moments of a block about a centre: see [Moments].
type BlockMoments struct{ Centre, Sum, First, Second float64 }

// MomentBlocks makes the moments of blocks of equal size, one behind the other in v, each about the mean of its first eight
// values: dst[i] is [Moments] of block i about that.
//
// Shapes: len(v) is a multiple of len(dst); a block has eight values at least.
func MomentBlocks[T Float](dst []BlockMoments, v []T) {
	if len(dst) == 0 {
		return
	}
	size := len(v) / len(dst)
	for i := momentBlocksFast(dst, v); i < len(dst); i++ {
		block := v[i*size : (i+1)*size]
		var lanes [Lanes]float64
		addLanesGo(&lanes, block[:Lanes])
		m := BlockMoments{Centre: FoldLanes(&lanes) / Lanes}
		m.Sum, m.First, m.Second = Moments(block, m.Centre)
		dst[i] = m
	}
}
