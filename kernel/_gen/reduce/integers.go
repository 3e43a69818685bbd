package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

// The sign bit of each element.
const (
	signs1 = 0x8080808080808080
	signs2 = 0x8000800080008000
	signs8 = 0x8000000000000000
)

// broadcast returns a register full of eight bytes.
func broadcast(bytes uint64) reg.VecVirtual {
	g, r := GP64(), YMM()
	MOVQ(U64(bytes), g)
	VMOVQ(g, r.AsX())
	VPBROADCASTQ(r.AsX(), r)
	return r
}

// sumIntegers writes the sums of integers. A signed one is made unsigned where there are only instructions for that; the
// caller takes off again by how much.
func sumIntegers() {
	for _, k := range []struct {
		name, typ, what string
		flip            uint64 // exclusive or with every value
		ones            bool   // every byte but 0 is 1
	}{
		{"True", "uint8", "the bytes that are not 0", 0, true},
		{"Uint8", "uint8", "the values", 0, false},
		{"Int8", "int8", "the values, each with 2^7 more", signs1, false},
	} {
		sumInteger(k.name, k.typ, k.what, func(v, n reg.GPVirtual, sum []reg.VecVirtual) {
			zeros, x := YMM(), ymms(2)
			VPXOR(zeros, zeros, zeros)
			var first func(m Mem, x reg.VecVirtual)
			switch {
			case k.ones:
				one := broadcast(0x0101010101010101)
				first = func(m Mem, x reg.VecVirtual) { VPMINUB(m, one, x) }
			case k.flip != 0:
				signs := broadcast(k.flip)
				first = func(m Mem, x reg.VecVirtual) { VPXOR(m, signs, x) }
			default:
				first = func(m Mem, x reg.VecVirtual) { VMOVDQU(m, x) }
			}
			loop(v, n, 64, func() {
				for i, x := range x {
					first(Mem{Base: v, Disp: 32 * i}, x)
					VPSADBW(zeros, x, x)
					VPADDQ(x, sum[i], sum[i])
				}
			})
		})
	}
	for _, k := range []struct {
		name, typ, what string
		flip            uint64
	}{
		{"Int16", "int16", "the values of at most 2^13 groups", 0},
		{"Uint16", "uint16", "the values, each less 2^15, of at most 2^13 groups", signs2},
	} {
		sumInteger(k.name, k.typ, k.what, func(v, n reg.GPVirtual, sum []reg.VecVirtual) {
			one, x := broadcast(0x0001000100010001), ymms(2)
			signs := broadcast(k.flip)
			loop(v, n, 64, func() {
				for i, x := range x {
					m := Mem{Base: v, Disp: 32 * i}
					if k.flip != 0 {
						VPXOR(m, signs, x)
						VPMADDWD(one, x, x)
					} else {
						VPMADDWD(m, one, x)
					}
					VPADDD(x, sum[i], sum[i])
				}
			})
			// Sums of 32 bits become sums of 64.
			for i, x := range x {
				VEXTRACTI128(U8(1), sum[i], x.AsX())
				VPMOVSXDQ(x.AsX(), x)
				VPMOVSXDQ(sum[i].AsX(), sum[i])
				VPADDQ(x, sum[i], sum[i])
			}
		})
	}
	for _, k := range []struct {
		name, typ string
		widen     func(...Op)
	}{
		{"Int32", "int32", VPMOVSXDQ},
		{"Uint32", "uint32", VPMOVZXDQ},
	} {
		sumInteger(k.name, k.typ, "the values", func(v, n reg.GPVirtual, sum []reg.VecVirtual) {
			x := ymms(4)
			loop(v, n, 64, func() {
				for i, x := range x {
					k.widen(Mem{Base: v, Disp: 16 * i}, x)
					VPADDQ(x, sum[i%2], sum[i%2])
				}
			})
		})
	}
	sumWide("Uint64", "uint64", "the values", 0)
	sumWide("Int64", "int64", "the values, each with 2^63 more", signs8)
}

