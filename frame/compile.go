package frame

import (
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
)

// compiler assigns registers to the nodes of a graph and lists their instructions.
type compiler struct {
	g      *graph
	p      *Program
	inputs map[int]int // input column of the source → of the program
	made   map[int]int // node of a made column → input of the program

	appliedAt map[int]int // applied of the graph → applier of the program

	denseReg  map[int]int // node → its register over all rows
	denseBits map[int]int
	afterReg  map[int]int // node → its register over survivors
	afterBits map[int]int

	shared     map[int]bool // nodes that several programs need on their survivors
	common     *Program     // that computes these
	commonReg  map[int]int  // its afterReg and afterBits
	commonBits map[int]int
}

// compileAll compiles what binders of one graph hold, into programs that run one after the other on each chunk: what one
// has computed over all rows, those after it use.
func compileAll(s *colstore.Schema, binders ...*binder) ([]*Program, error) {
	return compileWith(s, nil, map[int]int{}, binders...)
}

// compileWith is compileAll for what appliers of a program take: before are those that are run before.
func compileWith(s *colstore.Schema, before []applier, at map[int]int, binders ...*binder) ([]*Program, error) {
	c := &compiler{
		g: binders[0].g, inputs: map[int]int{}, made: map[int]int{}, appliedAt: at,
		denseReg: map[int]int{}, denseBits: map[int]int{},
	}
	shared := &layout{}
	programs := make([]*Program, len(binders))
	for i, b := range binders {
		schema, err := b.schema()
		if err != nil {
			return nil, err
		}
		programs[i] = &Program{layout: shared, schema: schema, number: i, minus: b.minus}
	}
	c.shared = sharedNodes(c.g, binders)
	c.common, c.commonReg, c.commonBits = &Program{layout: shared, number: len(binders)}, map[int]int{}, map[int]int{}
	c.p = programs[0]
	live := c.listInputs(binders, s)
	if before == nil {
		var err error
		if shared.appliers, err = c.appliers(live, s); err != nil {
			return nil, err
		}
	}
	c.listMade(live)
	for i, b := range binders {
		c.p = programs[i]
		c.cuts(b)
		if len(binders) > 1 {
			c.p.mayFail = len(c.p.dense) - 1 // a later program uses what this one computes
		}
	}
	for i, b := range binders {
		c.p, c.afterReg, c.afterBits = programs[i], map[int]int{}, map[int]int{}
		if b.split {
			c.denseReg, c.denseBits = map[int]int{}, map[int]int{}
		}
		c.outputs(b, s)
	}
	if len(c.common.after) > 0 {
		shared.common = c.common
	}
	fuseAll(c.g, programs, c.common)
	shareOutputs(c.g, programs)
	shared.arena = assignSlots(programs, c.common)
	if shared.arena > maxArenaRow {
		return nil, fmt.Errorf("%w: the expressions compute %d bytes a row, of %d that are allowed; make texts narrower", colstore.ErrValue, shared.arena, maxArenaRow)
	}
	shared.chunk = chunkRows(shared.arena)
	shared.list(programs)
	for i, b := range binders {
		programs[i].prune = newPruner(programs[i], b, s)
	}
	return programs, nil
}

// list finds what is to be set and done for every chunk.
func (l *layout) list(programs []*Program) {
	for i, r := range l.regs {
		switch {
		case r.value.Valid():
			l.constants = append(l.constants, i)
		case r.out != none:
			p := programs[r.prog]
			p.written = append(p.written, i)
		}
	}
	for _, p := range programs {
		for i, o := range p.out {
			if o.input != none && p.needsBuffer(o) && !o.loaded {
				p.moved = append(p.moved, i)
			}
		}
	}
}

// schema returns the columns of the result, and turns those that are bitmaps into bools.
func (b *binder) schema() (*colstore.Schema, error) {
	fields := make([]colstore.Field, len(b.columns))
	for i, c := range b.columns {
		if b.g.isUnknown(c.id) {
			return nil, &colstore.Error{Column: c.name, Err: fmt.Errorf("%w: the source was opened without what it is made of", colstore.ErrNoColumn)}
		}
		b.columns[i].id = b.g.asColumn(c.id)
		fields[i] = colstore.Field{Name: c.name, Type: b.g.nodes[b.columns[i].id].typ}
	}
	return colstore.NewSchema(fields...)
}

// listInputs finds the source columns that the outputs, cuts and weights are made of, and returns which nodes are live.
func (c *compiler) listInputs(binders []*binder, s *colstore.Schema) []bool {
	seen := make([]bool, len(c.g.nodes))
	used := make([]bool, s.Len())
	visit := func(id int) {
		c.g.walk(id, seen, func(id int) {
			if n := &c.g.nodes[id]; n.op == gInput {
				used[n.input] = true
			}
		})
	}
	for _, b := range binders {
		for _, col := range b.columns {
			visit(col.id)
		}
		for _, cut := range b.cuts {
			visit(cut.pred)
			visit(cut.weight)
		}
	}
	for i, u := range used {
		if u {
			c.inputs[i] = len(c.p.inputs)
			c.p.inputs = append(c.p.inputs, s.Field(i))
		}
	}
	return seen
}

// listMade makes inputs of the live columns that appliers make.
func (c *compiler) listMade(live []bool) {
	for id, n := range c.g.nodes {
		if at, ok := c.appliedAt[n.applied]; ok && live[id] && n.op == gMade {
			c.made[id] = len(c.p.inputs) + len(c.p.made)
			c.p.made = append(c.p.made, madeInput{at, n.input})
		}
	}
}

