// Command gather writes the kernels that copy values from places in any order.
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
	for _, size := range []int{1, 2, 4, 8, 16} {
		s := single(size)
		dense(s, size, false)
		dense(s, size, true)
		stepped(s)
		addressed(s)
	}
	for _, piece := range []int{2, 4, 8, 16} {
		s := pair(piece)
		stepped(s)
		addressed(s)
	}
	stepped(long())
	addressed(long())
	addresses()
	folded(false)
	folded(true)
	for _, size := range []int{1, 2, 4, 8, 16} {
		looked(size, false)
		looked(size, true)
	}
	prefetch()
	Generate()
}

// prefetch asks for lines that follow each other.
func prefetch() {
	TEXT("prefetchLines", NOSPLIT, "func(src *byte, n int)")
	Pragma("noescape")
	Doc("prefetchLines asks memory for n lines from src on.")
	src, n := Arg("src"), Arg("n")
	loop, end := NewLabel("loop"), NewLabel("end")
	Label(loop)
	TESTQ(n, n)
	JZ(Jump(end))
	PREFETCHT0(Mem{Base: src})
	ADDQ(I32(64), src)
	DECQ(n)
	JMP(Jump(loop))
	Label(end)
	RET()
}

// A shape is how values of some widths are copied.
type shape struct {
	name, width string
	size        int // 0: an argument
	unroll      int
	copy        func(from func(disp int, more reg.GPVirtual) Mem, dst, size reg.GPVirtual, at int)
	twice       bool // its last byte may lie in another line of memory than its first
}

// single is values that one instruction loads.
func single(size int) shape {
	return shape{
		name: fmt.Sprint(size), width: fmt.Sprintf("%d bytes", size), size: size, unroll: 4,
		copy: func(from func(int, reg.GPVirtual) Mem, dst, _ reg.GPVirtual, at int) {
			move(size, from(0, nil), Mem{Base: dst, Disp: at * size})
		},
	}
}

// pair is values that two overlapping pieces make.
func pair(piece int) shape {
	return shape{
		name: fmt.Sprintf("Pair%d", piece), width: fmt.Sprintf("%d to %d bytes", piece, 2*piece), unroll: 1, twice: true,
		copy: func(from func(int, reg.GPVirtual) Mem, dst, size reg.GPVirtual, _ int) {
			move(piece, from(0, nil), Mem{Base: dst})
			move(piece, from(-piece, size), Mem{Base: dst, Index: size, Scale: 1, Disp: -piece})
		},
	}
}

// long is values of more than 16 bytes, in pieces of 16 of which the last two may overlap.
func long() shape {
	return shape{
		name: "Long", width: "more than 16 bytes", unroll: 1, twice: true,
		copy: func(from func(int, reg.GPVirtual) Mem, dst, size reg.GPVirtual, _ int) {
			i, last := GP64(), GP64()
			XORQ(i, i)
			LEAQ(Mem{Base: size, Disp: -16}, last)
			piece := NewLabel("piece")
			Label(piece)
			move(16, from(0, i), Mem{Base: dst, Index: i, Scale: 1})
			ADDQ(Imm(16), i)
			CMPQ(i, last)
			JB(Jump(piece))
			move(16, from(0, last), Mem{Base: dst, Index: last, Scale: 1})
		},
	}
}

// move copies a piece through a register of its own.
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
		MOVOU(from, v)
		MOVOU(v, to)
	}
}

const (
	about = "It stops before the first row that is not among count rows from %s on, and returns how many it copied."
	early = "A value is asked of memory ahead rows before it is copied; 0 is not at all."
)

// dense is for values that lie back to back, of which the first is that of row 0, or of any.
func dense(s shape, size int, from bool) {
	name, arg, first := "gather"+s.name, "", "0"
	if from {
		name, arg, first = "gatherFrom"+s.name, "first, ", "first"
	}
	TEXT(name, NOSPLIT, "func(dst, src *byte, rows *int64, n, ahead int, "+arg+"count int64) int")
	Pragma("noescape")
	Doc(fmt.Sprintf("%s copies values of %s; src is row %s.", name, s.width, first), fmt.Sprintf(about, first), early)
	g := begin(s, "rows")
	g.bound(from)
	if from { // src is to be where row 0 would be
		base := GP64()
		IMUL3Q(I32(int32(size)), g.first, base)
		ADDQ(base, g.src)
	}
	g.loops(func(row reg.GPVirtual) {
		if size == 16 {
			SHLQ(Imm(4), row)
		}
	}, func(row reg.GPVirtual, disp int, _ reg.GPVirtual) Mem {
		if size == 16 {
			return Mem{Base: g.src, Index: row, Scale: 1, Disp: disp}
		}
		return Mem{Base: g.src, Index: row, Scale: uint8(size), Disp: disp}
	})
}

