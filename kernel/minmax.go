package kernel

import "slices"

// MinMax returns the least and the greatest of the values, which must be at least one. NaNs are not looked for: see
// [AllFinite].
func MinMax[T Number](a []T) (lo, hi T) {
	lo, hi = a[0], a[0]
	for _, v := range a[1:] {
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	return lo, hi
}

// AllFinite reports whether no value is a NaN or an infinity.
func AllFinite[T Float](a []T) bool {
	for _, v := range a {
		if v-v != 0 { // NaN for both
			return false
		}
	}
	return true
}

// Contains reports whether one of the values is v.
func Contains[T Integer](a []T, v T) bool {
	return slices.Contains(a, v)
}
