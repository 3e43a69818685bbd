//go:build !purego

package kernel

var (
	expLoops    = mathLoops{exp8AVX512, exp8AVX2, exp4AVX512, exp4AVX2}
	exp2Loops   = mathLoops{exp28AVX512, exp28AVX2, exp24AVX512, exp24AVX2}
	expm1Loops  = mathLoops{expm18AVX512, expm18AVX2, expm14AVX512, expm14AVX2}
	logLoops    = mathLoops{log8AVX512, log8AVX2, log4AVX512, log4AVX2}
	log2Loops   = mathLoops{log28AVX512, log28AVX2, log24AVX512, log24AVX2}
	log10Loops  = mathLoops{log108AVX512, log108AVX2, log104AVX512, log104AVX2}
	log1pLoops  = mathLoops{log1p8AVX512, log1p8AVX2, log1p4AVX512, log1p4AVX2}
	sinLoops    = mathLoops{sin8AVX512, sin8AVX2, sin4AVX512, sin4AVX2}
	cosLoops    = mathLoops{cos8AVX512, cos8AVX2, cos4AVX512, cos4AVX2}
	tanLoops    = mathLoops{tan8AVX512, tan8AVX2, tan4AVX512, tan4AVX2}
	tanhLoops   = mathLoops{tanh8AVX512, tanh8AVX2, tanh4AVX512, tanh4AVX2}
	sinhLoops   = mathLoops{sinh8AVX512, sinh8AVX2, sinh4AVX512, sinh4AVX2}
	coshLoops   = mathLoops{cosh8AVX512, cosh8AVX2, cosh4AVX512, cosh4AVX2}
	arctanLoops = mathLoops{arctan8AVX512, arctan8AVX2, arctan4AVX512, arctan4AVX2}
	arcsinLoops = mathLoops{arcsin8AVX512, arcsin8AVX2, arcsin4AVX512, arcsin4AVX2}
	arccosLoops = mathLoops{arccos8AVX512, arccos8AVX2, arccos4AVX512, arccos4AVX2}
	cbrtLoops   = mathLoops{cbrt8AVX512, cbrt8AVX2, cbrt4AVX512, cbrt4AVX2}

	powLoops     = mathLoops2{pow8AVX512, pow8AVX2, pow4AVX512, pow4AVX2}
	arctan2Loops = mathLoops2{arctan28AVX512, arctan28AVX2, arctan24AVX512, arctan24AVX2}
	hypotLoops   = mathLoops2{hypot8AVX512, hypot8AVX2, hypot4AVX512, hypot4AVX2}

	floorDivLoops = mathLoops2{floorDiv8AVX512, floorDiv8AVX2, floorDiv4AVX512, floorDiv4AVX2}
	floorModLoops = mathLoops2{floorMod8AVX512, floorMod8AVX2, floorMod4AVX512, floorMod4AVX2}
)
