package ops

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

var _ = builtin(
	affixFunc("startswith", "the text begins with the second", kernel.Prefix),
	affixFunc("endswith", "the text ends with the second", kernel.Suffix),
	affixFunc("contains", "the second is part of the text", kernel.Anywhere),
	Func{Name: "find", Doc: "where the second begins in the text, counted from 0; -1 if it does not", MinArgs: 2, MaxArgs: 2, Resolve: resolveFind},
	Func{Name: "length", Doc: "characters of text, bytes of bytes; int64", MinArgs: 1, MaxArgs: 1, Resolve: resolveLength},
	stringFunc("lower", "letters made small; of bytes ASCII's only", kernel.Lower),
	stringFunc("upper", "letters made capital; of bytes ASCII's only", kernel.Upper),
	stripFunc("strip", "without the blanks at both ends", true, true),
	stripFunc("lstrip", "without the blanks at the beginning", true, false),
	stripFunc("rstrip", "without the blanks at the end", false, true),
)

// unitOf returns the bytes of a character of a bytes or text dtype.
func unitOf(t colstore.DType) int {
	if t.Kind() == colstore.KindBytes {
		return 1
	}
	return 4
}

// textAdvice is what to do with an operand that is no text.
const textAdvice = "it takes text; astype(…, 'U') makes text of a number"

// oneString returns the dtype of an operand that is bytes or text.
func oneString(name string, args []Operand) (colstore.DType, error) {
	if !args[0].isString() {
		return colstore.DType{}, refused(name, args, textAdvice)
	}
	return args[0].DefaultType()
}

// twoStrings returns the dtypes of two operands that are both bytes or both text; a literal takes the other's kind.
func twoStrings(name string, args []Operand) (a, b colstore.DType, err error) {
	if !args[0].isString() || !args[1].isString() {
		return a, b, refused(name, args, textAdvice)
	}
	a, b = stringType(args[0], args[1]), stringType(args[1], args[0])
	if a.Kind() != b.Kind() {
		return a, b, refused(name, args, "cast one side, for instance with astype(…, 'U16')")
	}
	return a, b, nil
}

func affixFunc(name, doc string, where kernel.Affix) Func {
	return Func{Name: name, Doc: doc, MinArgs: 2, MaxArgs: 2, Resolve: func(args []Operand) (Overload, error) {
		a, b, err := twoStrings(name, args)
		if err != nil {
			return Overload{}, err
		}
		return Overload{Args: []colstore.DType{a, b}, Result: colstore.Bool, Test: func(dst []uint64, args []colstore.Column, rows int) error {
			kernel.HasAffix(dst, kernel.RawIn(args[0]), a.Size(), kernel.RawIn(args[1]), b.Size(), rows, unitOf(a), where)
			return nil
		}}, nil
	}}
}

func resolveFind(args []Operand) (Overload, error) {
	a, b, err := twoStrings("find", args)
	if err != nil {
		return Overload{}, err
	}
	return Overload{Args: []colstore.DType{a, b}, Result: colstore.Int64, Kernel: func(dst colstore.Column, args []colstore.Column) error {
		kernel.Find(kernel.Out[int64](dst), kernel.RawIn(args[0]), a.Size(), kernel.RawIn(args[1]), b.Size(), unitOf(a))
		return nil
	}}, nil
}

func resolveLength(args []Operand) (Overload, error) {
	t, err := oneString("length", args)
	if err != nil {
		return Overload{}, err
	}
	return Overload{Args: []colstore.DType{t}, Result: colstore.Int64, Kernel: func(dst colstore.Column, args []colstore.Column) error {
		kernel.Length(kernel.Out[int64](dst), kernel.RawIn(args[0]), t.Size(), unitOf(t))
		return nil
	}}, nil
}

// stringFunc is a function that keeps the width: characters are mapped one to one.
func stringFunc(name, doc string, to func(dst, a []byte, unit int)) Func {
	return Func{Name: name, Doc: doc, MinArgs: 1, MaxArgs: 1, Resolve: func(args []Operand) (Overload, error) {
		t, err := oneString(name, args)
		if err != nil {
			return Overload{}, err
		}
		return Overload{Args: []colstore.DType{t}, Result: t, Kernel: func(dst colstore.Column, args []colstore.Column) error {
			to(kernel.RawOut(dst), kernel.RawIn(args[0]), unitOf(t))
			return nil
		}}, nil
	}}
}

func stripFunc(name, doc string, left, right bool) Func {
	return Func{Name: name, Doc: doc, MinArgs: 1, MaxArgs: 1, Resolve: func(args []Operand) (Overload, error) {
		t, err := oneString(name, args)
		if err != nil {
			return Overload{}, err
		}
		return Overload{Args: []colstore.DType{t}, Result: t, Kernel: func(dst colstore.Column, args []colstore.Column) error {
			kernel.Strip(kernel.RawOut(dst), kernel.RawIn(args[0]), t.Size(), unitOf(t), left, right)
			return nil
		}}, nil
	}}
}
