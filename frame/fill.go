package frame

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// place is where a program writes its rows: a buffer for each output, with room for so many rows each.
type place struct {
	bufs [][]byte
	room int
}

// at makes the state's own machine one that evaluates rows of a batch, whose columns are inputs in the program's order,
// and writes them to a place from row on. It is good until the state is given back.
func (s *state) at(p *Program, in *colstore.Batch, inputs []colstore.Column, to place, row int) *machine {
	s.fitSets(1, p.layout)
	s.own = machine{p: p, in: in, inputs: inputs, state: s, sel: s.sels[0], out: to.bufs, rows: row}
	return &s.own
}

// next returns how many of left rows from global row at on are one chunk. Chunks are cut at multiples of their size by
// global row, so that each lies in one block of the sums.
func (l *layout) next(at int64, left int) int {
	return min(int(int64(l.chunk)-at%int64(l.chunk)), left)
}

// words returns how many words the bitmaps of so many rows from global row at on take: that of each chunk begins with a
// word of its own.
func (l *layout) words(at int64, rows int) int {
	n := l.next(at, rows)
	rest := rows - n
	return kernel.Words(n) + rest/l.chunk*kernel.Words(l.chunk) + kernel.Words(rest%l.chunk)
}

// fill evaluates rows begin to end of the batch in one pass. Rows that there is no room for are only counted.
func (m *machine) fill(begin, end, room int) error {
	from := m.rows
	if !m.p.HasCuts() {
		if room = min(room, m.rows+end-begin); room < m.rows+end-begin {
			m.rows += end - begin
			return nil
		}
		m.show(begin, end)
	}
	for row := begin; row < end; {
		n := m.p.next(m.in.Begin()+int64(row), end-row)
		if err := m.cuts(row, n); err != nil {
			return err
		}
		if m.rows+m.left > room {
			m.rows += m.left
		} else if err := m.columns(); err != nil {
			return err
		}
		row += n
	}
	m.repeat(from, min(m.rows, room))
	return nil
}

// mark evaluates the cuts of rows begin to end, sets the bits of the survivors and returns their number.
func (m *machine) mark(begin, end int, words []uint64) (int, error) {
	count := 0
	for row := begin; row < end; {
		n := m.p.next(m.in.Begin()+int64(row), end-row)
		w := kernel.Words(n)
		m.sel = words[:w]
		if err := m.cuts(row, n); err != nil {
			return 0, err
		}
		count += m.left
		row, words = row+n, words[w:]
	}
	return count, nil
}

// take evaluates the columns of the rows that mark has left of rows begin to end. The program must be one whose columns
// use nothing that the cuts compute.
func (m *machine) take(begin, end int, words []uint64) error {
	from := m.rows
	for row := begin; row < end; {
		n := m.p.next(m.in.Begin()+int64(row), end-row)
		w := kernel.Words(n)
		m.row, m.n, m.sel = row, n, words[:w]
		m.left = kernel.Count(m.sel)
		if err := m.columns(); err != nil {
			return err
		}
		row, words = row+n, words[w:]
	}
	m.repeat(from, m.rows)
	return nil
}

// show copies the outputs of an uncut program that are unchanged inputs, of rows begin to end.
func (m *machine) show(begin, end int) {
	for i, o := range m.p.out {
		if o.input != none && o.plain {
			dst := m.out[i][m.rows*o.typ.Size():][:(end-begin)*o.typ.Size()]
			kernel.Load(dst, window(m.inputs[o.input], begin, end-begin))
		}
	}
}

// repeat writes the outputs that are constants to rows from to end of the place.
func (m *machine) repeat(from, end int) {
	for i, o := range m.p.out {
		if o.reg == none || !m.p.regs[o.reg].value.Valid() || end <= from {
			continue
		}
		kernel.Load(m.out[i][from*o.typ.Size():end*o.typ.Size()], m.p.regs[o.reg].value.Column(end-from))
	}
}

// storedBools returns the bool outputs that may hold other bytes than 0 and 1: all but those that are made of bitmaps.
func (p *Program) storedBools() (out []int) {
	for i, o := range p.out {
		made := slices.ContainsFunc(p.after, func(in instr) bool { return in.op == iBytes && in.dst == o.reg })
		if o.typ == colstore.Bool && !made {
			out = append(out, i)
		}
	}
	return out
}