// cuts lists the instructions of the cuts and their weights, over all rows.
func (c *compiler) cuts(b *binder) {
	for _, cut := range b.cuts {
		pred := c.denseBitmap(cut.pred)
		weight := none
		if cut.weight != none {
			weight = c.denseColumn(cut.weight)
		}
		c.p.dense = append(c.p.dense, instr{op: iCut, input: len(c.p.cuts)})
		c.p.cuts = append(c.p.cuts, programCut{cut.label, pred, weight, cut.silent})
	}
	if c.p.minus {
		c.p.dense = append(c.p.dense, instr{op: iMinus})
	}
	c.p.mayFail = -1
	for i, in := range c.p.dense {
		if in.fallible || in.op == iMinus {
			c.p.mayFail = i
		}
	}
}

// outputs lists the instructions of the result's columns, over the survivors: every row where there are no cuts.
func (c *compiler) outputs(b *binder, s *colstore.Schema) {
	first := map[int]int{} // node → the output that it is written to
	for i, col := range b.columns {
		o := output{typ: c.g.nodes[col.id].typ, input: none, reg: none}
		switch n := &c.g.nodes[col.id]; {
		case n.op == gInput:
			o.input, o.plain = c.inputs[n.input], !s.Field(n.input).Type.BigEndian()
		case n.op == gMade:
			o.input, o.plain = c.made[col.id], true
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
			c.p.after = append(c.p.after, instr{op: iCopy, node: col.id, dst: dst, args: []int{o.reg}})
			o.reg = dst
			continue
		}
		o.reg = c.output(col.id, i)
	}
}

func (c *compiler) register(r register) int {
	r.slot, r.prog = none, c.p.number
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
		*list = append(*list, instr{op: iLoad, node: id, dst: reg, input: c.inputs[n.input]})
	case gMade:
		reg = c.column(n.typ)
		*list = append(*list, instr{op: iLoad, node: id, dst: reg, input: c.made[id]})
	case gRow:
		reg = c.column(n.typ)
		*list = append(*list, instr{op: iRow, node: id, dst: reg})
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
	in := c.arguments(id, c.denseColumn, c.denseBitmap)
	r := c.column(c.g.nodes[id].typ)
	c.denseReg[id] = r
	c.p.dense = append(c.p.dense, in.to(r))
	return r
}

// denseBitmap returns the bitmap of a truth node over all rows.
func (c *compiler) denseBitmap(id int) int {
	if r, ok := c.denseBits[id]; ok {
		return r
	}
	in := c.arguments(id, c.denseColumn, c.denseBitmap)
	r := c.bitmap()
	c.denseBits[id] = r
	c.p.dense = append(c.p.dense, in.to(r))
	return r
}

// arguments returns the instruction of a node but for its destination; column and bitmap compile the arguments.
func (c *compiler) arguments(id int, column, bitmap func(id int) int) instr {
	n := c.g.nodes[id]
	in := instr{node: id, kernel: n.kernel, test: n.test, logic: n.logic, truth: n.truth, fallible: n.fallible, origin: n.origin}
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
	if dense, ok := c.denseReg[id]; ok && !slices.Contains([]graphOp{gConst, gInput, gMade}, c.g.nodes[id].op) {
		r := c.column(c.g.nodes[id].typ)
		c.afterReg[id] = r
		c.p.after = append(c.p.after, instr{op: iCompress, node: id, dst: r, args: []int{dense}})
		return r
	}
	if r, ok := c.leaf(id, c.afterReg, &c.p.after); ok {
		return r
	}
	if c.shared[id] && c.p != c.common {
		from := c.inCommon(func() int { return c.afterColumn(id) })
		r := c.column(c.g.nodes[id].typ)
		c.afterReg[id] = r
		c.p.after = append(c.p.after, instr{op: iNarrow, node: id, dst: r, args: []int{from}})
		return r
	}
	in := c.arguments(id, c.afterColumn, c.afterBitmap)
	r := c.column(c.g.nodes[id].typ)
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
		c.p.after = append(c.p.after, instr{op: iPack, node: id, dst: r, args: []int{dense}})
		return r
	}
	if c.shared[id] && c.p != c.common {
		from := c.inCommon(func() int { return c.afterBitmap(id) })
		r := c.bitmap()
		c.afterBits[id] = r
		c.p.after = append(c.p.after, instr{op: iNarrowBits, node: id, dst: r, args: []int{from}})
		return r
	}
	in := c.arguments(id, c.afterColumn, c.afterBitmap)
	r := c.bitmap()
	c.afterBits[id] = r
	c.p.after = append(c.p.after, in.to(r))
	return r
}

// inCommon compiles into the common program.
func (c *compiler) inCommon(compile func() int) int {
	p, reg, bits := c.p, c.afterReg, c.afterBits
	c.p, c.afterReg, c.afterBits = c.common, c.commonReg, c.commonBits
	r := compile()
	c.p, c.afterReg, c.afterBits = p, reg, bits
	return r
}

// output compiles the node of output i so that its last instruction writes there.
func (c *compiler) output(id, i int) int {
	if r, ok := c.afterReg[id]; ok { // a part of an output before it
		dst := c.register(register{typ: c.g.nodes[id].typ, out: i})
		c.p.after = append(c.p.after, instr{op: iCopy, node: id, dst: dst, args: []int{r}})
		return dst
	}
	before := len(c.p.after)
	r := c.afterColumn(id)
	if len(c.p.after) > before && c.p.after[len(c.p.after)-1].dst == r {
		c.p.regs[r].out = i
	}
	return r
}
