// Command math writes the loops over vectors of mathematical functions. What they do is defined by the functions of one
// value in ../../math*.go: an operation there is an operation here, in the same order.
package main

import (
	"fmt"
	"iter"

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
		name   string
		f8, f4 function1
		own    bool // f4 is computed in float32
	}{
		{"exp", exp, expF, true},
		{"exp2", exp2, exp2, false},
		{"expm1", expm1, expm14, false},
		{"log", logE, logF, true},
		{"log2", log2, log24, false},
		{"log10", log10, log104, false},
		{"log1p", log1p, log1p, false},
		{"sin", sin, sin4, false},
		{"cos", cos, cos4, false},
		{"tan", tan, tan4, false},
		{"tanh", tanh, tanh4, false},
		{"sinh", sinh, sinh4, false},
		{"cosh", cosh, cosh4, false},
		{"arctan", arctan, arctan4, false},
		{"arcsin", arcsin, arcsin, false},
		{"arccos", arccos, arccos, false},
		{"cbrt", cbrt, cbrt, false},
	} {
		for _, wide := range []bool{true, false} {
			newLoop(wide, 8, func(m *machine, x []vec) (vec, mask) { return f.f8(m, x[0]) }).write(f.name, 1)
			l := newLoop(wide, 4, func(m *machine, x []vec) (vec, mask) { return f.f4(m, x[0]) })
			if f.own {
				l.own()
			}
			l.write(f.name, 1)
		}
	}
	for _, f := range []struct {
		name   string
		f8, f4 function2
	}{
		{"pow", pow, pow4},
		{"arctan2", arctan2, arctan24},
		{"hypot", hypot, hypot},
	} {
		for _, wide := range []bool{true, false} {
			newLoop(wide, 8, func(m *machine, x []vec) (vec, mask) { return f.f8(m, x[0], x[1]) }).write(f.name, 2)
			newLoop(wide, 4, func(m *machine, x []vec) (vec, mask) { return f.f4(m, x[0], x[1]) }).write(f.name, 2)
		}
	}
	for _, f := range []struct {
		name string
		of   function2
	}{
		{"floorDiv", floorDiv},
		{"floorMod", floorMod},
	} {
		for _, wide := range []bool{true, false} {
			for _, width := range []int{8, 4} {
				l := newLoop(wide, width, func(m *machine, x []vec) (vec, mask) { return f.of(m, x[0], x[1]) })
				l.own()
				l.write(f.name, 2)
			}
		}
	}
	Generate()
}

// paired are the functions of which two vectors at a time are faster: their operations wait for each other.
var paired = map[string]bool{"pow": true, "sinh": true}

// A loop is the loop of a function over vectors of values of a width.
type loop struct {
	*machine
	width, lanes int
	of           func(m *machine, x []vec) (vec, mask)
	dst, left    reg.GPVirtual // of which left vectors are to do
	sources      []reg.GPVirtual
	steps        []Op // between vectors of the sources
}

// newLoop returns a loop whose float32 are computed in float64.
func newLoop(wide bool, width int, of func(m *machine, x []vec) (vec, mask)) *loop {
	l := &loop{machine: &machine{wide: wide}, width: width, lanes: 4, of: of}
	if wide {
		l.lanes = 8
	}
	return l
}

// own makes it compute float32 in float32, in vectors of twice as many.
func (l *loop) own() {
	if l.width == 4 {
		l.single = true
		l.lanes *= 2
	}
}

