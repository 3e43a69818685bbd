package ops

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// resolveRound rounds to decimals as rint(x × 10^d) / 10^d does, and to tens as rint(x / 10^d) × 10^d: in float64, of
// integers too, which are then cast back.
func resolveRound(args []Operand) (Overload, error) {
	digits := int64(0)
	if len(args) == 2 {
		n, ok := args[1].Lit.(*big.Int)
		if !ok || !n.IsInt64() || n.Int64() < -300 || n.Int64() > 300 {
			return Overload{}, refused("round", args, "the number of decimals is a plain whole number")
		}
		digits = n.Int64()
	}
	scale, err := strconv.ParseFloat(fmt.Sprintf("1e%d", max(digits, -digits)), 64) // the nearest, on every platform
	if err != nil {
		return Overload{}, err
	}
	var kernels family
	switch {
	case digits == 0:
		kernels = withIdentity(rintKernels)
	case digits > 0:
		kernels = withIdentity(floats(func(x float64) float64 { return math.RoundToEven(x*scale) / scale }))
	default:
		tens := func(x float64) float64 { return math.RoundToEven(x/scale) * scale }
		kernels = floats(tens)
		kernels.i1, kernels.i2, kernels.i4, kernels.i8 = roundInts[int8](tens), roundInts[int16](tens), roundInts[int32](tens), roundInts[int64](tens)
		kernels.u1, kernels.u2, kernels.u4, kernels.u8 = roundInts[uint8](tens), roundInts[uint16](tens), roundInts[uint32](tens), roundInts[uint64](tens)
	}
	o, err := unaryNumber("round", &kernels, colstore.DType{}, args[:1], "")
	o.Use = []int{0}
	return o, err
}

// roundInts rounds integers as the floats they become.
func roundInts[T kernel.Integer](round func(float64) float64) Kernel {
	return unary(func(dst, a []T) {
		var buf [halfRows]float64
		for at := 0; at < len(dst); at += halfRows {
			v := buf[:min(halfRows, len(dst)-at)]
			kernel.Convert(v, a[at:at+len(v)])
			for i, x := range v {
				v[i] = round(x)
			}
			kernel.Truncate(dst[at:at+len(v)], v)
		}
	})
}
