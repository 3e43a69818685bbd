//go:build !purego

package kernel

import (
	"math"
	"unsafe"
)

// fewBytes is below what the plain loops are as fast.
const fewBytes = 256

// useVectors reports whether values of size bytes are folded by AVX2.
func useVectors(n, size int) bool { return n*size >= fewBytes && has(LevelAVX2) }

// dataOf returns where values lie.
func dataOf[T Number](v []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(v)) }

// addLanesFast adds what it can of v from its beginning on, and returns how many values that were.
func addLanesFast[T Float](lanes *[Lanes]float64, v []T) int {
	size := int(unsafe.Sizeof(T(0)))
	if !useVectors(len(v), size) {
		return 0
	}
	n := len(v) / Lanes
	if size == 4 {
		sumLanes4AVX2(&lanes[0], (*float32)(dataOf(v)), n)
	} else {
		sumLanes8AVX2(&lanes[0], (*float64)(dataOf(v)), n)
	}
	return n * Lanes
}

// sumBlocksFast sums what it can of the blocks from the first on, and returns how many those were.
func sumBlocksFast[T Float](dst []float64, v []T, cached bool) (done int) {
	size := int(unsafe.Sizeof(T(0)))
	lines := len(v) / len(dst) * size / 64
	if !has(LevelAVX2) || lines == 0 || lines*len(dst)*64 != len(v)*size {
		return 0
	}
	if cached {
		pairs := len(dst) / 2
		if size == 4 {
			sumPairs4AVX2(&dst[0], (*float32)(dataOf(v)), pairs, lines)
		} else {
			sumPairs8AVX2(&dst[0], (*float64)(dataOf(v)), pairs, lines)
		}
		if done = 2 * pairs; done == len(dst) {
			return done
		}
		v = v[done*lines*64/size:]
	}
	if size == 4 {
		sumBlocks4AVX2(&dst[done], (*float32)(dataOf(v)), len(dst)-done, lines)
	} else {
		sumBlocks8AVX2(&dst[done], (*float64)(dataOf(v)), len(dst)-done, lines)
	}
	return len(dst)
}

// momentBlocksFast makes the moments of what it can of the blocks from the first on, and returns how many those were.
func momentBlocksFast[T Float](dst []BlockMoments, v []T) int {
	size := int(unsafe.Sizeof(T(0)))
	pairs := len(v) / len(dst) * size / 128
	if !has(LevelAVX2) || pairs == 0 || pairs*len(dst)*128 != len(v)*size {
		return 0
	}
	if size == 4 {
		momentBlocks4AVX2(&dst[0].Centre, (*float32)(dataOf(v)), len(dst), pairs)
	} else {
		momentBlocks8AVX2(&dst[0].Centre, (*float64)(dataOf(v)), len(dst), pairs)
	}
	return len(dst)
}

// momentsFast adds what it can of v to the lanes, which are 0, and returns how many values that were.
func momentsFast[T Float](lanes *[3][Lanes]float64, v []T, centre float64) int {
	size := int(unsafe.Sizeof(T(0)))
	if !useVectors(len(v), size) {
		return 0
	}
	n := len(v) / Lanes
	if size == 4 {
		moments4AVX2(&lanes[0][0], (*float32)(dataOf(v)), n, centre)
	} else {
		moments8AVX2(&lanes[0][0], (*float64)(dataOf(v)), n, centre)
	}
	return n * Lanes
}

// countTrueFast counts in what it can of v from its beginning on; done is how many values that are.
func countTrueFast(v []uint8) (n int64, done int) {
	if !useVectors(len(v), 1) {
		return 0, 0
	}
	groups := len(v) / 64
	return int64(sumTrueAVX2(&v[0], groups)), 64 * groups
}

// sumIntegersFast adds what it can of v from its beginning on; done is how many values that are.
func sumIntegersFast[T Integer](v []T) (high int64, low uint64, done int) {
	size := int(unsafe.Sizeof(T(0)))
	if !useVectors(len(v), size) {
		return 0, 0, 0
	}
	for groups := len(v) * size / 64; groups > 0; {
		n := min(groups, mostGroups)
		h, l := sumGroups(v[done:], n)
		high, low = add128(high, low, h, l)
		done += n * 64 / size
		groups -= n
	}
	return high, low, done
}

// mostGroups is how many groups of 64 bytes are added at a time: what sums of words of 16 bits hold.
const mostGroups = 1 << 13

