package ops

import (
	"bytes"
	"math/big"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/half"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/kernel"
)

// A RangeTest tells how a test can come out in rows whose arguments lie within bounds: whether it can hold in one, and
// whether it can fail in one. It is never called without arguments, and both are true where it does not know.
type RangeTest func(args []colstore.Bounds) (holds, fails bool)

// A RangeKernel returns bounds of a kernel's results in rows whose arguments lie within bounds; ok is false where it does
// not know any.
//
// All of them run the kernel itself over the bounds, so that rounding, wrapping and the order of values are those of the
// evaluation. Only functions that are monotone by construction have one: a library's logarithm is not.
type RangeKernel func(args []colstore.Bounds) (b colstore.Bounds, ok bool)

// rangers give the functions of this package their ranges, once they are resolved.
var rangers = map[string]func(o *Overload){
	"less":          ordered(kernel.AcceptLess),
	"less_equal":    ordered(kernel.AcceptLessEqual),
	"greater":       ordered(kernel.AcceptGreater),
	"greater_equal": ordered(kernel.AcceptGreaterEqual),
	"equal":         ordered(kernel.AcceptEqual),
	"not_equal":     ordered(kernel.AcceptNotEqual),
	"isnan":         missing,
	"isnat":         missing,
	"positive":      rises,
	"floor":         rises,
	"ceil":          rises,
	"trunc":         rises,
	"rint":          rises,
	"sqrt":          rises,
	"negative":      falls,
	"absolute":      magnitude,
	"minimum":       corners(nil),
	"maximum":       corners(nil),
	"add":           corners((*big.Int).Add),
	"subtract":      corners((*big.Int).Sub),
	"multiply":      corners((*big.Int).Mul),
	"divide":        ratio,
}

// ranged gives a function's overloads their ranges.
func ranged(f Func) Func {
	set, ok := rangers[f.Name]
	if !ok {
		return f
	}
	resolve := f.Resolve
	f.Resolve = func(args []Operand) (Overload, error) {
		o, err := resolve(args)
		if err == nil {
			set(&o)
		}
		return o, err
	}
	return f
}

// An ordering compares the values of two columns of one row: negative, 0 or positive.
type ordering func(a, b colstore.Column) int

// orderingOf returns the order in which comparisons put values of two dtypes, as they were converted to be compared. NaN
// and NaT must not come.
func orderingOf(a, b colstore.DType) ordering {
	accepted := func(f func(dst []uint64, x, y colstore.Column, accept kernel.Accept)) ordering {
		is := func(x, y colstore.Column, accept kernel.Accept) bool {
			var bits [1]uint64
			f(bits[:], x, y, accept)
			return bits[0] != 0
		}
		return func(x, y colstore.Column) int {
			switch {
			case is(x, y, kernel.Below):
				return -1
			case is(x, y, kernel.Above):
				return 1
			}
			return 0
		}
	}
	switch {
	case a.Kind() == colstore.KindBytes:
		return accepted(func(dst []uint64, x, y colstore.Column, accept kernel.Accept) {
			kernel.OrderBytes(dst, kernel.RawIn(x), x.Type().Size(), kernel.RawIn(y), y.Type().Size(), 1, accept)
		})
	case a.Kind() == colstore.KindText:
		return accepted(func(dst []uint64, x, y colstore.Column, accept kernel.Accept) {
			kernel.OrderText(dst, kernel.RawIn(x), x.Type().Size(), kernel.RawIn(y), y.Type().Size(), 1, accept)
		})
	case a == colstore.Int64 && b == colstore.Uint64:
		return accepted(func(dst []uint64, x, y colstore.Column, accept kernel.Accept) {
			kernel.OrderMixed(dst, kernel.In[int64](x), kernel.In[uint64](y), 1, accept)
		})
	case a == colstore.Float16:
		return func(x, y colstore.Column) int {
			p, q := halfAt(x), halfAt(y)
			switch {
			case p < q:
				return -1
			case p > q:
				return 1
			}
			return 0
		}
	}
	below := lessTests.of(a)
	switch {
	case a == colstore.Bool:
		below = lessTests.u1
	case a.IsTime():
		below = lessTests.i8
	}
	return func(x, y colstore.Column) int {
		switch {
		case passes(below, x, y):
			return -1
		case passes(below, y, x):
			return 1
		}
		return 0
	}
}

