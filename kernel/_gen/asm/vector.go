package asm

import (
	"math/bits"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A Width is a width of vectors: 256 bits with AVX2 or 512 with AVX-512.
type Width struct {
	Name  string // of the level, as kernels end in it
	Bytes int
}

// The widths.
var (
	AVX2   = Width{"AVX2", 32}
	AVX512 = Width{"AVX512", 64}
	Widths = []Width{AVX2, AVX512}
)

// Wide reports AVX-512.
func (w Width) Wide() bool { return w.Bytes == 64 }

// Vector returns a vector register.
func (w Width) Vector() reg.VecVirtual {
	if w.Wide() {
		return build.ZMM()
	}
	return build.YMM()
}

// Load loads a vector from memory of any alignment.
func (w Width) Load(from operand.Op, to reg.VecVirtual) {
	if w.Wide() {
		build.VMOVDQU64(from, to)
	} else {
		build.VMOVDQU(from, to)
	}
}

// Store is the opposite of Load.
func (w Width) Store(from reg.VecVirtual, to operand.Op) {
	if w.Wide() {
		build.VMOVDQU64(from, to)
	} else {
		build.VMOVDQU(from, to)
	}
}

// LoadMasked loads the elements of a mask, and zeros for the others, whose memory is not touched.
func LoadMasked(size int, from operand.Op, k, to reg.Register) {
	switch size {
	case 1:
		build.VMOVDQU8_Z(from, k, to)
	case 2:
		build.VMOVDQU16_Z(from, k, to)
	case 4:
		build.VMOVDQU32_Z(from, k, to)
	case 8:
		build.VMOVDQU64_Z(from, k, to)
	}
}

// StoreMasked stores the elements of a mask.
func StoreMasked(size int, from, k reg.Register, to operand.Op) {
	switch size {
	case 1:
		build.VMOVDQU8(from, k, to)
	case 2:
		build.VMOVDQU16(from, k, to)
	case 4:
		build.VMOVDQU32(from, k, to)
	case 8:
		build.VMOVDQU64(from, k, to)
	}
}

// Broadcast loads one element into all lanes.
func Broadcast(size int, from operand.Op, to reg.VecVirtual) {
	switch size {
	case 1:
		build.VPBROADCASTB(from, to)
	case 2:
		build.VPBROADCASTW(from, to)
	case 4:
		build.VPBROADCASTD(from, to)
	case 8:
		build.VPBROADCASTQ(from, to)
	}
}

var constants = map[uint64]operand.Mem{}

// Repeated returns a vector register of copies of a word.
func (w Width) Repeated(word uint64) reg.VecVirtual {
	v := w.Vector()
	m, ok := constants[word]
	if !ok {
		m = build.ConstData(NewLabel("word"), operand.U64(word))
		constants[word] = m
	}
	build.VPBROADCASTQ(m, v)
	return v
}

// Log2 returns the logarithm of a power of two.
func Log2(n int) uint64 { return uint64(bits.TrailingZeros(uint(n))) }

// Mask returns the mask of the first elements, of which left holds the bytes. It changes left.
func Mask(size int, left reg.GPVirtual) reg.OpmaskVirtual {
	if size > 1 {
		build.SHRQ(operand.Imm(Log2(size)), left)
	}
	ones, k := build.GP64(), build.K()
	build.MOVQ(operand.I64(-1), ones)
	build.BZHIQ(left, ones, ones)
	build.KMOVQ(ones, k)
	return k
}

// At returns the operand at a base, an index in bytes and an offset.
func At(base, index reg.Register, offset int) operand.Mem {
	return operand.Mem{Base: base, Index: index, Scale: 1, Disp: offset}
}

// Walk goes through bytes bytes of memory, whole vectors first, and with AVX-512 then what is left under a mask. step is
// called with the index of a vector in bytes and its offset, of which unroll are done at a time, and with the mask or nil.
// With AVX2 the bytes are whole vectors.
func (w Width) Walk(size int, bytes reg.GPVirtual, unroll int, step func(index reg.Register, offset int, k reg.Register)) {
	index, left := build.GP64(), build.GP64()
	build.XORQ(index, index)
	build.MOVQ(bytes, left)
	for _, n := range []int{unroll, 1} {
		loop, end := NewLabel("loop"), NewLabel("end")
		block := operand.I32(int32(n * w.Bytes))
		build.SUBQ(block, left)
		build.JL(Jump(end))
		build.Label(loop)
		for i := range n {
			step(index, i*w.Bytes, nil)
		}
		build.ADDQ(block, index)
		build.SUBQ(block, left)
		build.JGE(Jump(loop))
		build.Label(end)
		build.ADDQ(block, left)
	}
	if !w.Wide() {
		return
	}
	end := NewLabel("whole")
	build.TESTQ(left, left)
	build.JZ(Jump(end))
	step(index, 0, Mask(size, left))
	build.Label(end)
}