// stepped is for values that lie any number of bytes apart.
func stepped(s shape) {
	size := ""
	if s.size == 0 {
		size = "size, "
	}
	TEXT("gatherStep"+s.name, NOSPLIT, "func(dst, src *byte, "+size+"stride int, rows *int64, n, ahead int, first, count int64) int")
	Pragma("noescape")
	Doc(fmt.Sprintf("gatherStep%s copies values of %s that lie stride bytes apart; src is row first.", s.name, s.width), fmt.Sprintf(about, "first"), early)
	g := begin(s, "rows")
	g.bound(true)
	stride, base := Arg("stride"), GP64()
	MOVQ(g.first, base)
	IMULQ(stride, base)
	ADDQ(base, g.src)
	g.loops(func(row reg.GPVirtual) {
		IMULQ(stride, row)
		ADDQ(g.src, row)
	}, at)
}

// addressed is for values that lie anywhere.
func addressed(s shape) {
	size := ""
	if s.size == 0 {
		size = "size, "
	}
	TEXT("gatherAt"+s.name, NOSPLIT, "func(dst *byte, at *uintptr, "+size+"n, ahead int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("gatherAt%s copies values of %s from n addresses.", s.name, s.width),
		early)
	g := begin(s, "at")
	g.loops(func(reg.GPVirtual) {}, at)
}

// at is the memory at an address.
func at(row reg.GPVirtual, disp int, more reg.GPVirtual) Mem {
	if more == nil {
		return Mem{Base: row, Disp: disp}
	}
	return Mem{Base: row, Index: more, Scale: 1, Disp: disp}
}

// A gather is a kernel that is being written.
type gather struct {
	shape
	dst, rows, n, size, src reg.GPVirtual
	first                   reg.GPVirtual // negated; nil: 0
	count                   reg.GPVirtual // nil: rows are not checked
	begin                   reg.GPVirtual
}

func begin(s shape, rows string) *gather {
	g := &gather{shape: s, dst: Arg("dst"), rows: Arg(rows), n: Arg("n")}
	if s.size == 0 {
		g.size = Arg("size")
	}
	return g
}

// bound loads what rows are checked against.
func (g *gather) bound(from bool) {
	g.src, g.count, g.begin = Arg("src"), Arg("count"), GP64()
	if from {
		g.first = Arg("first")
		NEGQ(g.first)
	}
	MOVQ(g.rows, g.begin)
}

