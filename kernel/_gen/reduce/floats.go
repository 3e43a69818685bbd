package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

// goType is the Go type of floats of a size.
func goType(size int) string { return fmt.Sprintf("float%d", 8*size) }

// load4 loads four values of a size as float64.
func load4(size int, m Mem, to reg.VecVirtual) {
	if size == 4 {
		VCVTPS2PD(m, to)
		return
	}
	VMOVUPD(m, to)
}

// add4 adds four values of a size to a register; x is room.
func add4(size int, m Mem, to, x reg.VecVirtual) {
	if size == 4 {
		VCVTPS2PD(m, x)
		VADDPD(x, to, to)
		return
	}
	VADDPD(m, to, to)
}

// sumLanes adds n groups of eight values to eight lanes.
func sumLanes(size int) {
	name := fmt.Sprintf("sumLanes%dAVX2", size)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(lanes *float64, v *%s, n int)", goType(size)))
	Pragma("noescape")
	Doc(name + " adds n groups of eight values to eight lanes.")
	lanes, v, n := Arg("lanes"), Arg("v"), Arg("n")
	sum, x := ymms(2), ymms(2)
	for i, s := range sum {
		VMOVUPD(Mem{Base: lanes, Disp: 32 * i}, s)
	}
	loop(v, n, 8*size, func() {
		for i, s := range sum {
			add4(size, Mem{Base: v, Disp: 4 * size * i}, s, x[i])
		}
	})
	for i, s := range sum {
		VMOVUPD(s, Mem{Base: lanes, Disp: 32 * i})
	}
	VZEROUPPER()
	RET()
}

// sumBlocks sums blocks, so many at a time, each in lanes of its own: additions of one do not wait for those of another.
func sumBlocks(size, atOnce int) {
	name := fmt.Sprintf("sumBlocks%dAVX2", size)
	what := "n blocks"
	if atOnce > 1 {
		name, what = fmt.Sprintf("sumPairs%dAVX2", size), "n pairs of blocks, both of a pair together"
	}
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *float64, v *%s, n, lines int)", goType(size)))
	Pragma("noescape")
	Doc(name + " sums " + what + ", one behind the other, of so many lines of 64 bytes each.")
	dst, v, n, lines := Arg("dst"), Arg("v"), Arg("n"), Arg("lines")
	bytes, left, x := GP64(), GP64(), ymms(2)
	MOVQ(lines, bytes)
	SHLQ(U8(6), bytes)
	sums := make([][]reg.VecVirtual, atOnce)
	for i := range sums {
		sums[i] = ymms(2)
	}
	again, end := NewLabel("block"), NewLabel("done")
	TESTQ(n, n)
	JZ(Jump(end))
	Label(again)
	for _, sum := range sums {
		zero(sum...)
	}
	MOVQ(lines, left)
	loop(v, left, 64, func() {
		for block, sum := range sums {
			for at := 0; at < 64; at += 8 * size {
				for i, s := range sum {
					m := Mem{Base: v, Disp: at + 4*size*i}
					if block > 0 {
						m.Index, m.Scale = bytes, 1
					}
					add4(size, m, s, x[i])
				}
			}
		}
	})
	for block, sum := range sums {
		VMOVSD(fold(sum), Mem{Base: dst, Disp: 8 * block})
	}
	for range atOnce - 1 {
		ADDQ(bytes, v)
	}
	ADDQ(I32(8*atOnce), dst)
	DECQ(n)
	JNZ(Jump(again))
	Label(end)
	VZEROUPPER()
	RET()
}

// fold returns the sum of eight lanes, in the order of FoldLanes. The registers are used up.
func fold(lanes []reg.VecVirtual) reg.VecVirtual {
	high := YMM()
	VHADDPD(lanes[1], lanes[0], lanes[0]) // 0+1, 4+5, 2+3, 6+7
	VEXTRACTF128(U8(1), lanes[0], high.AsX())
	VADDPD(high.AsX(), lanes[0].AsX(), lanes[0].AsX())
	VHADDPD(lanes[0].AsX(), lanes[0].AsX(), lanes[0].AsX())
	return lanes[0].AsX().(reg.VecVirtual)
}

