package ops

import (
	"errors"
	"math/big"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/kernel"
)

// A comparison is one of the six relations: its operator, the orders that satisfy it, and its tests on numbers. swap
// tells that the tests want their operands exchanged, since there are loops for < and ≤ only.
type comparison struct {
	name, symbol, doc string
	accept            kernel.Accept
	tests             *testFamily
	swap              bool
}

var (
	lessTests = testFamily{
		test(kernel.Less[int8]), test(kernel.Less[int16]), test(kernel.Less[int32]), test(kernel.Less[int64]),
		test(kernel.Less[uint8]), test(kernel.Less[uint16]), test(kernel.Less[uint32]), test(kernel.Less[uint64]),
		halfTest(kernel.Less[float32]), test(kernel.Less[float32]), test(kernel.Less[float64]),
	}
	lessEqualTests = testFamily{
		test(kernel.LessEqual[int8]), test(kernel.LessEqual[int16]), test(kernel.LessEqual[int32]), test(kernel.LessEqual[int64]),
		test(kernel.LessEqual[uint8]), test(kernel.LessEqual[uint16]), test(kernel.LessEqual[uint32]), test(kernel.LessEqual[uint64]),
		halfTest(kernel.LessEqual[float32]), test(kernel.LessEqual[float32]), test(kernel.LessEqual[float64]),
	}
	equalTests = testFamily{
		test(kernel.Equal[int8]), test(kernel.Equal[int16]), test(kernel.Equal[int32]), test(kernel.Equal[int64]),
		test(kernel.Equal[uint8]), test(kernel.Equal[uint16]), test(kernel.Equal[uint32]), test(kernel.Equal[uint64]),
		halfTest(kernel.Equal[float32]), test(kernel.Equal[float32]), test(kernel.Equal[float64]),
	}
	notEqualTests = testFamily{
		test(kernel.NotEqual[int8]), test(kernel.NotEqual[int16]), test(kernel.NotEqual[int32]), test(kernel.NotEqual[int64]),
		test(kernel.NotEqual[uint8]), test(kernel.NotEqual[uint16]), test(kernel.NotEqual[uint32]), test(kernel.NotEqual[uint64]),
		halfTest(kernel.NotEqual[float32]), test(kernel.NotEqual[float32]), test(kernel.NotEqual[float64]),
	}
)

var _ = builtin(
	comparison{"less", "<", "it is below", kernel.AcceptLess, &lessTests, false}.function(),
	comparison{"less_equal", "<=", "it is not above", kernel.AcceptLessEqual, &lessEqualTests, false}.function(),
	comparison{"greater", ">", "it is above", kernel.AcceptGreater, &lessTests, true}.function(),
	comparison{"greater_equal", ">=", "it is not below", kernel.AcceptGreaterEqual, &lessEqualTests, true}.function(),
	comparison{"equal", "==", "they are equal", kernel.AcceptEqual, &equalTests, false}.function(),
	comparison{"not_equal", "!=", "they are not equal", kernel.AcceptNotEqual, &notEqualTests, false}.function(),
)

func (c comparison) function() Func {
	return Func{Name: c.name, Symbol: c.symbol, Doc: c.doc, MinArgs: 2, MaxArgs: 2, Resolve: c.resolve}
}

func (c comparison) resolve(args []Operand) (Overload, error) {
	a, b := args[0], args[1]
	_, noneA := a.Lit.(None)
	_, noneB := b.Lit.(None)
	switch {
	case (noneA || noneB) && (c.accept == kernel.AcceptEqual || c.accept == kernel.AcceptNotEqual):
		return always(c.accept == kernel.AcceptNotEqual), nil // nothing equals None
	case a.isTime() || b.isTime():
		return c.times(args)
	case a.isString() && b.isString():
		return c.strings(args)
	case a.isNumber() && b.isNumber():
		return c.numbers(args)
	}
	why := ""
	if a.isString() != b.isString() {
		why = "text compares with text only; cast one side"
	}
	return Overload{}, refused(c.symbol, args, why)
}

// always is a comparison that comes out the same in every row and reads nothing.
func always(truth bool) Overload {
	return Overload{Use: []int{}, Result: colstore.Bool, Test: func(dst []uint64, _ []colstore.Column, rows int) error {
		if truth {
			kernel.Ones(dst, rows)
		} else {
			clear(dst)
		}
		return nil
	}}
}

// test returns the overload of a test over operands of type t, with the operands exchanged if the test wants that.
func (c comparison) test(t colstore.DType, test Test) Overload {
	o := Overload{Args: []colstore.DType{t, t}, Result: colstore.Bool, Test: test}
	if c.swap {
		o.Use = []int{1, 0}
	}
	return o
}

func (c comparison) numbers(args []Operand) (Overload, error) {
	t, err := common(args...)
	if errors.Is(err, errRange) {
		return c.outOfRange(args), nil
	}
	if err != nil {
		return Overload{}, err
	}
	if mixed(args) {
		return c.mixed(args), nil
	}
	if t == colstore.Bool {
		t = colstore.Uint8 // the cast makes 0 and 1 of it
	}
	return c.test(t, c.tests.of(t)), nil
}

// outOfRange decides a comparison of an integer column with a number that its type does not hold: it is the same in
// every row.
func (c comparison) outOfRange(args []Operand) Overload {
	accept := c.accept
	n, ok := args[1].Lit.(*big.Int)
	if !ok {
		n, accept = args[0].Lit.(*big.Int), accept.Swapped()
	}
	if n.Sign() > 0 {
		return always(accept&kernel.Below != 0) // the column is below it
	}
	return always(accept&kernel.Above != 0)
}

