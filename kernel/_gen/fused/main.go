// Command fused writes the kernels of two operations in one.
package main

import (
	"fmt"
	"log"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

// An instruction takes its operands in the order of the assembler, the second first.
type instruction = func(ops ...Op)

// pairs are an operation on a and b, and one on its result and c, or on c and its result if c is first.
var pairs = []struct {
	name         string
	inner, outer [2]instruction // of float32 and of float64
	first        bool
}{
	{"MulAdd", mul, add, false},
	{"AddMul", mul, add, true},
	{"MulSub", mul, sub, false},
	{"SubMul", mul, sub, true},
	{"SumMul", add, mul, false},
	{"MulSum", add, mul, true},
	{"DifferenceMul", sub, mul, false},
	{"MulDifference", sub, mul, true},
}

var (
	add = [2]instruction{VADDPS, VADDPD}
	sub = [2]instruction{VSUBPS, VSUBPD}
	mul = [2]instruction{VMULPS, VMULPD}
)

func main() {
	File()
	three := &Dispatch{
		Name: "fusedCall", Doc: "runs the kernel of a pair, a kind and a level, and reports whether there is one.",
		Params: "dst, a, b, c *byte, n, shape int", Args: "dst, a, b, c, n, shape",
	}
	two := &Dispatch{
		Name: "squaresCall", Doc: "runs the kernel of a kind and a level, and reports whether there is one.",
		Params: "dst, a, b *byte, n, root int", Args: "dst, a, b, n, root",
	}
	for t, kind := range []string{"F4", "F8"} {
		for i, w := range Widths {
			for _, p := range pairs {
				name := "fused" + p.name + kind + w.Name
				fused(name, 4+4*t, w, p.inner[t], p.outer[t], p.first)
				three.Case(fmt.Sprintf("int(pair%s)<<5 | int(kind%s)<<1 | %d", p.name, kind, i), name)
			}
			name := "fusedSquares" + kind + w.Name
			squares(name, 4+4*t, w, mul[t], add[t], [2]instruction{VSQRTPS, VSQRTPD}[t])
			two.Case(fmt.Sprintf("int(kind%s)<<1 | %d", kind, i), name)
		}
	}
	Generate()
	if err := Write(three, two); err != nil {
		log.Fatal(err)
	}
}

// shapes are which operands are constants, a bit for each from a on: not both a and b, whose result would be one.
var shapes = []int{0, 1, 2, 4, 5, 6}

// fused builds a kernel with a loop for each shape.
func fused(name string, size int, w Width, inner, outer instruction, first bool) {
	TEXT(name, NOSPLIT, "func(dst, a, b, c *byte, n, shape int)")
	Pragma("noescape")
	Doc(name + " computes n bytes of dst. The bits of shape tell which operands are constants.")
	dst, n, shape := Arg("dst"), Arg("n"), Arg("shape")
	operands := []reg.GPVirtual{Arg("a"), Arg("b"), Arg("c")}
	var constants []reg.VecVirtual
	for range operands {
		constants = append(constants, w.Vector())
	}
	for i, p := range operands {
		Broadcast(size, Mem{Base: p}, constants[i])
	}
	end := NewLabel("end")
	for _, s := range shapes {
		next := NewLabel("shape")
		CMPQ(shape, Imm(uint64(s)))
		JNE(Jump(next))
		w.Walk(size, n, 2, func(index reg.Register, offset int, k reg.Register) {
			v := make([]reg.VecVirtual, 3)
			for i, p := range operands {
				switch {
				case s>>i&1 != 0:
					v[i] = constants[i]
				case k != nil:
					v[i] = w.Vector()
					LoadMasked(size, At(p, index, offset), k, v[i])
				default:
					v[i] = w.Vector()
					w.Load(At(p, index, offset), v[i])
				}
			}
			d := w.Vector()
			inner(v[1], v[0], d)
			if first {
				outer(d, v[2], d)
			} else {
				outer(v[2], d, d)
			}
			store(size, w, d, At(dst, index, offset), k)
		})
		JMP(Jump(end))
		Label(next)
	}
	Label(end)
	VZEROUPPER()
	RET()
}

// squares builds the sum of two squares, or the root of it.
func squares(name string, size int, w Width, mul, add, sqrt instruction) {
	TEXT(name, NOSPLIT, "func(dst, a, b *byte, n, root int)")
	Pragma("noescape")
	Doc(name + " computes n bytes of dst, the roots if root is not 0.")
	dst, a, b, n, root := Arg("dst"), Arg("a"), Arg("b"), Arg("n"), Arg("root")
	roots, end := NewLabel("roots"), NewLabel("end")
	TESTQ(root, root)
	JNZ(Jump(roots))
	loop := func(last func(v reg.VecVirtual)) {
		w.Walk(size, n, 2, func(index reg.Register, offset int, k reg.Register) {
			x, y := w.Vector(), w.Vector()
			for _, o := range []struct {
				from reg.GPVirtual
				to   reg.VecVirtual
			}{{a, x}, {b, y}} {
				if k != nil {
					LoadMasked(size, At(o.from, index, offset), k, o.to)
				} else {
					w.Load(At(o.from, index, offset), o.to)
				}
				mul(o.to, o.to, o.to)
			}
			add(y, x, x)
			last(x)
			store(size, w, x, At(dst, index, offset), k)
		})
	}
	loop(func(reg.VecVirtual) {})
	JMP(Jump(end))
	Label(roots)
	loop(func(v reg.VecVirtual) { sqrt(v, v) })
	Label(end)
	VZEROUPPER()
	RET()
}

func store(size int, w Width, v reg.VecVirtual, to Mem, k reg.Register) {
	if k != nil {
		StoreMasked(size, v, k, to)
	} else {
		w.Store(v, to)
	}
}