// momentBlocks makes the moments of blocks about the means of their first eight values.
//
// Additions are what there are most of, and two units do them. Two others multiply and add at once: they take the
// subtraction, as x·1 − c, which rounds no differently, and of float32, whose conversion takes the units of additions too, one
// addition in four of each sum. More of these would make its chain too long.
func momentBlocks(size int) {
	name := fmt.Sprintf("momentBlocks%dAVX2", size)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(dst *float64, v *%s, n, lines int)", goType(size)))
	Pragma("noescape")
	Doc(name+" makes the centres of n blocks, one behind the other, of so many pairs of lines of 64 bytes each, and the sums of",
		"v, of v − centre, and of its squares: four floats a block.")
	dst, v, n, lines := Arg("dst"), Arg("v"), Arg("n"), Arg("lines")
	left, centre, one, x := GP64(), YMM(), YMM(), ymms(2)
	sum, dev, square := ymms(2), ymms(2), ymms(2)
	all := [][]reg.VecVirtual{sum, dev, square}
	VXORPD(centre, centre, centre)
	MOVQ(U64(0x3ff0000000000000), left)
	VMOVQ(left, one.AsX())
	VBROADCASTSD(one.AsX(), one)
	eighth := XMM()
	MOVQ(U64(0x3fc0000000000000), left)
	VMOVQ(left, eighth)
	again, end := NewLabel("block"), NewLabel("done")
	TESTQ(n, n)
	JZ(Jump(end))
	Label(again)
	for _, regs := range all {
		zero(regs...)
	}
	for i, s := range x {
		zero(s)
		add4(size, Mem{Base: v, Disp: 4 * size * i}, s, centre)
	}
	mean := fold(x)
	VMULSD(eighth, mean, mean)
	VMOVSD(mean, Mem{Base: dst})
	VBROADCASTSD(mean, centre)
	MOVQ(lines, left)
	loop(v, left, 128, func() {
		for at, group := 0, 0; at < 128; at, group = at+8*size, group+1 {
			add := func(kind int, x, to reg.VecVirtual) {
				if size == 4 && group == kind {
					VFMADD231PD(one, x, to)
					return
				}
				VADDPD(x, to, to)
			}
			for i, d := range x {
				load4(size, Mem{Base: v, Disp: at + 4*size*i}, d)
				add(0, d, sum[i])
				VFMSUB213PD(centre, one, d)
				add(1, d, dev[i])
				VMULPD(d, d, d)
				add(2, d, square[i])
			}
		}
	})
	for k, regs := range all {
		VMOVSD(fold(regs), Mem{Base: dst, Disp: 8 + 8*k})
	}
	ADDQ(I32(32), dst)
	DECQ(n)
	JNZ(Jump(again))
	Label(end)
	VZEROUPPER()
	RET()
}

// moments adds n groups of eight values, what they are above a centre, and the squares of that to eight lanes each.
func moments(size int) {
	name := fmt.Sprintf("moments%dAVX2", size)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(lanes *float64, v *%s, n int, centre float64)", goType(size)))
	Pragma("noescape")
	Doc(name + " makes the eight lanes of n groups of eight values, of v − centre, and of its squares.")
	lanes, v, n := Arg("lanes"), Arg("v"), Arg("n")
	centre := YMM()
	VBROADCASTSD(NewParamAddr("centre", 24), centre)
	sum, dev, square, x := ymms(2), ymms(2), ymms(2), ymms(2)
	all := [][]reg.VecVirtual{sum, dev, square}
	for _, regs := range all {
		zero(regs...)
	}
	loop(v, n, 8*size, func() {
		for i, d := range x {
			load4(size, Mem{Base: v, Disp: 4 * size * i}, d)
			VADDPD(d, sum[i], sum[i])
			VSUBPD(centre, d, d)
			VADDPD(d, dev[i], dev[i])
			VMULPD(d, d, d)
			VADDPD(d, square[i], square[i])
		}
	})
	for k, regs := range all {
		for i, s := range regs {
			VMOVUPD(s, Mem{Base: lanes, Disp: 64*k + 32*i})
		}
	}
	VZEROUPPER()
	RET()
}

// extremes takes the least and greatest of n groups of 128 bytes, and whether one is a NaN.
func extremes(size int) {
	smaller, larger, unordered := VMINPD, VMAXPD, VCMPPD
	if size == 4 {
		smaller, larger, unordered = VMINPS, VMAXPS, VCMPPS
	}
	name := fmt.Sprintf("extremes%dAVX2", size)
	TEXT(name, NOSPLIT, fmt.Sprintf("func(lo, hi, v *%s, n int) (nan uint64)", goType(size)))
	Pragma("noescape")
	Doc(name+" narrows 32 bytes of lo and hi to the least and the greatest of n groups of 128 bytes and of what they were,",
		"NaN left out, and tells whether there is one. Of equal values a lane keeps the first.")
	lo, hi, v, n := Arg("lo"), Arg("hi"), Arg("v"), Arg("n")
	least, most, nan, x, bad := ymms(2), ymms(2), ymms(2), ymms(4), ymms(2)
	for i := range 2 {
		VMOVUPD(Mem{Base: lo}, least[i])
		VMOVUPD(Mem{Base: hi}, most[i])
	}
	zero(nan...)
	loop(v, n, 128, func() {
		for i, x := range x {
			VMOVUPD(Mem{Base: v, Disp: 32 * i}, x)
		}
		for i := range 2 {
			unordered(U8(3), x[2*i], x[2*i+1], bad[i])
			VORPD(bad[i], nan[i], nan[i])
		}
		// The second operand, which comes first here, is the result where they are equal or one is a NaN.
		for i, x := range x {
			smaller(least[i%2], x, least[i%2])
			larger(most[i%2], x, most[i%2])
		}
	})
	smaller(least[0], least[1], least[0])
	larger(most[0], most[1], most[0])
	VORPD(nan[0], nan[1], nan[0])
	VMOVUPD(least[0], Mem{Base: lo})
	VMOVUPD(most[0], Mem{Base: hi})
	some := GP32()
	VMOVMSKPS(nan[0], some)
	Store(some.As64(), ReturnIndex(0))
	VZEROUPPER()
	RET()
}
