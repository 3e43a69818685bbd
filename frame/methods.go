package frame

// Abs is e without its sign.
func (e Expr) Abs() Expr { return Call("absolute", e) }

// Round is e rounded to decimals, halves to even.
func (e Expr) Round(decimals int) Expr { return Call("round", e, decimals) }

// Clip is e, but no less than low and no more than high: minimum(maximum(e, low), high).
func (e Expr) Clip(low, high any) Expr { return Call("minimum", Call("maximum", e, low), high) }
