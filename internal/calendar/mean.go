package calendar

import (
	"math/big"
	"math/bits"

	"github.com/colstore/colstore-go"
)

// meanLength converts timedeltas between years or months and other units by their mean length in the Gregorian calendar,
// rounding down. The product is formed in 128 bits, so that a result is right wherever it fits; where not, it is the low 64
// bits of the right one.
func meanLength(from, to colstore.Unit) func(int64) int64 {
	ratio := new(big.Rat).Quo(meanDays(from), meanDays(to))
	if !ratio.Denom().IsUint64() {
		return func(v int64) int64 { return v >> 63 } // no tick of from comes up to one of to
	}
	den := ratio.Denom().Uint64()
	// Of a larger ratio the low bits do: every result is beyond 64 bits.
	num := new(big.Int).And(ratio.Num(), new(big.Int).SetUint64(1<<64-1)).Uint64()
	return func(v int64) int64 {
		size := uint64(v)
		if v < 0 {
			size = -size
		}
		hi, lo := bits.Mul64(size, num)
		q, rem := bits.Div64(hi%den, lo, den)
		switch {
		case v >= 0:
			return int64(q)
		case rem != 0:
			q++
		}
		return -int64(q)
	}
}

// meanDays returns the length of a unit in days: of a year, the mean of the 400 in which the calendar repeats.
func meanDays(u colstore.Unit) *big.Rat {
	switch u {
	case colstore.Year:
		return big.NewRat(146097, 400)
	case colstore.Month:
		return big.NewRat(146097, 4800)
	case colstore.Week:
		return big.NewRat(7, 1)
	}
	ticks := big.NewInt(1)
	for finer := colstore.Hour; finer <= u; finer++ {
		ticks.Mul(ticks, new(big.Int).SetUint64(steps[finer]))
	}
	return new(big.Rat).SetFrac(big.NewInt(1), ticks)
}
