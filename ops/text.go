package ops

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// joinText resolves + of two texts or of two bytes values: as wide as both together.
func joinText(args []Operand) (Overload, error) {
	ta, tb := stringType(args[0], args[1]), stringType(args[1], args[0])
	if lit := args[0].Lit != nil || args[1].Lit != nil; ta.Kind() != tb.Kind() || lit && isTextLiteral(args) && ta.Kind() == colstore.KindBytes {
		return Overload{}, refused("+", args, "cast one side, for instance to U16")
	}
	width := ta.Width() + tb.Width()
	t := colstore.TextOf(width)
	if ta.Kind() == colstore.KindBytes {
		t = colstore.BytesOf(width)
	}
	if !t.Valid() {
		return Overload{}, refused("+", args, "the result is too wide")
	}
	return Overload{Args: []colstore.DType{ta, tb}, Result: t, Kernel: func(dst colstore.Column, args []colstore.Column) error {
		kernel.Join(kernel.RawOut(dst), t.Size(), kernel.RawIn(args[0]), ta.Size(), kernel.RawIn(args[1]), tb.Size(), dst.Rows(), unitOf(t))
		return nil
	}}, nil
}

// isTextLiteral reports a literal of text, as against bytes.
func isTextLiteral(args []Operand) bool {
	for _, a := range args {
		if _, ok := a.Lit.(string); ok {
			return true
		}
	}
	return false
}
