package kernel_test

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/colstore/colstore-go/kernel"
)

// A mathCase is a function of one argument, or of two.
type mathCase struct {
	name  string
	f8    func(dst, a []float64)
	f4    func(dst, a []float32)
	f8two func(dst, a, b []float64)
	f4two func(dst, a, b []float32)
	ulp   float64                    // how far it is from the exact value at most
	like  func(x float64) float64    // the function of package math
	like2 func(x, y float64) float64 // or that of two arguments
}

var mathCases = []mathCase{
	{name: "exp", f8: kernel.Exp[float64], f4: kernel.Exp[float32], ulp: 1.15, like: math.Exp},
	{name: "exp2", f8: kernel.Exp2[float64], f4: kernel.Exp2[float32], ulp: 1.1, like: math.Exp2},
	{name: "expm1", f8: kernel.Expm1[float64], f4: kernel.Expm1[float32], ulp: 1.5, like: math.Expm1},
	{name: "log", f8: kernel.Log[float64], f4: kernel.Log[float32], ulp: 1, like: math.Log},
	{name: "log2", f8: kernel.Log2[float64], f4: kernel.Log2[float32], ulp: 1, like: math.Log2},
	{name: "log10", f8: kernel.Log10[float64], f4: kernel.Log10[float32], ulp: 1, like: math.Log10},
	{name: "log1p", f8: kernel.Log1p[float64], f4: kernel.Log1p[float32], ulp: 1, like: math.Log1p},
	{name: "sin", f8: kernel.Sin[float64], f4: kernel.Sin[float32], ulp: 1, like: math.Sin},
	{name: "cos", f8: kernel.Cos[float64], f4: kernel.Cos[float32], ulp: 1, like: math.Cos},
	{name: "tan", f8: kernel.Tan[float64], f4: kernel.Tan[float32], ulp: 1.8, like: math.Tan},
	{name: "tanh", f8: kernel.Tanh[float64], f4: kernel.Tanh[float32], ulp: 1.2, like: math.Tanh},
	{name: "sinh", f8: kernel.Sinh[float64], f4: kernel.Sinh[float32], ulp: 1.6, like: math.Sinh},
	{name: "cosh", f8: kernel.Cosh[float64], f4: kernel.Cosh[float32], ulp: 1.6, like: math.Cosh},
	{name: "arctan", f8: kernel.Arctan[float64], f4: kernel.Arctan[float32], ulp: 1, like: math.Atan},
	{name: "arcsin", f8: kernel.Arcsin[float64], f4: kernel.Arcsin[float32], ulp: 1.6, like: math.Asin},
	{name: "arccos", f8: kernel.Arccos[float64], f4: kernel.Arccos[float32], ulp: 1.6, like: math.Acos},
	{name: "arcsinh", f8: kernel.Arcsinh[float64], f4: kernel.Arcsinh[float32], ulp: 1.6, like: math.Asinh},
	{name: "arccosh", f8: kernel.Arccosh[float64], f4: kernel.Arccosh[float32], ulp: 1.8, like: math.Acosh},
	{name: "arctanh", f8: kernel.Arctanh[float64], f4: kernel.Arctanh[float32], ulp: 1, like: math.Atanh},
	{name: "cbrt", f8: kernel.Cbrt[float64], f4: kernel.Cbrt[float32], ulp: 1, like: math.Cbrt},
	{name: "power", f8two: kernel.Pow[float64], f4two: kernel.Pow[float32], ulp: 1, like2: math.Pow},
	{name: "arctan2", f8two: kernel.Arctan2[float64], f4two: kernel.Arctan2[float32], ulp: 1, like2: math.Atan2},
	{name: "hypot", f8two: kernel.Hypot[float64], f4two: kernel.Hypot[float32], ulp: 1.1, like2: math.Hypot},
	{name: "logaddexp", f8two: kernel.LogAddExp[float64], f4two: kernel.LogAddExp[float32], ulp: 1.5, like2: logAddExp},
	{name: "logaddexp2", f8two: kernel.LogAddExp2[float64], f4two: kernel.LogAddExp2[float32], ulp: 1.5, like2: logAddExp2},
}

// logAddExp is log(e^x + e^y) by package math. Beside the larger one, since e^x alone overflows.
func logAddExp(x, y float64) float64 {
	if x == y {
		return x + math.Ln2
	}
	return math.Max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
}

func logAddExp2(x, y float64) float64 {
	if x == y {
		return x + 1
	}
	return math.Max(x, y) + math.Log1p(math.Exp2(-math.Abs(x-y)))/math.Ln2
}

// of computes a function for float64s.
func (c *mathCase) of(dst, a, b []float64) {
	if c.f8two != nil {
		c.f8two(dst, a, b)
	} else {
		c.f8(dst, a)
	}
}

func (c *mathCase) of4(dst, a, b []float32) {
	if c.f4two != nil {
		c.f4two(dst, a, b)
	} else {
		c.f4(dst, a)
	}
}

// A point is a value of a function in many digits: it is above the nearest float64 by so many units in its last place.
type point struct {
	x, y, value, above float64
}

