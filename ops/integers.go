package ops

import (
	"math"
	"math/bits"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

var lcmKernels = family{
	i1: binary(kernel.LCM[int8]), i2: binary(kernel.LCM[int16]), i4: binary(kernel.LCM[int32]), i8: binary(kernel.LCM[int64]),
	u1: binary(kernel.LCM[uint8]), u2: binary(kernel.LCM[uint16]), u4: binary(kernel.LCM[uint32]), u8: binary(kernel.LCM[uint64]),
}

// fmodKernels differ from those of % in the sign, which is the dividend's.
var fmodKernels = family{
	binary(kernel.Rem[int8]), binary(kernel.Rem[int16]), binary(kernel.Rem[int32]), binary(kernel.Rem[int64]),
	binary(kernel.ModUnsigned[uint8]), binary(kernel.ModUnsigned[uint16]), binary(kernel.ModUnsigned[uint32]), binary(kernel.ModUnsigned[uint64]),
	halfBinary(loop2[float32](math.Mod)), binary(loop2[float32](math.Mod)), binary(loop2[float64](math.Mod)),
}

var bitCountKernels = family{
	i1: bitCount[int8](), i2: bitCount[int16](), i4: bitCount[int32](), i8: bitCount[int64](),
	u1: bitCount[uint8](), u2: bitCount[uint16](), u4: bitCount[uint32](), u8: bitCount[uint64](),
}

var _ = builtin(
	Func{Name: "gcd", Doc: "greatest common divisor", MinArgs: 2, MaxArgs: 2, Resolve: func(args []Operand) (Overload, error) {
		return arithmetic("gcd", &gcdKernels, colstore.DType{}, args, "")
	}},
	Func{Name: "lcm", Doc: "least common multiple", MinArgs: 2, MaxArgs: 2, Resolve: func(args []Operand) (Overload, error) {
		return arithmetic("lcm", &lcmKernels, colstore.DType{}, args, "")
	}},
	Func{Name: "fmod", Doc: "remainder with the dividend's sign", MinArgs: 2, MaxArgs: 2, Resolve: func(args []Operand) (Overload, error) {
		return arithmetic("fmod", &fmodKernels, colstore.Int8, args, "")
	}},
	Func{Name: "bitwise_count", Doc: "number of 1 bits, of the value without its sign; uint8", MinArgs: 1, MaxArgs: 1, Resolve: resolveBitCount},
)

func resolveBitCount(args []Operand) (Overload, error) {
	o, err := unaryNumber("bitwise_count", &bitCountKernels, colstore.Uint8, args, "")
	o.Result = colstore.Uint8
	return o, err
}

func bitCount[T kernel.Integer]() Kernel {
	return unary(func(dst []uint8, a []T) {
		for i, v := range a[:len(dst)] {
			n := int64(v)
			if v < 0 {
				n = -n
			}
			dst[i] = uint8(bits.OnesCount64(uint64(n)))
		}
	})
}
