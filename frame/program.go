package frame

import (
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/ops"
)

// A Program is a frame bound to a schema: typed, deduplicated, ready for batches. It is immutable and safe for concurrent
// use.
type Program struct {
	schema *colstore.Schema // of the output
	inputs []colstore.Field // of the source, in its order
	cuts   []programCut
	dense  []instr // over every row of a chunk
	after  []instr // over the survivors
	out    []output
	regs   []register
	bits   int // number of bitmap registers
	arena  int // bytes of registers a row
	chunk  int // rows

	prune *pruner // nil if no group of rows can be left out

	mayFail int // the last instruction of dense that values can make fail, or -1
}

// programCut is a cut in terms of registers.
type programCut struct {
	label  string
	pred   int // bitmap register
	weight int // float64 register, or none
}

// register is a place for a chunk of one column.
type register struct {
	typ   colstore.DType
	value colstore.Scalar // valid for a constant, which needs no memory
	out   int             // the output it is written to in place, or none
	slot  int             // offset in the arena, in units of rows × 1 byte; unused by the others
}

// output is one column of the result.
type output struct {
	typ   colstore.DType
	input int // the input it is, unchanged; none otherwise
	reg   int // the register that holds it, for constants and columns that another output is written through
	plain bool
}

// opcode is what an instruction does.
type opcode uint8

const (
	iLoad     opcode = iota // column register ← input column
	iRow                    // column register ← row numbers
	iKernel                 // column register ← kernel of column registers
	iTest                   // bitmap ← test of column registers
	iLogic                  // bitmap ← connective of bitmaps
	iTruth                  // bitmap ← a constant
	iBytes                  // column register ← bitmap
	iCut                    // the survivors so far and cut number input
	iCompress               // column register ← survivors of a column register
	iPack                   // bitmap ← survivors of a bitmap
	iCopy                   // column register (an output) ← column register
)

// instr is one instruction. dst and args number column registers or bitmaps, by op.
type instr struct {
	op       opcode
	dst      int
	args     []int
	input    int
	kernel   ops.Kernel
	test     ops.Test
	logic    ops.Logic
	truth    bool
	fallible bool
	origin   *node
}

// Schema returns the columns of the result.
func (p *Program) Schema() *colstore.Schema { return p.schema }

// Inputs returns the names of the only columns that need to be scanned, in the source's order.
func (p *Program) Inputs() []string {
	out := make([]string, len(p.inputs))
	for i, f := range p.inputs {
		out[i] = f.Name
	}
	return out
}

// HasCuts reports whether the program can drop rows.
func (p *Program) HasCuts() bool { return len(p.cuts) > 0 }

// Passthrough reports whether every output is an unchanged input and no row is dropped, so that a copy of the bytes is
// the result.
func (p *Program) Passthrough() bool {
	return len(p.cuts) == 0 && !slices.ContainsFunc(p.out, func(o output) bool { return o.input == none || !o.plain })
}

// RowBytes returns the bytes that evaluating a batch holds per row of it, beside the batch: the outputs that are no views.
func (p *Program) RowBytes() int {
	n := 0
	for _, o := range p.out {
		if p.needsBuffer(o) {
			n += o.typ.Size()
		}
	}
	return n
}

// needsBuffer reports whether an output is written rather than a view of its input or a repeated constant.
func (p *Program) needsBuffer(o output) bool {
	switch {
	case o.input != none && o.plain:
		return len(p.cuts) > 0
	case o.reg != none:
		return !p.regs[o.reg].value.Valid()
	default:
		return true
	}
}

// l1Budget is how many bytes of registers and inputs a chunk may touch: half of a 32 KiB first-level cache, where a
// sweep of chunk sizes found the best throughput (docs/decisions/0003-evaluator.md).
const l1Budget = 16 << 10

// wideBudget bounds the registers of a chunk whose rows are so wide that 64 of them would take more.
const wideBudget = 4 << 20