// placeIn checks that columns can take the outputs and returns their memory.
func (p *Program) placeIn(dst []colstore.Column, bufs [][]byte) (place, error) {
	if len(dst) != len(p.out) {
		return place{}, fmt.Errorf("%w: %d columns to write, for a result of %d", colstore.ErrMismatch, len(dst), len(p.out))
	}
	to := place{bufs: bufs[:0], room: math.MaxInt} // rows without columns take no room
	for i, c := range dst {
		f := p.schema.Field(i)
		switch {
		case c.Type() != f.Type:
			return place{}, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: the result is %s, the column to write is %s", colstore.ErrMismatch, f.Type, c.Type())}
		case !c.IsDense() || c.Stride() == 0 && c.Rows() > 0:
			return place{}, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: values to write lie %d bytes apart", colstore.ErrNotViewable, c.Stride())}
		case i > 0 && c.Rows() != to.room:
			return place{}, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: room for %d rows, the columns before it have %d", colstore.ErrMismatch, c.Rows(), to.room)}
		}
		to.room = c.Rows()
		to.bufs = append(to.bufs, kernel.RawOut(c))
	}
	return to, nil
}

// errRoom tells that a result has more rows than there is room for.
func errRoom(rows, room int) error {
	return fmt.Errorf("%w: the result has %d rows, there is room for %d", colstore.ErrMismatch, rows, room)
}

// EvalInto runs the program over a batch and writes the rows that survive to the front of dst, a column for each of
// [Program.Schema], all of one length: [colstore.Wrap] makes one of a slice. It returns the number of the rows.
//
//	x := make([]float64, in.Rows())
//	n, err := p.EvalInto(ctx, in, colstore.Wrap(x))
//
// Memory: the columns of dst must overlap neither the batch nor each other; nothing is allocated once the program has run before.
// What is behind the rows is as it was, after an error of any content.
// Errors: those of [Program.Eval]; colstore.ErrMismatch and colstore.ErrNotViewable for columns that cannot take the result.
// If dst is too short, the rows are counted, and their number is returned with the error.
// Concurrency: safe for disjoint dst. Reading mapped memory may fault, as for Eval.
func (p *Program) EvalInto(ctx context.Context, in *colstore.Batch, dst ...colstore.Column) (rows int, err error) {
	if err := context.Cause(ctx); err != nil {
		return 0, err
	}
	if in == nil {
		return 0, errNoBatch
	}
	if len(p.appliers) > 0 {
		return p.copyInto(ctx, in, dst)
	}
	s := takeState(p.layout)
	defer s.give()
	to, err := p.placeIn(dst, s.bufs)
	if err != nil {
		return 0, err
	}
	s.bufs = to.bufs
	if s.inputs, err = p.inputsOf(in, s.inputs[:0]); err != nil {
		return 0, err
	}
	m := s.at(p, in, s.inputs, to, 0)
	if err := m.fill(0, in.Rows(), to.room); err != nil {
		return 0, err
	}
	if m.rows > to.room {
		return m.rows, errRoom(m.rows, to.room)
	}
	return m.rows, nil
}

// copyInto is EvalInto for a program with operators, which make batches of their own.
func (p *Program) copyInto(ctx context.Context, in *colstore.Batch, dst []colstore.Column) (int, error) {
	to, err := p.placeIn(dst, nil)
	if err != nil {
		return 0, err
	}
	b, err := p.Eval(ctx, in, nil, nil)
	if err != nil {
		return 0, err
	}
	defer b.Release()
	if b.Rows() > to.room {
		return b.Rows(), errRoom(b.Rows(), to.room)
	}
	for i, d := range to.bufs {
		kernel.Load(d[:b.Rows()*p.schema.Field(i).Type.Size()], b.At(i))
	}
	return b.Rows(), nil
}

// inputsOf appends the program's inputs as columns of a batch.
func (p *Program) inputsOf(in *colstore.Batch, to []colstore.Column) ([]colstore.Column, error) {
	for _, f := range p.inputs {
		c, err := in.Column(f.Name)
		if err != nil {
			return nil, err
		}
		if c.Type() != f.Type {
			return nil, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: the batch has %s, the program was bound to %s",
				colstore.ErrMismatch, c.Type(), f.Type)}
		}
		to = append(to, c)
	}
	return to, nil
}
