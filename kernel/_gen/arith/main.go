// Command arith writes the kernels of arithmetic.
package main

import (
	"fmt"
	"log"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

// A vector is a register of the width that is built.
type vector = reg.VecVirtual

// An op is an operation on vectors: it is built with the registers it needs, and returns what computes d from its operands.
type op func(w Width) func(a, b, d vector)

// plain is the op of one instruction, whose operands are in the order of the assembler: the second first.
func plain(instruction func(ops ...Op)) op {
	return func(Width) func(a, b, d vector) {
		return func(a, b, d vector) { instruction(b, a, d) }
	}
}

var kinds = []struct {
	name string
	size int
}{
	{"I1", 1}, {"I2", 2}, {"I4", 4}, {"I8", 8}, {"U1", 1}, {"U2", 2}, {"U4", 4}, {"U8", 8}, {"F4", 4}, {"F8", 8},
}

// binaries holds the operations of two operands by kind. Unsigned kinds that are missing are computed as signed ones.
var binaries = []struct {
	name string
	ops  map[string]op
}{
	{"Add", map[string]op{
		"I1": plain(VPADDB), "I2": plain(VPADDW), "I4": plain(VPADDD), "I8": plain(VPADDQ), "F4": plain(VADDPS), "F8": plain(VADDPD),
	}},
	{"Sub", map[string]op{
		"I1": plain(VPSUBB), "I2": plain(VPSUBW), "I4": plain(VPSUBD), "I8": plain(VPSUBQ), "F4": plain(VSUBPS), "F8": plain(VSUBPD),
	}},
	{"Mul", map[string]op{
		"I1": mulBytes, "I2": plain(VPMULLW), "I4": plain(VPMULLD), "I8": mulWords, "F4": plain(VMULPS), "F8": plain(VMULPD),
	}},
	{"Div", map[string]op{"F4": plain(VDIVPS), "F8": plain(VDIVPD)}},
	{"Maximum", map[string]op{
		"I1": plain(VPMAXSB), "I2": plain(VPMAXSW), "I4": plain(VPMAXSD), "I8": extremeWords(VPMAXSQ, false, false),
		"U1": plain(VPMAXUB), "U2": plain(VPMAXUW), "U4": plain(VPMAXUD), "U8": extremeWords(VPMAXUQ, false, true),
		"F4": extreme(VMAXPS, 4, true), "F8": extreme(VMAXPD, 8, true),
	}},
	{"Minimum", map[string]op{
		"I1": plain(VPMINSB), "I2": plain(VPMINSW), "I4": plain(VPMINSD), "I8": extremeWords(VPMINSQ, true, false),
		"U1": plain(VPMINUB), "U2": plain(VPMINUW), "U4": plain(VPMINUD), "U8": extremeWords(VPMINUQ, true, true),
		"F4": extreme(VMINPS, 4, true), "F8": extreme(VMINPD, 8, true),
	}},
	{"FMax", map[string]op{"F4": extreme(VMAXPS, 4, false), "F8": extreme(VMAXPD, 8, false)}},
	{"FMin", map[string]op{"F4": extreme(VMINPS, 4, false), "F8": extreme(VMINPD, 8, false)}},
}

// bitwise are the operations for which elements do not matter: their constants are words of 8 bytes.
var bitwise = []struct {
	name         string
	wide, narrow func(ops ...Op)
}{
	{"And", VPANDQ, fixed(VPAND)},
	{"Or", VPORQ, fixed(VPOR)},
	{"Xor", VPXORQ, fixed(VPXOR)},
	{"AndNot", inverted(VPANDNQ), inverted(fixed(VPANDN))},
}

func fixed(instruction func(a, b, d Op)) func(ops ...Op) {
	return func(ops ...Op) { instruction(ops[0], ops[1], ops[2]) }
}

// inverted exchanges the operands.
func inverted(instruction func(ops ...Op)) func(ops ...Op) {
	return func(ops ...Op) { instruction(ops[1], ops[0], ops[2]) }
}

func main() {
	File()
	two := &Dispatch{
		Name: "binaryCall", Doc: "runs the kernel of an operation, a kind and a level, and reports whether there is one.",
		Params: "dst, a, b *byte, n, shape int", Args: "dst, a, b, n, shape",
	}
	for _, f := range binaries {
		for _, k := range kinds {
			for i, w := range Widths {
				kind := k.name
				if f.ops[kind] == nil {
					kind = strings.Replace(kind, "U", "I", 1)
				}
				if f.ops[kind] == nil {
					continue
				}
				name := "arith" + f.name + kind + w.Name
				if kind == k.name {
					binary(name, k.size, k.size, w, f.ops[kind](w))
				}
				two.Case(fmt.Sprintf("int(op%s)<<5 | int(kind%s)<<1 | %d", f.name, k.name, i), name)
			}
		}
	}
	for _, f := range bitwise {
		for i, w := range Widths {
			instruction := f.narrow
			if w.Wide() {
				instruction = f.wide
			}
			name := "arithBit" + f.name + w.Name
			binary(name, 1, 8, w, plain(instruction)(w))
			two.Case(fmt.Sprintf("int(opBit%s)<<5 | %d", f.name, i), name)
		}
	}
	one := &Dispatch{
		Name: "unaryCall", Doc: "is binaryCall for one operand.", Params: "dst, a *byte, n int", Args: "dst, a, n",
	}
	for _, f := range unaries {
		for _, k := range kinds {
			for i, w := range Widths {
				if f.ops[k.name] != nil {
					name := "arith" + f.name + k.name + w.Name
					unary(name, k.size, w, f.ops[k.name])
					one.Case(fmt.Sprintf("int(op%s)<<5 | int(kind%s)<<1 | %d", f.name, k.name, i), name)
				}
			}
		}
	}
	Generate()
	if err := Write(two, one); err != nil {
		log.Fatal(err)
	}
}

// binary builds a kernel of two operands in its three shapes: 0 for two columns, 1 if b is a constant, 2 if a is one.
func binary(name string, size, constant int, w Width, compute func(a, b, d vector)) {
	TEXT(name, NOSPLIT, "func(dst, a, b *byte, n, shape int)")
	Pragma("noescape")
	Doc(name + " computes n bytes of dst. In shape 1 b is a constant, in shape 2 a is.")
	dst, pa, pb, n, shape := Arg("dst"), Arg("a"), Arg("b"), Arg("n"), Arg("shape")
	second, first, end := NewLabel("second"), NewLabel("first"), NewLabel("end")
	CMPQ(shape, Imm(1))
	JE(Jump(second))
	JG(Jump(first))
	walk(size, w, dst, n, func(load func(reg.GPVirtual, vector), d vector) {
		a, b := w.Vector(), w.Vector()
		load(pa, a)
		load(pb, b)
		compute(a, b, d)
	})
	JMP(Jump(end))
	Label(second)
	c := w.Vector()
	Broadcast(constant, Mem{Base: pb}, c)
	walk(size, w, dst, n, func(load func(reg.GPVirtual, vector), d vector) {
		a := w.Vector()
		load(pa, a)
		compute(a, c, d)
	})
	JMP(Jump(end))
	Label(first)
	Broadcast(constant, Mem{Base: pa}, c)
	walk(size, w, dst, n, func(load func(reg.GPVirtual, vector), d vector) {
		b := w.Vector()
		load(pb, b)
		compute(c, b, d)
	})
	Label(end)
	VZEROUPPER()
	RET()
}

// unary builds a kernel of one operand.
func unary(name string, size int, w Width, make func(w Width) func(a, d vector)) {
	TEXT(name, NOSPLIT, "func(dst, a *byte, n int)")
	Pragma("noescape")
	Doc(name + " computes n bytes of dst.")
	dst, pa, n := Arg("dst"), Arg("a"), Arg("n")
	compute := make(w)
	walk(size, w, dst, n, func(load func(reg.GPVirtual, vector), d vector) {
		a := w.Vector()
		load(pa, a)
		compute(a, d)
	})
	VZEROUPPER()
	RET()
}

// walk stores what step makes of each vector of the operands.
func walk(size int, w Width, dst, n reg.GPVirtual, step func(load func(from reg.GPVirtual, to vector), d vector)) {
	unroll := 4
	if w.Wide() {
		unroll = 2
	}
	w.Walk(size, n, unroll, func(index reg.Register, offset int, k reg.Register) {
		d := w.Vector()
		step(func(from reg.GPVirtual, to vector) {
			if k != nil {
				LoadMasked(size, At(from, index, offset), k, to)
			} else {
				w.Load(At(from, index, offset), to)
			}
		}, d)
		if k != nil {
			StoreMasked(size, d, k, At(dst, index, offset))
		} else {
			w.Store(d, At(dst, index, offset))
		}
	})
}