// sumInteger writes a kernel that adds n groups of 64 bytes.
func sumInteger(name, typ, what string, body func(v, n reg.GPVirtual, sum []reg.VecVirtual)) {
	name = "sum" + name + "AVX2"
	TEXT(name, NOSPLIT, "func(v *"+typ+", n int) (sum uint64)")
	Pragma("noescape")
	Doc(name + " adds " + what + " of n groups of 64 bytes.")
	v, n := Arg("v"), Arg("n")
	sum := ymms(2)
	zero(sum...)
	body(v, n, sum)
	VPADDQ(sum[1], sum[0], sum[0])
	Store(across(sum[0]), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// across returns the sum of four integers.
func across(v reg.VecVirtual) reg.GPVirtual {
	high, out := YMM(), GP64()
	VEXTRACTI128(U8(1), v, high.AsX())
	VPADDQ(high.AsX(), v.AsX(), v.AsX())
	VPSHUFD(U8(0xee), v.AsX(), high.AsX())
	VPADDQ(high.AsX(), v.AsX(), v.AsX())
	VMOVQ(v.AsX(), out)
	return out
}

// sumWide writes a kernel that adds the halves of n groups of 64 bytes: sums of those do not wrap.
func sumWide(name, typ, what string, flip uint64) {
	name = "sum" + name + "AVX2"
	TEXT(name, NOSPLIT, "func(v *"+typ+", n int) (high, low uint64)")
	Pragma("noescape")
	Doc(name + " adds the upper and the lower halves of " + what + " of n groups of 64 bytes, at most 2^28.")
	v, n := Arg("v"), Arg("n")
	high, low, x, y := ymms(2), ymms(2), ymms(2), ymms(2)
	zero(high...)
	zero(low...)
	signs, half := broadcast(flip), broadcast(0xffffffff)
	loop(v, n, 64, func() {
		for i, x := range x {
			m := Mem{Base: v, Disp: 32 * i}
			if flip != 0 {
				VPXOR(m, signs, x)
			} else {
				VMOVDQU(m, x)
			}
			VPAND(half, x, y[i])
			VPSRLQ(U8(32), x, x)
			VPADDQ(y[i], low[i], low[i])
			VPADDQ(x, high[i], high[i])
		}
	})
	for i, regs := range [][]reg.VecVirtual{high, low} {
		VPADDQ(regs[1], regs[0], regs[0])
		Store(across(regs[0]), ReturnIndex(i))
	}
	VZEROUPPER()
	RET()
}

// minMaxes writes the extremes of integers.
func minMaxes() {
	for _, k := range []struct {
		name, typ       string
		smaller, larger func(...Op)
	}{
		{"Int8", "int8", VPMINSB, VPMAXSB},
		{"Int16", "int16", VPMINSW, VPMAXSW},
		{"Int32", "int32", VPMINSD, VPMAXSD},
		{"Uint8", "uint8", VPMINUB, VPMAXUB},
		{"Uint16", "uint16", VPMINUW, VPMAXUW},
		{"Uint32", "uint32", VPMINUD, VPMAXUD},
	} {
		minMax(k.name, k.typ, func(v, n reg.GPVirtual, least, most []reg.VecVirtual) {
			x := ymms(4)
			loop(v, n, 128, func() {
				for i, x := range x {
					VMOVDQU(Mem{Base: v, Disp: 32 * i}, x)
					k.smaller(x, least[i%2], least[i%2])
					k.larger(x, most[i%2], most[i%2])
				}
			})
			k.smaller(least[1], least[0], least[0])
			k.larger(most[1], most[0], most[0])
		})
	}
	minMaxWide("Int64", "int64", 0)
	minMaxWide("Uint64", "uint64", signs8)
}

// minMaxWide is minMax of 64-bit integers, which AVX2 compares as signed ones only.
func minMaxWide(name, typ string, flip uint64) {
	minMax(name, typ, func(v, n reg.GPVirtual, least, most []reg.VecVirtual) {
		signs, x, above := broadcast(flip), ymms(4), ymms(2)
		turn := func(regs ...reg.VecVirtual) {
			for _, r := range regs {
				if flip != 0 {
					VPXOR(signs, r, r)
				}
			}
		}
		fold := func(i int, x, y reg.VecVirtual) {
			VPCMPGTQ(x, least[i], above[i]) // least > x
			VBLENDVPD(above[i], x, least[i], least[i])
			VPCMPGTQ(most[i], y, above[i]) // y > most
			VBLENDVPD(above[i], y, most[i], most[i])
		}
		turn(least...)
		turn(most...)
		loop(v, n, 128, func() {
			for i, x := range x {
				VMOVDQU(Mem{Base: v, Disp: 32 * i}, x)
				turn(x)
				fold(i%2, x, x)
			}
		})
		fold(0, least[1], most[1])
		turn(least[0], most[0])
	})
}

// minMax writes a kernel of extremes.
func minMax(name, typ string, body func(v, n reg.GPVirtual, least, most []reg.VecVirtual)) {
	name = "minMax" + name + "AVX2"
	TEXT(name, NOSPLIT, "func(lo, hi, v *"+typ+", n int)")
	Pragma("noescape")
	Doc(name + " narrows 32 bytes of lo and hi to the least and the greatest of n groups of 128 bytes and of what they were.")
	lo, hi, v, n := Arg("lo"), Arg("hi"), Arg("v"), Arg("n")
	least, most := ymms(2), ymms(2)
	for i := range 2 {
		VMOVDQU(Mem{Base: lo}, least[i])
		VMOVDQU(Mem{Base: hi}, most[i])
	}
	body(v, n, least, most)
	VMOVDQU(least[0], Mem{Base: lo})
	VMOVDQU(most[0], Mem{Base: hi})
	VZEROUPPER()
	RET()
}
