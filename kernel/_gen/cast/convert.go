package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

type instruction = func(ops ...Op)

// widen and narrow are the instructions between integers of two sizes.
var (
	widenSigned = map[[2]int]instruction{
		{1, 2}: VPMOVSXBW, {1, 4}: VPMOVSXBD, {1, 8}: VPMOVSXBQ, {2, 4}: VPMOVSXWD, {2, 8}: VPMOVSXWQ, {4, 8}: VPMOVSXDQ,
	}
	widenUnsigned = map[[2]int]instruction{
		{1, 2}: VPMOVZXBW, {1, 4}: VPMOVZXBD, {1, 8}: VPMOVZXBQ, {2, 4}: VPMOVZXWD, {2, 8}: VPMOVZXWQ, {4, 8}: VPMOVZXDQ,
	}
	narrow = map[[2]int]instruction{
		{2, 1}: VPMOVWB, {4, 1}: VPMOVDB, {8, 1}: VPMOVQB, {4, 2}: VPMOVDW, {8, 2}: VPMOVQW, {8, 4}: VPMOVQD,
	}
)

// conversion returns what converts a vector, or nil if the width has no good way.
func (c *cast) conversion() func(s, d vector) {
	wide := c.w.Wide()
	direct := func(i instruction) func(s, d vector) {
		return func(s, d vector) { i(c.in(s), c.out(d)) }
	}
	sizes := [2]int{c.from.size, c.to.size}
	unsigned := c.from.name[0] == 'U'
	widen := widenSigned
	if unsigned {
		widen = widenUnsigned
	}
	switch {
	case c.from == halves:
		return c.fromHalf()
	case c.to == halves:
		return c.toHalf()
	case c.from.float() && c.to.float():
		switch {
		case c.from == c.to:
			return nil
		case c.to.size == 8:
			return direct(VCVTPS2PD)
		case wide:
			return direct(VCVTPD2PS)
		}
		return direct(func(ops ...Op) { VCVTPD2PSY(ops[0], ops[1]) })
	case c.from.float():
		return c.truncation()
	case !c.to.float() && sizes[0] < sizes[1]:
		return direct(widen[sizes])
	case !c.to.float():
		if !wide {
			return nil
		}
		return direct(narrow[sizes])
	case sizes[0] < 4: // through 4 bytes
		last := VCVTDQ2PS
		if c.to.size == 8 {
			last = VCVTDQ2PD
		}
		return func(s, d vector) {
			mid := part(c.w.Vector(), 4*c.lanes)
			widen[[2]int{c.from.size, 4}](c.in(s), mid)
			last(mid, c.out(d))
		}
	case wide:
		return direct(map[string]instruction{
			"I4F4": VCVTDQ2PS, "I4F8": VCVTDQ2PD, "I8F4": VCVTQQ2PS, "I8F8": VCVTQQ2PD,
			"U4F4": VCVTUDQ2PS, "U4F8": VCVTUDQ2PD, "U8F4": VCVTUQQ2PS, "U8F8": VCVTUQQ2PD,
		}[c.from.name+c.to.name])
	}
	return c.toFloat256()
}