func halfAt(c colstore.Column) float32 { return half.To32(kernel.In[uint16](c)[0]) }

// passes runs a test over one row.
func passes(t Test, args ...colstore.Column) bool {
	var bits [1]uint64
	return t(bits[:], args, 1) == nil && bits[0]&1 != 0
}

// isMissing reports whether the value of a column of one row is NaN or NaT.
func isMissing(c colstore.Column) bool {
	switch t := c.Type(); {
	case t == colstore.Float16:
		v := halfAt(c)
		return v != v
	case t == colstore.Float32:
		return passes(notEqualTests.f4, c, c)
	case t == colstore.Float64:
		return passes(notEqualTests.f8, c, c)
	case t.IsTime():
		return kernel.In[int64](c)[0] == colstore.NaT
	}
	return false
}

// ValidBounds reports whether bounds are some: one row each of one native dtype, neither NaN nor NaT, in their order.
func ValidBounds(b colstore.Bounds) bool {
	t := b.Lo.Type()
	return b.Hi.Type() == t && t == t.Native() && b.Lo.Rows() == 1 && b.Hi.Rows() == 1 &&
		!isMissing(b.Lo) && !isMissing(b.Hi) && orderingOf(t, t)(b.Lo, b.Hi) <= 0
}

// ordered sets the range of a comparison.
func ordered(accept kernel.Accept) func(o *Overload) {
	return func(o *Overload) {
		if o.Test == nil || len(o.Args) != 2 || o.Args[0].IsString() && o.Args[0].Kind() != o.Args[1].Kind() {
			return // bytes that are no UTF-8 have no place in the order of text
		}
		relation := accept
		if len(o.Use) == 2 && o.Use[0] == 1 {
			relation = accept.Swapped()
		}
		order := orderingOf(o.Args[0], o.Args[1])
		o.Range = func(args []colstore.Bounds) (holds, fails bool) {
			a, b := args[0], args[1]
			least, most := order(a.Lo, b.Hi), order(a.Hi, b.Lo)
			var can kernel.Accept
			if least < 0 {
				can |= kernel.Below
			}
			if least <= 0 && most >= 0 {
				can |= kernel.Same
			}
			if most > 0 {
				can |= kernel.Above
			}
			missing, differ := a.NaN || b.NaN, relation == kernel.AcceptNotEqual // NaN differs from all, and no more
			return can&relation != 0 || missing && differ, can&^relation != 0 || missing && !differ
		}
	}
}

// missing sets the range of a test for NaN or NaT.
func missing(o *Overload) {
	o.Range = func(args []colstore.Bounds) (holds, fails bool) { return args[0].NaN, true }
}

// TruthRange returns the range of the test for the truth of values that [Truth] returns, whose argument is of dtype t.
func TruthRange(t colstore.DType) RangeTest {
	zero, err := scratch(t, 1)
	if err != nil {
		return nil
	}
	order := orderingOf(t, t)
	return func(args []colstore.Bounds) (holds, fails bool) {
		lo, hi := order(args[0].Lo, zero), order(args[0].Hi, zero)
		return lo != 0 || hi != 0 || args[0].NaN, lo <= 0 && hi >= 0
	}
}

// memberRange returns the range of the test for members of a list of numbers or ticks.
func memberRange[T kernel.Number](members []T) RangeTest {
	cells := make([]colstore.Column, 0, len(members))
	for i, m := range members {
		if m == m { // NaN is in no row
			cells = append(cells, colstore.Wrap(members[i:i+1]))
		}
	}
	return rangeOfCells(cells, cellOrder[T])
}

