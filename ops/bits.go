package ops

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

var (
	andKernels = family{
		i1: binary(kernel.BitAnd[int8]), i2: binary(kernel.BitAnd[int16]), i4: binary(kernel.BitAnd[int32]), i8: binary(kernel.BitAnd[int64]),
		u1: binary(kernel.BitAnd[uint8]), u2: binary(kernel.BitAnd[uint16]), u4: binary(kernel.BitAnd[uint32]), u8: binary(kernel.BitAnd[uint64]),
	}
	orKernels = family{
		i1: binary(kernel.BitOr[int8]), i2: binary(kernel.BitOr[int16]), i4: binary(kernel.BitOr[int32]), i8: binary(kernel.BitOr[int64]),
		u1: binary(kernel.BitOr[uint8]), u2: binary(kernel.BitOr[uint16]), u4: binary(kernel.BitOr[uint32]), u8: binary(kernel.BitOr[uint64]),
	}
	xorKernels = family{
		i1: binary(kernel.BitXor[int8]), i2: binary(kernel.BitXor[int16]), i4: binary(kernel.BitXor[int32]), i8: binary(kernel.BitXor[int64]),
		u1: binary(kernel.BitXor[uint8]), u2: binary(kernel.BitXor[uint16]), u4: binary(kernel.BitXor[uint32]), u8: binary(kernel.BitXor[uint64]),
	}
	notKernels = family{
		i1: unary(kernel.BitNot[int8]), i2: unary(kernel.BitNot[int16]), i4: unary(kernel.BitNot[int32]), i8: unary(kernel.BitNot[int64]),
		u1: unary(kernel.BitNot[uint8]), u2: unary(kernel.BitNot[uint16]), u4: unary(kernel.BitNot[uint32]), u8: unary(kernel.BitNot[uint64]),
	}
	leftKernels = family{
		i1: binary(kernel.ShiftLeft[int8]), i2: binary(kernel.ShiftLeft[int16]), i4: binary(kernel.ShiftLeft[int32]), i8: binary(kernel.ShiftLeft[int64]),
		u1: binary(kernel.ShiftLeft[uint8]), u2: binary(kernel.ShiftLeft[uint16]), u4: binary(kernel.ShiftLeft[uint32]), u8: binary(kernel.ShiftLeft[uint64]),
	}
	rightKernels = family{
		i1: binary(kernel.ShiftRight[int8]), i2: binary(kernel.ShiftRight[int16]), i4: binary(kernel.ShiftRight[int32]), i8: binary(kernel.ShiftRight[int64]),
		u1: binary(kernel.ShiftRight[uint8]), u2: binary(kernel.ShiftRight[uint16]), u4: binary(kernel.ShiftRight[uint32]), u8: binary(kernel.ShiftRight[uint64]),
	}
	gcdKernels = family{
		i1: binary(kernel.GCD[int8]), i2: binary(kernel.GCD[int16]), i4: binary(kernel.GCD[int32]), i8: binary(kernel.GCD[int64]),
		u1: binary(kernel.GCD[uint8]), u2: binary(kernel.GCD[uint16]), u4: binary(kernel.GCD[uint32]), u8: binary(kernel.GCD[uint64]),
	}
)

var _ = builtin(
	bitFunc("bitwise_and", "&", "bits of both; and of bools", And, &andKernels),
	bitFunc("bitwise_or", "|", "bits of either; or of bools", Or, &orKernels),
	bitFunc("bitwise_xor", "^", "bits of one; bools that differ", Xor, &xorKernels),
	Func{Name: "invert", Symbol: "~", Doc: "every bit inverted; not of bools", MinArgs: 1, MaxArgs: 1, Resolve: func(args []Operand) (Overload, error) {
		if args[0].isNumber() && args[0].Lit == nil && args[0].Type == colstore.Bool {
			return Overload{Result: colstore.Bool, Logic: Not}, nil
		}
		return unaryNumber("~", &notKernels, colstore.DType{}, args, "")
	}},
	Func{Name: "left_shift", Doc: "bits moved to the left", MinArgs: 2, MaxArgs: 2, Resolve: func(args []Operand) (Overload, error) {
		return integers("left_shift", &leftKernels, args)
	}},
	Func{Name: "right_shift", Doc: "bits moved to the right, the sign kept", MinArgs: 2, MaxArgs: 2, Resolve: func(args []Operand) (Overload, error) {
		return integers("right_shift", &rightKernels, args)
	}},
)

func bitFunc(name, symbol, doc string, logic Logic, kernels *family) Func {
	return Func{Name: name, Symbol: symbol, Doc: doc, MinArgs: 2, MaxArgs: 2, Resolve: func(args []Operand) (Overload, error) {
		if bothBool(args) {
			return Overload{Result: colstore.Bool, Logic: logic}, nil
		}
		return arithmetic(symbol, kernels, colstore.DType{}, args, "")
	}}
}

// integers resolves a function of two integers; bools are int8.
func integers(symbol string, kernels *family, args []Operand) (Overload, error) {
	return arithmetic(symbol, kernels, colstore.Int8, args, "")
}