// toFloat256 converts what AVX2 has no instruction for by the bits of floats: 2⁵² and more hold an integer in their
// last 52 bits. The sum of the two halves of an integer rounds once.
func (c *cast) toFloat256() func(s, d vector) {
	switch c.from.name + c.to.name {
	case "I4F4":
		return func(s, d vector) { VCVTDQ2PS(s, d) }
	case "I4F8":
		return func(s, d vector) { VCVTDQ2PD(s.AsX(), d) }
	case "U4F8":
		return func(s, d vector) {
			magic := c.w.Repeated(0x4330000000000000)
			VPMOVZXDQ(s.AsX(), d)
			VPOR(magic, d, d)
			VSUBPD(magic, d, d)
		}
	case "U8F8":
		return func(s, d vector) {
			high, low := c.w.Vector(), c.w.Vector()
			VPSRLQ(Imm(32), s, high)
			VPOR(c.w.Repeated(0x4530000000000000), high, high)            // 2⁸⁴
			VPBLENDW(Imm(0xcc), c.w.Repeated(0x4330000000000000), s, low) // 2⁵²
			VSUBPD(c.w.Repeated(0x4530000000100000), high, high)          // 2⁸⁴ + 2⁵²
			VADDPD(low, high, d)
		}
	case "I8F8":
		return func(s, d vector) {
			high, low, zero := c.w.Vector(), c.w.Vector(), c.w.Vector()
			VPXOR(zero, zero, zero)
			VPSRAD(Imm(16), s, high)
			VPBLENDW(Imm(0x33), zero, high, high)
			VPADDQ(c.w.Repeated(0x4438000000000000), high, high)          // 3 × 2⁶⁷
			VPBLENDW(Imm(0x88), c.w.Repeated(0x4330000000000000), s, low) // 2⁵²
			VSUBPD(c.w.Repeated(0x4438001000000000), high, high)          // 3 × 2⁶⁷ + 2⁵²
			VADDPD(low, high, d)
		}
	}
	return nil
}

// truncation cuts floats. What does not fit becomes the least integer, as kernel.Truncate has it for two sizes; narrower
// integers are the low bits of those.
func (c *cast) truncation() func(s, d vector) {
	if !c.w.Wide() {
		switch {
		case c.to.name == "I4" && c.from.size == 4:
			return func(s, d vector) { VCVTTPS2DQ(s, d) }
		case c.to.name == "I4":
			return func(s, d vector) { VCVTTPD2DQY(s, d.AsX()) }
		}
		return nil
	}
	cut4, cut8 := VCVTTPS2DQ, VCVTTPS2QQ
	if c.from.size == 8 {
		cut4, cut8 = VCVTTPD2DQ, VCVTTPD2QQ
	}
	switch {
	case c.to.name == "I4":
		return func(s, d vector) { cut4(c.in(s), c.out(d)) }
	case c.to.name == "I8":
		return func(s, d vector) { cut8(c.in(s), c.out(d)) }
	case c.to.name == "U4":
		return func(s, d vector) {
			cut8(c.in(s), d)
			VPMOVQD(d, c.out(d))
		}
	case c.to.name == "U8":
		return func(s, d vector) {
			v := s
			if c.from.size == 4 {
				v = c.w.Vector()
				VCVTPS2PD(c.in(s), v)
			}
			high := K()
			VCMPPD(Imm(13), c.w.Repeated(0x43e0000000000000), v, high)      // from 2⁶³
			VCMPPD(Imm(1), c.w.Repeated(0x43f0000000000000), v, high, high) // below 2⁶⁴
			VCVTTPD2QQ(v, d)
			VCVTTPD2UQQ(v, high, d)
		}
	}
	return func(s, d vector) {
		mid := part(c.w.Vector(), 4*c.lanes)
		cut4(c.in(s), mid)
		narrow[[2]int{4, c.to.size}](mid, c.out(d))
	}
}

// fromHalf converts float16. The instruction makes NaNs quiet, and so does going on to float64; float32 keeps their bits.
func (c *cast) fromHalf() func(s, d vector) {
	if c.to.float() && c.to.size == 8 {
		return func(s, d vector) {
			mid := part(c.w.Vector(), 4*c.lanes)
			VCVTPH2PS(c.in(s), mid)
			VCVTPS2PD(mid, c.out(d))
		}
	}
	if c.to.name != "F4" {
		return nil
	}
	return func(s, d vector) {
		VCVTPH2PS(c.in(s), d)
		bits := c.w.Vector()
		VPMOVZXWD(c.in(s), bits)
		VPSLLD(Imm(13), bits, bits)
		quiet := c.w.Repeated(0x0040000000400000)
		if c.w.Wide() {
			nan := K()
			VCMPPS(Imm(3), d, d, nan)
			VPTERNLOGD(Imm(0xca), d, bits, quiet) // quiet selects the bit of bits, else that of d
			VMOVDQA32(quiet, nan, d)
			return
		}
		nan := c.w.Vector()
		VCMPPS(Imm(3), d, d, nan)
		VPAND(nan, quiet, quiet) // where the bit of bits is wanted
		VPAND(quiet, bits, bits)
		VPANDN(d, quiet, d)
		VPOR(bits, d, d)
	}
}

