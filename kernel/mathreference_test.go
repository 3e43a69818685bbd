package kernel_test

import (
	"math"
	"math/big"
	"strings"
	"testing"
)

// What the mathematical functions are held against: their values in arithmetic of refBits bits, by series and identities that
// are right for every argument. [TestMathReference] holds these against values of another library.

const (
	refBits = 256  // where terms cancel most, in logaddexp, more than 100 are left
	piBits  = 1400 // an angle below 2^1024 less its multiple of π/2 has refBits of it
	refFar  = 1200 // the exponent of what stands for values beyond all float64s
)

var (
	refPi   = machinPi()
	refLn2  = doubled(seriesOf(quo(precise(1), precise(3)), 1))                                  // 2·artanh(1/3)
	refLn10 = plus(times(precise(3), refLn2), doubled(seriesOf(quo(precise(1), precise(9)), 1))) // 8·(10/8)
	refOne  = precise(1)
	refTwo  = precise(2)
)

func precise(v float64) *big.Float { return new(big.Float).SetPrec(refBits).SetFloat64(v) }

func plus(a, b *big.Float) *big.Float  { return new(big.Float).SetPrec(refBits).Add(a, b) }
func minus(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(refBits).Sub(a, b) }
func times(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(refBits).Mul(a, b) }
func quo(a, b *big.Float) *big.Float   { return new(big.Float).SetPrec(refBits).Quo(a, b) }
func root(a *big.Float) *big.Float     { return new(big.Float).SetPrec(refBits).Sqrt(a) }
func negated(a *big.Float) *big.Float  { return new(big.Float).Neg(a) }
func absolute(a *big.Float) *big.Float { return new(big.Float).Abs(a) }
func doubled(a *big.Float) *big.Float  { return scaled(a, 1) }
func halved(a *big.Float) *big.Float   { return scaled(a, -1) }

// scaled is a·2^n.
func scaled(a *big.Float, n int) *big.Float { return new(big.Float).SetMantExp(a, n) }

// below reports whether |a| < 2^n.
func below(a *big.Float, n int) bool { return a.Sign() == 0 || !a.IsInf() && a.MantExp(nil) <= n }

// machinPi is 16·arctan(1/5) - 4·arctan(1/239), in whole multiples of 2^-(piBits+32).
func machinPi() *big.Float {
	arctan := func(n int64) *big.Int {
		power := new(big.Int).Lsh(big.NewInt(1), piBits+32)
		power.Quo(power, big.NewInt(n))
		sum := new(big.Int).Set(power)
		for i := int64(1); power.Sign() != 0; i++ {
			power.Quo(power, big.NewInt(-n*n))
			sum.Add(sum, new(big.Int).Quo(power, big.NewInt(2*i+1)))
		}
		return sum
	}
	a, b := arctan(5), arctan(239)
	pi := new(big.Float).SetPrec(piBits).SetInt(a.Sub(a.Lsh(a, 4), b.Lsh(b, 2)))
	return pi.SetMantExp(pi, -piBits-32)
}

// seriesOf is s + sign·s³/3 + s⁵/5 + sign·s⁷/7 …: artanh(s) for a sign of 1, arctan(s) for -1.
func seriesOf(s *big.Float, sign float64) *big.Float {
	z := times(times(s, s), precise(sign))
	sum, power := s, s
	for n := 3.0; ; n += 2 {
		power = times(power, z)
		if below(power, sum.MantExp(nil)-refBits) {
			return sum
		}
		sum = plus(sum, quo(power, precise(n)))
	}
}

// refExpm1 is e^x - 1: below 1 by the series for x/2^8, and (1+e)² - 1 = e·(2+e).
func refExpm1(x *big.Float) *big.Float {
	if !below(x, 0) {
		return minus(refExp(x), refOne)
	}
	x = scaled(x, -8)
	sum, term := x, x
	for n := 2.0; term.Sign() != 0; n++ {
		term = quo(times(term, x), precise(n))
		if below(term, sum.MantExp(nil)-refBits) {
			break
		}
		sum = plus(sum, term)
	}
	for range 8 {
		sum = times(sum, plus(sum, refTwo))
	}
	return sum
}

