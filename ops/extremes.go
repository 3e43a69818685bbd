package ops

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/kernel"
)

var (
	maximumKernels = family{
		binary(kernel.Maximum[int8]), binary(kernel.Maximum[int16]), binary(kernel.Maximum[int32]), binary(kernel.Maximum[int64]),
		binary(kernel.Maximum[uint8]), binary(kernel.Maximum[uint16]), binary(kernel.Maximum[uint32]), binary(kernel.Maximum[uint64]),
		halfBinary(kernel.Maximum[float32]), binary(kernel.Maximum[float32]), binary(kernel.Maximum[float64]),
	}
	minimumKernels = family{
		binary(kernel.Minimum[int8]), binary(kernel.Minimum[int16]), binary(kernel.Minimum[int32]), binary(kernel.Minimum[int64]),
		binary(kernel.Minimum[uint8]), binary(kernel.Minimum[uint16]), binary(kernel.Minimum[uint32]), binary(kernel.Minimum[uint64]),
		halfBinary(kernel.Minimum[float32]), binary(kernel.Minimum[float32]), binary(kernel.Minimum[float64]),
	}
	fmaxKernels = withFloats(maximumKernels, binaryFloats(kernel.FMax[float32], kernel.FMax[float64]))
	fminKernels = withFloats(minimumKernels, binaryFloats(kernel.FMin[float32], kernel.FMin[float64]))
)

func withFloats(f, floats family) family {
	f.f2, f.f4, f.f8 = floats.f2, floats.f4, floats.f8
	return f
}

var _ = builtin(
	extremeFunc("maximum", "the larger; NaN and NaT win", Or, &maximumKernels, kernel.MaxTicks, true),
	extremeFunc("minimum", "the smaller; NaN and NaT win", And, &minimumKernels, kernel.MinTicks, true),
	extremeFunc("fmax", "the larger; NaN and NaT lose", Or, &fmaxKernels, kernel.MaxTicks, false),
	extremeFunc("fmin", "the smaller; NaN and NaT lose", And, &fminKernels, kernel.MinTicks, false),
)

func extremeFunc(name, doc string, logic Logic, kernels *family, ticks func(dst, a, b []int64, natWins bool), natWins bool) Func {
	k := binary(func(dst, a, b []int64) { ticks(dst, a, b, natWins) })
	return Func{Name: name, Doc: doc, MinArgs: 2, MaxArgs: 2, Resolve: func(args []Operand) (Overload, error) {
		a, b := args[0], args[1]
		switch {
		case a.span() && b.span():
			return spans(name, args, colstore.DType{}, k)
		case a.span() && b.ticks():
			return Overload{Args: []colstore.DType{a.Type, a.Type}, Result: a.Type, Kernel: k}, nil
		case a.ticks() && b.span():
			return Overload{Args: []colstore.DType{b.Type, b.Type}, Result: b.Type, Kernel: k}, nil
		case a.moment() && b.moment():
			t := colstore.DatetimeOf(calendar.Finer(a.Type.Unit(), b.Type.Unit()))
			return Overload{Args: []colstore.DType{t, t}, Result: t, Kernel: k}, nil
		case bothBool(args):
			return Overload{Result: colstore.Bool, Logic: logic}, nil
		}
		return arithmetic(name, kernels, colstore.DType{}, args, "")
	}}
}
