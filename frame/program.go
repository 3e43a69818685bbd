package frame

import (
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

// inputBytes returns the bytes of a row of the columns that are scanned.
func (l *layout) inputBytes() int {
	n := 0
	for _, f := range l.inputs {
		n += f.Type.Size()
	}
	return n
}

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
