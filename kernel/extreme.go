package kernel

// Maximum takes the larger value of each row; a NaN on either side wins, and of two zeros the second.
//
// Shapes: a and b hold len(dst) values or one, both of them too.
func Maximum[T Number](dst, a, b []T) {
	if k := extremeFast(opMaximum, dst, a, b); k < len(dst) {
		maximumGo(dst[k:], from(a, k), from(b, k))
	}
}

func maximumGo[T Number](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x > y || x != x {
			dst[i] = x
		} else {
			dst[i] = y
		}
	}
}

// Minimum takes the smaller value of each row, as [Maximum]; a NaN on either side wins, and of two zeros the second.
func Minimum[T Number](dst, a, b []T) {
	if k := extremeFast(opMinimum, dst, a, b); k < len(dst) {
		minimumGo(dst[k:], from(a, k), from(b, k))
	}
}

func minimumGo[T Number](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x < y || x != x {
			dst[i] = x
		} else {
			dst[i] = y
		}
	}
}

// FMax is [Maximum] in which a NaN loses.
func FMax[T Number](dst, a, b []T) {
	if k := extremeFast(opFMax, dst, a, b); k < len(dst) {
		fMaxGo(dst[k:], from(a, k), from(b, k))
	}
}

func fMaxGo[T Number](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x > y || y != y {
			dst[i] = x
		} else {
			dst[i] = y
		}
	}
}

// FMin is [Minimum] in which a NaN loses.
func FMin[T Number](dst, a, b []T) {
	if k := extremeFast(opFMin, dst, a, b); k < len(dst) {
		fMinGo(dst[k:], from(a, k), from(b, k))
	}
}

func fMinGo[T Number](dst, a, b []T) {
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	for i := range dst {
		x, y := a[i*stepA], b[i*stepB]
		if x < y || y != y {
			dst[i] = x
		} else {
			dst[i] = y
		}
	}
}

// extremeFast is [binaryFast], where integers have no NaN, and both operands may be constants.
func extremeFast[T Number](op operation, dst, a, b []T) int {
	if k := kindOf[T](); k != kindF4 && k != kindF8 {
		switch op {
		case opFMax:
			op = opMaximum
		case opFMin:
			op = opMinimum
		}
	}
	if len(a) == 1 && len(b) == 1 && len(dst) != 1 {
		return 0
	}
	return binaryFast(op, dst, a, b)
}
