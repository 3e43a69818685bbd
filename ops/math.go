package ops

import (
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/kernel"
)

// floats makes a function's kernels from its float64 form; float32 and float16 results are rounded from it.
func floats(f func(float64) float64) family {
	return family{
		f2: halfUnary(func(dst, a []float32) {
			for i, v := range a {
				dst[i] = nanOf(float32(f(float64(v))), v)
			}
		}),
		f4: unary(func(dst, a []float32) {
			for i, v := range a[:len(dst)] {
				dst[i] = nanOf(float32(f(float64(v))), v)
			}
		}),
		f8: unary(func(dst, a []float64) {
			for i, v := range a[:len(dst)] {
				dst[i] = nanOf(f(v), v)
			}
		}),
	}
}

// floats2 is [floats] for two arguments.
func floats2(f func(x, y float64) float64) family {
	return binaryFloats(loop2[float32](f), loop2[float64](f))
}

func loop2[T kernel.Float](f func(x, y float64) float64) func(dst, a, b []T) {
	return func(dst, a, b []T) {
		stepA, stepB := repeats(a, dst), repeats(b, dst)
		for i := range dst {
			x, y := a[i*stepA], b[i*stepB]
			dst[i] = nanOf2(T(f(float64(x), float64(y))), x, y)
		}
	}
}

var (
	// Loops of their own where the operation is one instruction.
	sqrtKernels  = unaryFloats(kernel.Sqrt[float32], kernel.Sqrt[float64])
	floorKernels = unaryFloats(kernel.Floor[float32], kernel.Floor[float64])
	ceilKernels  = unaryFloats(kernel.Ceil[float32], kernel.Ceil[float64])
	truncKernels = unaryFloats(kernel.Trunc[float32], kernel.Trunc[float64])
	rintKernels  = unaryFloats(kernel.Rint[float32], kernel.Rint[float64])

	reciprocalKernels = family{
		i1: unary(reciprocal[int8]), i2: unary(reciprocal[int16]), i4: unary(reciprocal[int32]), i8: unary(reciprocal[int64]),
		u1: unary(reciprocal[uint8]), u2: unary(reciprocal[uint16]), u4: unary(reciprocal[uint32]), u8: unary(reciprocal[uint64]),
		f2: halfUnary(kernel.Reciprocal[float32]), f4: unary(kernel.Reciprocal[float32]), f8: unary(kernel.Reciprocal[float64]),
	}
	squareKernels = family{
		unary(kernel.Square[int8]), unary(kernel.Square[int16]), unary(kernel.Square[int32]), unary(kernel.Square[int64]),
		unary(kernel.Square[uint8]), unary(kernel.Square[uint16]), unary(kernel.Square[uint32]), unary(kernel.Square[uint64]),
		halfUnary(kernel.Square[float32]), unary(kernel.Square[float32]), unary(kernel.Square[float64]),
	}
	absKernels = withIdentity(family{
		i1: unary(kernel.Abs[int8]), i2: unary(kernel.Abs[int16]), i4: unary(kernel.Abs[int32]), i8: unary(kernel.Abs[int64]),
		f2: halfUnary(kernel.Abs[float32]), f4: unary(kernel.Abs[float32]), f8: unary(kernel.Abs[float64]),
	})
	identityKernels = withIdentity(family{f2: copyValues, f4: copyValues, f8: copyValues})

	signKernels = family{
		unary(sign[int8]), unary(sign[int16]), unary(sign[int32]), unary(sign[int64]),
		unary(sign[uint8]), unary(sign[uint16]), unary(sign[uint32]), unary(sign[uint64]),
		halfUnary(sign[float32]), unary(sign[float32]), unary(sign[float64]),
	}
)

// reciprocal of 0 is the infinity cast to the type, as an x86-64 makes it.
func reciprocal[T kernel.Integer](dst, a []T) {
	var overZero T
	switch p := any(&overZero).(type) {
	case *int32:
		*p = math.MinInt32
	case *int64:
		*p = math.MinInt64
	}
	for i, v := range a[:len(dst)] {
		if v != 0 {
			dst[i] = 1 / v
		} else {
			dst[i] = overZero
		}
	}
}

func sign[T kernel.Number](dst, a []T) {
	one := T(1) // -1 is no constant of an unsigned T, which never is below 0
	for i, v := range a[:len(dst)] {
		switch {
		case v > 0:
			dst[i] = 1
		case v == 0:
			dst[i] = 0
		case v < 0:
			dst[i] = -one
		default:
			dst[i] = v // NaN
		}
	}
}

// withIdentity fills the kernels a function lacks for integers with the one that copies: it changes no integer.
func withIdentity(f family) family {
	for _, k := range []*Kernel{&f.i1, &f.i2, &f.i4, &f.i8, &f.u1, &f.u2, &f.u4, &f.u8} {
		if *k == nil {
			*k = copyValues
		}
	}
	return f
}

