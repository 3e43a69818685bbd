// Command compare writes the kernels of comparisons.
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

type vector = reg.VecVirtual

// relations are the six, as the immediate operands of the instructions for integers and for floats name them. swapped are
// what those with a constant on the left become: they have no kernel for two columns.
var relations = []struct {
	name            string
	integer, floats uint64
	swapped         bool
}{
	{"Less", 1, 1, false},
	{"LessEqual", 2, 2, false},
	{"Equal", 0, 0, false},
	{"NotEqual", 4, 4, false},
	{"Greater", 6, 14, true},
	{"GreaterEqual", 5, 13, true},
}

var kinds = []struct {
	name string
	size int
}{
	{"I1", 1}, {"I2", 2}, {"I4", 4}, {"I8", 8}, {"U1", 1}, {"U2", 2}, {"U4", 4}, {"U8", 8}, {"F4", 4}, {"F8", 8},
}

func main() {
	File()
	d := &Dispatch{
		Name: "compareCall", Doc: "runs the kernel of a relation, a kind and a level, and reports whether there is one.",
		Params: "dst *uint64, a, b *byte, n, shape int", Args: "dst, a, b, n, shape",
	}
	for _, r := range relations {
		for _, k := range kinds {
			for i, w := range Widths {
				kind := k.name
				if strings.HasSuffix(r.name, "Equal") && !strings.HasPrefix(r.name, "L") && !strings.HasPrefix(r.name, "G") {
					kind = strings.Replace(kind, "U", "I", 1) // the same bits are equal
				}
				name := "compare" + r.name + kind + w.Name
				if kind == k.name {
					c := comparison{name: name, relation: r.name, kind: kind, size: k.size, w: w, imm: Imm(r.integer)}
					if kind[0] == 'F' {
						c.imm = Imm(r.floats)
					}
					c.build(!r.swapped)
				}
				d.Case(fmt.Sprintf("int(rel%s)<<5 | int(kind%s)<<1 | %d", r.name, k.name, i), name)
			}
		}
	}
	Generate()
	if err := Write(d); err != nil {
		log.Fatal(err)
	}
}

// A comparison is a kernel that is built.
type comparison struct {
	name, relation, kind string
	size                 int
	w                    Width
	imm                  Constant
	sign                 vector // the first bits of unsigned integers, which AVX2 compares as signed ones
}

// build builds a kernel in the shape 0 of two columns, if it has that, and 1 for a constant b.
func (c *comparison) build(columns bool) {
	TEXT(c.name, NOSPLIT, "func(dst *uint64, a, b *byte, n, shape int)")
	Pragma("noescape")
	if c.w.Wide() {
		Doc(c.name + " compares n rows. In shape 1 b is a constant.")
	} else {
		Doc(c.name + " compares n rows, a multiple of 64. In shape 1 b is a constant.")
	}
	dst, a, b, n := Arg("dst"), Arg("a"), Arg("b"), Arg("n")
	if c.kind[0] == 'U' && !c.w.Wide() {
		c.sign = c.w.Repeated(map[int]uint64{1: 0x8080808080808080, 2: 0x8000800080008000, 4: 0x8000000080000000, 8: 1 << 63}[c.size])
	}
	end := NewLabel("end")
	if columns {
		shape, constant := Arg("shape"), NewLabel("constant")
		TESTQ(shape, shape)
		JNZ(Jump(constant))
		c.walk(dst, n, a, b, nil)
		JMP(Jump(end))
		Label(constant)
	}
	v := c.w.Vector()
	Broadcast(c.size, Mem{Base: b}, v)
	c.flip(v)
	c.walk(dst, n, a, nil, v)
	Label(end)
	VZEROUPPER()
	RET()
}

// flip makes the order of signed integers that of unsigned ones.
func (c *comparison) flip(v vector) {
	if c.sign != nil {
		VPXOR(c.sign, v, v)
	}
}

// walk compares a with b, or with a constant if b is nil. It moves the pointers.
func (c *comparison) walk(dst, n, a, b reg.GPVirtual, constant vector) {
	pointers := []reg.GPVirtual{a}
	if b != nil {
		pointers = append(pointers, b)
	}
	block, step := c.block32, 32
	if c.w.Wide() {
		block, step = c.block64, 64
	}
	loop, end := NewLabel("loop"), NewLabel("rest")
	SUBQ(I32(int32(step)), n)
	JL(Jump(end))
	Label(loop)
	block(dst, a, b, constant)
	for _, p := range pointers {
		ADDQ(I32(int32(step*c.size)), p)
	}
	ADDQ(I32(int32(step/8)), dst)
	SUBQ(I32(int32(step)), n)
	JGE(Jump(loop))
	Label(end)
	if c.w.Wide() {
		c.rest(dst, n, a, b, constant, pointers)
	}
}

