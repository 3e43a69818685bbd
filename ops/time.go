package ops

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/kernel"
)

// moment reports a datetime operand, span a timedelta, whole an integer or bool that counts ticks.
func (o Operand) moment() bool { return o.isTime() && o.Type.Kind() == colstore.KindDatetime }
func (o Operand) span() bool   { return o.isTime() && o.Type.Kind() == colstore.KindTimedelta }
func (o Operand) whole() bool {
	t, err := o.DefaultType()
	return err == nil && t.IsNumber() && t.Kind() != colstore.KindFloat
}

// ticks is whole without uint64, half of which no tick can be.
func (o Operand) ticks() bool { return o.whole() && !o.is(colstore.Uint64) }

// is reports the dtype of an operand, of a literal the one it has by itself.
func (o Operand) is(t colstore.DType) bool {
	own, err := o.DefaultType()
	return err == nil && own == t
}

func (o Operand) real() bool {
	t, err := o.DefaultType()
	return err == nil && t.Kind() == colstore.KindFloat
}

// sameSpan returns the unit in which two spans are computed together; a year or month has no fixed number of days.
func sameSpan(symbol string, args []Operand) (colstore.Unit, error) {
	a, b := args[0].Type.Unit(), args[1].Type.Unit()
	if calendar.IsCalendar(a) != calendar.IsCalendar(b) {
		return 0, refused(symbol, args, "years and months have no fixed length")
	}
	return calendar.Finer(a, b), nil
}

var (
	addTicks   = binary(kernel.AddTicks)
	subTicks   = binary(kernel.SubTicks)
	mulTicks   = binary(kernel.MulTicks)
	divTicks   = binary(kernel.DivTicks)
	modTicks   = binary(kernel.ModTicks)
	floorTicks = binary(kernel.FloorRatioTicks)
)

func scaleTicks(divide bool) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		kernel.ScaleTicks(kernel.Out[int64](dst), kernel.In[int64](args[0]), kernel.In[float64](args[1]), divide)
		return nil
	}
}

func ratioTicks(dst colstore.Column, args []colstore.Column) error {
	kernel.RatioTicks(kernel.Out[float64](dst), kernel.In[int64](args[0]), kernel.In[int64](args[1]))
	return nil
}

// shift moves a datetime or timedelta by a timedelta or by ticks of its own unit. swapped tells that args are exchanged.
func shift(symbol string, args []Operand, k Kernel, swapped bool) (Overload, error) {
	base, by := args[0], args[1]
	if swapped {
		base, by = by, base
	}
	var t, byType colstore.DType
	switch {
	case by.whole():
		t = base.Type
		byType = colstore.TimedeltaOf(t.Unit())
	case base.moment():
		unit := calendar.Finer(base.Type.Unit(), by.Type.Unit())
		if calendar.IsCalendar(by.Type.Unit()) && !calendar.IsCalendar(base.Type.Unit()) {
			return Overload{}, refused(symbol, args, "years and months have no fixed length")
		}
		t, byType = colstore.DatetimeOf(unit), colstore.TimedeltaOf(unit)
	default:
		unit, err := sameSpan(symbol, args)
		if err != nil {
			return Overload{}, err
		}
		t = colstore.TimedeltaOf(unit)
		byType = t
	}
	types := []colstore.DType{t, byType}
	if swapped {
		types = []colstore.DType{byType, t}
	}
	return Overload{Args: types, Result: t, Kernel: k}, nil
}

func timeAdd(args []Operand) (Overload, error) {
	a, b := args[0], args[1]
	switch {
	case a.isTime() && (b.span() || b.whole()):
		return shift("+", args, addTicks, false)
	case b.isTime() && (a.span() || a.whole()):
		return shift("+", args, addTicks, true)
	}
	return Overload{}, refused("+", args, timeAdvice(args))
}

func timeSubtract(args []Operand) (Overload, error) {
	a, b := args[0], args[1]
	switch {
	case a.moment() && b.moment():
		unit := calendar.Finer(a.Type.Unit(), b.Type.Unit())
		t := colstore.DatetimeOf(unit)
		return Overload{Args: []colstore.DType{t, t}, Result: colstore.TimedeltaOf(unit), Kernel: subTicks}, nil
	case a.isTime() && (b.span() || b.whole()):
		return shift("-", args, subTicks, false)
	case a.whole() && b.span():
		return shift("-", args, subTicks, true)
	}
	return Overload{}, refused("-", args, timeAdvice(args))
}

func timeAdvice(args []Operand) string {
	if args[0].isString() || args[1].isString() {
		return "text is not read as a date; write astype('2024-01-31', 'datetime64[D]') or pass a typed parameter"
	}
	return ""
}

func timeMultiply(args []Operand) (Overload, error) {
	if args[1].span() && !args[0].span() {
		o, err := timeMultiply([]Operand{args[1], args[0]})
		if err != nil {
			return o, refused("*", args, "")
		}
		o.Use = []int{1, 0}
		return o, nil
	}
	a, b := args[0], args[1]
	switch {
	case a.span() && b.whole():
		return Overload{Args: []colstore.DType{a.Type, colstore.Int64}, Result: a.Type, Kernel: mulTicks}, nil
	case a.span() && b.real():
		return Overload{Args: []colstore.DType{a.Type, colstore.Float64}, Result: a.Type, Kernel: scaleTicks(false)}, nil
	}
	return Overload{}, refused("*", args, "")
}

// divideSpan resolves a span divided by a number, which cuts the fraction off in / and // alike.
func divideSpan(symbol string, args []Operand) (Overload, error) {
	a, b := args[0], args[1]
	switch {
	case a.span() && b.whole() && !b.is(colstore.Bool):
		return Overload{Args: []colstore.DType{a.Type, colstore.Int64}, Result: a.Type, Kernel: divTicks}, nil
	case a.span() && b.real():
		return Overload{Args: []colstore.DType{a.Type, colstore.Float64}, Result: a.Type, Kernel: scaleTicks(true)}, nil
	}
	return Overload{}, refused(symbol, args, "")
}

// spans resolves a function of two timedeltas; the result's dtype is invalid if it is a timedelta too.
func spans(symbol string, args []Operand, result colstore.DType, k Kernel) (Overload, error) {
	unit, err := sameSpan(symbol, args)
	if err != nil {
		return Overload{}, err
	}
	t := colstore.TimedeltaOf(unit)
	if !result.Valid() {
		result = t
	}
	return Overload{Args: []colstore.DType{t, t}, Result: result, Kernel: k}, nil
}

func timeDivide(args []Operand) (Overload, error) {
	if args[0].span() && args[1].span() {
		return spans("/", args, colstore.Float64, ratioTicks)
	}
	return divideSpan("/", args)
}

func timeFloorDivide(args []Operand) (Overload, error) {
	if args[0].span() && args[1].span() {
		return spans("//", args, colstore.Int64, floorTicks)
	}
	return divideSpan("//", args)
}

func timeRemainder(args []Operand) (Overload, error) {
	if args[0].span() && args[1].span() {
		return spans("%", args, colstore.DType{}, modTicks)
	}
	return Overload{}, refused("%", args, "")
}
