//go:build !amd64 || purego

package kernel

// There are no loops over vectors.
var (
	expLoops, exp2Loops, expm1Loops, logLoops, log2Loops, log10Loops, log1pLoops, sinLoops, cosLoops, tanLoops, tanhLoops, sinhLoops, coshLoops, arctanLoops, arcsinLoops, arccosLoops, cbrtLoops mathLoops
	powLoops, arctan2Loops, hypotLoops, floorDivLoops, floorModLoops                                                                                                                              mathLoops2
)