// points reads testdata/math/points.gz, whose script describes it.
func points(t *testing.T) map[string][]point {
	t.Helper()
	f, err := os.Open("testdata/math/points.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]point{}
	name, arity := "", 0
	for s := bufio.NewScanner(z); s.Scan(); {
		line := s.Text()
		if fields := strings.Fields(line); len(fields) == 2 {
			name = fields[0]
			_, err = fmt.Sscan(fields[1], &arity)
		} else {
			var p point
			var x, y, v uint64
			var above int
			if arity == 2 {
				_, err = fmt.Sscanf(line, "%x %x %x %d", &x, &y, &v, &above)
			} else {
				_, err = fmt.Sscanf(line, "%x %x %d", &x, &v, &above)
			}
			p.x, p.y, p.value, p.above = math.Float64frombits(x), math.Float64frombits(y), math.Float64frombits(v), float64(above)/1000
			all[name] = append(all[name], p)
		}
		if err != nil {
			t.Fatal(line, err)
		}
	}
	return all
}

// unit is the distance of float64s at x.
func unit(x float64) float64 {
	_, e := math.Frexp(x)
	return math.Ldexp(1, max(e-53, -1074))
}

// apart is how many units of want got is from it, and from what want lacks of the exact value.
func (p point) apart(got float64) float64 {
	switch {
	case got == p.value && math.Signbit(got) == math.Signbit(p.value):
		return math.Abs(p.above)
	case math.IsInf(p.value, 0) || math.IsInf(got, 0) && math.Abs(p.value) < math.MaxFloat64:
		return math.Inf(1)
	case math.IsInf(got, 0):
		return 1 - p.above
	}
	return math.Abs((got-p.value)/unit(p.value) - p.above)
}

func TestMathAccuracy(t *testing.T) {
	all := points(t)
	for _, c := range mathCases {
		ps := all[c.name]
		if len(ps) < 2000 {
			t.Fatalf("%s: %d points", c.name, len(ps))
		}
		x, y, got := make([]float64, len(ps)), make([]float64, len(ps)), make([]float64, len(ps))
		for i, p := range ps {
			x[i], y[i] = p.x, p.y
		}
		c.of(got, x, y)
		worst := 0.0
		for i, p := range ps {
			if d := p.apart(got[i]); !(d <= worst) {
				worst = d
				if !(worst <= c.ulp) {
					t.Errorf("%s(%v, %v) = %v, want %v: %.3f units", c.name, p.x, p.y, got[i], p.value, worst)
				}
			}
		}
		t.Logf("%s: at most %.3f units", c.name, worst)
	}
}

// Results in float32 are those in float64, rounded, or nearly so.
func TestMathSingle(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	a, b := make([]float32, 20_000), make([]float32, 20_000)
	for i := range a {
		a[i], b[i] = float32(r.NormFloat64()*math.Exp2(float64(r.IntN(40)-30))), float32(r.NormFloat64()*5)
		if i%8 == 0 {
			a[i] = math.Float32frombits(r.Uint32())
		}
	}
	x, y, want, got := make([]float64, len(a)), make([]float64, len(a)), make([]float64, len(a)), make([]float32, len(a))
	for i := range a {
		x[i], y[i] = float64(a[i]), float64(b[i])
	}
	for _, c := range mathCases {
		c.of(want, x, y)
		c.of4(got, a, b)
		worst := 0.0
		for i, w := range want {
			g := float64(got[i])
			d := math.Abs(g-w) / max(unit(w)*(1<<29), math.SmallestNonzeroFloat32)
			if g == w || w != w && g != g || math.Abs(w) > math.MaxFloat32 && math.IsInf(g, 0) {
				d = 0
			}
			if !(d <= worst) {
				worst = d
				if !(worst <= c.single4()) {
					t.Errorf("%s(%v, %v) = %v, want %v: %.3f units", c.name, a[i], b[i], g, w, worst)
				}
			}
		}
		t.Logf("%s: at most %.3f units", c.name, worst)
	}
}

// mathBits returns arguments of every kind: all sizes, the usual ones, special values and NaNs with payloads.
func mathBits(r *rand.Rand, n int) []float64 {
	special := []uint64{
		0, 1 << 63, 1, 1<<63 + 1, 0x7ff << 52, 0xfff << 52, 0x7ff8<<48 + 5, 0xfff8<<48 + 7, 0x7ff<<52 + 9, 1 << 52, 1<<52 - 1,
		0x7ff<<52 - 1, 0x3ff << 52, 0xbff << 52, 0x3ff<<52 + 1, 0x3ff<<52 - 1,
	}
	out := make([]float64, n)
	for i := range out {
		switch r.IntN(8) {
		case 0:
			out[i] = math.Float64frombits(special[r.IntN(len(special))])
		case 1:
			out[i] = math.Float64frombits(r.Uint64())
		case 2:
			out[i] = r.Float64()*2 - 1
		case 3:
			out[i] = math.Round(r.NormFloat64() * 20)
		case 4:
			out[i] = r.Float64() * 100
		case 5:
			out[i] = (r.Float64() - 0.5) * 1500
		default:
			out[i] = r.NormFloat64() * 5
		}
	}
	return out
}

func bytesOf[T float32 | float64](v []T) []byte {
	b, _ := binary.Append(nil, binary.NativeEndian, v)
	return b
}

// floatsOf views bytes.
func floatsOf[T float32 | float64](b []byte) []T {
	var v T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(v)))
}