// toHalf rounds to float16 once: float64 is cut to float32 first, with its last bit set if that lost anything.
func (c *cast) toHalf() func(s, d vector) {
	if !c.from.float() || c.from.size == 8 && !c.w.Wide() {
		return nil
	}
	return func(s, d vector) {
		v := c.in(s)
		if c.from.size == 8 {
			v = c.w.Vector().AsY()
			back, lost := c.w.Vector(), K()
			VCVTPD2PS_RZ_SAE(s, v)
			VCVTPS2PD(v, back)
			VCMPPD(Imm(12), s, back, lost) // ordered and not equal
			ones := part(c.w.Repeated(0x0000000100000001), 32)
			VPORD(ones, v, lost, v)
		}
		VCVTPS2PH(Imm(0), v, c.out(d))
		c.halfNaNs(v, d)
	}
}

// halfNaNs makes the NaNs of float16 what internal/half makes of those of float32: the first bits of the payload, or 1.
func (c *cast) halfNaNs(v reg.Register, d vector) {
	bytes := 4 * c.lanes
	end := NewLabel("numbers")
	nan, any := part(c.w.Vector(), bytes), GP32()
	sign, half, one, zero := part(c.w.Vector(), bytes), part(c.w.Vector(), bytes), part(c.w.Repeated(0x0000000100000001), bytes), part(c.w.Vector(), bytes)
	if c.w.Wide() {
		k := K()
		VCMPPS(Imm(3), v, v, k)
		KMOVW(k, any)
		TESTL(any, any)
		JZ(Jump(end))
		VPSRLD(Imm(16), v, sign)
		VPSRLD(Imm(13), v, half)
		VPANDD(part(c.w.Repeated(0x000003ff000003ff), bytes), half, half)
		VPTESTNMD(half, half, k, k)
		VMOVDQA32(one, k, half)
		VPANDD(part(c.w.Repeated(0x0000800000008000), bytes), sign, sign)
		VPORD(sign, half, half)
		VPORD(part(c.w.Repeated(0x00007c0000007c00), bytes), half, half)
		VPMOVDW(half, part(zero.(vector), bytes/2))
		VCMPPS(Imm(3), v, v, k)
		VMOVDQU16(part(zero.(vector), bytes/2), k, c.out(d))
		Label(end)
		return
	}
	VCMPPS(Imm(3), v, v, nan)
	VMOVMSKPS(nan, any)
	TESTL(any, any)
	JZ(Jump(end))
	VPSRLD(Imm(16), v, sign)
	VPSRLD(Imm(13), v, half)
	VPAND(c.w.Repeated(0x000003ff000003ff), half, half)
	VPXOR(zero, zero, zero)
	VPCMPEQD(zero, half, zero)
	VPAND(one, zero, zero)
	VPOR(zero, half, half)
	VPAND(c.w.Repeated(0x0000800000008000), sign, sign)
	VPOR(sign, half, half)
	VPOR(c.w.Repeated(0x00007c0000007c00), half, half)
	// Both to words of 16 bits in the order of the lanes.
	VPACKUSDW(half, half, half)
	VPERMQ(Imm(0xd8), half, half)
	VPACKSSDW(nan, nan, nan)
	VPERMQ(Imm(0xd8), nan, nan)
	VPBLENDVB(nan.(vector).AsX(), half.(vector).AsX(), d.AsX(), d.AsX())
	Label(end)
}
