package ops

import "github.com/colstore/colstore-go/kernel"

// nanOf returns y, the result of a function of package math for x. A NaN is that of x if x is one, and else NumPy's: that
// of package math has other bits.
func nanOf[T kernel.Float](y, x T) T {
	switch {
	case y == y:
		return y
	case x != x:
		return x
	}
	return T(kernel.NaN())
}

// nanOf2 is [nanOf] for two arguments, of which the NaN of the first goes first.
func nanOf2[T kernel.Float](z, x, y T) T {
	switch {
	case z == z:
		return z
	case x != x:
		return x
	case y != y:
		return y
	}
	return T(kernel.NaN())
}