// sameBits returns where two results differ in a bit, or -1.
func sameBits[T float32 | float64](a, b []T) int {
	x, y := bytesOf(a), bytesOf(b)
	for i := range x {
		if x[i] != y[i] {
			return i * len(a) / len(x)
		}
	}
	return -1
}

// one8 computes a function of one value, or of a pair.
func (c *mathCase) one8(x, y float64) float64 {
	dst := []float64{0}
	c.of(dst, []float64{x}, []float64{y})
	return dst[0]
}

func (c *mathCase) one4(x, y float32) float32 {
	dst := []float32{0}
	c.of4(dst, []float32{x}, []float32{y})
	return dst[0]
}

// Each length at each level, also in place, is what the function of one value makes of each; so is what one value and many
// make. Nothing is written beside.
func TestMathTwins(t *testing.T) {
	const most = 257
	r := rand.New(rand.NewPCG(3, 4))
	a8, b8 := mathBits(r, most), mathBits(r, most)
	a4, b4 := make([]float32, most), make([]float32, most)
	for i := range a4 {
		a4[i], b4[i] = float32(a8[i]), float32(b8[i])
	}
	for _, c := range mathCases {
		w8, w4 := make([]float64, most), make([]float32, most)
		for i := range w8 {
			w8[i], w4[i] = c.one8(a8[i], b8[i]), c.one4(a4[i], b4[i])
		}
		t.Run(c.name, func(t *testing.T) {
			eachLevel(t, func(t *testing.T) {
				for n := 0; n <= most; n++ {
					for _, place := range []int{0, 8 * (n % 8)} {
						d8, d4 := fill(bytesOf(a8[:n]), place), fill(bytesOf(a4[:n]), place/2)
						v8, v4 := floatsOf[float64](d8.data), floatsOf[float32](d4.data)
						if place == 0 {
							c.of(v8, a8[:n], b8[:n])
							c.of4(v4, a4[:n], b4[:n])
						} else {
							c.of(v8, v8, b8[:n])
							c.of4(v4, v4, b4[:n])
						}
						if i := sameBits(v8, w8[:n]); i >= 0 || !d8.intact() {
							t.Fatalf("%d float64s, offset %d, at %d", n, place, i)
						}
						if i := sameBits(v4, w4[:n]); i >= 0 || !d4.intact() {
							t.Fatalf("%d float32s, offset %d, at %d", n, place, i)
						}
					}
				}
				if c.f8two == nil {
					return
				}
				for i := range 24 {
					d := make([]float64, most)
					d4 := make([]float32, most)
					c.f8two(d, a8[i:i+1], b8)
					c.f4two(d4, a4, b4[i:i+1])
					for j := range d {
						if w := c.one8(a8[i], b8[j]); math.Float64bits(d[j]) != math.Float64bits(w) {
							t.Fatalf("of one, %v, and %v: %v, want %v", a8[i], b8[j], d[j], w)
						}
						if w := c.one4(a4[j], b4[i]); math.Float32bits(d4[j]) != math.Float32bits(w) {
							t.Fatalf("of %v and one, %v: %v, want %v", a4[j], b4[i], d4[j], w)
						}
					}
				}
			})
		})
	}
}

func BenchmarkMath(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	n := 4096
	a, p := make([]float64, n), make([]float64, n)
	for i := range a {
		a[i], p[i] = r.Float64()*10-5, r.Float64()*100+0.01
	}
	for _, c := range mathCases {
		x, y := a, p
		switch {
		case strings.HasPrefix(c.name, "log"), c.name == "power":
			x, y = p, a
		case c.name == "arcsin" || c.name == "arccos":
			x = make([]float64, n)
			for i := range x {
				x[i] = a[i] / 5.001
			}
		}
		dst := make([]float64, n)
		d4, x4, y4 := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range x {
			x4[i], y4[i] = float32(x[i]), float32(y[i])
		}
		perRow := func(b *testing.B) {
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		}
		for l := kernel.LevelGo; l <= kernel.Best(); l++ {
			if l == kernel.LevelSSE {
				continue
			}
			b.Run(c.name+"/float64/"+l.String(), func(b *testing.B) {
				defer kernel.SetLevel(kernel.SetLevel(l))
				for b.Loop() {
					c.of(dst, x, y)
				}
				perRow(b)
			})
			b.Run(c.name+"/float32/"+l.String(), func(b *testing.B) {
				defer kernel.SetLevel(kernel.SetLevel(l))
				for b.Loop() {
					c.of4(d4, x4, y4)
				}
				perRow(b)
			})
		}
		b.Run(c.name+"/float64/math", func(b *testing.B) {
			for b.Loop() {
				for i := range dst {
					if c.like != nil {
						dst[i] = c.like(x[i])
					} else {
						dst[i] = c.like2(x[i], y[i])
					}
				}
			}
			perRow(b)
		})
	}
}