// sumGroups adds n groups of 64 bytes.
func sumGroups[T Integer](v []T, n int) (high int64, low uint64) {
	narrow := func(sum uint64, more int) (int64, uint64) {
		s := int64(sum) + int64(more)
		return s >> 63, uint64(s)
	}
	p := dataOf(v)
	switch any(T(0)).(type) {
	case int8:
		return narrow(sumInt8AVX2((*int8)(p), n), -n*64<<7)
	case int16:
		return narrow(sumInt16AVX2((*int16)(p), n), 0)
	case int32:
		return narrow(sumInt32AVX2((*int32)(p), n), 0)
	case uint8:
		return narrow(sumUint8AVX2((*uint8)(p), n), 0)
	case uint16:
		return narrow(sumUint16AVX2((*uint16)(p), n), n*32<<15)
	case uint32:
		return narrow(sumUint32AVX2((*uint32)(p), n), 0)
	case uint64:
		h, l := sumUint64AVX2((*uint64)(p), n)
		return add128(int64(h>>32), h<<32, 0, l)
	default:
		h, l := sumInt64AVX2((*int64)(p), n)
		// n*8 values had 2^63 more each.
		high, low = add128(int64(h>>32), h<<32, 0, l)
		return add128(high, low, -int64(n)*4, 0)
	}
}

// minMaxFast narrows down what it can of a from its beginning on; done is how many values that are, at least one.
func minMaxFast[T Integer](a []T) (lo, hi T, done int) {
	size := int(unsafe.Sizeof(T(0)))
	lo, hi = a[0], a[0]
	if !useVectors(len(a), size) {
		return lo, hi, 1
	}
	n := len(a) * size / 128
	var low, high vector
	low.copy(dataOf(a))
	high.copy(dataOf(a))
	p := dataOf(a)
	switch any(lo).(type) {
	case int8:
		minMaxInt8AVX2((*int8)(low.at()), (*int8)(high.at()), (*int8)(p), n)
	case int16:
		minMaxInt16AVX2((*int16)(low.at()), (*int16)(high.at()), (*int16)(p), n)
	case int32:
		minMaxInt32AVX2((*int32)(low.at()), (*int32)(high.at()), (*int32)(p), n)
	case int64:
		minMaxInt64AVX2((*int64)(low.at()), (*int64)(high.at()), (*int64)(p), n)
	case uint8:
		minMaxUint8AVX2((*uint8)(low.at()), (*uint8)(high.at()), (*uint8)(p), n)
	case uint16:
		minMaxUint16AVX2((*uint16)(low.at()), (*uint16)(high.at()), (*uint16)(p), n)
	case uint32:
		minMaxUint32AVX2((*uint32)(low.at()), (*uint32)(high.at()), (*uint32)(p), n)
	case uint64:
		minMaxUint64AVX2((*uint64)(low.at()), (*uint64)(high.at()), (*uint64)(p), n)
	}
	for i, v := range unsafe.Slice((*T)(low.at()), 32/size) {
		lo, hi = min(lo, v), max(hi, unsafe.Slice((*T)(high.at()), 32/size)[i])
	}
	return lo, hi, n * 128 / size
}

// vector is what a register of AVX2 holds.
type vector [4]uint64

func (v *vector) at() unsafe.Pointer { return unsafe.Pointer(v) }

func (v *vector) copy(from unsafe.Pointer) { *v = *(*vector)(from) }

// extremesFast is Extremes of what it can of a from its beginning on, but for which of equal values it returns; done is
// how many values that are.
func extremesFast[T Float](a []T) (lo, hi T, nan bool, done int) {
	size := int(unsafe.Sizeof(T(0)))
	lo, hi = T(math.Inf(1)), T(math.Inf(-1))
	if !useVectors(len(a), size) {
		return lo, hi, false, 0
	}
	n := len(a) * size / 128
	var low, high [8]T
	for i := range low {
		low[i], high[i] = lo, hi
	}
	some := uint64(0)
	if size == 4 {
		some = extremes4AVX2((*float32)(dataOf(low[:])), (*float32)(dataOf(high[:])), (*float32)(dataOf(a)), n)
	} else {
		some = extremes8AVX2((*float64)(dataOf(low[:])), (*float64)(dataOf(high[:])), (*float64)(dataOf(a)), n)
	}
	for i := range 32 / size {
		lo, hi = min(lo, low[i]), max(hi, high[i])
	}
	return lo, hi, some != 0, n * 128 / size
}