// write writes it. Of some functions it does two vectors at a time, instruction by instruction; those with values that are
// left are done one by one.
func (l *loop) write(name string, arity int) {
	wide, width := l.wide, l.width
	level := "AVX2"
	if wide {
		level = "AVX512"
	}
	title := fmt.Sprintf("%s%d%s", name, width, level)
	arguments, steps, kind := "a", "", "mathLoops"
	if arity == 2 {
		arguments, steps, kind = "a, b", ", stepA, stepB", "mathLoops2"
	}
	TEXT(title, NOSPLIT, fmt.Sprintf("func(dst, %s *float%d, n%s int) (done, rest int)", arguments, 8*width, steps))
	Doc(fmt.Sprintf("%s is a loop of %s over vectors of %d values: see %s.", title, name, l.lanes, kind))
	n := Arg("n")
	l.dst, l.left = Arg("dst"), GP64()
	l.sources, l.steps = []reg.GPVirtual{Arg("a")}, []Op{I32(l.lanes * width)}
	if arity == 2 {
		l.sources = append(l.sources, Arg("b"))
		l.steps = []Op{l.operand(l.sources[0], Arg("stepA")), l.operand(l.sources[1], Arg("stepB"))}
	}
	MOVQ(n, l.left)
	rest := GP64()
	XORQ(rest, rest)
	if wide && width == 8 && paired[name] {
		l.pairs()
	}
	one, rare, end := NewLabel("one"), NewLabel("rare"), NewLabel("end")
	Label(one)
	TESTQ(l.left, l.left)
	JZ(Jump(end))
	y, bad := l.step(l.machine)
	if wide {
		l.pick(KORTESTB, KORTESTW)(bad, bad)
	} else {
		l.pick(VMOVMSKPD, VMOVMSKPS)(bad, rest.As32())
		TESTQ(rest, rest)
	}
	JNZ(Jump(rare))
	l.store(y, 0)
	ADDQ(I32(l.lanes*width), l.dst)
	DECQ(l.left)
	JMP(Jump(one))
	Label(rare)
	if wide {
		l.pick(KMOVB, KMOVW)(bad, rest.As32())
	}
	l.storeSome(y, bad)
	DECQ(l.left)
	Label(end)
	VZEROUPPER()
	SUBQ(l.left, n)
	Store(n, Return("done"))
	Store(rest, Return("rest"))
	RET()
}

// step computes the next vector of the sources.
func (l *loop) step(m *machine) (vec, mask) {
	var x []vec
	for i, s := range l.sources {
		x = append(x, m.load(s, l.width))
		ADDQ(l.steps[i], s)
	}
	y, bad := l.of(m, x)
	if l.width == 4 && !l.single {
		y = m.narrow(y)
	}
	return y, bad
}

// pairs does pairs of vectors, to the first that has values which are left.
func (l *loop) pairs() {
	two, back, end := NewLabel("two"), NewLabel("back"), NewLabel("endOfTwo")
	Label(two)
	CMPQ(l.left, Imm(2))
	JB(Jump(end))
	var y [2]vec
	var bad [2]mask
	var next [2]func() (struct{}, bool)
	for i := range next {
		next[i], _ = iter.Pull(func(yield func(struct{}) bool) {
			m := &machine{wide: l.wide, turn: func() { yield(struct{}{}) }}
			y[i], bad[i] = l.step(m)
		})
	}
	for more := true; more; {
		_, first := next[0]()
		_, second := next[1]()
		more = first || second
	}
	KORTESTB(bad[0], bad[1])
	JNZ(Jump(back))
	l.store(y[0], 0)
	l.store(y[1], l.lanes*l.width)
	ADDQ(I32(2*l.lanes*l.width), l.dst)
	SUBQ(Imm(2), l.left)
	JMP(Jump(two))
	Label(back)
	for i, s := range l.sources {
		SUBQ(l.steps[i], s)
		SUBQ(l.steps[i], s)
	}
	Label(end)
}

// operand makes the pointer to values that are step apart, 1 or 0, one to vectors that are as many bytes apart as it returns.
func (l *loop) operand(p, step reg.GPVirtual) Op {
	many := NewLabel("many")
	buffer := AllocLocal(l.lanes * l.width)
	TESTQ(step, step)
	JNZ(Jump(many))
	r := l.new()
	if l.width == 8 {
		VBROADCASTSD(Mem{Base: p}, r)
	} else {
		VBROADCASTSS(Mem{Base: p}, r)
	}
	if l.width == 4 && !l.single {
		VMOVUPS(half(r), buffer)
	} else {
		VMOVUPD(r, buffer)
	}
	LEAQ(buffer, p)
	Label(many)
	IMUL3Q(I32(l.lanes*l.width), step, step)
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
	if width == 8 || m.single {
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

func (l *loop) store(v vec, offset int) {
	if l.width == 8 {
		VMOVUPD(v, Mem{Base: l.dst, Disp: offset})
	} else {
		VMOVUPS(v, Mem{Base: l.dst, Disp: offset})
	}
}

// storeSome stores the values of which the mask is not set.
func (l *loop) storeSome(v vec, bad mask) {
	out := Mem{Base: l.dst}
	switch {
	case l.wide:
		good := K()
		l.pick(KNOTB, KNOTW)(bad, good)
		if l.width == 8 {
			VMOVUPD(v, good, out)
		} else {
			VMOVUPS(v, good, out)
		}
	case l.width == 8 || l.single:
		old := YMM()
		VMOVUPD(out, old)
		l.pick(VBLENDVPD, VBLENDVPS)(bad, old, v, v)
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