// block64 makes a word of the masks of as many vectors as a value has bytes: neighbours are joined until one is left.
func (c *comparison) block64(dst, a, b reg.GPVirtual, constant vector) {
	var masks []reg.OpmaskVirtual
	for i := range c.size {
		x, y, k := c.w.Vector(), constant, K()
		c.w.Load(Mem{Base: a, Disp: 64 * i}, x)
		if b != nil {
			y = c.w.Vector()
			c.w.Load(Mem{Base: b, Disp: 64 * i}, y)
		}
		c.masks(x, y, k)
		masks = append(masks, k)
		// Joined as soon as both are there, so that few are held.
		for n := i + 1; n%2 == 0; n /= 2 {
			low, high := masks[len(masks)-2], masks[len(masks)-1]
			switch c.size / ((i + 1) / n) {
			case 8:
				KUNPCKBW(low, high, low)
			case 4:
				KUNPCKWD(low, high, low)
			case 2:
				KUNPCKDQ(low, high, low)
			}
			masks = masks[:len(masks)-1]
		}
	}
	KMOVQ(masks[0], Mem{Base: dst})
}

// rest makes the last word, of fewer than 64 rows: n is how many, less 64.
func (c *comparison) rest(dst, n, a, b reg.GPVirtual, constant vector, pointers []reg.GPVirtual) {
	end, loop := NewLabel("whole"), NewLabel("vector")
	ADDQ(I32(64), n)
	JZ(Jump(end))
	word, shift, ones := GP64(), GP64(), GP64()
	XORQ(word, word)
	XORQ(shift, shift)
	MOVQ(I64(-1), ones)
	Label(loop)
	bits, k := GP64(), K()
	BZHIQ(n, ones, bits)
	KMOVQ(bits, k)
	x, y := c.w.Vector(), constant
	LoadMasked(c.size, Mem{Base: a}, k, x)
	if b != nil {
		y = c.w.Vector()
		LoadMasked(c.size, Mem{Base: b}, k, y)
	}
	c.masks(x, y, k, k)
	KMOVQ(k, bits)
	SHLXQ(shift, bits, bits)
	ORQ(bits, word)
	for _, p := range pointers {
		ADDQ(I32(64), p)
	}
	lanes := int32(64 / c.size)
	ADDQ(I32(lanes), shift)
	SUBQ(I32(lanes), n)
	JG(Jump(loop))
	MOVQ(word, Mem{Base: dst})
	Label(end)
}

// masks compares vectors of 64 bytes; k is the mask that comes out, after one that goes in if there are two.
func (c *comparison) masks(x, y vector, k ...reg.OpmaskVirtual) {
	ops := []Op{c.imm, y, x}
	for _, k := range k {
		ops = append(ops, k)
	}
	map[string]func(ops ...Op){
		"I1": VPCMPB, "I2": VPCMPW, "I4": VPCMPD, "I8": VPCMPQ, "U1": VPCMPUB, "U2": VPCMPUW, "U4": VPCMPUD, "U8": VPCMPUQ,
		"F4": VCMPPS, "F8": VCMPPD,
	}[c.kind](ops...)
}

// block32 compares 32 rows.
func (c *comparison) block32(dst, a, b reg.GPVirtual, constant vector) {
	word := GP64()
	inverse := false
	var pair []vector
	for i := range c.size {
		x, y, m := c.w.Vector(), constant, c.w.Vector()
		c.w.Load(Mem{Base: a, Disp: 32 * i}, x)
		c.flip(x)
		if b != nil {
			y = c.w.Vector()
			c.w.Load(Mem{Base: b, Disp: 32 * i}, y)
			c.flip(y)
		}
		inverse = c.lanes(x, y, m)
		bits := GP64()
		if i == 0 {
			bits = word
		}
		switch c.size {
		case 1:
			VPMOVMSKB(m, word.As32())
		case 2:
			if pair = append(pair, m); len(pair) == 2 {
				VPACKSSWB(pair[1], pair[0], m)
				VPERMQ(Imm(0xd8), m, m)
				VPMOVMSKB(m, word.As32())
			}
			continue
		case 4:
			VMOVMSKPS(m, bits.As32())
		case 8:
			VMOVMSKPD(m, bits.As32())
		}
		if i > 0 {
			SHLQ(Imm(uint64(i*32/c.size)), bits)
			ORQ(bits, word)
		}
	}
	if inverse {
		NOTL(word.As32())
	}
	MOVL(word.As32(), Mem{Base: dst})
}

// lanes compares vectors of 32 bytes: all bits of a lane of m, or none. It reports whether those mean the opposite.
func (c *comparison) lanes(x, y, m vector) (inverse bool) {
	switch c.kind {
	case "F4":
		VCMPPS(c.imm, y, x, m)
		return false
	case "F8":
		VCMPPD(c.imm, y, x, m)
		return false
	}
	equal := map[int]func(ops ...Op){1: VPCMPEQB, 2: VPCMPEQW, 4: VPCMPEQD, 8: VPCMPEQQ}[c.size]
	above := map[int]func(ops ...Op){1: VPCMPGTB, 2: VPCMPGTW, 4: VPCMPGTD, 8: VPCMPGTQ}[c.size]
	switch c.relation {
	case "Equal", "NotEqual":
		equal(y, x, m)
	case "Less", "GreaterEqual":
		above(x, y, m)
	case "Greater", "LessEqual":
		above(y, x, m)
	}
	return c.relation == "NotEqual" || c.relation == "GreaterEqual" || c.relation == "LessEqual"
}
