// Command reduce writes the kernels that fold values to sums, moments and extremes.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

func main() {
	File()
	for _, size := range []int{8, 4} {
		sumLanes(size)
		sumBlocks(size, 1)
		sumBlocks(size, 2)
		moments(size)
		momentBlocks(size)
		extremes(size)
	}
	sumIntegers()
	minMaxes()
	Generate()
}

// ymms returns n vector registers.
func ymms(n int) []reg.VecVirtual {
	out := make([]reg.VecVirtual, n)
	for i := range out {
		out[i] = YMM()
	}
	return out
}

// loop repeats a body n times; step bytes are added to p each time.
func loop(p, n reg.GPVirtual, step int, body func()) {
	again, end := NewLabel("loop"), NewLabel("end")
	TESTQ(n, n)
	JZ(Jump(end))
	Label(again)
	body()
	ADDQ(I32(step), p)
	DECQ(n)
	JNZ(Jump(again))
	Label(end)
}

// zero clears registers.
func zero(regs ...reg.VecVirtual) {
	for _, r := range regs {
		VXORPD(r, r, r)
	}
}
