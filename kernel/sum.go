package kernel

// Lanes is the number of lanes that sums of floats are folded in: value i goes to lane i mod Lanes.
const Lanes = 8

// AddLanes adds values to lanes, each rounded to a float64 at every addition.
//
//	for i, x := range v {
//		lanes[i%Lanes] += float64(x)
//	}
//
// A lane that becomes NaN has any of the NaNs.
func AddLanes[T Float](lanes *[Lanes]float64, v []T) {
	done := addLanesFast(lanes, v)
	addLanesGo(lanes, v[done:])
}

// addLanesGo is the loop that defines AddLanes.
func addLanesGo[T Float](lanes *[Lanes]float64, v []T) {
	l := lanes
	// Variables are kept in registers, elements of an array are not.
	l0, l1, l2, l3, l4, l5, l6, l7 := l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7]
	for ; len(v) >= Lanes; v = v[Lanes:] {
		x := (*[Lanes]T)(v)
		l0 += float64(x[0])
		l1 += float64(x[1])
		l2 += float64(x[2])
		l3 += float64(x[3])
		l4 += float64(x[4])
		l5 += float64(x[5])
		l6 += float64(x[6])
		l7 += float64(x[7])
	}
	*l = [Lanes]float64{l0, l1, l2, l3, l4, l5, l6, l7}
	for i, x := range v {
		l[i] += float64(x)
	}
}

// FoldLanes returns the sum of lanes.
func FoldLanes(l *[Lanes]float64) float64 {
	return ((l[0] + l[1]) + (l[2] + l[3])) + ((l[4] + l[5]) + (l[6] + l[7]))
}

// SumBlocks sums blocks of equal size, one behind the other in v: dst[i] is [FoldLanes] of what [AddLanes] makes of block i.
//
// Cached tells that the values are likely to lie in a second-level cache. Two blocks are summed at a time then, in 3/4 of
// the time; two streams from memory are slower than one.
//
// Shapes: len(v) is a multiple of len(dst).
func SumBlocks[T Float](dst []float64, v []T, cached bool) {
	if len(dst) == 0 {
		return
	}
	size := len(v) / len(dst)
	for i := sumBlocksFast(dst, v, cached); i < len(dst); i++ {
		var lanes [Lanes]float64
		AddLanes(&lanes, v[i*size:(i+1)*size])
		dst[i] = FoldLanes(&lanes)
	}
}
