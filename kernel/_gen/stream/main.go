// Command stream writes the kernels that copy past the caches, and those that take every so many values.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

const (
	line = 64
	// ahead is how many bytes before they are copied memory is asked for: a stretch of a page begins without the
	// processor's own requests.
	ahead = 2 << 10
)

func main() {
	File()
	stream()
	fence()
	for _, size := range []int{4, 8} {
		orders := orders(size)
		step(size, false, orders)
		step(size, true, orders)
	}
	Generate()
}

// stream copies four lines a round.
func stream() {
	TEXT("streamAVX2", NOSPLIT, "func(dst, src *byte, n int)")
	Pragma("noescape")
	Doc("streamAVX2 copies n times 256 bytes to dst, which lies at a multiple of 32, past the caches.")
	dst, src, n := Arg("dst"), Arg("src"), Arg("n")
	loop, end := NewLabel("loop"), NewLabel("end")
	Label(loop)
	TESTQ(n, n)
	JZ(Jump(end))
	for i := range 4 {
		PREFETCHT0(Mem{Base: src, Disp: ahead + line*i})
	}
	for i := range 8 {
		v := YMM()
		VMOVDQU(Mem{Base: src, Disp: 32 * i}, v)
		VMOVNTDQ(v, Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(I32(4*line), src)
	ADDQ(I32(4*line), dst)
	DECQ(n)
	JMP(Jump(loop))
	Label(end)
	VZEROUPPER()
	RET()
}

// fence comes after the last store past the caches.
func fence() {
	TEXT("storeFence", NOSPLIT, "func()")
	Doc("storeFence puts what was stored past the caches before what is stored after it.")
	SFENCE()
	RET()
}

// widest is up to how many vectors are looked at for one.
var widest = map[int]int{4: 8, 8: 4}

// orders has, for every step and each of the vectors that its values lie in, the lanes to take, or the result's own.
func orders(size int) Mem {
	table, lanes, at := GLOBL(fmt.Sprintf("stepOrders%d", size), RODATA|NOPTR), line/size, 0
	for step := 2; step <= widest[size]; step++ {
		for vector := range step {
			for lane := range lanes {
				from := lane
				if p := lane * step; p/lanes == vector {
					from = lanes + p%lanes
				}
				if size == 4 {
					DATA(at, U32(from))
				} else {
					DATA(at, U64(from))
				}
				at += size
			}
		}
	}
	return table
}

// step takes every step-th value: a vector of them lies in step vectors, each of which puts its own into the result.
func step(size int, past bool, orders Mem) {
	name := fmt.Sprintf("step%dAVX512", size)
	doc := []string{"takes every step-th value of %d bytes, n vectors of them. The orders of the step begin at order."}
	if past {
		name = fmt.Sprintf("step%dPastAVX512", size)
		doc = append(doc, "They go past the caches; dst lies at a multiple of 64.")
	}
	TEXT(name, NOSPLIT, "func(dst, src *byte, order, step, n int)")
	Pragma("noescape")
	doc[0] = fmt.Sprintf(name+" "+doc[0], size)
	Doc(doc...)
	dst, src, order, step, n := Arg("dst"), Arg("src"), Arg("order"), Arg("step"), Arg("n")
	loop, one := NewLabel("loop"), NewLabel("one")
	table, lanes, left := GP64(), GP64(), GP64()
	by, v := ZMM(), ZMM()
	LEAQ(orders, table)
	ADDQ(table, order)
	VPXORQ(v, v, v)
	Label(loop)
	MOVQ(order, lanes)
	MOVQ(step, left)
	Label(one)
	VMOVDQU64(Mem{Base: lanes}, by)
	if size == 4 {
		VPERMT2D(Mem{Base: src}, by, v)
	} else {
		VPERMT2Q(Mem{Base: src}, by, v)
	}
	ADDQ(I32(line), src)
	ADDQ(I32(line), lanes)
	DECQ(left)
	JNZ(Jump(one))
	if past {
		VMOVNTDQ(v, Mem{Base: dst})
	} else {
		VMOVDQU64(v, Mem{Base: dst})
	}
	ADDQ(I32(line), dst)
	DECQ(n)
	JNZ(Jump(loop))
	VZEROUPPER()
	RET()
}