// loops writes the loops over groups of rows: with requests ahead while there are rows to ask for, without for the rest,
// and row by row at the end and where a group has a bad row.
func (g *gather) loops(place func(row reg.GPVirtual), from func(row reg.GPVirtual, disp int, more reg.GPVirtual) Mem) {
	ahead, asked := Arg("ahead"), GP64()
	LEAQ(Mem{Base: g.rows, Index: ahead, Scale: 8}, asked)
	plain, rest, one, end := NewLabel("plain"), NewLabel("rest"), NewLabel("one"), NewLabel("end")

	step := func(rows int, request bool, bad string) {
		var places []reg.GPVirtual
		for i := range rows {
			row := GP64()
			MOVQ(Mem{Base: g.rows, Disp: 8 * i}, row)
			if g.count != nil {
				at := row
				if g.first != nil {
					at = GP64()
					LEAQ(Mem{Base: row, Index: g.first, Scale: 1}, at)
				}
				CMPQ(at, g.count)
				JCC(Jump(bad))
			}
			places = append(places, row)
		}
		for i, row := range places {
			if request {
				next := GP64()
				MOVQ(Mem{Base: asked, Disp: 8 * i}, next)
				place(next)
				PREFETCHT0(from(next, 0, nil))
				if g.twice {
					PREFETCHT0(from(next, -1, g.size))
				}
			}
			place(row)
			g.copy(func(disp int, more reg.GPVirtual) Mem { return from(row, disp, more) }, g.dst, g.size, i)
			if g.shape.size == 0 {
				ADDQ(g.size, g.dst)
			}
		}
		if g.shape.size > 0 {
			ADDQ(I32(int32(rows*g.shape.size)), g.dst)
		}
		ADDQ(I32(int32(8*rows)), g.rows)
		if request {
			ADDQ(I32(int32(8*rows)), asked)
		}
		SUBQ(I32(int32(rows)), g.n)
	}

	// With requests: until as many rows are left as are asked for early.
	TESTQ(ahead, ahead)
	JZ(Jump(plain))
	requests, enough, bad := NewLabel("requests"), NewLabel("enough"), NewLabel("bad")
	SUBQ(ahead, g.n)
	CMPQ(g.n, I32(int32(g.unroll)))
	JL(Jump(enough))
	Label(requests)
	step(g.unroll, true, bad)
	CMPQ(g.n, I32(int32(g.unroll)))
	JGE(Jump(requests))
	Label(enough)
	ADDQ(ahead, g.n)

	Label(plain)
	CMPQ(g.n, I32(int32(g.unroll)))
	JL(Jump(rest))
	group := NewLabel("group")
	Label(group)
	step(g.unroll, false, one)
	CMPQ(g.n, I32(int32(g.unroll)))
	JGE(Jump(group))

	Label(rest)
	TESTQ(g.n, g.n)
	JZ(Jump(end))
	Label(one)
	step(1, false, end)
	JNZ(Jump(one))
	JMP(Jump(end))

	Label(bad) // among rows of a group: find it
	ADDQ(ahead, g.n)
	JMP(Jump(one))

	Label(end)
	if g.count != nil {
		SUBQ(g.begin, g.rows)
		SHRQ(Imm(3), g.rows)
		Store(g.rows, ReturnIndex(0))
	}
	RET()
}

// addresses finds where rows of several runs lie.
func addresses() {
	TEXT("gatherAddresses", NOSPLIT, "func(at *uintptr, rows *int64, n int, total int64, bucket *uint32, shift uint, starts *int64, places *byte) int")
	Pragma("noescape")
	Doc("gatherAddresses writes where rows lie, and stops before the first row that does not exist, and returns how many",
		"addresses it found; places are of 16 bytes.")
	at, rows, n, total, bucket := Arg("at"), Arg("rows"), Arg("n"), Arg("total"), Arg("bucket")
	shift, starts, places, begin := Arg("shift"), Arg("starts"), Arg("places"), GP64()
	MOVQ(rows, begin)
	loop, next, found, end := NewLabel("loop"), NewLabel("next"), NewLabel("found"), NewLabel("end")
	TESTQ(n, n)
	JZ(Jump(end))
	Label(loop)
	row, run, more := GP64(), GP64(), GP64()
	MOVQ(Mem{Base: rows}, row)
	CMPQ(row, total)
	JCC(Jump(end))
	MOVQ(shift, reg.RCX)
	b := GP64()
	MOVQ(row, b)
	SHRQ(reg.CL, b)
	MOVL(Mem{Base: bucket, Index: b, Scale: 4}, run.As32())
	// The first step without a jump, which nothing could foretell: a bucket with the end of a run in it takes it or not.
	XORL(more.As32(), more.As32())
	CMPQ(row, Mem{Base: starts, Index: run, Scale: 8, Disp: 8})
	SETGE(more.As8())
	ADDQ(more, run)
	Label(next)
	CMPQ(row, Mem{Base: starts, Index: run, Scale: 8, Disp: 8})
	JLT(Jump(found))
	INCQ(run)
	JMP(Jump(next))
	Label(found)
	SUBQ(Mem{Base: starts, Index: run, Scale: 8}, row)
	SHLQ(Imm(4), run)
	IMULQ(Mem{Base: places, Index: run, Scale: 1, Disp: 8}, row)
	ADDQ(Mem{Base: places, Index: run, Scale: 1}, row)
	MOVQ(row, Mem{Base: at})
	ADDQ(I32(8), rows)
	ADDQ(I32(8), at)
	DECQ(n)
	JNZ(Jump(loop))
	Label(end)
	SUBQ(begin, rows)
	SHRQ(Imm(3), rows)
	Store(rows, ReturnIndex(0))
	RET()
}

// A table is what finds rows in runs of a column whose values are everywhere equally far apart, and of which no bucket has
// more than one end of a run: where row 0 would lie, if a run reached so far, is known for each run.
type table struct{ total, bucket, starts, zeros, stride reg.GPVirtual }

