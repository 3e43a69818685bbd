package ops

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/kernel"
)

var _ = builtin(
	Func{Name: "where", Doc: "the second where the first is true, else the third", MinArgs: 3, MaxArgs: 3, Resolve: resolveWhere},
)

func resolveWhere(args []Operand) (Overload, error) {
	if cond := args[0]; !cond.isNumber() {
		return Overload{}, refused("where", args[:1], "the condition is a bool")
	}
	t, err := choice(args[1:])
	if err != nil {
		return Overload{}, err
	}
	cond := colstore.Bool
	size := t.Size()
	return Overload{Args: []colstore.DType{cond, t, t}, Result: t, Kernel: func(dst colstore.Column, args []colstore.Column) error {
		var buf [maxChunkWords]uint64
		rows := dst.Rows()
		bits := buf[:kernel.Words(rows)]
		kernel.Nonzero(bits, kernel.In[uint8](args[0]), rows)
		kernel.Select(kernel.RawOut(dst), bits, kernel.RawIn(args[1]), kernel.RawIn(args[2]), rows, size)
		return nil
	}}, nil
}

// choice returns the dtype that holds either of two operands.
func choice(args []Operand) (colstore.DType, error) {
	a, b := args[0], args[1]
	switch {
	case a.isNumber() && b.isNumber():
		return common(a, b)
	case a.moment() && b.moment():
		return colstore.DatetimeOf(calendar.Finer(a.Type.Unit(), b.Type.Unit())), nil
	case a.span() && b.span():
		unit, err := sameSpan("where", args)
		return colstore.TimedeltaOf(unit), err
	case a.span() && b.ticks():
		return a.Type, nil
	case a.ticks() && b.span():
		return b.Type, nil
	case a.isString() && b.isString():
		ta, tb := stringType(a, b), stringType(b, a)
		if ta.Kind() == tb.Kind() {
			if ta.Size() >= tb.Size() {
				return ta, nil
			}
			return tb, nil
		}
		return colstore.TextOf(max(ta.Width(), tb.Width())), nil
	}
	return colstore.DType{}, refused("where", args, "both values are of one kind")
}

// stringType returns the dtype of a bytes or text operand; a literal takes the kind of the column beside it.
func stringType(o, beside Operand) colstore.DType {
	t, err := o.DefaultType()
	if err != nil || o.Lit == nil || beside.Lit != nil || t.Kind() == beside.Type.Kind() {
		return t
	}
	other := colstore.TextOf(0)
	if beside.Type.Kind() == colstore.KindBytes {
		other = colstore.BytesOf(0)
	}
	if s, err := Constant(o.Lit, other); err == nil {
		return s.Type()
	}
	return t
}
