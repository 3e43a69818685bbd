// Command compress writes the kernels that move the rows of a bitmap's set bits together.
package main

import (
	"fmt"
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	. "github.com/colstore/colstore-go/kernel/gen/asm"
)

func main() {
	File()
	for _, size := range []int{1, 2, 4, 8, 16} {
		compress512(size, false)
		compress512(size, true)
	}
	octets, nibbles := octetTable(), nibbleTable()
	for _, size := range []int{1, 2, 4, 8} {
		compress256(size, octets, nibbles)
	}
	rowNumbers512()
	rowNumbers256(nibbles)
	packBits()
	Generate()
}

// A walk goes through the words of a bitmap: dst moves with the rows that are kept, src and keep with every word.
type walk struct {
	dst, src, keep, words, start reg.GPVirtual
	word                         reg.GPVirtual // the bits of this word
	base                         reg.Register  // the number of its first row, if those are what is moved
	size                         int
	loop, next, end              string
}

// begin loads the arguments, and skips words without a set bit.
func begin(size int, src bool) *walk {
	w := &walk{dst: Arg("dst"), keep: Arg("keep"), words: Arg("words"), start: GP64(), word: GP64(), size: size}
	if src {
		w.src = Arg("src")
	}
	MOVQ(w.dst, w.start)
	w.loop, w.next, w.end = NewLabel("loop"), NewLabel("next"), NewLabel("end")
	Label(w.loop)
	TESTQ(w.words, w.words)
	JZ(Jump(w.end))
	MOVQ(Mem{Base: w.keep}, w.word)
	TESTQ(w.word, w.word)
	JZ(Jump(w.next))
	return w
}

