package ops

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

var (
	addKernels = family{
		binary(kernel.Add[int8]), binary(kernel.Add[int16]), binary(kernel.Add[int32]), binary(kernel.Add[int64]),
		binary(kernel.Add[uint8]), binary(kernel.Add[uint16]), binary(kernel.Add[uint32]), binary(kernel.Add[uint64]),
		halfBinary(kernel.Add[float32]), binary(kernel.Add[float32]), binary(kernel.Add[float64]),
	}
	subKernels = family{
		binary(kernel.Sub[int8]), binary(kernel.Sub[int16]), binary(kernel.Sub[int32]), binary(kernel.Sub[int64]),
		binary(kernel.Sub[uint8]), binary(kernel.Sub[uint16]), binary(kernel.Sub[uint32]), binary(kernel.Sub[uint64]),
		halfBinary(kernel.Sub[float32]), binary(kernel.Sub[float32]), binary(kernel.Sub[float64]),
	}
	mulKernels = family{
		binary(kernel.Mul[int8]), binary(kernel.Mul[int16]), binary(kernel.Mul[int32]), binary(kernel.Mul[int64]),
		binary(kernel.Mul[uint8]), binary(kernel.Mul[uint16]), binary(kernel.Mul[uint32]), binary(kernel.Mul[uint64]),
		halfBinary(kernel.Mul[float32]), binary(kernel.Mul[float32]), binary(kernel.Mul[float64]),
	}
	divKernels      = binaryFloats(kernel.Div[float32], kernel.Div[float64])
	floorDivKernels = family{
		binary(kernel.FloorDivSigned[int8]), binary(kernel.FloorDivSigned[int16]), binary(kernel.FloorDivSigned[int32]), binary(kernel.FloorDivSigned[int64]),
		binary(kernel.DivUnsigned[uint8]), binary(kernel.DivUnsigned[uint16]), binary(kernel.DivUnsigned[uint32]), binary(kernel.DivUnsigned[uint64]),
		halfBinary(kernel.FloorDivFloat[float32]), binary(kernel.FloorDivFloat[float32]), binary(kernel.FloorDivFloat[float64]),
	}
	remainderKernels = family{
		binary(kernel.FloorModSigned[int8]), binary(kernel.FloorModSigned[int16]), binary(kernel.FloorModSigned[int32]), binary(kernel.FloorModSigned[int64]),
		binary(kernel.ModUnsigned[uint8]), binary(kernel.ModUnsigned[uint16]), binary(kernel.ModUnsigned[uint32]), binary(kernel.ModUnsigned[uint64]),
		halfBinary(kernel.FloorModFloat[float32]), binary(kernel.FloorModFloat[float32]), binary(kernel.FloorModFloat[float64]),
	}
	powerKernels = family{
		powInt[int8](), powInt[int16](), powInt[int32](), powInt[int64](),
		powInt[uint8](), powInt[uint16](), powInt[uint32](), powInt[uint64](),
		halfBinary(kernel.Pow[float32]), binary(kernel.Pow[float32]), binary(kernel.Pow[float64]),
	}
	negKernels = family{
		unary(kernel.Neg[int8]), unary(kernel.Neg[int16]), unary(kernel.Neg[int32]), unary(kernel.Neg[int64]),
		unary(kernel.Neg[uint8]), unary(kernel.Neg[uint16]), unary(kernel.Neg[uint32]), unary(kernel.Neg[uint64]),
		halfUnary(kernel.Neg[float32]), unary(kernel.Neg[float32]), unary(kernel.Neg[float64]),
	}
)

