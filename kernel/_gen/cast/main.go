// Command cast writes the kernels that convert numbers.
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

// A kind is an element type.
type kind struct {
	name string
	size int
}

func (k kind) float() bool { return k.name[0] == 'F' }

var (
	halves   = kind{"F2", 2}
	floats   = []kind{{"F4", 4}, {"F8", 8}}
	integers = []kind{{"I1", 1}, {"I2", 2}, {"I4", 4}, {"I8", 8}, {"U1", 1}, {"U2", 2}, {"U4", 4}, {"U8", 8}}
)

// A cast is a kernel that is built.
type cast struct {
	from, to kind
	w        Width
	lanes    int
}

func main() {
	File()
	d := &Dispatch{
		Name: "castCall", Doc: "runs the kernel of two kinds and a level, and reports whether there is one.",
		Params: "dst, a *byte, n int", Args: "dst, a, n",
	}
	built := map[string]bool{}
	all := append(append([]kind{}, integers...), floats...)
	all = append(all, halves)
	for _, from := range all {
		for _, to := range all {
			if !from.float() && !to.float() && from.size == to.size {
				continue
			}
			for i, w := range Widths {
				// Narrow integers have no sign; nor have the integers that floats become before they are narrowed.
				f, t := from, to
				if !f.float() && !t.float() && f.size > t.size {
					f.name = strings.Replace(f.name, "U", "I", 1)
				}
				if !t.float() && (!f.float() || t.size < 4) {
					t.name = strings.Replace(t.name, "U", "I", 1)
				}
				c := cast{from: f, to: t, w: w, lanes: w.Bytes / max(from.size, to.size)}
				if from.name == "F4" && to.name == "U4" {
					c.lanes = w.Bytes / 8
				}
				convert := c.conversion()
				if convert == nil {
					continue
				}
				name := "cast" + f.name + t.name + w.Name
				if !built[name] {
					c.build(name, convert)
					built[name] = true
				}
				d.Case(fmt.Sprintf("int(kind%s)<<5 | int(kind%s)<<1 | %d", from.name, to.name, i), name)
			}
		}
	}
	Generate()
	if err := Write(d); err != nil {
		log.Fatal(err)
	}
}

// part returns the first bytes of a vector as the smallest register that holds them.
func part(v vector, bytes int) reg.Register {
	switch {
	case bytes > 32:
		return v.AsZ()
	case bytes > 16:
		return v.AsY()
	default:
		return v.AsX()
	}
}

// in and out are the registers of what a step reads and writes.
func (c *cast) in(v vector) reg.Register  { return part(v, c.lanes*c.from.size) }
func (c *cast) out(v vector) reg.Register { return part(v, c.lanes*c.to.size) }

// build builds a kernel around what converts one vector.
func (c *cast) build(name string, convert func(s, d vector)) {
	TEXT(name, NOSPLIT, "func(dst, a *byte, n int)")
	Pragma("noescape")
	if c.w.Wide() {
		Doc(name + " converts n values.")
	} else {
		Doc(name + " converts n values, a multiple of 32.")
	}
	dst, a, n := Arg("dst"), Arg("a"), Arg("n")
	step := func(i int, k reg.Register) {
		s, d := c.w.Vector(), c.w.Vector()
		from, to := Mem{Base: a, Disp: i * c.lanes * c.from.size}, Mem{Base: dst, Disp: i * c.lanes * c.to.size}
		c.load(from, s, k)
		convert(s, d)
		c.store(d, to, k)
	}
	for _, unroll := range []int{2, 1} {
		loop, end := NewLabel("loop"), NewLabel("end")
		rows := unroll * c.lanes
		SUBQ(I32(int32(rows)), n)
		JL(Jump(end))
		Label(loop)
		for i := range unroll {
			step(i, nil)
		}
		ADDQ(I32(int32(rows*c.from.size)), a)
		ADDQ(I32(int32(rows*c.to.size)), dst)
		SUBQ(I32(int32(rows)), n)
		JGE(Jump(loop))
		Label(end)
		ADDQ(I32(int32(rows)), n)
	}
	if c.w.Wide() {
		end := NewLabel("whole")
		TESTQ(n, n)
		JZ(Jump(end))
		step(0, Mask(1, n))
		Label(end)
	}
	VZEROUPPER()
	RET()
}

func (c *cast) load(from Mem, v vector, k reg.Register) {
	switch bytes := c.lanes * c.from.size; {
	case k != nil:
		LoadMasked(c.from.size, from, k, c.in(v))
	case bytes == 4:
		VMOVD(from, v.AsX())
	case bytes == 8:
		VMOVQ(from, v.AsX())
	case bytes == 64:
		VMOVDQU64(from, c.in(v))
	default:
		VMOVDQU(from, c.in(v))
	}
}

func (c *cast) store(v vector, to Mem, k reg.Register) {
	switch bytes := c.lanes * c.to.size; {
	case k != nil:
		StoreMasked(c.to.size, c.out(v), k, to)
	case bytes == 4:
		VMOVD(v.AsX(), to)
	case bytes == 8:
		VMOVQ(v.AsX(), to)
	case bytes == 64:
		VMOVDQU64(c.out(v), to)
	default:
		VMOVDQU(c.out(v), to)
	}
}
