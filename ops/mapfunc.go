package ops

import (
	"fmt"

	"github.com/colstore/colstore-go"
)

// Map1 returns a function of one argument from a loop over slices: out[i] is the value for in[i], and len(out) ==
// len(in), a few hundred rows at a time. Arguments of other dtypes are converted to A where every value of theirs is one
// of A's; others are refused. The loop must not depend on how rows are cut into slices. A panic in it is an error that begins with
// the name.
//
// Memory: in is read-only, it may be the source's own; the loop must not keep its slices.
func Map1[A, B colstore.Native](name, doc string, loop func(in []A, out []B)) Func {
	types := []colstore.DType{dtypeOf[A]()}
	return mapped(name, doc, types, dtypeOf[B](), func(dst colstore.Column, args []colstore.Column) error {
		in, err := sliceOf[A](args[0])
		if err != nil {
			return err
		}
		out, err := target[B](dst)
		if err == nil {
			err = guarded(name, func() error { loop(in, out); return nil })
		}
		return err
	})
}

// Map2 is [Map1] for two arguments; a and b are read-only.
func Map2[A, B, C colstore.Native](name, doc string, loop func(a []A, b []B, out []C)) Func {
	types := []colstore.DType{dtypeOf[A](), dtypeOf[B]()}
	return mapped(name, doc, types, dtypeOf[C](), func(dst colstore.Column, args []colstore.Column) error {
		a, err := sliceOf[A](args[0])
		if err != nil {
			return err
		}
		b, err := sliceOf[B](args[1])
		if err != nil {
			return err
		}
		out, err := target[C](dst)
		if err == nil {
			err = guarded(name, func() error { loop(a, b, out); return nil })
		}
		return err
	})
}

// mapped returns a function of fixed argument types.
func mapped(name, doc string, args []colstore.DType, result colstore.DType, eval Kernel) Func {
	return Func{Name: name, Doc: doc, MinArgs: len(args), MaxArgs: len(args), Resolve: func(operands []Operand) (Overload, error) {
		for i, o := range operands {
			if o.Lit != nil || o.Type == args[i] {
				continue
			}
			if t, ok := Promote(o.Type, args[i]); !ok || t != args[i] {
				return Overload{}, fmt.Errorf("%w: argument %d of %s is %s, not %s; cast it", colstore.ErrType, i+1, name, args[i].Name(), o.name())
			}
		}
		return Overload{Args: args, Result: result, Kernel: eval}, nil
	}}
}

func dtypeOf[T colstore.Native]() colstore.DType { return colstore.Wrap([]T(nil)).Type() }

// sliceOf returns a column as a slice: a view, or a copy of a value that is repeated.
func sliceOf[T colstore.Native](c colstore.Column) ([]T, error) {
	if v, err := colstore.Values[T](c); err == nil {
		return v, nil
	}
	return colstore.CopyOf[T](c)
}

// target returns the slice that a result is written to. Its bytes are of no value yet, which a bool must not show.
func target[T colstore.Native](c colstore.Column) ([]T, error) {
	if data, ok := c.Bytes(); ok && c.Type() == colstore.Bool {
		clear(data)
	}
	return colstore.Values[T](c)
}
