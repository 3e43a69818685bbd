package ops

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// pairing is a function of two arguments, one of which is the result of another.
type pairing struct {
	outer, inner string
	second       bool // it is the second argument of outer
}

var pairKernels = map[pairing]family{
	{"add", "multiply", false}:      {f4: ternary(kernel.MulAdd[float32]), f8: ternary(kernel.MulAdd[float64])},
	{"add", "multiply", true}:       {f4: ternary(kernel.AddMul[float32]), f8: ternary(kernel.AddMul[float64])},
	{"subtract", "multiply", false}: {f4: ternary(kernel.MulSub[float32]), f8: ternary(kernel.MulSub[float64])},
	{"subtract", "multiply", true}:  {f4: ternary(kernel.SubMul[float32]), f8: ternary(kernel.SubMul[float64])},
	{"multiply", "add", false}:      {f4: ternary(kernel.SumMul[float32]), f8: ternary(kernel.SumMul[float64])},
	{"multiply", "add", true}:       {f4: ternary(kernel.MulSum[float32]), f8: ternary(kernel.MulSum[float64])},
	{"multiply", "subtract", false}: {f4: ternary(kernel.DifferenceMul[float32]), f8: ternary(kernel.DifferenceMul[float64])},
	{"multiply", "subtract", true}:  {f4: ternary(kernel.MulDifference[float32]), f8: ternary(kernel.MulDifference[float64])},
}

var (
	squaresKernels     = family{f4: squares(kernel.SumSquares[float32]), f8: squares(kernel.SumSquares[float64])}
	rootSquaresKernels = family{f4: squares(kernel.RootSumSquares[float32]), f8: squares(kernel.RootSumSquares[float64])}
)

func ternary[T kernel.Float](f func(dst, a, b, c []T)) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		a, b := pair[T](args[0], args[1])
		f(kernel.Out[T](dst), a, b, kernel.In[T](args[2]))
		return nil
	}
}

// squares is [binary] for loops that know no repeated operand.
func squares[T kernel.Float](f func(dst, a, b []T)) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		f(kernel.Out[T](dst), whole[T](args[0]), whole[T](args[1]))
		return nil
	}
}

// Fuse returns a kernel of a, b, c that computes outer(inner(a, b), c), or outer(c, inner(a, b)) if inner is the second
// argument, in numbers of dtype t, with the bits of the two kernels one after the other; nil if there is none. It may write
// to what it reads, as the kernels of add, subtract, multiply and divide of floats may.
func Fuse(outer, inner string, second bool, t colstore.DType) Kernel {
	k := pairKernels[pairing{outer, inner, second}]
	return k.of(t)
}

// FuseSquares returns a kernel of a, b that computes a*a + b*b, or the root of that, in numbers of dtype t, with the bits of
// the kernels one after the other; nil if there is none.
func FuseSquares(root bool, t colstore.DType) Kernel {
	if root {
		return rootSquaresKernels.of(t)
	}
	return squaresKernels.of(t)
}