var _ = builtin(
	floatFunc("sqrt", "square root", sqrtKernels),
	floatFunc("cbrt", "cube root", unaryFloats(kernel.Cbrt[float32], kernel.Cbrt[float64])),
	floatFunc("exp", "e to the power", unaryFloats(kernel.Exp[float32], kernel.Exp[float64])),
	floatFunc("exp2", "2 to the power", unaryFloats(kernel.Exp2[float32], kernel.Exp2[float64])),
	floatFunc("expm1", "exp(x) - 1, exact near 0", unaryFloats(kernel.Expm1[float32], kernel.Expm1[float64])),
	floatFunc("log", "natural logarithm", unaryFloats(kernel.Log[float32], kernel.Log[float64])),
	floatFunc("log2", "logarithm to base 2", unaryFloats(kernel.Log2[float32], kernel.Log2[float64])),
	floatFunc("log10", "logarithm to base 10", unaryFloats(kernel.Log10[float32], kernel.Log10[float64])),
	floatFunc("log1p", "log(1 + x), exact near 0", unaryFloats(kernel.Log1p[float32], kernel.Log1p[float64])),
	floatFunc("sin", "sine", unaryFloats(kernel.Sin[float32], kernel.Sin[float64])),
	floatFunc("cos", "cosine", unaryFloats(kernel.Cos[float32], kernel.Cos[float64])),
	floatFunc("tan", "tangent", unaryFloats(kernel.Tan[float32], kernel.Tan[float64])),
	floatFunc("arcsin", "inverse sine", unaryFloats(kernel.Arcsin[float32], kernel.Arcsin[float64])),
	floatFunc("arccos", "inverse cosine", unaryFloats(kernel.Arccos[float32], kernel.Arccos[float64])),
	floatFunc("arctan", "inverse tangent", unaryFloats(kernel.Arctan[float32], kernel.Arctan[float64])),
	floatFunc("sinh", "hyperbolic sine", unaryFloats(kernel.Sinh[float32], kernel.Sinh[float64])),
	floatFunc("cosh", "hyperbolic cosine", unaryFloats(kernel.Cosh[float32], kernel.Cosh[float64])),
	floatFunc("tanh", "hyperbolic tangent", unaryFloats(kernel.Tanh[float32], kernel.Tanh[float64])),
	floatFunc("arcsinh", "inverse hyperbolic sine", unaryFloats(kernel.Arcsinh[float32], kernel.Arcsinh[float64])),
	floatFunc("arccosh", "inverse hyperbolic cosine", unaryFloats(kernel.Arccosh[float32], kernel.Arccosh[float64])),
	floatFunc("arctanh", "inverse hyperbolic tangent", unaryFloats(kernel.Arctanh[float32], kernel.Arctanh[float64])),
	floatFunc("deg2rad", "degrees as radians", floats(func(x float64) float64 { return x * (math.Pi / 180) })),
	floatFunc("rad2deg", "radians as degrees", floats(func(x float64) float64 { return x * (180 / math.Pi) })),
	floatFunc("rint", "nearest whole number, halves to even", rintKernels),
	floatFunc2("arctan2", "angle of the point (second, first)", binaryFloats(kernel.Arctan2[float32], kernel.Arctan2[float64])),
	floatFunc2("hypot", "length of the vector", binaryFloats(kernel.Hypot[float32], kernel.Hypot[float64])),
	wholeFunc("floor", "rounded down", withIdentity(floorKernels)),
	wholeFunc("ceil", "rounded up", withIdentity(ceilKernels)),
	wholeFunc("trunc", "rounded toward 0", withIdentity(truncKernels)),
	wholeFunc("absolute", "without its sign", absKernels),
	Func{Name: "sign", Doc: "-1, 0 or 1", MinArgs: 1, MaxArgs: 1, Resolve: resolveSign},
	keepFunc("conjugate", "the number itself: it has no imaginary part", identityKernels, colstore.Int8),
	keepFunc("square", "times itself", squareKernels, colstore.Int8),
	keepFunc("reciprocal", "1 / x in the number's own type", reciprocalKernels, colstore.Int8),
	Func{Name: "ldexp", Doc: "first × 2 to the second, an integer", MinArgs: 2, MaxArgs: 2, Resolve: resolveLdexp},
	Func{Name: "round", Doc: "rounded to a number of decimals, 0 if not given, halves to even", MinArgs: 1, MaxArgs: 2, Resolve: resolveRound},
	classFunc("isnan", "it is not a number", isNaN),
	classFunc("isinf", "it is an infinity", kernel.IsInf),
	classFunc("isfinite", "it is neither an infinity nor NaN", kernel.IsFinite),
	classFunc("signbit", "its sign is negative", kernel.SignBit),
	Func{Name: "isnat", Doc: "it is NaT", MinArgs: 1, MaxArgs: 1, Resolve: resolveIsNaT},
)

// floatFunc is a function that has float forms only: integers become the float that holds them.
func floatFunc(name, doc string, kernels family) Func {
	return Func{Name: name, Doc: doc, MinArgs: 1, MaxArgs: 1, Resolve: func(args []Operand) (Overload, error) {
		if !args[0].isNumber() {
			return Overload{}, refused(name, args, "")
		}
		t, err := common(args[0])
		if err != nil {
			return Overload{}, err
		}
		t = floatFor(t)
		return Overload{Args: []colstore.DType{t}, Result: t, Kernel: kernels.of(t)}, nil
	}}
}