var _ = builtin(
	Func{Name: "add", Symbol: "+", Doc: "sum; joins text", MinArgs: 2, MaxArgs: 2, Resolve: resolveAdd},
	Func{Name: "subtract", Symbol: "-", Doc: "difference", MinArgs: 2, MaxArgs: 2, Resolve: resolveSubtract},
	Func{Name: "multiply", Symbol: "*", Doc: "product", MinArgs: 2, MaxArgs: 2, Resolve: resolveMultiply},
	Func{Name: "divide", Symbol: "/", Doc: "quotient, a float for integers too", MinArgs: 2, MaxArgs: 2, Resolve: resolveDivide},
	Func{Name: "floor_divide", Symbol: "//", Doc: "quotient rounded down", MinArgs: 2, MaxArgs: 2, Resolve: resolveFloorDivide},
	Func{Name: "remainder", Symbol: "%", Doc: "remainder with the divisor's sign", MinArgs: 2, MaxArgs: 2, Resolve: resolveRemainder},
	Func{Name: "power", Symbol: "**", Doc: "power; integers wrap", MinArgs: 2, MaxArgs: 2, Resolve: resolvePower},
	Func{Name: "float_power", Doc: "power in float64", MinArgs: 2, MaxArgs: 2, Resolve: resolveFloatPower},
	Func{Name: "negative", Symbol: "unary -", Doc: "the number with the other sign", MinArgs: 1, MaxArgs: 1, Resolve: resolveNegative},
	Func{Name: "positive", Symbol: "unary +", Doc: "the number itself", MinArgs: 1, MaxArgs: 1, Resolve: resolvePositive},
)

// arithmetic resolves a binary operation on numbers in their common type. bools is the type that two bools compute in;
// invalid if they have none.
func arithmetic(symbol string, kernels *family, bools colstore.DType, args []Operand, why string) (Overload, error) {
	if !args[0].isNumber() || !args[1].isNumber() {
		return Overload{}, refused(symbol, args, why)
	}
	t, err := common(args...)
	if err != nil {
		return Overload{}, err
	}
	if t == colstore.Bool {
		t = bools
	}
	k := kernels.of(t)
	if k == nil {
		return Overload{}, refused(symbol, args, why)
	}
	return Overload{Args: []colstore.DType{t, t}, Result: t, Kernel: k}, nil
}

// bothBool reports whether the common type of two numbers is bool.
func bothBool(args []Operand) bool {
	t, err := common(args...)
	return err == nil && t == colstore.Bool && args[0].isNumber() && args[1].isNumber()
}

func resolveAdd(args []Operand) (Overload, error) {
	switch {
	case args[0].isTime() || args[1].isTime():
		return timeAdd(args)
	case args[0].isString() && args[1].isString():
		return joinText(args)
	case bothBool(args):
		return Overload{Result: colstore.Bool, Logic: Or}, nil
	}
	return arithmetic("+", &addKernels, colstore.DType{}, args, "")
}

func resolveSubtract(args []Operand) (Overload, error) {
	if args[0].isTime() || args[1].isTime() {
		return timeSubtract(args)
	}
	return arithmetic("-", &subKernels, colstore.DType{}, args, boolAdvice(args, "use ^ to find where bools differ"))
}

func boolAdvice(args []Operand, advice string) string {
	for _, a := range args {
		if a.Lit == nil && a.Type != colstore.Bool {
			return ""
		}
	}
	return advice
}

func resolveMultiply(args []Operand) (Overload, error) {
	switch {
	case args[0].isTime() || args[1].isTime():
		return timeMultiply(args)
	case bothBool(args):
		return Overload{Result: colstore.Bool, Logic: And}, nil
	}
	return arithmetic("*", &mulKernels, colstore.DType{}, args, "")
}

func resolveDivide(args []Operand) (Overload, error) {
	if args[0].isTime() || args[1].isTime() {
		return timeDivide(args)
	}
	if !args[0].isNumber() || !args[1].isNumber() {
		return Overload{}, refused("/", args, "")
	}
	t, err := common(args...)
	switch {
	case errors.Is(err, errRange):
		t = colstore.Float64 // integers divide as floats, which hold the literal
	case err != nil:
		return Overload{}, err
	case t.Kind() != colstore.KindFloat:
		t = colstore.Float64
	}
	return Overload{Args: []colstore.DType{t, t}, Result: t, Kernel: divKernels.of(t)}, nil
}

