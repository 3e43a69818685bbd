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
	TEXT(fmt.Sprintf("swap%dAVX2", word), NOSPLIT, "func(dst, src *byte, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("swap%dAVX2 reverses the bytes of each word of n vectors of 32 bytes on their way from src to dst, which may be the same.", word))
	dst, src, n := Arg("dst"), Arg("src"), Arg("n")
	by, v := YMM(), YMM()
	VMOVDQU(order, by)
	loop, end := NewLabel("loop"), NewLabel("end")
	Label(loop)
	TESTQ(n, n)
	JZ(Jump(end))
	VMOVDQU(Mem{Base: src}, v)
	VPSHUFB(by, v, v)
	VMOVDQU(v, Mem{Base: dst})
	ADDQ(I32(32), src)
	ADDQ(I32(32), dst)
	DECQ(n)
	JMP(Jump(loop))
	Label(end)
	VZEROUPPER()
	RET()
}
