package kernel

// Signed is a signed integer element type.
type Signed interface{ int8 | int16 | int32 | int64 }

// Unsigned is an unsigned integer element type.
type Unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

// Integer is a signed or unsigned element type.
type Integer interface{ Signed | Unsigned }

// Float is a floating-point element type that the host computes in.
type Float interface{ float32 | float64 }

// Number is an element type with arithmetic.
type Number interface{ Integer | Float }
