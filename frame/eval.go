package frame

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/memory"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/ops"
)

// Eval runs the program over a batch and returns the rows that survive. The batch has the program's inputs under their
// names, in any order and among others.
//
// Memory: the result is the caller's to release; it may hold in and buffers of mem (nil: the Go heap), which it gives
// back then. Outputs that are unchanged inputs of an uncut program are views.
// Errors: *colstore.Error with the global row for a value that an expression cannot take, colstore.ErrBudget if mem is
// spent, the context's cause.
// Concurrency: safe, each call with an allocator and tally of its own. Reading mapped memory may fault: run it under a
// fault guard.
func (p *Program) Eval(ctx context.Context, in *colstore.Batch, mem colstore.Allocator, t *Tally) (*colstore.Batch, error) {
	out, err := evaluate(ctx, []*Program{p}, in, mem, []*Tally{t})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// evaluate runs programs of one layout over a batch, one after the other on each chunk.
func evaluate(ctx context.Context, programs []*Program, in *colstore.Batch, mem colstore.Allocator, tallies []*Tally) ([]*colstore.Batch, error) {
	if len(programs) == 0 {
		return nil, context.Cause(ctx)
	}
	switch {
	case in == nil:
		return nil, errNoBatch
	case tallies != nil && len(tallies) != len(programs):
		return nil, fmt.Errorf("%w: %d tallies for %d frames", colstore.ErrMismatch, len(tallies), len(programs))
	}
	var made []*colstore.Batch
	defer func() { releaseAll(made) }()
	for _, a := range programs[0].appliers {
		b, err := a.run(ctx, in, mem, made)
		if err != nil {
			return nil, err
		}
		made = append(made, b)
	}
	return evaluateWith(ctx, programs, in, mem, tallies, made)
}

// evaluateWith is evaluate with the results of the appliers.
func evaluateWith(ctx context.Context, programs []*Program, in *colstore.Batch, mem colstore.Allocator, tallies []*Tally, made []*colstore.Batch) (out []*colstore.Batch, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	l := programs[0].layout
	s := takeState(l)
	defer s.give()
	machines := make([]*machine, len(programs))
	defer func() {
		for _, m := range machines {
			if m != nil && !m.kept {
				m.release()
			}
		}
	}()
	s.fitSets(len(programs)+1, l)
	for i, p := range programs {
		machines[i] = &machine{p: p, in: in, mem: mem, made: made, state: s, sel: s.sels[i], out: make([][]byte, len(p.out))}
		if tallies != nil {
			machines[i].t = tallies[i]
		}
		if err := machines[i].open(); err != nil {
			return nil, err
		}
	}
	var common *machine
	if l.common != nil {
		common = &machine{p: l.common, in: in, state: s, sel: s.sels[len(programs)], inputs: machines[0].inputs}
		for _, m := range machines {
			m.common = common
		}
	}
	for row := 0; row < in.Rows(); {
		n := l.next(in.Begin()+int64(row), in.Rows()-row)
		for _, m := range machines {
			if err := m.cuts(row, n); err != nil {
				return nil, err
			}
		}
		if common != nil {
			common.unite(machines)
			if err := common.columns(); err != nil {
				return nil, err
			}
		}
		for _, m := range machines {
			if err := m.columns(); err != nil {
				return nil, err
			}
		}
		row += n
	}
	for _, m := range machines {
		b, err := m.result()
		if err != nil {
			for _, b := range out {
				b.Release()
			}
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// machine is a program at work on one batch.
type machine struct {
	p   *Program
	in  *colstore.Batch
	mem colstore.Allocator
	t   *Tally

	made   []*colstore.Batch // results of the appliers
	inputs []colstore.Column // of the batch and of made, by program input
	out    [][]byte          // buffers of the outputs that need one
	rows   int               // written to them
	kept   bool              // the buffers went to the result

	state *state

	row, n int      // the chunk: first row of the batch, rows
	sel    []uint64 // survivors so far
	left   int      // their number

	common *machine // of the set, nil if there is none
}

// open finds the inputs in the batch and gets the buffers of the outputs.
func (m *machine) open() error {
	p, in := m.p, m.in
	var err error
	if m.inputs, err = p.inputsOf(in, nil); err != nil {
		return err
	}
	for _, i := range p.made {
		m.inputs = append(m.inputs, m.made[i.applier].At(i.column))
	}
	for i, o := range p.out {
		if !p.needsBuffer(o) {
			continue
		}
		if m.out[i] = m.get(in.Rows() * o.typ.Size()); m.out[i] == nil && in.Rows() > 0 {
			return &colstore.Error{Column: p.schema.Field(i).Name, Err: fmt.Errorf("%w: %d rows of %s", colstore.ErrBudget, in.Rows(), o.typ.Name())}
		}
	}
	return nil
}

func (m *machine) get(n int) []byte {
	if m.mem == nil {
		return memory.Get(n)
	}
	return m.mem.Get(n)
}

// release gives the buffers back.
func (m *machine) release() {
	if m.mem == nil {
		return
	}
	for _, b := range m.out {
		if b != nil {
			m.mem.Put(b)
		}
	}
}

// result returns the rows written so far as a batch.
func (m *machine) result() (*colstore.Batch, error) {
	cols := make([]colstore.Column, len(m.p.out))
	view := false
	for i, o := range m.p.out {
		switch {
		case m.out[i] != nil:
			cols[i] = colstore.RawColumn(o.typ, m.rows, o.typ.Size(), unsafe.Pointer(unsafe.SliceData(m.out[i])))
		case o.input != none && o.plain && len(m.p.cuts) == 0:
			cols[i], view = m.inputs[o.input], true
		case o.reg != none && m.p.regs[o.reg].value.Valid():
			cols[i] = m.p.regs[o.reg].value.Column(m.rows)
		default: // a buffer of no bytes
			cols[i] = colstore.RawColumn(o.typ, m.rows, o.typ.Size(), nil)
		}
	}
	release := m.release
	if view {
		held := append([]*colstore.Batch{m.in}, m.made...)
		for _, b := range held {
			b.Retain()
		}
		release = func() {
			m.release()
			releaseAll(held)
		}
	}
	at := colstore.Range{Begin: m.in.Begin(), End: m.in.Begin() + int64(m.rows)}
	b, err := colstore.NewOwnedBatch(m.p.schema, at, release, cols...)
	if err != nil {
		if view {
			releaseAll(append([]*colstore.Batch{m.in}, m.made...))
		}
		return nil, err
	}
	m.kept = true
	return b, nil
}

// cuts finds the survivors among rows row to row+n of the batch: the chunk.
func (m *machine) cuts(row, n int) error {
	m.row, m.n, m.left = row, n, n
	kernel.Ones(m.sel[:kernel.Words(n)], n)
	if m.t != nil {
		m.t.rows += int64(n)
	}
	m.constants(n)
	for i := range m.p.dense {
		if err := m.step(&m.p.dense[i], n); err != nil {
			return m.located(&m.p.dense[i], err, func(r int) int { return r })
		}
		if m.left == 0 && i >= m.p.mayFail {
			return nil // no row can pass the cuts that follow, and none of them can fail
		}
	}
	return nil
}

// unite makes the chunk of the common program that of all machines, and its survivors those of any of them.
func (m *machine) unite(machines []*machine) {
	m.row, m.n = machines[0].row, machines[0].n
	words := kernel.Words(m.n)
	clear(m.sel[:words])
	for _, one := range machines {
		kernel.Or(m.sel[:words], m.sel[:words], one.sel)
	}
	m.left = kernel.Count(m.sel[:words])
}

// columns computes the columns of the chunk's survivors.
func (m *machine) columns() error {
	if m.left == 0 {
		return nil
	}
	sel := m.sel[:kernel.Words(m.n)]
	if m.common != nil && m.left < m.common.left {
		kernel.CompressBits(m.state.among[:len(sel)], sel, m.common.sel[:len(sel)])
	}
	m.constants(m.left)
	m.places(m.left)
	for i := range m.p.after {
		if err := m.step(&m.p.after[i], m.left); err != nil {
			return m.located(&m.p.after[i], err, func(r int) int { return kernel.NthSet(sel, r) })
		}
	}
	for _, i := range m.p.moved {
		o := &m.p.out[i]
		m.survivors(m.out[i][m.rows*o.typ.Size():], m.inputs[o.input])
	}
	m.rows += m.left
	return nil
}

// constants sets the lengths of the constants.
func (m *machine) constants(n int) {
	if m.state.repeats == n {
		return
	}
	m.state.repeats = n
	for _, i := range m.p.constants {
		m.state.regs[i] = m.p.regs[i].value.Column(n)
	}
}

// places sets the places of the registers that outputs are written through.
func (m *machine) places(n int) {
	for _, i := range m.p.written {
		r := &m.p.regs[i]
		m.state.regs[i] = colstore.RawColumn(r.typ, n, r.typ.Size(), unsafe.Pointer(unsafe.SliceData(m.out[r.out][m.rows*r.typ.Size():])))
	}
}

// own returns a register's memory in the arena as a column of n rows, or its place in an output.
func (m *machine) own(reg, n int) colstore.Column {
	r := &m.p.regs[reg]
	if r.out != none {
		return m.state.regs[reg]
	}
	at := m.state.arena[r.slot*m.p.chunk:]
	return colstore.RawColumn(r.typ, n, r.typ.Size(), unsafe.Pointer(unsafe.SliceData(at)))
}

// step runs one instruction over n rows.
func (m *machine) step(in *instr, n int) error {
	s := m.state
	words := kernel.Words(n)
	switch in.op {
	case iLoad:
		m.loadInput(in, n)
	case iRow:
		c := m.own(in.dst, n)
		m.rowNumbers(kernel.Out[int64](c))
		s.regs[in.dst] = c
	case iKernel:
		c := m.own(in.dst, n)
		if err := in.kernel(c, m.arguments(in.args)); err != nil {
			return err
		}
		s.regs[in.dst] = c
	case iTest:
		return in.test(s.bits[in.dst][:words], m.arguments(in.args), n)
	case iTruth:
		fillBits(s.bits[in.dst][:words], in.truth, n)
	case iLogic:
		m.connect(in, n)
	case iBytes:
		c := m.own(in.dst, n)
		kernel.BytesFromBits(kernel.Out[uint8](c), s.bits[in.args[0]])
		s.regs[in.dst] = c
	case iCut:
		m.cut(in.input)
	case iMinus:
		m.minus()
	case iCompress:
		c := m.own(in.dst, n)
		m.survivorsOf(kernel.RawOut(c), s.regs[in.args[0]])
		s.regs[in.dst] = c
	case iPack:
		dst := s.bits[in.dst][:kernel.Words(m.n)]
		kernel.CompressBits(dst, s.bits[in.args[0]], m.sel[:kernel.Words(m.n)])
	case iNarrow:
		c := m.own(in.dst, n)
		m.narrow(kernel.RawOut(c), s.regs[in.args[0]])
		s.regs[in.dst] = c
	case iNarrowBits:
		dst, src := s.bits[in.dst], s.bits[in.args[0]]
		if words := kernel.Words(m.common.left); m.left < m.common.left {
			kernel.CompressBits(dst[:words], src, s.among[:words])
		} else {
			copy(dst[:words], src)
		}
	case iCopy:
		c := m.own(in.dst, n)
		copy(kernel.RawOut(c), kernel.RawIn(s.regs[in.args[0]]))
		s.regs[in.dst] = c
	}
	return nil
}

// arguments returns registers as a slice that is good until the next call.
func (m *machine) arguments(regs []int) []colstore.Column {
	out := m.state.args[:0]
	for _, r := range regs {
		out = append(out, m.state.regs[r])
	}
	m.state.args = out
	return out
}

// loadInput shows or copies the chunk's rows of an input, or its survivors.
func (m *machine) loadInput(in *instr, n int) {
	c := m.inputs[in.input]
	if n == m.n && c.IsPlain() && c.Stride() != 0 && m.p.regs[in.dst].out == none {
		m.state.regs[in.dst] = window(c, m.row, n)
		return
	}
	dst := m.own(in.dst, n)
	if n == m.n {
		kernel.Load(kernel.RawOut(dst), window(c, m.row, n))
	} else {
		m.survivors(kernel.RawOut(dst), c)
	}
	m.state.regs[in.dst] = dst
}

// window returns rows row to row+n of a column, without the checks and the step of Slice.
func window(c colstore.Column, row, n int) colstore.Column {
	data, _, stride := c.Raw()
	return colstore.RawColumn(c.Type(), n, stride, unsafe.Add(data, row*stride))
}

// survivors copies the chunk's surviving rows of an input to dst.
func (m *machine) survivors(dst []byte, c colstore.Column) {
	part := window(c, m.row, m.n)
	if !part.IsPlain() {
		if m.left == m.n {
			kernel.Load(dst[:m.n*c.Type().Size()], part)
			return
		}
		need := m.n * c.Type().Size()
		if len(m.state.load) < need {
			m.state.load = make([]byte, need)
		}
		kernel.Load(m.state.load[:need], part)
		part = colstore.RawColumn(c.Type().Native(), m.n, c.Type().Size(), unsafe.Pointer(unsafe.SliceData(m.state.load)))
	}
	m.survivorsOf(dst, part)
}

// survivorsOf copies the surviving rows of a plain column of the chunk to dst.
func (m *machine) survivorsOf(dst []byte, c colstore.Column) {
	size := c.Type().Size()
	src, _ := c.Bytes()
	if m.left == m.n {
		copy(dst, src)
		return
	}
	kernel.Compress(dst[:m.left*size], src, m.sel[:kernel.Words(m.n)], size)
}

// narrow copies the machine's survivors of a column of the common program to dst.
func (m *machine) narrow(dst []byte, c colstore.Column) {
	src, _ := c.Bytes()
	if m.left == m.common.left {
		copy(dst, src)
		return
	}
	size := c.Type().Size()
	kernel.Compress(dst[:m.left*size], src, m.state.among[:kernel.Words(m.common.left)], size)
}

// rowNumbers writes the global numbers of the chunk's surviving rows, or of all of them while the cuts run.
func (m *machine) rowNumbers(dst []int64) {
	begin := m.in.Begin() + int64(m.row)
	if len(dst) == m.n {
		for i := range dst {
			dst[i] = begin + int64(i)
		}
		return
	}
	kernel.CompressRows(dst, m.sel[:kernel.Words(m.n)], begin)
}

func (m *machine) connect(in *instr, n int) {
	words := kernel.Words(n)
	dst, a := m.state.bits[in.dst][:words], m.state.bits[in.args[0]][:words]
	switch in.logic {
	case ops.And:
		kernel.And(dst, a, m.state.bits[in.args[1]])
	case ops.Or:
		kernel.Or(dst, a, m.state.bits[in.args[1]])
	case ops.Xor:
		kernel.Xor(dst, a, m.state.bits[in.args[1]])
	case ops.Not:
		kernel.Not(dst, a, n)
	}
}

// cut drops the rows of the chunk that cut number i does not pass.
func (m *machine) cut(i int) {
	c := &m.p.cuts[i]
	words := kernel.Words(m.n)
	sel, was := m.sel[:words], m.state.was[:words]
	copy(was, sel)
	kernel.And(sel, sel, m.state.bits[c.pred])
	m.left = kernel.Count(sel)
	if m.t == nil {
		return
	}
	if m.p.minus {
		m.missed(i, was)
	}
	m.t.passing[i] += int64(m.left)
	if c.weight == none {
		return
	}
	if s := m.t.entering[i]; s != nil {
		m.weigh(s, c.weight, was)
	}
	m.weigh(m.t.passed[i], c.weight, sel)
}

// weigh adds the weights of the rows in keep.
func (m *machine) weigh(s *ops.FloatSum, reg int, keep []uint64) {
	w := m.state.regs[reg]
	n := kernel.Count(keep)
	vals := m.state.vals[:n]
	if w.Stride() == 0 {
		for i := range vals {
			vals[i] = kernel.In[float64](w)[0]
		}
	} else {
		src, _ := w.Bytes()
		kernel.Compress(kernel.RawOut(colstore.Wrap(vals)), src, keep, 8)
	}
	s.Add(m.in.Begin()+int64(m.row), vals)
}

// located gives an error of a kernel the global row it happened at and the expression it happened in.
func (m *machine) located(in *instr, err error, rowOf func(int) int) error {
	e, ok := errors.AsType[*ops.RowError](err)
	if !ok {
		return err
	}
	out := &colstore.Error{Op: "evaluate", Err: e.Err}
	switch {
	case in.origin == nil:
	case in.origin.kind == nodeColumn:
		out.Column = in.origin.name
	default:
		out.Err = fmt.Errorf("%s: %w", in.origin.show(), e.Err)
	}
	if r := rowOf(e.Row); r >= 0 {
		out.Row = colstore.At(m.in.Begin() + int64(m.row+r))
	}
	return out
}
