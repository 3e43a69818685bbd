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
	*layout
	schema  *colstore.Schema // of the output
	cuts    []programCut
	dense   []instr // over every row of a chunk
	after   []instr // over the survivors
	out     []output
	moved   []int // the outputs that are survivors of an unchanged input, which nothing else loads
	written []int // the registers that are written in place, to an output
	number  int   // in its set
	minus   bool  // the tallies have an N−1 table

	prune *pruner // nil if no group of rows can be left out

	mayFail int // the instruction of dense up to which a chunk without survivors goes on, or -1
	from    *bound
}

// layout is what the programs of a set have in common.
type layout struct {
	inputs    []colstore.Field // of the source, in its order
	appliers  []applier        // run before the chunks
	made      []madeInput      // inputs behind those of the source
	common    *Program         // computes over the rows that any program keeps what several need of them; nil for nothing
	regs      []register
	constants []int // the registers that need no memory
	bits      int   // number of bitmap registers
	arena     int   // bytes of registers a row
	chunk     int   // rows
}

// programCut is a cut in terms of registers.
type programCut struct {
	label  string
	pred   int // bitmap register
	weight int // float64 register, or none
	silent bool
}

// register is a place for a chunk of one column.
type register struct {
	typ   colstore.DType
	value colstore.Scalar // valid for a constant, which needs no memory
	out   int             // the output it is written to in place, or none
	prog  int             // the number of the program whose output that is
	slot  int             // offset in the arena, in units of rows × 1 byte; unused by the others
}

// output is one column of the result.
type output struct {
	typ   colstore.DType
	input int // the input it is, unchanged, of the source or made; none otherwise
	reg   int // the register that holds it, for constants and columns that another output is written through
	plain bool

	loaded bool // an instruction loads the input's survivors there
}

// opcode is what an instruction does.
type opcode uint8

const (
	iLoad       opcode = iota // column register ← input column
	iRow                      // column register ← row numbers
	iKernel                   // column register ← kernel of column registers
	iTest                     // bitmap ← test of column registers
	iLogic                    // bitmap ← connective of bitmaps
	iTruth                    // bitmap ← a constant
	iBytes                    // column register ← bitmap
	iCut                      // the survivors so far and cut number input
	iCompress                 // column register ← survivors of a column register
	iPack                     // bitmap ← survivors of a bitmap
	iCopy                     // column register (an output) ← column register
	iMinus                    // the counts of the rows that all cuts but one let pass
	iNarrow                   // column register ← survivors of a column register of the common program
	iNarrowBits               // bitmap ← survivors of a bitmap of the common program
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
	node     int   // of the graph, whose value it makes
	inside   []int // nodes whose values it computes on the way: those of a fused kernel
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
	_, ok := p.Copied()
	return ok
}

// Copied returns the input that each output is, unchanged, if every output is one and no row is dropped.
func (p *Program) Copied() (inputs []string, ok bool) {
	if len(p.cuts) > 0 {
		return nil, false
	}
	for _, o := range p.out {
		if o.input == none || o.input >= len(p.inputs) || !o.plain {
			return nil, false
		}
		inputs = append(inputs, p.inputs[o.input].Name)
	}
	return inputs, true
}

// RowBytes returns the bytes that evaluating a batch holds per row of it, beside the batch: the outputs that are no views,
// and what operators take and make.
func (p *Program) RowBytes() int { return p.outputBytes() + p.appliedBytes() }

// outputBytes returns the bytes a row of the outputs that are no views.
func (p *Program) outputBytes() int {
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

// chunkBudget is how many bytes of registers a chunk may take: a small part of a second-level cache, where a sweep of chunk
// sizes found the best throughput (docs/decisions/0003-evaluator.md).
const chunkBudget = 128 << 10

// wideBudget bounds the registers of a chunk whose rows are so wide that 64 of them would take more.
const wideBudget = 4 << 20

// maxArenaRow is how many bytes of one row a program may compute on the way to its outputs, beside the memory of a run's
// budget. It is far beyond any text, and keeps a cast to S1000000000 from being tried.
const maxArenaRow = 64 << 20

// chunkRows chooses the rows of a chunk for the bytes a row of its registers: a power of two, so that chunks divide the
// blocks that sums are folded in, and at most such a block.
func chunkRows(rowBytes int) int {
	rows := ops.MaxChunkRows
	for rows > 64 && rows*rowBytes > chunkBudget || rows > 1 && rows*rowBytes > wideBudget {
		rows /= 2
	}
	return rows
}

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

// walk calls visit for a node and all it is made of, unless seen.
func (g *graph) walk(id int, seen []bool, visit func(id int)) {
	if id == none || seen[id] {
		return
	}
	seen[id] = true
	visit(id)
	for _, a := range g.nodes[id].args {
		g.walk(a, seen, visit)
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
