package kernel

// The fused kernels compute two operations of arithmetic in one pass, each of which rounds: they have the bits of the two
// kernels one after the other. Which comes first matters where two operands are NaNs. An operand of one value repeats it.
//
//	for i := range dst {
//		t := a[i] * b[i]
//		dst[i] = t + c[i]
//	}
//
// Shapes: a, b and c hold len(dst) values or one, but not both of a and b one.
// Source: docs/decisions/0023-vector-arithmetic.md

// A pair is what a fused kernel does, for the loops of the processor.
type pair uint8

const (
	pairMulAdd pair = iota
	pairAddMul
	pairMulSub
	pairSubMul
	pairSumMul
	pairMulSum
	pairDifferenceMul
	pairMulDifference
)

// MulAdd computes a × b + c.
func MulAdd[T Float](dst, a, b, c []T) {
	if k := fusedFast(pairMulAdd, dst, a, b, c); k < len(dst) {
		fusedGo(pairMulAdd, dst[k:], from(a, k), from(b, k), from(c, k))
	}
}

// AddMul computes c + a × b.
func AddMul[T Float](dst, a, b, c []T) {
	if k := fusedFast(pairAddMul, dst, a, b, c); k < len(dst) {
		fusedGo(pairAddMul, dst[k:], from(a, k), from(b, k), from(c, k))
	}
}

// MulSub computes a × b - c.
func MulSub[T Float](dst, a, b, c []T) {
	if k := fusedFast(pairMulSub, dst, a, b, c); k < len(dst) {
		fusedGo(pairMulSub, dst[k:], from(a, k), from(b, k), from(c, k))
	}
}

// SubMul computes c - a × b.
func SubMul[T Float](dst, a, b, c []T) {
	if k := fusedFast(pairSubMul, dst, a, b, c); k < len(dst) {
		fusedGo(pairSubMul, dst[k:], from(a, k), from(b, k), from(c, k))
	}
}

// SumMul computes (a + b) × c.
func SumMul[T Float](dst, a, b, c []T) {
	if k := fusedFast(pairSumMul, dst, a, b, c); k < len(dst) {
		fusedGo(pairSumMul, dst[k:], from(a, k), from(b, k), from(c, k))
	}
}

// MulSum computes c × (a + b).
func MulSum[T Float](dst, a, b, c []T) {
	if k := fusedFast(pairMulSum, dst, a, b, c); k < len(dst) {
		fusedGo(pairMulSum, dst[k:], from(a, k), from(b, k), from(c, k))
	}
}

// DifferenceMul computes (a - b) × c.
func DifferenceMul[T Float](dst, a, b, c []T) {
	if k := fusedFast(pairDifferenceMul, dst, a, b, c); k < len(dst) {
		fusedGo(pairDifferenceMul, dst[k:], from(a, k), from(b, k), from(c, k))
	}
}

// MulDifference computes c × (a - b).
func MulDifference[T Float](dst, a, b, c []T) {
	if k := fusedFast(pairMulDifference, dst, a, b, c); k < len(dst) {
		fusedGo(pairMulDifference, dst[k:], from(a, k), from(b, k), from(c, k))
	}
}

// fusedRows is how many rows the plain loops compute at a time, on the stack.
const fusedRows = 128

// fusedGo is the two kernels one after the other.
func fusedGo[T Float](p pair, dst, a, b, c []T) {
	var buf [fusedRows]T
	for len(dst) > 0 {
		n := min(len(dst), fusedRows)
		x, y := upTo(a, n), upTo(b, n)
		t := buf[:n]
		switch p {
		case pairSumMul, pairMulSum:
			addGo(t, x, y)
		case pairDifferenceMul, pairMulDifference:
			subGo(t, x, y)
		default:
			mulGo(t, x, y)
		}
		switch z := upTo(c, n); p {
		case pairMulAdd:
			addGo(dst[:n], t, z)
		case pairAddMul:
			addGo(dst[:n], z, t)
		case pairMulSub:
			subGo(dst[:n], t, z)
		case pairSubMul:
			subGo(dst[:n], z, t)
		case pairSumMul, pairDifferenceMul:
			mulGo(dst[:n], t, z)
		case pairMulSum, pairMulDifference:
			mulGo(dst[:n], z, t)
		}
		dst, a, b, c = dst[n:], from(a, n), from(b, n), from(c, n)
	}
}

// SumSquares computes a × a + b × b.
//
// Shapes: a and b hold len(dst) values.
func SumSquares[T Float](dst, a, b []T) { sumSquares(dst, a, b, false) }

// RootSumSquares computes the square root of a × a + b × b.
//
// Shapes: a and b hold len(dst) values.
func RootSumSquares[T Float](dst, a, b []T) { sumSquares(dst, a, b, true) }

func sumSquares[T Float](dst, a, b []T, root bool) {
	if k := squaresFast(dst, a, b, root); k < len(dst) {
		sumSquaresGo(dst[k:], a[k:], b[k:], root)
	}
}

func sumSquaresGo[T Float](dst, a, b []T, root bool) {
	var x, y [fusedRows]T
	for len(dst) > 0 {
		n := min(len(dst), fusedRows)
		mulGo(x[:n], a[:n], a[:n])
		mulGo(y[:n], b[:n], b[:n])
		addGo(dst[:n], x[:n], y[:n])
		if root {
			sqrtGo(dst[:n], dst[:n])
		}
		dst, a, b = dst[n:], a[n:], b[n:]
	}
}