// refExp is e^x, x = k·ln2 + r.
func refExp(x *big.Float) *big.Float {
	switch f, _ := x.Float64(); {
	case f > 800:
		return scaled(refOne, refFar)
	case f < -800:
		return scaled(refOne, -refFar)
	default:
		k := math.Round(f / math.Ln2)
		return scaled(plus(refOne, refExpm1(minus(x, times(precise(k), refLn2)))), int(k))
	}
}

// refLog is log(x), x = 2^k·m and log(m) = 2·artanh((m-1)/(m+1)).
func refLog(x *big.Float) *big.Float {
	m := new(big.Float)
	k := x.MantExp(m)
	if m.Cmp(big.NewFloat(math.Sqrt2/2)) < 0 {
		m, k = doubled(m), k-1
	}
	return plus(times(precise(float64(k)), refLn2), doubled(seriesOf(quo(minus(m, refOne), plus(m, refOne)), 1)))
}

func refLog1p(x *big.Float) *big.Float {
	if below(x, -1) {
		return doubled(seriesOf(quo(x, plus(refTwo, x)), 1))
	}
	return refLog(plus(refOne, x))
}

// refSinCos returns the sine and the cosine of x = k·π/2 + r, by their series in r.
func refSinCos(x float64) (sin, cos *big.Float) {
	exact := new(big.Float).SetFloat64(x)
	exact.SetPrec(uint(2*refBits + max(0, exact.MantExp(nil)))) // no float64 is nearer than 2^-62 of π/2 to a multiple of it
	half := halved(refPi)
	k, _ := new(big.Float).Add(new(big.Float).SetPrec(exact.Prec()).Quo(exact, half), big.NewFloat(math.Copysign(0.5, x))).Int(nil)
	multiple := new(big.Float).SetPrec(piBits + 1100).SetInt(k)
	r := minus(exact, multiple.Mul(multiple, half))
	series := func(term *big.Float, n float64) *big.Float {
		z := negated(times(r, r))
		sum := term
		for ; term.Sign() != 0; n += 2 {
			term = quo(times(term, z), precise(n*(n+1)))
			if below(term, sum.MantExp(nil)-refBits) {
				break
			}
			sum = plus(sum, term)
		}
		return sum
	}
	sin, cos = series(r, 2), series(refOne, 1)
	if k.Bit(0) != 0 {
		sin, cos = cos, negated(sin)
	}
	if k.Bit(1) != 0 {
		sin, cos = negated(sin), negated(cos)
	}
	return sin, cos
}

// refArctan2 is the angle of the point (x, y), which is not (0, 0). The smaller side is divided by the larger, and the angle
// halved until the series is short.
func refArctan2(y, x *big.Float) *big.Float {
	ay, ax := absolute(y), absolute(x)
	var t *big.Float
	swap := ay.Cmp(ax) > 0
	if swap {
		t = quo(ax, ay)
	} else {
		t = quo(ay, ax)
	}
	n := 0
	for ; !below(t, -3); n++ {
		t = quo(t, plus(refOne, root(plus(refOne, times(t, t)))))
	}
	angle := scaled(seriesOf(t, -1), n)
	if swap {
		angle = minus(halved(refPi), angle)
	}
	if x.Sign() < 0 {
		angle = minus(refPi, angle)
	}
	if y.Signbit() {
		angle.Neg(angle)
	}
	return angle
}

// odd is f(|x|) with the sign of x.
func odd(f func(x *big.Float) *big.Float, x *big.Float) *big.Float {
	y := f(absolute(x))
	if x.Signbit() {
		y = negated(y)
	}
	return y
}

// refSinh is (e + e/(e+1))/2 for e = e^x - 1, x ≥ 0.
func refSinh(x *big.Float) *big.Float {
	e := refExpm1(x)
	return halved(plus(e, quo(e, plus(e, refOne))))
}

func refCosh(x *big.Float) *big.Float {
	e := refExp(x)
	return halved(plus(e, quo(refOne, e)))
}