// maxArenaRow is how many bytes of one row a program may compute on the way to its outputs, beside the memory of a run's
// budget. It is far beyond any text, and keeps a cast to S1000000000 from being tried.
const maxArenaRow = 64 << 20

// chunkRows chooses the rows of a chunk for a number of bytes a row: a power of two, so that chunks divide the blocks
// that sums are folded in.
func chunkRows(rowBytes int) int {
	rows := 512
	for rows > 64 && rows*rowBytes > l1Budget || rows > 1 && rows*rowBytes > wideBudget {
		rows /= 2
	}
	return rows
}

// compiler assigns registers to the nodes of a graph and lists their instructions.
type compiler struct {
	g      *graph
	p      *Program
	inputs map[int]int // input column of the source → of the program

	denseReg  map[int]int // node → its register over all rows
	afterReg  map[int]int // node → its register over survivors
	denseBits map[int]int
	afterBits map[int]int
}

// program compiles what the binder holds.
func (b *binder) program(s *colstore.Schema) (*Program, error) {
	fields := make([]colstore.Field, len(b.columns))
	for i, c := range b.columns {
		if b.g.isUnknown(c.id) {
			return nil, &colstore.Error{Column: c.name, Err: fmt.Errorf("%w: the source was opened without what it is made of", colstore.ErrNoColumn)}
		}
		b.columns[i].id = b.g.asColumn(c.id)
		fields[i] = colstore.Field{Name: c.name, Type: b.g.nodes[b.columns[i].id].typ}
	}
	schema, err := colstore.NewSchema(fields...)
	if err != nil {
		return nil, err
	}
	c := &compiler{
		g: b.g, p: &Program{schema: schema}, inputs: map[int]int{},
		denseReg: map[int]int{}, afterReg: map[int]int{}, denseBits: map[int]int{}, afterBits: map[int]int{},
	}
	c.listInputs(b, s)
	c.compile(b, s)
	if c.p.arena > maxArenaRow {
		return nil, fmt.Errorf("%w: the expressions compute %d bytes a row, of %d that are allowed; make texts narrower", colstore.ErrValue, c.p.arena, maxArenaRow)
	}
	c.p.prune = newPruner(c.p, b, s)
	return c.p, nil
}

// listInputs finds the source columns that the outputs, cuts and weights are made of.
func (c *compiler) listInputs(b *binder, s *colstore.Schema) {
	seen := make([]bool, len(c.g.nodes))
	used := make([]bool, s.Len())
	var visit func(id int)
	visit = func(id int) {
		if id == none || seen[id] {
			return
		}
		seen[id] = true
		n := &c.g.nodes[id]
		if n.op == gInput {
			used[n.input] = true
		}
		for _, a := range n.args {
			visit(a)
		}
	}
	for _, col := range b.columns {
		visit(col.id)
	}
	for _, cut := range b.cuts {
		visit(cut.pred)
		visit(cut.weight)
	}
	for i, u := range used {
		if u {
			c.inputs[i] = len(c.p.inputs)
			c.p.inputs = append(c.p.inputs, s.Field(i))
		}
	}
}

