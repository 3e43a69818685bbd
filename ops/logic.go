package ops

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

var _ = builtin(
	logicFunc("logical_and", "and", "both are true", 2, And),
	logicFunc("logical_or", "or", "one or both are true", 2, Or),
	logicFunc("logical_xor", "", "just one is true", 2, Xor),
	logicFunc("logical_not", "not", "it is not true", 1, Not),
)

func logicFunc(name, symbol, doc string, args int, logic Logic) Func {
	if symbol == "" {
		symbol = name
	}
	return Func{Name: name, Symbol: symbol, Doc: doc, MinArgs: args, MaxArgs: args, Resolve: func(args []Operand) (Overload, error) {
		for _, a := range args {
			if a.Lit == nil && a.Type.Kind() == colstore.KindDatetime {
				return Overload{}, refused(symbol, args, "a date is neither true nor false; compare it")
			}
		}
		return Overload{Result: colstore.Bool, Logic: logic}, nil
	}}
}

var truthTests = testFamily{
	i1: truth(kernel.Nonzero[int8]), i2: truth(kernel.Nonzero[int16]), i4: truth(kernel.Nonzero[int32]), i8: truth(kernel.Nonzero[int64]),
	u1: truth(kernel.Nonzero[uint8]), u2: truth(kernel.Nonzero[uint16]), u4: truth(kernel.Nonzero[uint32]), u8: truth(kernel.Nonzero[uint64]),
	f4: truth(kernel.Nonzero[float32]), f8: truth(kernel.Nonzero[float64]),
}

func truth[T kernel.Number](f func(dst []uint64, a []T, n int)) Test {
	return func(dst []uint64, args []colstore.Column, rows int) error {
		f(dst, kernel.In[T](args[0]), rows)
		return nil
	}
}

// Truth returns the test for the truth of a column's values: numbers other than 0, NaN among them, and text that is not
// empty. Timedeltas are true unless they are 0. arg is the dtype that the column is converted to first.
func Truth(t colstore.DType) (arg colstore.DType, test Test) {
	switch {
	case t == colstore.Bool:
		return colstore.Bool, truthTests.u1
	case t == colstore.Float16:
		return colstore.Float32, truthTests.f4
	case t.IsTime():
		return t, truthTests.i8
	case t.IsString():
		return t, func(dst []uint64, args []colstore.Column, rows int) error {
			kernel.NonzeroBytes(dst, kernel.RawIn(args[0]), t.Size(), rows)
			return nil
		}
	}
	return t, truthTests.of(t)
}
