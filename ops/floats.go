package ops

import (
	"errors"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

var _ = builtin(
	floatFunc("fabs", "without its sign, a float for integers too", family{f2: absKernels.f2, f4: absKernels.f4, f8: absKernels.f8}),
	floatFunc("spacing", "distance to the next float", family{f2: unary(spacing16), f4: unary(spacing32), f8: unary(spacing64)}),
	floatFunc2("copysign", "first with the sign of the second", floats2(math.Copysign)),
	floatFunc2("heaviside", "0 below 0, 1 above, the second at 0", floats2(heaviside)),
	floatFunc2("logaddexp", "log(exp(x) + exp(y)) without overflow", binaryFloats(kernel.LogAddExp[float32], kernel.LogAddExp[float64])),
	floatFunc2("logaddexp2", "log2(2**x + 2**y) without overflow", binaryFloats(kernel.LogAddExp2[float32], kernel.LogAddExp2[float64])),
	floatFunc2("nextafter", "next float after the first toward the second", family{f2: binary(nextAfter16), f4: binary(nextAfter32), f8: binary(nextAfter64)}),
)

// floatFunc2 is [floatFunc] for two arguments, in the wider of the floats that hold them.
func floatFunc2(name, doc string, kernels family) Func {
	return Func{Name: name, Doc: doc, MinArgs: 2, MaxArgs: 2, Resolve: func(args []Operand) (Overload, error) {
		if !args[0].isNumber() || !args[1].isNumber() {
			return Overload{}, refused(name, args, "")
		}
		t, err := commonFloat(args)
		if err != nil {
			return Overload{}, err
		}
		return Overload{Args: []colstore.DType{t, t}, Result: t, Kernel: kernels.of(t)}, nil
	}}
}

// commonFloat returns the float in which two numbers are computed by a function that knows floats only. Integers become
// floats one by one, so int8 and uint8 are float16, though together they are int16.
func commonFloat(args []Operand) (colstore.DType, error) {
	if args[0].Lit == nil && args[1].Lit == nil {
		return floatOf(max(floatFor(args[0].Type).Size(), floatFor(args[1].Type).Size())), nil
	}
	t, err := common(args...)
	if err != nil && !errors.Is(err, errRange) {
		return t, err
	}
	return floatFor(t), nil // also where the column does not hold the literal, which becomes a float with it
}

func heaviside(x, at0 float64) float64 {
	switch {
	case x == 0:
		return at0
	case x < 0:
		return 0
	case x > 0:
		return 1
	}
	return x
}

func spacing64(dst, a []float64) {
	for i, v := range a[:len(dst)] {
		next := math.Nextafter(math.Abs(v), math.Inf(1)) - math.Abs(v)
		dst[i] = math.Copysign(next, v)
		if v == 0 {
			dst[i] = next
		}
		if v-v != 0 {
			dst[i] = nanOf(v-v, v)
		}
	}
}

func spacing32(dst, a []float32) {
	for i, v := range a[:len(dst)] {
		abs := float32(math.Abs(float64(v)))
		next := math.Nextafter32(abs, float32(math.Inf(1))) - abs
		dst[i] = float32(math.Copysign(float64(next), float64(v)))
		if v == 0 {
			dst[i] = next
		}
		if v-v != 0 {
			dst[i] = nanOf(v-v, v)
		}
	}
}

// The parts of a float16, and its values that matter here.
const (
	half16Sign = 0x8000
	half16Exp  = 0x7c00 // also the infinity
	half16NaN  = 0x7e00
)

// spacing16 has the distance toward larger numbers, as NumPy for float16 but not for the wider floats.
func spacing16(dst, a []uint16) {
	for i, h := range a[:len(dst)] {
		exp := int(h & half16Exp >> 10) // 0 for subnormals, whose unit is that of 1
		switch {
		case exp == 31:
			dst[i] = half16NaN
			continue
		case h == half16Exp-1: // the largest
			dst[i] = half16Exp
			continue
		case h&half16Sign != 0 && h&(1<<10-1) == 0:
			exp-- // from a negative power of two the next number is half as far
		}
		// The unit is 2^(exp-25), of which subnormals are whole multiples below exp 11.
		if exp > 10 {
			dst[i] = uint16(exp-10) << 10
		} else {
			dst[i] = 1 << max(exp-1, 0)
		}
	}
}

func nextAfter64(dst, a, b []float64) {
	stepA, stepB := repeats(a, dst), repeats(b, dst)
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x == y {
			dst[i] = y // of the zeros, too
		} else {
			dst[i] = nanOf2(math.Nextafter(x, y), x, y)
		}
	}
}

func nextAfter32(dst, a, b []float32) {
	stepA, stepB := repeats(a, dst), repeats(b, dst)
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x == y {
			dst[i] = y
		} else {
			dst[i] = nanOf2(math.Nextafter32(x, y), x, y)
		}
	}
}

func nextAfter16(dst, a, b []uint16) {
	stepA, stepB := repeats(a, dst), repeats(b, dst)
	for i := range dst {
		dst[i] = nextHalf(a[i*stepA], b[i*stepB])
	}
}

func nextHalf(x, y uint16) uint16 {
	isNaN := func(h uint16) bool { return h&^half16Sign > half16Exp }
	// order maps the bits to integers in the order of the values; both zeros are 0.
	order := func(h uint16) int {
		if h&half16Sign != 0 {
			return -int(h &^ half16Sign)
		}
		return int(h)
	}
	switch a, b := order(x), order(y); {
	case isNaN(x):
		return x
	case isNaN(y):
		return y
	case a == b:
		return x // as NumPy has it for float16 alone
	case a == 0:
		return y&half16Sign | 1
	case (a < b) == (a > 0):
		return x + 1 // away from 0
	default:
		return x - 1
	}
}
