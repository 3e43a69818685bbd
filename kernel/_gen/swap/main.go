// Command swap writes the kernels that reverse the bytes of words.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

func main() {
	File()
	for _, word := range []int{2, 4, 8} {
		swap(word)
	}
	Generate()
}

// swap reverses the bytes of each word of n vectors of 32 bytes.
func swap(word int) {
	order := GLOBL(fmt.Sprintf("swapOrder%d", word), RODATA|NOPTR)
	for i := range 32 {
		DATA(i, U8(i%16/word*word+word-1-i%word))
	}
	TEXT(fmt.Sprintf("swap%dAVX2", word), NOSPLIT, "func(data *byte, n int)")
	Doc(fmt.Sprintf("swap%dAVX2 reverses the bytes of each word of n vectors of 32 bytes.", word))
	data, n := Arg("data"), Arg("n")
	by, v := YMM(), YMM()
	VMOVDQU(order, by)
	loop, end := NewLabel("loop"), NewLabel("end")
	Label(loop)
	TESTQ(n, n)
	JZ(Jump(end))
	VMOVDQU(Mem{Base: data}, v)
	VPSHUFB(by, v, v)
	VMOVDQU(v, Mem{Base: data})
	ADDQ(I32(32), data)
	DECQ(n)
	JMP(Jump(loop))
	Label(end)
	VZEROUPPER()
	RET()
}
