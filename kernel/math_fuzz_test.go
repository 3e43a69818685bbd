package kernel_test

import (
	"math"
	"testing"

	"github.com/colstore/colstore-go/kernel"
)

// single4 is how far results in float32 are from the exact values at most: rounded to the nearest float32, or nearly so,
// where they are not computed in float32.
func (c *mathCase) single4() float64 {
	if c.name == "exp" || c.name == "log" {
		return 1.1
	}
	return 0.58
}

// Of any bits vectors make what the function of one value makes, near to the exact value.
func FuzzMath(f *testing.F) {
	for i := range mathCases {
		for shape := range mathShapes {
			f.Add(uint64(0x3ff)<<52+uint64(i)*0x9e3779b97f4a7c15>>8, uint64(shape)*0xbf58476d1ce4e5b9, uint8(i), uint8(shape))
		}
	}
	f.Fuzz(func(t *testing.T, first, second uint64, which, shape uint8) {
		c := mathCases[int(which)%len(mathCases)]
		x, y, got := make([]float64, 9), make([]float64, 9), make([]float64, 9)
		for i := range x {
			x[i], y[i] = mathShapes[int(shape)%len(mathShapes)](first+uint64(i)*0x3039, second-uint64(i)*0xd431)
		}
		for l := kernel.LevelGo; l <= kernel.Best(); l++ {
			before := kernel.SetLevel(l)
			c.of(got, x, y)
			kernel.SetLevel(before)
			for i := range got {
				if one := c.one8(x[i], y[i]); math.Float64bits(one) != math.Float64bits(got[i]) {
					t.Fatalf("%s of %v, %v: %v at level %v, %v of one", c.name, x[i], y[i], got[i], l, one)
				}
			}
		}
		for i := range 3 {
			c.checkExact(t, x[i], y[i])
		}
	})
}

// mathShapes make arguments of bits.
var mathShapes = []func(first, second uint64) (x, y float64){
	func(first, second uint64) (x, y float64) {
		return math.Float64frombits(first), math.Float64frombits(second)
	},
	func(first, second uint64) (x, y float64) { return ordinary(first), ordinary(second) },
	func(first, second uint64) (x, y float64) { return nextTo(first), nextTo(second) },
	func(first, second uint64) (x, y float64) { return ordinary(first), nextTo(second) },
	func(first, second uint64) (x, y float64) { // next to a multiple of π/2, of any size
		multiple := func(b uint64) float64 { return stepped(math.Pi/2*float64(b>>(b%64)), b>>6) }
		return multiple(first), multiple(second)
	},
	func(first, second uint64) (x, y float64) { // next to one another, or to its negative
		x = ordinary(first)
		return x, stepped(math.Copysign(x, float64(second&1)-0.5), second>>1)
	},
	func(first, second uint64) (x, y float64) { // exponentials whose sum is next to 1
		x = -math.Abs(ordinary(first))
		if second&1 == 0 {
			return x, stepped(math.Log(-math.Expm1(x)), second>>1)
		}
		return x, stepped(math.Log2(-math.Expm1(x*math.Ln2)), second>>1)
	},
	func(first, second uint64) (x, y float64) { // a power next to where powers overflow, or vanish
		x = math.Abs(math.Float64frombits(first))
		return x, stepped([]float64{709.782712893384, -745.1332191019412, 88.722839, -103.97208}[second%4]/math.Log(x), second>>2)
	},
	func(first, second uint64) (x, y float64) { // whole numbers
		return float64(int8(first)), float64(int16(second) >> (second >> 16 % 16))
	},
	func(first, second uint64) (x, y float64) { // next to 1, to any power
		return 1 + math.Copysign(math.Ldexp(1+float64(first>>12)*0x1p-52, -1-int(first%53)), float64(second&1)-0.5), ordinary(second) * 0x1p20
	},
}

// ordinary is a number of a size between 2^-40 and 2^24, or less.
func ordinary(b uint64) float64 {
	x := math.Float64frombits(b&^(0x7ff<<52) | 1023<<52)
	return math.Ldexp(x, 10-int(b>>52&0x7ff)%50+int(b>>52&0x7ff)/50%15)
}

// stepped is x or one of the numbers next to it.
func stepped(x float64, b uint64) float64 {
	steps := int64(b%9) - 4
	if math.Abs(x) < 1e-300 || x-x != 0 {
		return x
	}
	return math.Float64frombits(uint64(int64(math.Float64bits(x)) + steps))
}

// nextTo is a number next to one where a function does something else, or has a value that is not as the others.
func nextTo(b uint64) float64 {
	x := stepped(turns[b>>8%uint64(len(turns))], b>>32)
	return math.Copysign(x, float64(b&1)-0.5)
}

var turns = []float64{
	0, math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p-1021, 0x1p-54, 0x1p-53, 0x1p-27, 0x1p-26, 0.5, 1, 2, 1.5, 3, math.E, 10, 100,
	math.Sqrt2, math.Sqrt2 / 2, math.Sqrt2 - 1, math.Sqrt2 + 1, math.Ln2, math.Ln2 / 2, 3 * math.Ln2 / 2, math.Pi, math.Pi / 2, math.Pi / 4,
	22, 44, 708, 708.3964185322641, 709.782712893384, 709.7827128933841, 710, 710.4758600739439, 711, 745.1332191019412, 746,
	1021, 1022, 1023, 1024, 1074, 1075, 1076, 127, 128, 126, 149, 150, 88.722839, 87.33654, 103.97208, 0x1p-126, 0x1p-149, math.MaxFloat32,
	0x1p28, 0x1p29, 0x1p30, 0x1p31, 0x1p53, 0x1p54, 0x1p400, 0x1p-400, 0x1p510, 0x1p-450, 0x1p600, 0x1p1000, 0x1p-1000, math.MaxFloat64,
	6381956970095103 * 0x1p797, 5319372648326541 * 0x1p55, 6411027962775774 * 0x1p-48, 5706674932067741 * 0x1p5, // nearest to multiples of π/2
}
