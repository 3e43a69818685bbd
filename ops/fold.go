package ops

import (
	"fmt"
	"math"
	"math/big"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// maxIntBits bounds constant integers, which have no width of their own: 2 ** 10 ** 9 is refused, not computed.
const maxIntBits = 1 << 14

// Fold computes an operator on literals with Python's rules, exactly, and leaves the result an untyped literal: signs,
// + - * / // % ** and & | ^ ~ of integers, floats and bools, and + of two texts. ok is false for what it does not fold.
//
// Errors: colstore.ErrValue for a division by zero and for integers beyond all reason.
func Fold(name string, args ...any) (lit any, ok bool, err error) {
	switch len(args) {
	case 1:
		return foldUnary(name, args[0])
	case 2:
	default:
		return nil, false, nil
	}
	if a, isText := args[0].(string); isText && name == "add" {
		if b, isText := args[1].(string); isText {
			return a + b, true, nil
		}
	}
	x, okX := asNumber(args[0])
	y, okY := asNumber(args[1])
	if !okX || !okY {
		return nil, false, nil
	}
	a, intA := x.(*big.Int)
	b, intB := y.(*big.Int)
	if intA && intB {
		bothBool := isBool(args[0]) && isBool(args[1])
		return foldInts(name, a, b, bothBool)
	}
	return foldFloats(name, floatOfLit(x), floatOfLit(y))
}

func isBool(v any) bool { _, ok := v.(bool); return ok }

// asNumber returns a number literal as *big.Int or float64.
func asNumber(v any) (any, bool) {
	switch v := v.(type) {
	case bool:
		n := big.NewInt(0)
		if v {
			n.SetInt64(1)
		}
		return n, true
	case *big.Int, float64:
		return v, true
	}
	return nil, false
}

func floatOfLit(v any) float64 {
	if n, ok := v.(*big.Int); ok {
		f, _ := new(big.Float).SetInt(n).Float64()
		return f
	}
	return v.(float64)
}

func foldUnary(name string, arg any) (any, bool, error) {
	v, ok := asNumber(arg)
	if !ok {
		return nil, false, nil
	}
	n, isInt := v.(*big.Int)
	switch {
	case name == "positive":
		return v, true, nil
	case name == "negative" && isInt:
		return new(big.Int).Neg(n), true, nil
	case name == "negative":
		return -v.(float64), true, nil
	case name == "invert" && isInt:
		return new(big.Int).Not(n), true, nil
	}
	return nil, false, nil
}

func foldInts(name string, a, b *big.Int, bools bool) (any, bool, error) {
	z := new(big.Int)
	switch name {
	case "add":
		z.Add(a, b)
	case "subtract":
		z.Sub(a, b)
	case "multiply":
		if a.BitLen()+b.BitLen() > maxIntBits {
			return nil, false, tooBig()
		}
		z.Mul(a, b)
	case "divide":
		if b.Sign() == 0 {
			return nil, false, divisionByZero()
		}
		f, _ := new(big.Rat).SetFrac(a, b).Float64()
		return f, true, nil
	case "floor_divide", "remainder":
		if b.Sign() == 0 {
			return nil, false, divisionByZero()
		}
		q, r := new(big.Int).QuoRem(a, b, new(big.Int))
		if r.Sign() != 0 && (r.Sign() < 0) != (b.Sign() < 0) {
			q.Sub(q, big.NewInt(1))
			r.Add(r, b)
		}
		if name == "remainder" {
			return r, true, nil
		}
		return q, true, nil
	case "power":
		if b.Sign() < 0 {
			return foldFloats(name, floatOfLit(a), floatOfLit(b))
		}
		if a.BitLen() > 1 && (!b.IsInt64() || b.Int64() > maxIntBits || int64(a.BitLen())*b.Int64() > maxIntBits) {
			return nil, false, tooBig()
		}
		z.Exp(a, b, nil)
	case "bitwise_and", "bitwise_or", "bitwise_xor":
		map[string]func(a, b *big.Int) *big.Int{"bitwise_and": z.And, "bitwise_or": z.Or, "bitwise_xor": z.Xor}[name](a, b)
		if bools {
			return z.Sign() != 0, true, nil
		}
	default:
		return nil, false, nil
	}
	if z.BitLen() > maxIntBits {
		return nil, false, tooBig()
	}
	return z, true, nil
}

func foldFloats(name string, a, b float64) (any, bool, error) {
	switch name {
	case "add":
		return a + b, true, nil
	case "subtract":
		return a - b, true, nil
	case "multiply":
		return a * b, true, nil
	case "divide", "floor_divide", "remainder":
		if b == 0 {
			return nil, false, divisionByZero()
		}
		if name == "divide" {
			return a / b, true, nil
		}
		mod := nanOf2(math.Mod(a, b), a, b)
		if mod != 0 && (mod < 0) != (b < 0) {
			mod += b
		}
		if name == "remainder" {
			return mod, true, nil
		}
		return math.Round((a - mod) / b), true, nil
	case "power":
		if a == 0 && b < 0 {
			return nil, false, divisionByZero()
		}
		return kernel.Pow1(a, b), true, nil
	}
	return nil, false, nil
}

func divisionByZero() error {
	return fmt.Errorf("%w: division by zero in a constant", colstore.ErrValue)
}

func tooBig() error {
	return fmt.Errorf("%w: a constant of more than %d bits", colstore.ErrValue, maxIntBits)
}
