// Command blend writes the kernels that take each value from one of two operands.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

func main() {
	File()
	for _, size := range []int{1, 2, 4, 8} {
		blend512(size)
		blend256(size)
	}
	Generate()
}

// signature is of all kernels: a and b move on by a step a vector, which is 0 for one that repeats a value.
const signature = "func(dst, a, b *byte, cond *uint64, words, stepA, stepB int)"

// operands loads the arguments and begins the loop over words.
func operands(name string, size int) (dst, a, b, cond, words, stepA, stepB, word reg.GPVirtual, loop, end string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(fmt.Sprintf("%s writes 64 values of %d bytes for every word of cond: of a where the bit is set, else of b.", name, size),
		"An operand whose step is 0 is one vector for all.")
	dst, a, b, cond, words, stepA, stepB = Arg("dst"), Arg("a"), Arg("b"), Arg("cond"), Arg("words"), Arg("stepA"), Arg("stepB")
	loop, end, word = NewLabel("loop"), NewLabel("end"), GP64()
	Label(loop)
	TESTQ(words, words)
	JZ(Jump(end))
	MOVQ(Mem{Base: cond}, word)
	return
}

func finish(dst, cond, words reg.GPVirtual, size int, loop, end string) {
	ADDQ(I32(int32(64*size)), dst)
	ADDQ(Imm(8), cond)
	DECQ(words)
	JMP(Jump(loop))
	Label(end)
	VZEROUPPER()
	RET()
}

func blend512(size int) {
	dst, a, b, cond, words, stepA, stepB, word, loop, end := operands(fmt.Sprintf("blend%dAVX512", size), size)
	for i := range size {
		k, v := K(), ZMM()
		to := Mem{Base: dst, Disp: 64 * i}
		VMOVDQU64(Mem{Base: b}, v)
		switch size {
		case 1:
			KMOVQ(word, k)
			VMOVDQU8(Mem{Base: a}, k, v)
		case 2:
			KMOVD(word.As32(), k)
			VMOVDQU16(Mem{Base: a}, k, v)
		case 4:
			KMOVW(word.As32(), k)
			VMOVDQU32(Mem{Base: a}, k, v)
		case 8:
			KMOVB(word.As32(), k)
			VMOVDQU64(Mem{Base: a}, k, v)
		}
		VMOVDQU64(v, to)
		ADDQ(stepA, a)
		ADDQ(stepB, b)
		if i < size-1 {
			SHRQ(Imm(uint64(64/size)), word)
		}
	}
	finish(dst, cond, words, size, loop, end)
}

// blend256 spreads the bits over lanes: every lane tests its own bit of those that all get.
func blend256(size int) {
	lanes := 32 / size
	tests := GLOBL(fmt.Sprintf("blendBits%d", size), RODATA|NOPTR)
	for i := range lanes {
		switch size {
		case 1:
			DATA(i, U8(1<<(i%8)))
		case 2:
			DATA(2*i, U16(1<<i))
		case 4:
			DATA(4*i, U32(1<<i))
		case 8:
			DATA(8*i, U64(1<<i))
		}
	}
	var spread Mem
	if size == 1 {
		spread = GLOBL("blendSpread", RODATA|NOPTR)
		for i := range 32 {
			DATA(i, U8(i/8))
		}
	}
	dst, a, b, cond, words, stepA, stepB, word, loop, end := operands(fmt.Sprintf("blend%dAVX2", size), size)
	for i := range 2 * size {
		all, one, v := YMM(), YMM(), YMM()
		VMOVQ(word, all.AsX())
		switch size {
		case 1:
			VPBROADCASTD(all.AsX(), all)
			VPSHUFB(spread, all, all)
		case 2:
			VPBROADCASTW(all.AsX(), all)
		case 4:
			VPBROADCASTD(all.AsX(), all)
		case 8:
			VPBROADCASTQ(all.AsX(), all)
		}
		VMOVDQU(tests, one)
		VPAND(one, all, all)
		switch size {
		case 1:
			VPCMPEQB(one, all, all)
		case 2:
			VPCMPEQW(one, all, all)
		case 4:
			VPCMPEQD(one, all, all)
		case 8:
			VPCMPEQQ(one, all, all)
		}
		VMOVDQU(Mem{Base: b}, v)
		VPBLENDVB(all, Mem{Base: a}, v, v)
		VMOVDQU(v, Mem{Base: dst, Disp: 32 * i})
		ADDQ(stepA, a)
		ADDQ(stepB, b)
		if i < 2*size-1 {
			SHRQ(Imm(uint64(lanes)), word)
		}
	}
	finish(dst, cond, words, size, loop, end)
}