// refTanh is e/(e+2) for e = e^2x - 1, x ≥ 0.
func refTanh(x *big.Float) *big.Float {
	e := refExpm1(doubled(x))
	return quo(e, plus(e, refTwo))
}

// leg is √(1 - x²).
func leg(x *big.Float) *big.Float { return root(times(minus(refOne, x), plus(refOne, x))) }

// refArcsinh is log(1 + x + x²/(1 + √(1 + x²))), x ≥ 0.
func refArcsinh(x *big.Float) *big.Float {
	z := times(x, x)
	return refLog1p(plus(x, quo(z, plus(refOne, root(plus(refOne, z))))))
}

// refArccosh is log(1 + t + √(2t + t²)) for t = x - 1.
func refArccosh(x *big.Float) *big.Float {
	t := minus(x, refOne)
	return refLog1p(plus(t, root(times(t, plus(t, refTwo)))))
}

// refArctanh is half of log(1 + 2x/(1 - x)), 0 ≤ x < 1.
func refArctanh(x *big.Float) *big.Float {
	return halved(refLog1p(quo(doubled(x), minus(refOne, x))))
}

// refCbrt is Newton's iteration, from the root of a number between 1 and 64. x ≥ 0.
func refCbrt(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return x
	}
	m := new(big.Float).SetPrec(refBits)
	e := x.MantExp(m)
	down := (e-1)/3 - 1
	m.SetMantExp(m, e-3*down)
	guess, _ := m.Float64()
	y := precise(math.Cbrt(guess))
	for range 3 { // 50, 100, 200 and more bits
		y2 := times(y, y)
		y = minus(y, quo(minus(times(y2, y), m), times(precise(3), y2)))
	}
	return scaled(y, down)
}

// refPower is |x|^y with its sign, for x other than 0 and, if it is negative, a whole y.
func refPower(x, y float64) *big.Float {
	p := refExp(times(precise(y), refLog(precise(math.Abs(x)))))
	if x < 0 && math.Mod(y, 2) != 0 {
		p.Neg(p)
	}
	return p
}

// refLogAddExp is the larger of x and y and log(1 + b^-d)/log(b), d being how far they are apart.
func refLogAddExp(x, y float64, lnBase *big.Float) *big.Float {
	gap := absolute(minus(precise(x), precise(y)))
	return plus(precise(max(x, y)), quo(refLog1p(refExp(negated(times(gap, lnBase)))), lnBase))
}

// A mathReference is a function of finite arguments, of which that of one argument has no use for y. Where domain is given
// and says no, there is no value, and the result is NaN or infinite as the table of special values says.
type mathReference struct {
	value  func(x, y float64) *big.Float
	domain func(x, y float64) bool
}

var mathReferences = map[string]mathReference{
	"exp":     {value: of1(refExp)},
	"exp2":    {value: func(x, _ float64) *big.Float { return refExp(times(precise(x), refLn2)) }},
	"expm1":   {value: of1(refExpm1)},
	"log":     {of1(refLog), positive},
	"log2":    {func(x, _ float64) *big.Float { return quo(refLog(precise(x)), refLn2) }, positive},
	"log10":   {func(x, _ float64) *big.Float { return quo(refLog(precise(x)), refLn10) }, positive},
	"log1p":   {of1(refLog1p), func(x, _ float64) bool { return x > -1 }},
	"sin":     {value: func(x, _ float64) *big.Float { sin, _ := refSinCos(x); return sin }},
	"cos":     {value: func(x, _ float64) *big.Float { _, cos := refSinCos(x); return cos }},
	"tan":     {value: func(x, _ float64) *big.Float { return quo(refSinCos(x)) }},
	"tanh":    {value: of1(func(x *big.Float) *big.Float { return odd(refTanh, x) })},
	"sinh":    {value: of1(func(x *big.Float) *big.Float { return odd(refSinh, x) })},
	"cosh":    {value: of1(refCosh)},
	"arctan":  {value: of1(func(x *big.Float) *big.Float { return refArctan2(x, refOne) })},
	"arcsin":  {of1(func(x *big.Float) *big.Float { return refArctan2(x, leg(x)) }), within1},
	"arccos":  {of1(func(x *big.Float) *big.Float { return refArctan2(leg(x), x) }), within1},
	"arcsinh": {value: of1(func(x *big.Float) *big.Float { return odd(refArcsinh, x) })},
	"arccosh": {of1(refArccosh), func(x, _ float64) bool { return x >= 1 }},
	"arctanh": {of1(func(x *big.Float) *big.Float { return odd(refArctanh, x) }), func(x, _ float64) bool { return math.Abs(x) < 1 }},
	"cbrt":    {value: of1(func(x *big.Float) *big.Float { return odd(refCbrt, x) })},
	"power":   {refPower, func(x, y float64) bool { return x > 0 || x < 0 && math.Trunc(y) == y }},
	"arctan2": {
		func(y, x float64) *big.Float { return refArctan2(precise(y), precise(x)) },
		func(y, x float64) bool { return y != 0 || x > 0 },
	},
	"hypot": {value: func(x, y float64) *big.Float {
		return root(plus(times(precise(x), precise(x)), times(precise(y), precise(y))))
	}},
	"logaddexp":  {value: func(x, y float64) *big.Float { return refLogAddExp(x, y, refOne) }},
	"logaddexp2": {value: func(x, y float64) *big.Float { return refLogAddExp(x, y, refLn2) }},
}