// finish closes the loop and returns the number of rows.
func (w *walk) finish(step func()) {
	Label(w.next)
	step()
	ADDQ(I32(8), w.keep)
	DECQ(w.words)
	JMP(Jump(w.loop))
	Label(w.end)
	SUBQ(w.start, w.dst)
	if w.size > 1 {
		SHRQ(Imm(uint64(bits.TrailingZeros(uint(w.size)))), w.dst)
	}
	Store(w.dst, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// sparse moves the rows of a word with at most limit set bits one by one, and jumps to dense if there are more.
func (w *walk) sparse(limit reg.GPVirtual, dense string) {
	count := GP64()
	POPCNTQ(w.word, count)
	CMPQ(count, limit)
	JG(Jump(dense))
	one := NewLabel("one")
	Label(one)
	i := GP64()
	TZCNTQ(w.word, i)
	switch {
	case w.base != nil:
		ADDQ(w.base, i)
		MOVQ(i, Mem{Base: w.dst})
	case w.size == 16:
		SHLQ(Imm(1), i)
		move(w.size, Mem{Base: w.src, Index: i, Scale: 8}, Mem{Base: w.dst})
	default:
		move(w.size, Mem{Base: w.src, Index: i, Scale: uint8(w.size)}, Mem{Base: w.dst})
	}
	ADDQ(I32(int32(w.size)), w.dst)
	BLSRQ(w.word, w.word)
	JNZ(Jump(one))
	JMP(Jump(w.next))
	Label(dense)
}

// move copies a value through a register of its own.
func move(size int, from, to Op) {
	t := GP64()
	switch size {
	case 1:
		MOVBLZX(from, t.As32())
		MOVB(t.As8(), to)
	case 2:
		MOVWLZX(from, t.As32())
		MOVW(t.As16(), to)
	case 4:
		MOVL(from, t.As32())
		MOVL(t.As32(), to)
	case 8:
		MOVQ(from, t)
		MOVQ(t, to)
	case 16:
		v := XMM()
		VMOVDQU(from, v)
		VMOVDQU(v, to)
	}
}

// compress512 stores whole vectors, and so writes up to 63 bytes behind the rows it keeps; the exact form neither reads
// nor writes what is not of a kept row, and is slower.
func compress512(size int, exact bool) {
	name, note := fmt.Sprintf("compress%dAVX512", size), "It writes up to 63 bytes behind them."
	if exact {
		name, note = fmt.Sprintf("compress%dExactAVX512", size), "It touches nothing but them."
	}
	TEXT(name, NOSPLIT, "func(dst, src *byte, keep *uint64, words, sparse int) int")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s moves the values of %d bytes whose bits are set in words of keep to dst and returns their number.", name, size),
		note, "Words with at most sparse bits are done value by value.")
	limit := Arg("sparse")
	w := begin(size, true)
	w.sparse(limit, NewLabel("dense"))
	var pairs, all reg.GPVirtual
	if size == 16 {
		pairs = GP64()
		MOVQ(U64(0x55), pairs)
	}
	if exact {
		all = GP64()
		MOVQ(I64(-1), all)
	}
	lanes := 64 / size
	for i := range size {
		part, count, k := GP64(), GP64(), K()
		MOVQ(w.word, part)
		if i > 0 {
			SHRQ(Imm(uint64(i*lanes)), part)
		}
		switch size {
		case 4:
			MOVWLZX(part.As16(), part.As32())
		case 8:
			MOVBLZX(part.As8(), part.As32())
		case 16: // two lanes a value
			PDEPQ(pairs, part, part)
			LEAQ(Mem{Base: part, Index: part, Scale: 2}, part)
		}
		toMask(size, part, k)
		if size == 2 {
			POPCNTL(part.As32(), count.As32())
		} else {
			POPCNTQ(part, count)
		}
		in, out := ZMM(), ZMM()
		from, to := Mem{Base: w.src, Disp: 64 * i}, Mem{Base: w.dst}
		if exact {
			load512(size, from, k, in)
		} else {
			VMOVDQU64(from, in)
		}
		switch size {
		case 1:
			VPCOMPRESSB_Z(in, k, out)
		case 2:
			VPCOMPRESSW_Z(in, k, out)
		case 4:
			VPCOMPRESSD_Z(in, k, out)
		default:
			VPCOMPRESSQ_Z(in, k, out)
		}
		if exact {
			front, kept := K(), GP64()
			BZHIQ(count, all, kept)
			toMask(size, kept, front)
			store512(size, out, front, to)
		} else {
			VMOVDQU64(out, to)
		}
		LEAQ(Mem{Base: w.dst, Index: count, Scale: uint8(min(size, 8))}, w.dst)
	}
	w.finish(func() { ADDQ(I32(int32(64*size)), w.src) })
}

func toMask(size int, from reg.GPVirtual, k reg.OpmaskVirtual) {
	switch size {
	case 1:
		KMOVQ(from, k)
	case 2:
		KMOVD(from.As32(), k)
	case 4:
		KMOVW(from.As32(), k)
	default:
		KMOVB(from.As32(), k)
	}
}

func load512(size int, from Mem, k reg.OpmaskVirtual, in reg.VecVirtual) {
	switch size {
	case 1:
		VMOVDQU8_Z(from, k, in)
	case 2:
		VMOVDQU16_Z(from, k, in)
	case 4:
		VMOVDQU32_Z(from, k, in)
	default:
		VMOVDQU64_Z(from, k, in)
	}
}

func store512(size int, out reg.VecVirtual, k reg.OpmaskVirtual, to Mem) {
	switch size {
	case 1:
		VMOVDQU8(out, k, to)
	case 2:
		VMOVDQU16(out, k, to)
	case 4:
		VMOVDQU32(out, k, to)
	default:
		VMOVDQU64(out, k, to)
	}
}

// octetTable has, for every byte, the places of its set bits, a byte each.
func octetTable() Mem {
	table := GLOBL("compressOctets", RODATA|NOPTR)
	for v := range 256 {
		places, n := uint64(0), 0
		for i := range 8 {
			if v>>i&1 != 0 {
				places |= uint64(i) << (8 * n)
				n++
			}
		}
		DATA(8*v, U64(places))
	}
	return table
}

// nibbleTable has, for every half byte, the places of its set bits, as two 4-byte lanes each.
func nibbleTable() Mem {
	table := GLOBL("compressNibbles", RODATA|NOPTR)
	for v := range 16 {
		n := 0
		for i := range 4 {
			if v>>i&1 != 0 {
				DATA(32*v+8*n, U32(2*i))
				DATA(32*v+8*n+4, U32(2*i+1))
				n++
			}
		}
		for ; n < 4; n++ {
			DATA(32*v+8*n, U32(0))
			DATA(32*v+8*n+4, U32(1))
		}
	}
	return table
}

// compress256 takes the bits eight at a time, or four for 8-byte values, and looks up a permutation.
func compress256(size int, octets, nibbles Mem) {
	name := fmt.Sprintf("compress%dAVX2", size)
	TEXT(name, NOSPLIT, "func(dst, src *byte, keep *uint64, words, sparse int) int")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s moves the values of %d bytes whose bits are set in words of keep to dst and returns their number.", name, size),
		"It writes up to 31 bytes behind them.", "Words with at most sparse bits are done value by value.")
	limit := Arg("sparse")
	table, low, odd := GP64(), GP64(), XMM()
	if size == 8 {
		LEAQ(nibbles, table)
	} else {
		LEAQ(octets, table)
	}
	if size == 2 {
		MOVQ(U64(0x0100010001000100), low)
		VMOVQ(low, odd)
		VPBROADCASTQ(odd, odd)
	}
	w := begin(size, true)
	w.sparse(limit, NewLabel("dense"))
	lanes := 8
	if size == 8 {
		lanes = 4
	}
	for i := range 64 / lanes {
		part, count := GP64(), GP64()
		from, to := Mem{Base: w.src, Disp: i * lanes * size}, Mem{Base: w.dst}
		if size == 8 {
			MOVQ(w.word, part)
			ANDQ(I32(15), part)
			POPCNTQ(part, count)
			SHLQ(Imm(5), part)
			by, v := YMM(), YMM()
			VMOVDQU(Mem{Base: table, Index: part, Scale: 1}, by)
			VPERMD(from, by, v)
			VMOVDQU(v, to)
		} else {
			MOVBQZX(w.word.As8(), part)
			POPCNTQ(part, count)
			at := Mem{Base: table, Index: part, Scale: 8}
			switch size {
			case 4:
				by, v := YMM(), YMM()
				VPMOVZXBD(at, by)
				VPERMD(from, by, v)
				VMOVDQU(v, to)
			case 2: // the places of the bytes of a value are twice its own and one more
				by, v := XMM(), XMM()
				VMOVQ(at, by)
				VPUNPCKLBW(by, by, by)
				VPADDB(by, by, by)
				VPADDB(odd, by, by)
				VMOVDQU(from, v)
				VPSHUFB(by, v, v)
				VMOVDQU(v, to)
			case 1:
				by, v := XMM(), XMM()
				VMOVQ(at, by)
				VMOVQ(from, v)
				VPSHUFB(by, v, v)
				VMOVQ(v, to)
			}
		}
		LEAQ(Mem{Base: w.dst, Index: count, Scale: uint8(size)}, w.dst)
		SHRQ(Imm(uint64(lanes)), w.word)
	}
	w.finish(func() { ADDQ(I32(int32(64*size)), w.src) })
}