// compile lists the instructions: all rows for the cuts and their weights, then the survivors for the outputs. Without
// cuts every row survives and there is only the second part.
func (c *compiler) compile(b *binder, s *colstore.Schema) {
	for _, cut := range b.cuts {
		pred := c.denseBitmap(cut.pred)
		weight := none
		if cut.weight != none {
			weight = c.denseColumn(cut.weight)
		}
		c.p.dense = append(c.p.dense, instr{op: iCut, input: len(c.p.cuts)})
		c.p.cuts = append(c.p.cuts, programCut{cut.label, pred, weight})
	}
	c.p.mayFail = -1
	for i, in := range c.p.dense {
		if in.fallible {
			c.p.mayFail = i
		}
	}
	first := map[int]int{} // node → the output that it is written to
	for i, col := range b.columns {
		o := output{typ: c.g.nodes[col.id].typ, input: none, reg: none}
		switch n := &c.g.nodes[col.id]; {
		case n.op == gInput:
			o.input, o.plain = c.inputs[n.input], !s.Field(n.input).Type.BigEndian()
		case n.op == gConst:
			o.reg = c.constant(n.value)
		default:
			if _, dup := first[col.id]; !dup {
				first[col.id] = i
			}
		}
		c.p.out = append(c.p.out, o)
	}
	// An output that another node reads is computed where it lies.
	for i, col := range b.columns {
		o := &c.p.out[i]
		if o.input != none || o.reg != none {
			continue
		}
		if at := first[col.id]; at != i {
			o.reg = c.afterReg[col.id]
			dst := c.register(register{typ: o.typ, out: i})
			c.p.after = append(c.p.after, instr{op: iCopy, dst: dst, args: []int{o.reg}})
			o.reg = dst
			continue
		}
		o.reg = c.output(col.id, i)
	}
	c.p.arena = c.assignSlots()
	width := c.p.arena
	for _, f := range c.p.inputs {
		width += f.Type.Size()
	}
	c.p.chunk = chunkRows(width)
}

// assignSlots gives every register that needs memory a place in the arena, and the place to the next one after its last
// use, like a register allocator. It returns the bytes a row of the arena.
func (c *compiler) assignSlots() int {
	p := c.p
	last := make([]int, len(p.regs)) // the last instruction that reads a register
	list := slices.Concat(p.dense, p.after)
	for at, in := range list {
		for _, a := range in.columns(p) {
			last[a] = at
		}
	}
	width := 0
	free := map[int][]int{} // element size → slots
	for at, in := range list {
		if in.writesColumn() {
			if r := &p.regs[in.dst]; r.out == none {
				size := r.typ.Size()
				if f := free[size]; len(f) > 0 {
					r.slot, free[size] = f[len(f)-1], f[:len(f)-1]
				} else {
					r.slot, width = width, width+size
				}
			}
		}
		// Given back after the destination was taken: no kernel reads what it writes.
		for _, a := range in.columns(p) {
			if r := &p.regs[a]; last[a] == at && r.slot != none && !slices.Contains(free[r.typ.Size()], r.slot) {
				free[r.typ.Size()] = append(free[r.typ.Size()], r.slot)
			}
		}
	}
	return width
}

// writesColumn reports whether dst is a column register.
func (i instr) writesColumn() bool {
	switch i.op {
	case iLoad, iRow, iKernel, iBytes, iCompress, iCopy:
		return true
	}
	return false
}

// columns returns the column registers that the instruction reads.
func (i instr) columns(p *Program) []int {
	switch i.op {
	case iKernel, iTest, iCompress, iCopy:
		return i.args
	case iCut:
		if w := p.cuts[i.input].weight; w != none {
			return []int{w}
		}
	}
	return nil
}

func (c *compiler) register(r register) int {
	r.slot = none
	c.p.regs = append(c.p.regs, r)
	return len(c.p.regs) - 1
}

func (c *compiler) column(t colstore.DType) int { return c.register(register{typ: t, out: none}) }

func (c *compiler) constant(v colstore.Scalar) int {
	return c.register(register{typ: v.Type(), value: v, out: none})
}

func (c *compiler) bitmap() int {
	c.p.bits++
	return c.p.bits - 1
}

// leaf returns the register of a node without arguments; stage is where it is needed.
func (c *compiler) leaf(id int, into map[int]int, list *[]instr) (reg int, ok bool) {
	n := &c.g.nodes[id]
	switch n.op {
	case gConst:
		reg = c.constant(n.value)
	case gInput:
		reg = c.column(n.typ)
		*list = append(*list, instr{op: iLoad, dst: reg, input: c.inputs[n.input]})
	case gRow:
		reg = c.column(n.typ)
		*list = append(*list, instr{op: iRow, dst: reg})
	default:
		return none, false
	}
	into[id] = reg
	return reg, true
}

