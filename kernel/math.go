package kernel

import "math/bits"

// A mathFunc is a mathematical function of one argument. Its operations, rounded one by one and in their order, define it:
// loops over vectors do the same ones, and so a result has the same bits at every level and on every machine. Where a
// product and a sum are rounded once, it says math.FMA; a float64(…) around a product keeps compilers from doing so
// elsewhere.
type mathFunc struct {
	f8, f4 func(x float64) float64 // the function, and what is rounded to float32
	loops  mathLoops
	own    bool // float32 is computed in float32: in vectors of twice as many values
}

// A mathLoops is a function's loops over vectors: of 8 values, and of 4. They do n vectors from the front, up to and with
// the first that has values which they cannot do; of those they leave dst as it is. done is how many vectors they did,
// rest has a bit for each value of the last that is left.
type mathLoops struct {
	f8wide, f8 func(dst, a *float64, n int) (done, rest int)
	f4wide, f4 func(dst, a *float32, n int) (done, rest int)
}

// loopsOf returns a function's values, its loop at the active level or nil, and how many values that has in a vector.
func loopsOf[T Float](f *mathFunc) (of func(float64) float64, loop func(dst, a *T, n int) (done, rest int), lanes int) {
	var wide, narrow any
	var zero T
	if _, single := any(zero).(float32); single {
		of, wide, narrow = f.f4, f.loops.f4wide, f.loops.f4
	} else {
		of, wide, narrow = f.f8, f.loops.f8wide, f.loops.f8
	}
	switch {
	case has(LevelAVX512):
		loop, _ = wide.(func(dst, a *T, n int) (int, int))
		lanes = 8
	case has(LevelAVX2):
		loop, _ = narrow.(func(dst, a *T, n int) (int, int))
		lanes = 4
	}
	if _, single := any(zero).(float32); single && f.own {
		lanes *= 2
	}
	return of, loop, lanes
}

// mapped computes a function.
func mapped[T Float](dst, a []T, f *mathFunc) {
	of, loop, lanes := loopsOf[T](f)
	dst = dst[:len(a)]
	i := 0
	if loop != nil {
		for n := len(a) / lanes; n > 0; {
			done, rest := loop(&dst[i], &a[i], n)
			n -= done
			i += done * lanes
			for ; rest != 0; rest &= rest - 1 {
				at := i - lanes + bits.TrailingZeros(uint(rest))
				dst[at] = valueOf(a[at], of)
			}
		}
	}
	for ; i < len(a); i++ {
		dst[i] = valueOf(a[i], of)
	}
}

// valueOf is a function's value, or the NaN that it is of.
func valueOf[T Float](x T, of func(float64) float64) T {
	if x != x {
		return x
	}
	return T(of(float64(x)))
}

// A mathFunc2 is a function of two arguments.
type mathFunc2 struct {
	f8, f4 func(x, y float64) float64
	loops  mathLoops2
	own    bool // as of [mathFunc]
}

// A mathLoops2 is a [mathLoops] of two arguments, whose values are stepA and stepB apart: 1, or 0 to repeat one.
type mathLoops2 struct {
	f8wide, f8 func(dst, a, b *float64, n, stepA, stepB int) (done, rest int)
	f4wide, f4 func(dst, a, b *float32, n, stepA, stepB int) (done, rest int)
}

func loopsOf2[T Float](f *mathFunc2) (of func(x, y float64) float64, loop func(dst, a, b *T, n, stepA, stepB int) (done, rest int), lanes int) {
	var wide, narrow any
	var zero T
	if _, single := any(zero).(float32); single {
		of, wide, narrow = f.f4, f.loops.f4wide, f.loops.f4
	} else {
		of, wide, narrow = f.f8, f.loops.f8wide, f.loops.f8
	}
	switch {
	case has(LevelAVX512):
		loop, _ = wide.(func(dst, a, b *T, n, stepA, stepB int) (int, int))
		lanes = 8
	case has(LevelAVX2):
		loop, _ = narrow.(func(dst, a, b *T, n, stepA, stepB int) (int, int))
		lanes = 4
	}
	if _, single := any(zero).(float32); single && f.own {
		lanes *= 2
	}
	return of, loop, lanes
}

// mapped2 computes a function of two arguments.
func mapped2[T Float](dst, a, b []T, f *mathFunc2) {
	of, loop, lanes := loopsOf2[T](f)
	stepA, stepB := step(len(a), len(dst)), step(len(b), len(dst))
	i := 0
	if loop != nil {
		for n := len(dst) / lanes; n > 0; {
			done, rest := loop(&dst[i], &a[i*stepA], &b[i*stepB], n, stepA, stepB)
			n -= done
			i += done * lanes
			for ; rest != 0; rest &= rest - 1 {
				at := i - lanes + bits.TrailingZeros(uint(rest))
				dst[at] = valueOf2(a[at*stepA], b[at*stepB], of)
			}
		}
	}
	for ; i < len(dst); i++ {
		dst[i] = valueOf2(a[i*stepA], b[i*stepB], of)
	}
}

// valueOf2 is [valueOf] for two arguments.
func valueOf2[T Float](x, y T, of func(x, y float64) float64) T {
	z := of(float64(x), float64(y))
	switch {
	case z == z:
		return T(z)
	case x != x:
		return x
	case y != y:
		return y
	}
	return T(z)
}
