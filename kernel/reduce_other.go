//go:build !amd64 || purego

package kernel

import "math"

func addLanesFast[T Float](*[Lanes]float64, []T) int { return 0 }

func sumBlocksFast[T Float]([]float64, []T, bool) int { return 0 }

func momentBlocksFast[T Float]([]BlockMoments, []T) int { return 0 }

func momentsFast[T Float](*[3][Lanes]float64, []T, float64) int { return 0 }

func countTrueFast([]uint8) (n int64, done int) { return 0, 0 }

func sumIntegersFast[T Integer]([]T) (high int64, low uint64, done int) { return 0, 0, 0 }

func minMaxFast[T Integer](a []T) (lo, hi T, done int) { return a[0], a[0], 1 }

func extremesFast[T Float]([]T) (lo, hi T, nan bool, done int) {
	return T(math.Inf(1)), T(math.Inf(-1)), false, 0
}