func resolveFloorDivide(args []Operand) (Overload, error) {
	if args[0].isTime() || args[1].isTime() {
		return timeFloorDivide(args)
	}
	return arithmetic("//", &floorDivKernels, colstore.Int8, args, "")
}

func resolveRemainder(args []Operand) (Overload, error) {
	if args[0].isTime() || args[1].isTime() {
		return timeRemainder(args)
	}
	return arithmetic("%", &remainderKernels, colstore.Int8, args, "")
}

func resolvePower(args []Operand) (Overload, error) {
	o, err := arithmetic("**", &powerKernels, colstore.Int8, args, "")
	if err != nil {
		return o, err
	}
	t := o.Result
	if t.Kind() != colstore.KindFloat {
		if n, ok := args[1].Lit.(*big.Int); ok && n.Sign() < 0 {
			return o, fmt.Errorf("%w: an integer to the negative power %s is no integer; write the base as a float", colstore.ErrValue, shortInt(n))
		}
		o.Fallible = t.Kind() == colstore.KindInt
		return o, nil
	}
	// NumPy computes these powers by the cheaper and exact operation.
	exponent, ok := literalFloat(args[1].Lit)
	if !ok {
		return o, nil
	}
	switch exponent {
	case 2:
		return Overload{Use: []int{0, 0}, Args: []colstore.DType{t, t}, Result: t, Kernel: mulKernels.of(t)}, nil
	case 0.5:
		return Overload{Use: []int{0}, Args: []colstore.DType{t}, Result: t, Kernel: sqrtKernels.of(t)}, nil
	case -1:
		return Overload{Use: []int{0}, Args: []colstore.DType{t}, Result: t, Kernel: reciprocalKernels.of(t)}, nil
	}
	return o, nil
}

func literalFloat(lit any) (float64, bool) {
	switch v := lit.(type) {
	case float64:
		return v, true
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f, true
	}
	return 0, false
}

func resolveFloatPower(args []Operand) (Overload, error) {
	if !args[0].isNumber() || !args[1].isNumber() {
		return Overload{}, refused("float_power", args, "")
	}
	t := colstore.Float64
	return Overload{Args: []colstore.DType{t, t}, Result: t, Kernel: powerKernels.f8}, nil
}

// powInt is the power of integers; an exponent below zero fails.
func powInt[T kernel.Integer]() Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		if bad := kernel.PowInt(kernel.Out[T](dst), kernel.In[T](args[0]), kernel.In[T](args[1])); bad >= 0 {
			return &RowError{bad, fmt.Errorf("%w: an integer to a negative power is no integer; cast the base to a float", colstore.ErrValue)}
		}
		return nil
	}
}

func resolveNegative(args []Operand) (Overload, error) {
	if args[0].isTime() && args[0].Type.Kind() == colstore.KindTimedelta {
		return Overload{Args: []colstore.DType{args[0].Type}, Result: args[0].Type, Kernel: negKernels.i8}, nil
	}
	return unaryNumber("unary -", &negKernels, colstore.DType{}, args, boolAdvice(args, "use ~ or not to invert a bool"))
}

func resolvePositive(args []Operand) (Overload, error) {
	t := args[0].Type
	if args[0].Lit != nil || t == colstore.Bool || !t.IsNumber() && t.Kind() != colstore.KindTimedelta {
		return Overload{}, refused("unary +", args, "")
	}
	k, _, err := Cast(t, t)
	return Overload{Args: []colstore.DType{t}, Result: t, Kernel: k}, err
}

// unaryNumber resolves a function of one number that keeps its type; bools is the type of its result for a bool, invalid
// if it has none.
func unaryNumber(symbol string, kernels *family, bools colstore.DType, args []Operand, why string) (Overload, error) {
	if !args[0].isNumber() {
		return Overload{}, refused(symbol, args, why)
	}
	t, err := common(args[0])
	if err != nil {
		return Overload{}, err
	}
	if t == colstore.Bool {
		t = bools
	}
	k := kernels.of(t)
	if k == nil {
		return Overload{}, refused(symbol, args, why)
	}
	return Overload{Args: []colstore.DType{t}, Result: t, Kernel: k}, nil
}
