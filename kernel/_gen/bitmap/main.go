// Command bitmap writes the kernels that make bytes of bits.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

func main() {
	File()
	bytesFromBits512()
	bytesFromBits256()
	ranks()
	Generate()
}

func bytesFromBits512() {
	TEXT("bytesFromBitsAVX512", NOSPLIT, "func(dst *byte, bits *uint64, n int)")
	Pragma("noescape")
	Doc("bytesFromBitsAVX512 writes n bytes.")
	dst, bits, n := Arg("dst"), Arg("bits"), Arg("n")
	ones := AVX512.Repeated(0x0101010101010101)
	AVX512.Walk(1, n, 1, func(index reg.Register, _ int, k reg.Register) {
		// The walk goes in bytes, eight times as far as the words that they come from.
		at, word, v := GP64(), K(), ZMM()
		MOVQ(index, at)
		SHRQ(Imm(3), at)
		KMOVQ(At(bits, at, 0), word)
		VMOVDQU8_Z(ones, word, v)
		if k == nil {
			VMOVDQU64(v, At(dst, index, 0))
		} else {
			VMOVDQU8(v, k, At(dst, index, 0))
		}
	})
	VZEROUPPER()
	RET()
}

func bytesFromBits256() {
	spread := GLOBL("bytesFromBitsSpread", RODATA|NOPTR)
	for i := range 32 {
		DATA(i, U8(i/8))
	}
	TEXT("bytesFromBitsAVX2", NOSPLIT, "func(dst *byte, bits *uint64, n int)")
	Pragma("noescape")
	Doc("bytesFromBitsAVX2 writes n bytes, a multiple of 32.")
	dst, bits, n := Arg("dst"), Arg("bits"), Arg("n")
	each, ones, by := AVX2.Repeated(0x8040201008040201), AVX2.Repeated(0x0101010101010101), YMM()
	VMOVDQU(spread, by)
	AVX2.Walk(1, n, 1, func(index reg.Register, _ int, _ reg.Register) {
		at, v := GP64(), YMM()
		MOVQ(index, at)
		SHRQ(Imm(3), at)
		VPBROADCASTD(At(bits, at, 0), v)
		VPSHUFB(by, v, v)
		VPAND(each, v, v)
		VPCMPEQB(each, v, v)
		VPAND(ones, v, v)
		VMOVDQU(v, At(dst, index, 0))
	})
	VZEROUPPER()
	RET()
}

// ranks counts by words, eight at a time.
func ranks() {
	TEXT("ranksPOPCNT", NOSPLIT, "func(dst *int64, a *uint64, groups int) int64")
	Pragma("noescape")
	Doc("ranksPOPCNT writes the number of set bits before each group of eight words, and returns that of all.")
	dst, a, groups, n := Arg("dst"), Arg("a"), Arg("groups"), GP64()
	loop, end := NewLabel("loop"), NewLabel("end")
	XORQ(n, n)
	TESTQ(groups, groups)
	JZ(Jump(end))
	Label(loop)
	MOVQ(n, Mem{Base: dst})
	var counts []reg.GPVirtual
	for i := range 8 {
		c := GP64()
		POPCNTQ(Mem{Base: a, Disp: 8 * i}, c)
		counts = append(counts, c)
		if i%2 == 1 { // in pairs, so that additions do not wait for each other
			ADDQ(counts[i], counts[i-1])
			if i > 1 {
				ADDQ(counts[i-1], counts[0])
			}
		}
	}
	ADDQ(counts[0], n)
	ADDQ(Imm(8), dst)
	ADDQ(Imm(64), a)
	DECQ(groups)
	JNZ(Jump(loop))
	Label(end)
	Store(n, ReturnIndex(0))
	RET()
}