// rowNumbers512 compresses the numbers of the rows instead of values.
func rowNumbers512() {
	first := GLOBL("compressFirst8", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(i))
	}
	TEXT("compressRowsAVX512", NOSPLIT, "func(dst *int64, keep *uint64, words, sparse int, base int64) int")
	Pragma("noescape")
	Doc("compressRowsAVX512 writes base and the place of every set bit of words of keep to dst and returns their number.",
		"It writes up to 63 bytes behind them.", "Words with at most sparse bits are done number by number.")
	rows, eight, t := ZMM(), ZMM(), GP64()
	base := Arg("base")
	MOVQ(I64(8), t)
	VPBROADCASTQ(t, eight)
	limit := Arg("sparse")
	w := begin(8, false)
	w.base = base
	w.sparse(limit, NewLabel("dense"))
	VPBROADCASTQ(base, rows)
	VPADDQ(first, rows, rows)
	for i := range 8 {
		part, count, k, out := GP64(), GP64(), K(), ZMM()
		MOVBLZX(w.word.As8(), part.As32())
		KMOVB(part.As32(), k)
		POPCNTQ(part, count)
		VPCOMPRESSQ_Z(rows, k, out)
		VMOVDQU64(out, Mem{Base: w.dst})
		LEAQ(Mem{Base: w.dst, Index: count, Scale: 8}, w.dst)
		if i < 7 {
			SHRQ(Imm(8), w.word)
			VPADDQ(eight, rows, rows)
		}
	}
	w.finish(func() { ADDQ(I32(64), base) })
}