func cellOrder[T kernel.Number](a, b colstore.Column) int {
	switch x, y := kernel.In[T](a)[0], kernel.In[T](b)[0]; {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// memberTextRange is [memberRange] for text, whose members are of one kind and any width.
func memberTextRange(members []colstore.Column) RangeTest {
	t := members[0].Type()
	return rangeOfCells(members, orderingOf(t, t))
}

// rangeOfCells returns the range of the test for values of the cells.
func rangeOfCells(cells []colstore.Column, order ordering) RangeTest {
	cells = slices.SortedFunc(slices.Values(cells), order)
	return func(args []colstore.Bounds) (holds, fails bool) {
		lo, hi := args[0].Lo, args[0].Hi
		at, _ := slices.BinarySearchFunc(cells, lo, order)
		holds = at < len(cells) && order(cells[at], hi) <= 0
		return holds, !holds || args[0].NaN || order(lo, hi) != 0
	}
}

// apply runs a kernel over one row.
func apply(k Kernel, t colstore.DType, args ...colstore.Column) (colstore.Column, bool) {
	dst, err := scratch(t, 1)
	if err != nil || k(dst, args) != nil {
		return dst, false
	}
	return dst, !isMissing(dst)
}

// monotone returns the range of a kernel of one argument with results of dtype t that rises, or falls. One that wraps is
// monotone where its results at the bounds are in their order: it breaks once at most.
func monotone(k Kernel, t colstore.DType, falling bool) RangeKernel {
	order := orderingOf(t, t)
	return func(args []colstore.Bounds) (b colstore.Bounds, ok bool) {
		lo, okLo := apply(k, t, args[0].Lo)
		hi, okHi := apply(k, t, args[0].Hi)
		if falling {
			lo, hi = hi, lo
		}
		return colstore.Bounds{Lo: lo, Hi: hi, NaN: args[0].NaN}, okLo && okHi && order(lo, hi) <= 0
	}
}

func rises(o *Overload) {
	if o.Kernel != nil && len(o.Args) == 1 {
		o.KernelRange = monotone(o.Kernel, o.Result, false)
	}
}

func falls(o *Overload) {
	if o.Kernel != nil && len(o.Args) == 1 {
		o.KernelRange = monotone(o.Kernel, o.Result, true)
	}
}

// magnitude sets the range of the absolute value, which falls below zero and rises above it.
func magnitude(o *Overload) {
	zero, err := scratch(o.Result, 1)
	if o.Kernel == nil || err != nil {
		return
	}
	t := o.Result
	order := orderingOf(t, t)
	rising, falling := monotone(o.Kernel, t, false), monotone(o.Kernel, t, true)
	kernel := o.Kernel
	o.KernelRange = func(args []colstore.Bounds) (b colstore.Bounds, ok bool) {
		switch {
		case order(args[0].Lo, zero) >= 0:
			return rising(args)
		case order(args[0].Hi, zero) <= 0:
			return falling(args)
		}
		x, okX := apply(kernel, t, args[0].Lo)
		y, okY := apply(kernel, t, args[0].Hi)
		if !okX || !okY || order(x, zero) < 0 { // the least integer has no positive twin
			return b, false
		}
		if order(x, y) > 0 {
			y = x
		}
		return colstore.Bounds{Lo: zero, Hi: y, NaN: args[0].NaN}, true
	}
}

// corners sets the range of a binary function of numbers that is monotone in each argument as long as it neither wraps
// nor leaves the finite numbers: its extremes are at the corners. exact is the function on integers; nil if it cannot
// wrap.
func corners(exact func(z, x, y *big.Int) *big.Int) func(o *Overload) {
	return func(o *Overload) {
		t := o.Result
		if o.Kernel == nil || len(o.Args) != 2 || o.Args[0] != t || o.Args[1] != t || !t.IsNumber() || t == colstore.Bool {
			return
		}
		k, order := o.Kernel, orderingOf(t, t)
		o.KernelRange = func(args []colstore.Bounds) (b colstore.Bounds, ok bool) {
			b.NaN = args[0].NaN || args[1].NaN
			for i, x := range []colstore.Column{args[0].Lo, args[0].Hi} {
				for j, y := range []colstore.Column{args[1].Lo, args[1].Hi} {
					if exact != nil && t.Kind() != colstore.KindFloat && !fits(exact(new(big.Int), wholeAt(x), wholeAt(y)), t) {
						return b, false
					}
					v, ok := apply(k, t, x, y)
					if !ok || t.Kind() == colstore.KindFloat && isInfinite(v) {
						return b, false
					}
					if i+j == 0 || order(v, b.Lo) < 0 {
						b.Lo = v
					}
					if i+j == 0 || order(v, b.Hi) > 0 {
						b.Hi = v
					}
				}
			}
			return b, true
		}
	}
}

// wholeAt returns the integer of a column of one row.
func wholeAt(c colstore.Column) *big.Int {
	if c.Type().Kind() == colstore.KindUint {
		return new(big.Int).SetUint64(text.Uint(c.Type(), c.At(0)))
	}
	return big.NewInt(text.Int(c.Type(), c.At(0)))
}

func isInfinite(c colstore.Column) bool {
	v := text.Float(c.Type(), c.At(0))
	return v-v != 0
}

// ratio sets the range of a quotient, which is monotone where the divisor is on one side of zero.
func ratio(o *Overload) {
	corners(nil)(o)
	inner := o.KernelRange
	if inner == nil {
		return
	}
	zero, err := scratch(o.Result, 1)
	if err != nil {
		return
	}
	order := orderingOf(o.Result, o.Result)
	o.KernelRange = func(args []colstore.Bounds) (b colstore.Bounds, ok bool) {
		if order(args[1].Lo, zero) <= 0 && order(args[1].Hi, zero) >= 0 {
			return b, false
		}
		return inner(args)
	}
}

// CastRange returns the range of the kernel that [CastWith] returns; nil where nothing is known, or values can make it
// fail.
func CastRange(from, to colstore.DType, mode CastMode) RangeKernel {
	from, to = from.Native(), to.Native()
	k, fallible, err := CastWith(from, to, mode)
	if err != nil || fallible {
		return nil
	}
	rising := monotone(k, to, false)
	switch isFloat := func(t colstore.DType) bool { return t.Kind() == colstore.KindFloat }; {
	case from == to, from.IsString() && from.Kind() == to.Kind(), isFloat(from) && isFloat(to):
		return rising // text that is cut keeps its order
	case from.IsString(), to.IsString(), to == colstore.Bool, isFloat(from):
		return nil
	case isFloat(to):
		return present(rising)
	case from == colstore.Bool:
		return rising
	case from.IsTime() && to.IsTime() && to.Unit() < from.Unit():
		return rising // to a coarser unit
	}
	// Low bits are kept, finer ticks wrap: monotone if the bounds come back as they were.
	back, _, err := Cast(to, from)
	if err != nil {
		return nil
	}
	if to.IsTime() != from.IsTime() {
		rising = present(rising)
	}
	return func(args []colstore.Bounds) (b colstore.Bounds, ok bool) {
		if b, ok = rising(args); !ok {
			return b, false
		}
		lo, okLo := apply(back, from, b.Lo)
		hi, okHi := apply(back, from, b.Hi)
		return b, okLo && okHi && bytes.Equal(lo.At(0), args[0].Lo.At(0)) && bytes.Equal(hi.At(0), args[0].Hi.At(0))
	}
}

// present is a range that knows nothing where NaN or NaT may be: they would become numbers.
func present(r RangeKernel) RangeKernel {
	return func(args []colstore.Bounds) (colstore.Bounds, bool) {
		if args[0].NaN {
			return colstore.Bounds{}, false
		}
		return r(args)
	}
}
