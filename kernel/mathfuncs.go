package kernel

// Mathematical functions. Values are within 2 units in the last place of the exact ones, most much nearer:
// docs/decisions/0025-functions.md tells how near. For LogAddExp and LogAddExp2 units are those of the result or, if it is
// further from 0, of the larger argument. Those for float32 are rounded from float64, but for exp and log, which are
// computed in float32. Special values are NumPy's. A NaN among the arguments is the result, of two the first.
//
// Shapes: as many values in dst as in a. Of two arguments each may be one value, which is repeated.
// Memory: dst may be an argument, and must not overlap it otherwise.
var (
	expFunc    = mathFunc{f8: expOf, f4: expF, loops: expLoops, own: true}
	exp2Func   = mathFunc{f8: exp2Of, f4: exp2Of, loops: exp2Loops}
	expm1Func  = mathFunc{f8: expm1Of, f4: expm14Of, loops: expm1Loops}
	logFunc    = mathFunc{f8: logOf, f4: logF, loops: logLoops, own: true}
	log2Func   = mathFunc{f8: log2Of, f4: log24Of, loops: log2Loops}
	log10Func  = mathFunc{f8: log10Of, f4: log104Of, loops: log10Loops}
	log1pFunc  = mathFunc{f8: log1pOf, f4: log1pOf, loops: log1pLoops}
	sinFunc    = mathFunc{f8: sinOf, f4: sin4Of, loops: sinLoops}
	cosFunc    = mathFunc{f8: cosOf, f4: cos4Of, loops: cosLoops}
	tanFunc    = mathFunc{f8: tanOf, f4: tan4Of, loops: tanLoops}
	tanhFunc   = mathFunc{f8: tanhOf, f4: tanh4Of, loops: tanhLoops}
	sinhFunc   = mathFunc{f8: sinhOf, f4: sinh4Of, loops: sinhLoops}
	coshFunc   = mathFunc{f8: coshOf, f4: cosh4Of, loops: coshLoops}
	arctanFunc = mathFunc{f8: arctanOf, f4: arctan4Of, loops: arctanLoops}
	arcsinFunc = mathFunc{f8: arcsinOf, f4: arcsinOf, loops: arcsinLoops}
	arccosFunc = mathFunc{f8: arccosOf, f4: arccosOf, loops: arccosLoops}
	cbrtFunc   = mathFunc{f8: cbrtOf, f4: cbrtOf, loops: cbrtLoops}

	// Value by value at every level: no vectors.
	arcsinhFunc    = mathFunc{f8: arcsinhOf, f4: arcsinhOf}
	arccoshFunc    = mathFunc{f8: arccoshOf, f4: arccoshOf}
	arctanhFunc    = mathFunc{f8: arctanhOf, f4: arctanhOf}
	logaddexpFunc  = mathFunc2{f8: logaddexpOf, f4: logaddexpOf}
	logaddexp2Func = mathFunc2{f8: logaddexp2Of, f4: logaddexp2Of}

	powFunc     = mathFunc2{f8: powOf, f4: pow4Of, loops: powLoops}
	arctan2Func = mathFunc2{f8: arctan2Of, f4: arctan24Of, loops: arctan2Loops}
	hypotFunc   = mathFunc2{f8: hypotOf, f4: hypotOf, loops: hypotLoops}
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

// Tanh is the hyperbolic tangent.
func Tanh[T Float](dst, a []T) { mapped(dst, a, &tanhFunc) }

// Sinh is the hyperbolic sine.
func Sinh[T Float](dst, a []T) { mapped(dst, a, &sinhFunc) }

// Cosh is the hyperbolic cosine.
func Cosh[T Float](dst, a []T) { mapped(dst, a, &coshFunc) }

// Arctan is the inverse tangent.
func Arctan[T Float](dst, a []T) { mapped(dst, a, &arctanFunc) }

// Arcsin is the inverse sine.
func Arcsin[T Float](dst, a []T) { mapped(dst, a, &arcsinFunc) }

// Arccos is the inverse cosine.
func Arccos[T Float](dst, a []T) { mapped(dst, a, &arccosFunc) }

// Arcsinh is the inverse hyperbolic sine.
func Arcsinh[T Float](dst, a []T) { mapped(dst, a, &arcsinhFunc) }

// Arccosh is the inverse hyperbolic cosine.
func Arccosh[T Float](dst, a []T) { mapped(dst, a, &arccoshFunc) }

// Arctanh is the inverse hyperbolic tangent.
func Arctanh[T Float](dst, a []T) { mapped(dst, a, &arctanhFunc) }

// Cbrt is the cube root.
func Cbrt[T Float](dst, a []T) { mapped(dst, a, &cbrtFunc) }

// Pow is a to the power of b.
func Pow[T Float](dst, a, b []T) { mapped2(dst, a, b, &powFunc) }

// Pow1 is [Pow] of two numbers.
func Pow1(x, y float64) float64 { return powOf(x, y) }

// Arctan2 is the angle of the point (b, a).
func Arctan2[T Float](dst, a, b []T) { mapped2(dst, a, b, &arctan2Func) }

// Hypot is the length of the vector (a, b).
func Hypot[T Float](dst, a, b []T) { mapped2(dst, a, b, &hypotFunc) }

// LogAddExp is log(e^a + e^b), which does not overflow. Next to 0, where e^a + e^b is about 1, it is right to a unit in the last
// place of the larger argument, not of its own.
func LogAddExp[T Float](dst, a, b []T) { mapped2(dst, a, b, &logaddexpFunc) }

// LogAddExp2 is log2(2^a + 2^b), with the precision of [LogAddExp].
func LogAddExp2[T Float](dst, a, b []T) { mapped2(dst, a, b, &logaddexp2Func) }
