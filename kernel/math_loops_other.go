//go:build !amd64 || purego

package kernel

// There are no loops over vectors.
var (
	expLoops   mathLoops
	exp2Loops  mathLoops
	expm1Loops mathLoops
	logLoops   mathLoops
	log2Loops  mathLoops
	log10Loops mathLoops
	log1pLoops mathLoops
	sinLoops   mathLoops
	cosLoops   mathLoops
	tanLoops   mathLoops
)
