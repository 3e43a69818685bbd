package kernel

// The arithmetic kernels compute dst[i] = a[i] op b[i] in T, in which integers wrap. An operand of one value repeats it.
//
//	for i := range dst {
//		dst[i] = a[i] + b[i]
//	}
//
// Shapes: a and b hold len(dst) values or one.

// Add adds.
func Add[T Number](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			dst[i] = v + c
		}
	case len(a) == 1:
		Add(dst, b, a)
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			dst[i] = v + b[i]
		}
	}
}

// Sub subtracts b from a.
func Sub[T Number](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			dst[i] = v - c
		}
	case len(a) == 1:
		c := a[0]
		for i, v := range b[:n] {
			dst[i] = c - v
		}
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			dst[i] = v - b[i]
		}
	}
}

// Mul multiplies.
func Mul[T Number](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			dst[i] = v * c
		}
	case len(a) == 1:
		Mul(dst, b, a)
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			dst[i] = v * b[i]
		}
	}
}

// Div divides a by b; by zero it gives an infinity or a NaN.
func Div[T Float](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			dst[i] = v / c
		}
	case len(a) == 1:
		c := a[0]
		for i, v := range b[:n] {
			dst[i] = c / v
		}
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			dst[i] = v / b[i]
		}
	}
}

// Neg negates; unsigned integers and the least signed one wrap.
func Neg[T Number](dst, a []T) {
	for i, v := range a[:len(dst)] {
		dst[i] = -v
	}
}

// BitAnd is the bitwise and; BitOr, BitXor likewise.
func BitAnd[T Integer](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			dst[i] = v & c
		}
	case len(a) == 1:
		BitAnd(dst, b, a)
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			dst[i] = v & b[i]
		}
	}
}

// BitOr is the bitwise or.
func BitOr[T Integer](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			dst[i] = v | c
		}
	case len(a) == 1:
		BitOr(dst, b, a)
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			dst[i] = v | b[i]
		}
	}
}

// BitXor is the bitwise exclusive or.
func BitXor[T Integer](dst, a, b []T) {
	n := len(dst)
	switch {
	case len(b) == 1:
		c := b[0]
		for i, v := range a[:n] {
			dst[i] = v ^ c
		}
	case len(a) == 1:
		BitXor(dst, b, a)
	default:
		a, b = a[:n], b[:n]
		for i, v := range a {
			dst[i] = v ^ b[i]
		}
	}
}

// BitNot inverts every bit.
func BitNot[T Integer](dst, a []T) {
	for i, v := range a[:len(dst)] {
		dst[i] = ^v
	}
}

// Maximum takes the larger value; a NaN on either side wins, and of two zeros the second.
func Maximum[T Number](dst, a, b []T) {
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

// Minimum takes the smaller value; a NaN on either side wins, and of two zeros the second.
func Minimum[T Number](dst, a, b []T) {
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

// FMax is [Maximum] in which a NaN loses; FMin likewise.
func FMax[T Number](dst, a, b []T) {
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