const tableArgs = "total int64, bucket *uint32, shift uint, starts *int64, zeros *uintptr, stride int"

func tableOf() table {
	MOVQ(Arg("shift"), reg.RCX)
	return table{Arg("total"), Arg("bucket"), Arg("starts"), Arg("zeros"), Arg("stride")}
}

// find returns where a row lies, and jumps to bad if it does not exist.
func (t table) find(row Mem, bad string) reg.GPVirtual {
	place, run := GP64(), GP64()
	MOVQ(row, place)
	CMPQ(place, t.total)
	JCC(Jump(bad))
	MOVQ(place, run)
	SHRQ(reg.CL, run)
	MOVL(Mem{Base: t.bucket, Index: run, Scale: 4}, run.As32())
	// The next run, if the row does not lie before it: without a jump, which nothing could foretell.
	CMPQ(place, Mem{Base: t.starts, Index: run, Scale: 8, Disp: 8})
	SBBQ(I8(-1), run)
	IMULQ(t.stride, place)
	ADDQ(Mem{Base: t.zeros, Index: run, Scale: 8}, place)
	return place
}

// folded finds addresses by a table.
func folded(ask bool) {
	name, note := "gatherFolded", "."
	if ask {
		name, note = "gatherFoldedAsking", ", and asks memory for what lies there."
	}
	TEXT(name, NOSPLIT, "func(at *uintptr, rows *int64, n int, "+tableArgs+") int")
	Pragma("noescape")
	Doc(name + " is gatherAddresses for even runs of one stride; zeros are where row 0 of the table would lie by each" + note)
	at, rows, n, t, i := Arg("at"), Arg("rows"), Arg("n"), tableOf(), GP64()
	loop, end := NewLabel("loop"), NewLabel("end")
	XORQ(i, i)
	TESTQ(n, n)
	JZ(Jump(end))
	Label(loop)
	place := t.find(Mem{Base: rows, Index: i, Scale: 8}, end)
	if ask {
		PREFETCHT0(Mem{Base: place})
	}
	MOVQ(place, Mem{Base: at, Index: i, Scale: 8})
	INCQ(i)
	CMPQ(i, n)
	JB(Jump(loop))
	Label(end)
	Store(i, ReturnIndex(0))
	RET()
}

// looked gathers by a table in one go.
func looked(size int, ask bool) {
	name := fmt.Sprintf("gatherFolded%d", size)
	if ask {
		name = fmt.Sprintf("gatherFoldedAsking%d", size)
		TEXT(name, NOSPLIT, "func(dst *byte, at *uintptr, ahead int, rows *int64, n int, "+tableArgs+") int")
		Doc(fmt.Sprintf("%s copies n values of %d bytes from addresses, and finds and asks memory for those of as many rows, which it writes", name, size),
			"ahead places behind. It stops before the first row that does not exist, and returns how many it copied.")
	} else {
		TEXT(name, NOSPLIT, "func(dst *byte, rows *int64, n int, "+tableArgs+") int")
		Doc(fmt.Sprintf("%s copies values of %d bytes. It stops before the first row that does not exist, and returns how many it copied.", name, size))
	}
	Pragma("noescape")
	var at, asked reg.GPVirtual
	if ask {
		at, asked = Arg("at"), Arg("ahead")
		LEAQ(Mem{Base: at, Index: asked, Scale: 8}, asked)
	}
	dst, rows, n, t, i := Arg("dst"), Arg("rows"), Arg("n"), tableOf(), GP64()
	loop, end := NewLabel("loop"), NewLabel("end")
	XORQ(i, i)
	TESTQ(n, n)
	JZ(Jump(end))
	Label(loop)
	place := t.find(Mem{Base: rows, Index: i, Scale: 8}, end)
	if ask {
		PREFETCHT0(Mem{Base: place})
		MOVQ(place, Mem{Base: asked, Index: i, Scale: 8})
		MOVQ(Mem{Base: at, Index: i, Scale: 8}, place)
	}
	move(size, Mem{Base: place}, Mem{Base: dst})
	ADDQ(I32(int32(size)), dst)
	INCQ(i)
	CMPQ(i, n)
	JB(Jump(loop))
	Label(end)
	Store(i, ReturnIndex(0))
	RET()
}
