package kernel

// An operand holds a value for every row, or one value that repeats: a constant needs no buffer.

// from returns the operand for the rows from k on.
func from[T Number](v []T, k int) []T {
	if len(v) == 1 {
		return v
	}
	return v[k:]
}

// upTo returns an operand's first n values, or its constant.
func upTo[T Number](v []T, n int) []T { return v[:min(n, len(v))] }

// step is 0 for an operand of one value that repeats over n rows, else 1.
func step(length, n int) int {
	if length == 1 && n != 1 {
		return 0
	}
	return 1
}
