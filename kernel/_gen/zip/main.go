// Command zip writes the kernels that bring neighbouring fields of records together from columns, and apart again.
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
	for _, apart := range []bool{false, true} {
		four(apart)
		two(4, apart)
		two(8, apart)
	}
	for _, size := range []int{1, 2, 4} {
		pair(size)
	}
	Generate()
}

// pair makes one column of two, 16 bytes of each a round.
func pair(size int) {
	TEXT(fmt.Sprintf("pair%d", size), NOSPLIT, "func(dst, a, b *byte, groups int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("pair%d writes values of %d bytes of two columns in turn, %d of each for each of groups.", size, size, 16/size))
	dst, a, b, groups := Arg("dst"), Arg("a"), Arg("b"), Arg("groups")
	loop, done := NewLabel("loop"), NewLabel("done")
	Label(loop)
	TESTQ(groups, groups)
	JZ(Jump(done))
	x, y, high := XMM(), XMM(), XMM()
	MOVOU(Mem{Base: a}, x)
	MOVOU(Mem{Base: b}, y)
	MOVO(x, high)
	switch size {
	case 1:
		PUNPCKLBW(y, x)
		PUNPCKHBW(y, high)
	case 2:
		PUNPCKLWL(y, x)
		PUNPCKHWL(y, high)
	case 4:
		PUNPCKLLQ(y, x)
		PUNPCKHLQ(y, high)
	}
	MOVOU(x, Mem{Base: dst})
	MOVOU(high, Mem{Base: dst, Disp: 16})
	ADDQ(I32(16), a)
	ADDQ(I32(16), b)
	ADDQ(I32(32), dst)
	DECQ(groups)
	JMP(Jump(loop))
	Label(done)
	RET()
}

// frame begins a kernel over groups of rows, and returns the end of its loop.
func frame(fields, size, rows int, apart bool) (columns []reg.GPVirtual, records []Mem, end func()) {
	name, doc := fmt.Sprintf("zip%dx%d", fields, size), "writes %d columns of %d bytes into records width bytes apart"
	if apart {
		name, doc = "un"+name, "writes %d neighbouring fields of %d bytes of records width bytes apart into columns"
	}
	arguments := "a, b"
	if fields == 4 {
		arguments = "a, b, c, d"
	}
	TEXT(name, NOSPLIT, "func("+arguments+", records *byte, width, groups int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s "+doc+", %d rows for each of groups.", name, fields, size, rows))
	for i := range fields {
		columns = append(columns, Arg(string(rune('a'+i))))
	}
	record, width, groups := Arg("records"), Arg("width"), Arg("groups")
	records = []Mem{{Base: record}, {Base: record, Index: width, Scale: 1}}
	if rows == 4 {
		three := GP64()
		LEAQ(Mem{Base: width, Index: width, Scale: 2}, three)
		records = append(records, Mem{Base: record, Index: width, Scale: 2}, Mem{Base: record, Index: three, Scale: 1})
	}
	loop, done := NewLabel("loop"), NewLabel("done")
	TESTQ(groups, groups)
	JZ(Jump(done))
	Label(loop)
	return columns, records, func() {
		for _, c := range columns {
			ADDQ(I32(int32(rows*size)), c)
		}
		LEAQ(Mem{Base: record, Index: width, Scale: uint8(rows)}, record)
		DECQ(groups)
		JNZ(Jump(loop))
		Label(done)
		RET()
	}
}

// four transposes four rows of four fields of 4 bytes, which is the same both ways.
func four(apart bool) {
	columns, records, end := frame(4, 4, 4, apart)
	from, to := make([]Mem, 4), records
	for i, c := range columns {
		from[i] = Mem{Base: c}
	}
	if apart {
		from, to = to, from
	}
	var v [4]reg.VecVirtual
	for i := range v {
		v[i] = XMM()
		MOVUPS(from[i], v[i])
	}
	low, high := func(x, y reg.VecVirtual) reg.VecVirtual {
		t := XMM()
		MOVAPS(x, t)
		UNPCKLPS(y, t)
		return t
	}, func(x, y reg.VecVirtual) reg.VecVirtual {
		t := XMM()
		MOVAPS(x, t)
		UNPCKHPS(y, t)
		return t
	}
	for i, pair := range [][2]reg.VecVirtual{{low(v[0], v[1]), low(v[2], v[3])}, {high(v[0], v[1]), high(v[2], v[3])}} {
		t := XMM()
		MOVAPS(pair[0], t)
		UNPCKLPD(pair[1], pair[0])
		UNPCKHPD(pair[1], t)
		MOVUPS(pair[0], to[2*i])
		MOVUPS(t, to[2*i+1])
	}
	end()
}

// two does four rows of two fields of 4 bytes, or two rows of two of 8.
func two(size int, apart bool) {
	rows := 16 / size
	columns, records, end := frame(2, size, rows, apart)
	a, b, t := XMM(), XMM(), XMM()
	columnA, columnB := Mem{Base: columns[0]}, Mem{Base: columns[1]}
	switch {
	case size == 8 && apart:
		MOVUPD(records[0], a)
		MOVUPD(records[1], b)
	case size == 8:
		MOVUPD(columnA, a)
		MOVUPD(columnB, b)
	case apart:
		MOVSD(records[0], a)
		MOVHPD(records[1], a)
		MOVSD(records[2], b)
		MOVHPD(records[3], b)
	default:
		MOVUPS(columnA, a)
		MOVUPS(columnB, b)
	}
	MOVAPS(a, t)
	switch {
	case size == 8:
		UNPCKLPD(b, a)
		UNPCKHPD(b, t)
	case apart:
		SHUFPS(Imm(0x88), b, a) // the first of every pair
		SHUFPS(Imm(0xDD), b, t)
	default:
		UNPCKLPS(b, a)
		UNPCKHPS(b, t)
	}
	switch {
	case size == 8 && !apart:
		MOVUPD(a, records[0])
		MOVUPD(t, records[1])
	case apart:
		MOVUPD(a, columnA)
		MOVUPD(t, columnB)
	default:
		MOVSD(a, records[0])
		MOVHPD(a, records[1])
		MOVSD(t, records[2])
		MOVHPD(t, records[3])
	}
	end()
}