// rowNumbers256 is rowNumbers512 by looked-up permutations.
func rowNumbers256(nibbles Mem) {
	first := GLOBL("compressFirst4", RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(i))
	}
	TEXT("compressRowsAVX2", NOSPLIT, "func(dst *int64, keep *uint64, words, sparse int, base int64) int")
	Pragma("noescape")
	Doc("compressRowsAVX2 writes base and the place of every set bit of words of keep to dst and returns their number.",
		"It writes up to 31 bytes behind them.", "Words with at most sparse bits are done number by number.")
	rows, four, t, table := YMM(), YMM(), GP64(), GP64()
	base := Arg("base")
	MOVQ(I64(4), t)
	VMOVQ(t, four.AsX())
	VPBROADCASTQ(four.AsX(), four)
	LEAQ(nibbles, table)
	limit := Arg("sparse")
	w := begin(8, false)
	w.base = base
	w.sparse(limit, NewLabel("dense"))
	VMOVQ(base, rows.AsX())
	VPBROADCASTQ(rows.AsX(), rows)
	VPADDQ(first, rows, rows)
	for i := range 16 {
		part, count, by, out := GP64(), GP64(), YMM(), YMM()
		MOVQ(w.word, part)
		ANDQ(I32(15), part)
		POPCNTQ(part, count)
		SHLQ(Imm(5), part)
		VMOVDQU(Mem{Base: table, Index: part, Scale: 1}, by)
		VPERMD(rows, by, out)
		VMOVDQU(out, Mem{Base: w.dst})
		LEAQ(Mem{Base: w.dst, Index: count, Scale: 8}, w.dst)
		if i < 15 {
			SHRQ(Imm(4), w.word)
			VPADDQ(four, rows, rows)
		}
	}
	w.finish(func() { ADDQ(I32(64), base) })
}

// packBits is compress for single bits.
func packBits() {
	TEXT("compressBitsBMI2", NOSPLIT, "func(dst, a, keep *uint64, words int) int")
	Pragma("noescape")
	Doc("compressBitsBMI2 packs the bits of a whose bits are set in words of keep into dst and returns their number.",
		"It writes the words that they fill, the rest of the last one zero.")
	dst, a, keep, words := Arg("dst"), Arg("a"), Arg("keep"), Arg("words")
	full, filled, rows := GP64(), GP64(), GP64()
	XORQ(full, full)
	XORQ(filled, filled)
	XORQ(rows, rows)
	loop, next, end, done := NewLabel("loop"), NewLabel("next"), NewLabel("end"), NewLabel("done")
	Label(loop)
	TESTQ(words, words)
	JZ(Jump(end))
	by, part, count, shifted := GP64(), GP64(), GP64(), GP64()
	MOVQ(Mem{Base: keep}, by)
	POPCNTQ(by, count)
	MOVQ(Mem{Base: a}, part)
	PEXTQ(by, part, part)
	ADDQ(count, rows)
	SHLXQ(filled, part, shifted)
	ORQ(shifted, full)
	ADDQ(filled, count)
	CMPQ(count, I32(64))
	JB(Jump(next))
	MOVQ(full, Mem{Base: dst})
	ADDQ(I32(8), dst)
	// What did not fit: part shifted by 64-filled, which is 64 when nothing was filled.
	NOTQ(filled)
	SHRQ(Imm(1), part)
	SHRXQ(filled, part, full)
	SUBQ(I32(64), count)
	Label(next)
	MOVQ(count, filled)
	ADDQ(I32(8), a)
	ADDQ(I32(8), keep)
	DECQ(words)
	JMP(Jump(loop))
	Label(end)
	TESTQ(filled, filled)
	JZ(Jump(done))
	MOVQ(full, Mem{Base: dst})
	Label(done)
	Store(rows, ReturnIndex(0))
	RET()
}