// keepFunc is a function that keeps the number's type; bools is what it computes a bool in.
func keepFunc(name, doc string, kernels family, bools colstore.DType) Func {
	return Func{Name: name, Doc: doc, MinArgs: 1, MaxArgs: 1, Resolve: func(args []Operand) (Overload, error) {
		return unaryNumber(name, &kernels, bools, args, "")
	}}
}

func resolveSign(args []Operand) (Overload, error) {
	if args[0].span() {
		t := args[0].Type
		return Overload{Args: []colstore.DType{t}, Result: t, Kernel: unary(kernel.SignTicks)}, nil
	}
	return unaryNumber("sign", &signKernels, colstore.DType{}, args, "")
}

// wholeFunc is a function that leaves bools and, but for the absolute value, integers as they are.
func wholeFunc(name, doc string, kernels family) Func {
	return Func{Name: name, Doc: doc, MinArgs: 1, MaxArgs: 1, Resolve: func(args []Operand) (Overload, error) {
		if args[0].Lit == nil && args[0].Type == colstore.Bool {
			k, _, err := Cast(colstore.Bool, colstore.Bool)
			return Overload{Args: []colstore.DType{colstore.Bool}, Result: colstore.Bool, Kernel: k}, err
		}
		if name == "absolute" && args[0].span() {
			t := args[0].Type // NaT is the least int64, which has no positive twin
			return Overload{Args: []colstore.DType{t}, Result: t, Kernel: absKernels.i8}, nil
		}
		return unaryNumber(name, &kernels, colstore.DType{}, args, "")
	}}
}

func resolveLdexp(args []Operand) (Overload, error) {
	if !args[0].isNumber() || !args[1].ticks() {
		return Overload{}, refused("ldexp", args, "the second is a whole number of at most 63 bits")
	}
	t, err := common(args[0])
	if err != nil {
		return Overload{}, err
	}
	t = floatFor(t)
	if _, isFloat := args[0].Lit.(float64); args[0].Lit != nil && !isFloat && args[1].Lit == nil {
		t = colstore.Float16 // an integer literal takes the first float there is
	}
	kernels := family{f2: ldexpHalf, f4: ldexp[float32], f8: ldexp[float64]}
	return Overload{Args: []colstore.DType{t, colstore.Int64}, Result: t, Kernel: kernels.of(t)}, nil
}

func ldexp[T kernel.Float](dst colstore.Column, args []colstore.Column) error {
	out, a, b := kernel.Out[T](dst), whole[T](args[0]), whole[int64](args[1])
	for i, v := range a {
		out[i] = T(math.Ldexp(float64(v), int(max(-5000, min(5000, b[i])))))
	}
	return nil
}

func ldexpHalf(dst colstore.Column, args []colstore.Column) error {
	out, a, b := kernel.Out[uint16](dst), whole[uint16](args[0]), whole[int64](args[1])
	for i, h := range a {
		out[i] = half.From64(math.Ldexp(float64(half.To32(h)), int(max(-5000, min(5000, b[i])))))
	}
	return nil
}

func isNaN(dst []uint64, a []float64, n int) { kernel.NotEqual(dst, a, a, n) }

// classFunc is a test of the float a number is; integers are finite, and their sign counts.
func classFunc(name, doc string, is func(dst []uint64, a []float64, n int)) Func {
	return Func{Name: name, Doc: doc, MinArgs: 1, MaxArgs: 1, Resolve: func(args []Operand) (Overload, error) {
		if args[0].isTime() {
			switch name {
			case "isnan":
				return resolveIsNaT(args)
			case "isinf":
				return always(false), nil
			case "isfinite":
				return resolveIsTime(args)
			}
		}
		if !args[0].isNumber() {
			return Overload{}, refused(name, args, "")
		}
		return Overload{Args: []colstore.DType{colstore.Float64}, Result: colstore.Bool, Test: func(dst []uint64, args []colstore.Column, rows int) error {
			is(dst, whole[float64](args[0]), rows)
			return nil
		}}, nil
	}}
}

// resolveIsTime is the opposite of isnat.
func resolveIsTime(args []Operand) (Overload, error) {
	o, err := resolveIsNaT(args)
	isNaT := o.Test
	o.Test = func(dst []uint64, args []colstore.Column, rows int) error {
		err := isNaT(dst, args, rows)
		kernel.Not(dst, dst, rows)
		return err
	}
	return o, err
}

func resolveIsNaT(args []Operand) (Overload, error) {
	if !args[0].isTime() {
		return Overload{}, refused("isnat", args, "only times can be NaT; isnan tests numbers")
	}
	return Overload{Args: []colstore.DType{args[0].Type}, Result: colstore.Bool, Test: func(dst []uint64, args []colstore.Column, rows int) error {
		kernel.IsNaT(dst, whole[int64](args[0]), rows)
		return nil
	}}, nil
}
