package kernel

// An operation is what an arithmetic kernel does, for the loops of the processor.
type operation uint8

const (
	opAdd operation = iota
	opSub
	opMul
	opDiv
	opMaximum
	opMinimum
	opFMax
	opFMin
	opBitAnd
	opBitOr
	opBitXor
	opBitAndNot
	opAbs
	opSqrt
	opFloor
	opCeil
	opTrunc
	opRint
)

// Add computes a + b for each row; integers wrap. [Sub], [Mul] and [Div] likewise.
//
//	for i := range dst {
//		dst[i] = a[i] + b[i]
//	}
//
// Shapes: a and b hold len(dst) values or one, but not both one.
func Add[T Number](dst, a, b []T) {
	if k := binaryFast(opAdd, dst, a, b); k < len(dst) {
		addGo(dst[k:], from(a, k), from(b, k))
	}
}

func addGo[T Number](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			z := v + c
			if z != z {
				z = firstNaN(v, c, z)
			}
			dst[i] = z
		}
	case len(a) == 1:
		c := a[0]
		for i, v := range b[:n] {
			z := c + v
			if z != z {
				z = firstNaN(c, v, z)
			}
			dst[i] = z
		}
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			z := v + b[i]
			if z != z {
				z = firstNaN(v, b[i], z)
			}
			dst[i] = z
		}
	}
}

// Sub computes a - b for each row, as [Add].
func Sub[T Number](dst, a, b []T) {
	if k := binaryFast(opSub, dst, a, b); k < len(dst) {
		subGo(dst[k:], from(a, k), from(b, k))
	}
}

func subGo[T Number](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			z := v - c
			if z != z {
				z = firstNaN(v, c, z)
			}
			dst[i] = z
		}
	case len(a) == 1:
		c := a[0]
		for i, v := range b[:n] {
			z := c - v
			if z != z {
				z = firstNaN(c, v, z)
			}
			dst[i] = z
		}
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			z := v - b[i]
			if z != z {
				z = firstNaN(v, b[i], z)
			}
			dst[i] = z
		}
	}
}

// Mul computes a × b for each row, as [Add].
func Mul[T Number](dst, a, b []T) {
	if k := binaryFast(opMul, dst, a, b); k < len(dst) {
		mulGo(dst[k:], from(a, k), from(b, k))
	}
}

func mulGo[T Number](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			z := v * c
			if z != z {
				z = firstNaN(v, c, z)
			}
			dst[i] = z
		}
	case len(a) == 1:
		c := a[0]
		for i, v := range b[:n] {
			z := c * v
			if z != z {
				z = firstNaN(c, v, z)
			}
			dst[i] = z
		}
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			z := v * b[i]
			if z != z {
				z = firstNaN(v, b[i], z)
			}
			dst[i] = z
		}
	}
}

// Div computes a ÷ b for each row, as [Add]; by zero it gives an infinity or a NaN.
func Div[T Float](dst, a, b []T) {
	if k := binaryFast(opDiv, dst, a, b); k < len(dst) {
		divGo(dst[k:], from(a, k), from(b, k))
	}
}

func divGo[T Float](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			z := v / c
			if z != z {
				z = firstNaN(v, c, z)
			}
			dst[i] = z
		}
	case len(a) == 1:
		c := a[0]
		for i, v := range b[:n] {
			z := c / v
			if z != z {
				z = firstNaN(c, v, z)
			}
			dst[i] = z
		}
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			z := v / b[i]
			if z != z {
				z = firstNaN(v, b[i], z)
			}
			dst[i] = z
		}
	}
}

// Neg computes -a for each row; unsigned integers and the least signed one wrap, and a NaN keeps its other bits.
func Neg[T Number](dst, a []T) {
	a = a[:len(dst)]
	switch kindOf[T]() {
	case kindF4:
		BitXor(as[uint32](dst), as[uint32](a), []uint32{1 << 31})
	case kindF8:
		BitXor(as[uint64](dst), as[uint64](a), []uint64{1 << 63})
	default:
		Sub(dst, []T{0}, a)
	}
}
