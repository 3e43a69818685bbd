// Command math writes the loops over vectors of mathematical functions. What they do is defined by the functions of one
// value in ../../math*.go: an operation there is an operation here, in the same order.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

// A function computes a vector, and tells of which values it cannot.
type (
	function1 = func(m *machine, x vec) (y vec, left mask)
	function2 = func(m *machine, x, y vec) (z vec, left mask)
)

func main() {
	File()
	for _, f := range []struct {
		name string
		f8   function1
		f4   function1
	}{
		{"exp", exp, exp},
		{"exp2", exp2, exp2},
		{"expm1", expm1, expm1},
		{"log", logE, logE},
		{"log2", log2, log2},
		{"log10", log10, log10},
		{"log1p", log1p, log1p},
		{"sin", sin, sin},
		{"cos", cos, cos},
		{"tan", tan, tan},
	} {
		for _, wide := range []bool{true, false} {
			loop(f.name, wide, 8, 1, func(m *machine, x []vec) (vec, mask) { return f.f8(m, x[0]) })
			loop(f.name, wide, 4, 1, func(m *machine, x []vec) (vec, mask) { return f.f4(m, x[0]) })
		}
	}
	Generate()
}

// loop writes the loop of a function over vectors of values of a width.
func loop(name string, wide bool, width, arity int, f func(m *machine, x []vec) (vec, mask)) {
	m := &machine{wide}
	lanes, level := 4, "AVX2"
	if wide {
		lanes, level = 8, "AVX512"
	}
	title := fmt.Sprintf("%s%d%s", name, width, level)
	float := map[int]string{4: "float32", 8: "float64"}[width]
	signature := "func(dst, a *" + float + ", n int) (done, rest int)"
	doc := fmt.Sprintf("%s is a loop of %s over vectors of %d values: see mathLoops1.", title, name, lanes)
	if arity == 2 {
		signature = "func(dst, a, b *" + float + ", n, stepA, stepB int) (done, rest int)"
		doc = fmt.Sprintf("%s is a loop of %s over vectors of %d values: see mathLoops2.", title, name, lanes)
	}
	TEXT(title, NOSPLIT, signature)
	Doc(doc)
	dst, n := Arg("dst"), Arg("n")
	sources, steps := []reg.GPVirtual{Arg("a")}, []Op{I32(lanes * width)}
	if arity == 2 {
		sources = append(sources, Arg("b"))
		steps = []Op{m.operand(sources[0], Arg("stepA"), width, lanes), m.operand(sources[1], Arg("stepB"), width, lanes)}
	}
	left := GP64()
	MOVQ(n, left)
	again, rare := NewLabel("again"), NewLabel("rare")
	Label(again)
	var x []vec
	for _, s := range sources {
		x = append(x, m.load(s, width))
	}
	y, bad := f(m, x)
	out := Mem{Base: dst}
	if width == 4 {
		y = m.narrow(y)
	}
	lanesLeft := GP64()
	if wide {
		KMOVB(bad, lanesLeft.As32())
	} else {
		VMOVMSKPD(bad, lanesLeft.As32())
	}
	TESTQ(lanesLeft, lanesLeft)
	JNZ(Jump(rare))
	m.store(width, y, out)
	ADDQ(I32(lanes*width), dst)
	for i, s := range sources {
		ADDQ(steps[i], s)
	}
	DECQ(left)
	JNZ(Jump(again))
	VZEROUPPER()
	Store(n, Return("done"))
	none := GP64()
	XORQ(none, none)
	Store(none, Return("rest"))
	RET()
	Label(rare)
	m.storeSome(width, y, bad, out)
	VZEROUPPER()
	SUBQ(left, n)
	INCQ(n)
	Store(n, Return("done"))
	Store(lanesLeft, Return("rest"))
	RET()
}

// operand makes the pointer to values that are step apart, 1 or 0, one to vectors that are as many bytes apart as it returns.
func (m *machine) operand(p, step reg.GPVirtual, width, lanes int) Op {
	many := NewLabel("many")
	buffer := AllocLocal(lanes * width)
	TESTQ(step, step)
	JNZ(Jump(many))
	r := m.new()
	if width == 8 {
		VBROADCASTSD(Mem{Base: p}, r)
	} else {
		VBROADCASTSS(Mem{Base: p}, r)
	}
	if width == 4 {
		VMOVUPS(half(r), buffer)
	} else {
		VMOVUPD(r, buffer)
	}
	LEAQ(buffer, p)
	Label(many)
	IMUL3Q(I32(lanes*width), step, step)
	return step
}

// half is the lower half of a vector.
func half(v vec) vec {
	if v.Size() == 64 {
		return v.AsY().(vec)
	}
	return v.AsX().(vec)
}

func (m *machine) load(p reg.GPVirtual, width int) vec {
	r := m.new()
	if width == 8 {
		VMOVUPD(Mem{Base: p}, r)
	} else {
		VCVTPS2PD(Mem{Base: p}, r)
	}
	return r
}

// narrow rounds to float32, in half a vector.
func (m *machine) narrow(v vec) vec {
	if m.wide {
		r := YMM()
		VCVTPD2PS(v, r)
		return r
	}
	r := XMM()
	VCVTPD2PSY(v, r)
	return r
}

func (m *machine) store(width int, v vec, out Mem) {
	if width == 8 {
		VMOVUPD(v, out)
	} else {
		VMOVUPS(v, out)
	}
}

// storeSome stores the values of which the mask is not set.
func (m *machine) storeSome(width int, v vec, bad mask, out Mem) {
	switch {
	case m.wide:
		good := K()
		KNOTB(bad, good)
		if width == 8 {
			VMOVUPD(v, good, out)
		} else {
			VMOVUPS(v, good, out)
		}
	case width == 8:
		old := YMM()
		VMOVUPD(out, old)
		VBLENDVPD(bad, old, v, v)
		VMOVUPD(v, out)
	default:
		high, old := XMM(), XMM()
		VEXTRACTF128(U8(1), bad, high)
		VSHUFPS(U8(0x88), high, bad.(vec).AsX(), high)
		VMOVUPS(out, old)
		VBLENDVPS(high, old, v, v)
		VMOVUPS(v, out)
	}
}
