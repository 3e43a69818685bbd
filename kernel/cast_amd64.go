//go:build !purego

package kernel

// castFast converts what it can of dst from its beginning on, and returns how many values that were: with AVX2 a multiple
// of 32.
func castFast[D, S Number](dst []D, src []S, to, from kind) int {
	src = src[:len(dst)]
	number, n := call(operation(from), to, len(dst), 1)
	if n == 0 || !castCall(number, first(dst), first(src), n) {
		return 0
	}
	return n
}
