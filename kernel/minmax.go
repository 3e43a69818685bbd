package kernel

import (
	"math"
	"slices"
)

// MinMax returns the least and the greatest of the values, which must be at least one.
func MinMax[T Integer](a []T) (lo, hi T) {
	lo, hi, done := minMaxFast(a)
	for _, v := range a[done:] {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// extremesPart is how many values Extremes takes at a time: a part that a zero is an extreme of is looked through again.
const extremesPart = 1 << 15

// Extremes returns the least and the greatest of the values that are no NaN, +Inf and -Inf for none, and whether one is
// a NaN. Of equal values it is the first, which is to be seen of -0 and 0.
func Extremes[T Float](a []T) (lo, hi T, nan bool) {
	lo, hi = T(math.Inf(1)), T(math.Inf(-1))
	for len(a) > 0 {
		part := a[:min(len(a), extremesPart)]
		least, most, some, done := extremesFast(part)
		if least < lo {
			lo = firstOf(part[:done], least)
		}
		if most > hi {
			hi = firstOf(part[:done], most)
		}
		lo, hi, nan = extremesGo(part[done:], lo, hi, nan || some)
		a = a[len(part):]
	}
	return lo, hi, nan
}

// extremesGo is the loop that defines Extremes, from what values before have given on.
func extremesGo[T Float](a []T, lo, hi T, nan bool) (_, _ T, _ bool) {
	for len(a) > 0 {
		n := min(len(a), 4)
		// Four at a time: seldom is one of them outside, or a NaN, for which all comparisons are false.
		if n == 4 && within(a[0], lo, hi) && within(a[1], lo, hi) && within(a[2], lo, hi) && within(a[3], lo, hi) {
			a = a[4:]
			continue
		}
		for _, v := range a[:n] {
			if v < lo {
				lo = v
			}
			if v > hi {
				hi = v
			}
			nan = nan || v != v
		}
		a = a[n:]
	}
	return lo, hi, nan
}

func within[T Float](v, lo, hi T) bool { return v >= lo && v <= hi }

// firstOf returns the first of the values that are equal to v.
func firstOf[T Float](a []T, v T) T {
	if v != 0 {
		return v
	}
	return a[slices.Index(a, v)]
}
