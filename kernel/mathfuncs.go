package kernel

// The mathematical functions of one argument. Values are within 2 units in the last place of the exact ones, most much
// nearer; docs/decisions/0025-functions.md tells how near. Special values are NumPy's, and a NaN is the NaN it is of.
//
// Shapes: as many values in dst as in a.
// Memory: dst may be a, and must not overlap it otherwise.
var (
	expFunc   = mathFunc{expOf, expOf, expLoops}
	exp2Func  = mathFunc{exp2Of, exp2Of, exp2Loops}
	expm1Func = mathFunc{expm1Of, expm1Of, expm1Loops}
	logFunc   = mathFunc{logOf, logOf, logLoops}
	log2Func  = mathFunc{log2Of, log2Of, log2Loops}
	log10Func = mathFunc{log10Of, log10Of, log10Loops}
	log1pFunc = mathFunc{log1pOf, log1pOf, log1pLoops}
	sinFunc   = mathFunc{sinOf, sinOf, sinLoops}
	cosFunc   = mathFunc{cosOf, cosOf, cosLoops}
	tanFunc   = mathFunc{tanOf, tanOf, tanLoops}
)

// Exp is e to the power of each value.
func Exp[T Float](dst, a []T) { mapped(dst, a, &expFunc) }

// Exp2 is 2 to the power of each value.
func Exp2[T Float](dst, a []T) { mapped(dst, a, &exp2Func) }

// Expm1 is e^x - 1, exact near 0.
func Expm1[T Float](dst, a []T) { mapped(dst, a, &expm1Func) }

// Log is the natural logarithm.
func Log[T Float](dst, a []T) { mapped(dst, a, &logFunc) }

// Log2 is the logarithm to base 2.
func Log2[T Float](dst, a []T) { mapped(dst, a, &log2Func) }

// Log10 is the logarithm to base 10.
func Log10[T Float](dst, a []T) { mapped(dst, a, &log10Func) }

// Log1p is log(1 + x), exact near 0.
func Log1p[T Float](dst, a []T) { mapped(dst, a, &log1pFunc) }

// Sin is the sine.
func Sin[T Float](dst, a []T) { mapped(dst, a, &sinFunc) }

// Cos is the cosine.
func Cos[T Float](dst, a []T) { mapped(dst, a, &cosFunc) }

// Tan is the tangent.
func Tan[T Float](dst, a []T) { mapped(dst, a, &tanFunc) }