// mixed reports a signed integer beside a uint64, which no type holds both of.
func mixed(args []Operand) bool {
	a, b := args[0], args[1]
	if a.Lit != nil || b.Lit != nil {
		return false
	}
	isSigned := func(t colstore.DType) bool { return t.Kind() == colstore.KindInt }
	return a.Type == colstore.Uint64 && isSigned(b.Type) || b.Type == colstore.Uint64 && isSigned(a.Type)
}

func (c comparison) mixed(args []Operand) Overload {
	accept, use := c.accept, []int{0, 1}
	if args[0].Type == colstore.Uint64 {
		accept, use = accept.Swapped(), []int{1, 0}
	}
	return Overload{
		Use: use, Args: []colstore.DType{colstore.Int64, colstore.Uint64}, Result: colstore.Bool,
		Test: func(dst []uint64, args []colstore.Column, rows int) error {
			kernel.OrderMixed(dst, kernel.In[int64](args[0]), kernel.In[uint64](args[1]), rows, accept)
			return nil
		},
	}
}

// strings resolves a comparison of bytes and text. A literal takes the kind of the column; a bytes column and a text
// column compare by value, the bytes read as UTF-8.
func (c comparison) strings(args []Operand) (Overload, error) {
	kindOf := func(o Operand) colstore.Kind {
		if o.Lit == nil {
			return o.Type.Kind()
		}
		return colstore.KindInvalid
	}
	ka, kb := kindOf(args[0]), kindOf(args[1])
	if ka == colstore.KindInvalid {
		ka = kb
	}
	if kb == colstore.KindInvalid {
		kb = ka
	}
	width := func(o Operand, k colstore.Kind) colstore.DType {
		if o.Lit == nil {
			return o.Type
		}
		t := colstore.TextOf(0)
		if k == colstore.KindBytes {
			t = colstore.BytesOf(0)
		}
		s, err := Constant(o.Lit, t)
		if err != nil {
			return t
		}
		return s.Type()
	}
	ta, tb := width(args[0], ka), width(args[1], kb)
	accept := c.accept
	o := Overload{Args: []colstore.DType{ta, tb}, Result: colstore.Bool}
	equality := accept == kernel.AcceptEqual || accept == kernel.AcceptNotEqual
	switch {
	case ka == kb && equality:
		o.Test = func(dst []uint64, args []colstore.Column, rows int) error {
			kernel.EqualStrings(dst, kernel.RawIn(args[0]), ta.Size(), kernel.RawIn(args[1]), tb.Size(), rows)
			if accept == kernel.AcceptNotEqual {
				kernel.Not(dst, dst, rows)
			}
			return nil
		}
	case ka == kb && ka == colstore.KindBytes:
		o.Test = func(dst []uint64, args []colstore.Column, rows int) error {
			kernel.OrderBytes(dst, kernel.RawIn(args[0]), ta.Size(), kernel.RawIn(args[1]), tb.Size(), rows, accept)
			return nil
		}
	case ka == kb:
		o.Test = func(dst []uint64, args []colstore.Column, rows int) error {
			kernel.OrderText(dst, kernel.RawIn(args[0]), ta.Size(), kernel.RawIn(args[1]), tb.Size(), rows, accept)
			return nil
		}
	default:
		if ka == colstore.KindText {
			accept = accept.Swapped()
			o.Use, o.Args = []int{1, 0}, []colstore.DType{tb, ta}
		}
		sizes := [2]int{o.Args[0].Size(), o.Args[1].Size()}
		o.Test = func(dst []uint64, args []colstore.Column, rows int) error {
			kernel.OrderBytesText(dst, kernel.RawIn(args[0]), sizes[0], kernel.RawIn(args[1]), sizes[1], rows, accept)
			return nil
		}
	}
	return o, nil
}

// times resolves a comparison of moments with moments, or of spans with spans or ticks.
func (c comparison) times(args []Operand) (Overload, error) {
	a, b := args[0], args[1]
	var t colstore.DType
	switch {
	case a.moment() && b.moment():
		t = colstore.DatetimeOf(calendar.Finer(a.Type.Unit(), b.Type.Unit()))
	case a.span() && b.span():
		unit, err := sameSpan(c.symbol, args)
		if err != nil {
			return Overload{}, err
		}
		t = colstore.TimedeltaOf(unit)
	case a.span() && b.ticks():
		t = a.Type
	case a.ticks() && b.span():
		t = b.Type
	default:
		return Overload{}, refused(c.symbol, args, timeAdvice(args))
	}
	inner := c.tests.i8
	differ := c.accept == kernel.AcceptNotEqual
	return c.test(t, func(dst []uint64, args []colstore.Column, rows int) error {
		if err := inner(dst, args, rows); err != nil {
			return err
		}
		// NaT is neither below, nor equal, nor above.
		var buf [maxChunkWords]uint64
		bits := buf[:len(dst)]
		for _, arg := range args {
			v := kernel.In[int64](arg)
			switch {
			case len(v) != 1 || rows == 1:
				kernel.IsNaT(bits, v, rows)
			case v[0] == colstore.NaT:
				kernel.Ones(bits, rows)
			default:
				continue
			}
			if differ {
				kernel.Or(dst, dst, bits)
			} else {
				kernel.AndNot(dst, dst, bits)
			}
		}
		return nil
	}), nil
}