// denseColumn returns the register of a column node over all rows.
func (c *compiler) denseColumn(id int) int {
	if r, ok := c.denseReg[id]; ok {
		return r
	}
	if r, ok := c.leaf(id, c.denseReg, &c.p.dense); ok {
		return r
	}
	n := c.g.nodes[id]
	in := c.arguments(n, c.denseColumn, c.denseBitmap)
	r := c.column(n.typ)
	c.denseReg[id] = r
	c.p.dense = append(c.p.dense, in.to(r))
	return r
}

// denseBitmap returns the bitmap of a truth node over all rows.
func (c *compiler) denseBitmap(id int) int {
	if r, ok := c.denseBits[id]; ok {
		return r
	}
	in := c.arguments(c.g.nodes[id], c.denseColumn, c.denseBitmap)
	r := c.bitmap()
	c.denseBits[id] = r
	c.p.dense = append(c.p.dense, in.to(r))
	return r
}

// arguments returns the instruction of a node but for its destination; column and bitmap compile the arguments.
func (c *compiler) arguments(n gnode, column, bitmap func(id int) int) instr {
	in := instr{kernel: n.kernel, test: n.test, logic: n.logic, truth: n.truth, fallible: n.fallible, origin: n.origin}
	get := column
	switch n.op {
	case gKernel:
		in.op = iKernel
	case gTest:
		in.op = iTest
	case gTruth:
		in.op = iTruth
	case gBytes:
		in.op, get = iBytes, bitmap
	case gLogic:
		in.op, get = iLogic, bitmap
	}
	for _, a := range n.args {
		in.args = append(in.args, get(a))
	}
	return in
}

func (i instr) to(dst int) instr {
	i.dst = dst
	return i
}

// afterColumn returns the register of a column node over the survivors: what was computed for a cut is compressed, not
// computed again.
func (c *compiler) afterColumn(id int) int {
	if r, ok := c.afterReg[id]; ok {
		return r
	}
	if dense, ok := c.denseReg[id]; ok && c.g.nodes[id].op != gConst && c.g.nodes[id].op != gInput {
		r := c.column(c.g.nodes[id].typ)
		c.afterReg[id] = r
		c.p.after = append(c.p.after, instr{op: iCompress, dst: r, args: []int{dense}})
		return r
	}
	if r, ok := c.leaf(id, c.afterReg, &c.p.after); ok {
		return r
	}
	n := c.g.nodes[id]
	in := c.arguments(n, c.afterColumn, c.afterBitmap)
	r := c.column(n.typ)
	c.afterReg[id] = r
	c.p.after = append(c.p.after, in.to(r))
	return r
}

func (c *compiler) afterBitmap(id int) int {
	if r, ok := c.afterBits[id]; ok {
		return r
	}
	if dense, ok := c.denseBits[id]; ok {
		r := c.bitmap()
		c.afterBits[id] = r
		c.p.after = append(c.p.after, instr{op: iPack, dst: r, args: []int{dense}})
		return r
	}
	in := c.arguments(c.g.nodes[id], c.afterColumn, c.afterBitmap)
	r := c.bitmap()
	c.afterBits[id] = r
	c.p.after = append(c.p.after, in.to(r))
	return r
}

// output compiles the node of output i so that its last instruction writes there.
func (c *compiler) output(id, i int) int {
	if r, ok := c.afterReg[id]; ok { // a part of an output before it
		dst := c.register(register{typ: c.g.nodes[id].typ, out: i})
		c.p.after = append(c.p.after, instr{op: iCopy, dst: dst, args: []int{r}})
		return dst
	}
	before := len(c.p.after)
	r := c.afterColumn(id)
	if len(c.p.after) > before && c.p.after[len(c.p.after)-1].dst == r {
		c.p.regs[r].out = i
	}
	return r
}