func of1(f func(x *big.Float) *big.Float) func(x, y float64) *big.Float {
	return func(x, _ float64) *big.Float { return f(precise(x)) }
}

func positive(x, _ float64) bool { return x > 0 }
func within1(x, _ float64) bool  { return math.Abs(x) <= 1 }

// A precision is a type of numbers: how many bits they have, and the exponents of the least one and of the first too large.
type precision struct{ bits, least, most int }

var (
	double = precision{53, -1074, 1024}
	single = precision{24, -149, 128}
)

// apart is how many units got is from want, units being those in the last place of want, or of beside if that is larger.
// Infinities are the number next to the largest.
func (p precision) apart(want, beside *big.Float, got float64) float64 {
	size := want
	if absolute(beside).Cmp(absolute(want)) > 0 {
		size = beside
	} else if want.Sign() != 0 && want.Signbit() != math.Signbit(got) {
		return math.Inf(1)
	}
	if got != got {
		return math.Inf(1)
	}
	unit := max(min(size.MantExp(nil), p.most)-p.bits, p.least)
	capped := func(v *big.Float) *big.Float {
		if below(v, p.most) {
			return v
		}
		return scaled(precise(float64(v.Sign())), p.most)
	}
	d, _ := scaled(minus(capped(new(big.Float).SetFloat64(got)), capped(want)), -unit).Float64()
	return math.Abs(d)
}

// apart is how many units a result is from the exact value. Arguments that are not finite, or of which there is no value, are
// left to the table of special values.
func (c *mathCase) apart(x, y, got float64, p precision) float64 {
	ref := mathReferences[c.name]
	if c.f8two == nil {
		y = 0
	}
	if x-x != 0 || y-y != 0 || ref.domain != nil && !ref.domain(x, y) {
		return 0
	}
	return p.apart(ref.value(x, y), precise(c.beside(x, y)), got)
}

// beside is what a result's error is measured by where it is larger than the result. In logaddexp terms may cancel.
func (c *mathCase) beside(x, y float64) float64 {
	if strings.HasPrefix(c.name, "logaddexp") {
		return max(x, y)
	}
	return 0
}

// The references have the values of another library, to the thousandths of a unit that those were written with.
func TestMathReference(t *testing.T) {
	t.Parallel()
	for name, ps := range points(t) {
		for _, p := range ps[:len(ps)/8] {
			want := mathReferences[name].value(p.x, p.y)
			if d := double.apart(want, precise(0), math.Copysign(p.value, float64(want.Sign()))); !(math.Abs(d-math.Abs(p.above)) <= 0.0006) {
				t.Errorf("%s(%v, %v) = %v: %v units from the nearest number, want %v", name, p.x, p.y, want, d, p.above)
			}
		}
	}
}
