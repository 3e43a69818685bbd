package frame

import (
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// state is the memory of a machine that is used again.
type state struct {
	arena []byte
	regs  []colstore.Column
	bits  [][]uint64
	sels  [][]uint64 // survivors, by machine
	among []uint64   // survivors of a machine among those of the common one
	was   []uint64   // those before the last cut
	only  [][]uint64 // by cut, the rows that pass all cuts so far but that one; for an N−1 table
	load  []byte     // a chunk of an input that is not plain
	vals  []float64
	args  []colstore.Column

	repeats int // rows that the constants are set to

	own    machine // one that writes to places it does not own, and what it takes
	inputs []colstore.Column
	bufs   [][]byte
}

var states sync.Pool

// takeState returns memory for the programs of a layout.
func takeState(l *layout) *state {
	s, _ := states.Get().(*state)
	if s == nil {
		s = &state{}
	}
	s.fit(l)
	return s
}

// give gives the memory back for the next batch.
func (s *state) give() {
	clear(s.regs) // they point into the batch
	clear(s.args)
	clear(s.inputs)
	clear(s.bufs)
	s.own = machine{}
	states.Put(s)
}

// fit makes the memory large enough.
func (s *state) fit(p *layout) {
	words := kernel.Words(p.chunk)
	s.repeats = -1
	if need := p.arena * p.chunk; len(s.arena) < need {
		s.arena = make([]byte, need)
	}
	if len(s.regs) < len(p.regs) {
		s.regs = make([]colstore.Column, len(p.regs))
	}
	for len(s.bits) < p.bits {
		s.bits = append(s.bits, nil)
	}
	for i := range p.bits {
		if len(s.bits[i]) < words {
			s.bits[i] = make([]uint64, words)
		}
	}
	if len(s.was) < words {
		s.was, s.among = make([]uint64, words), make([]uint64, words)
	}
	if len(s.vals) < p.chunk {
		s.vals = make([]float64, p.chunk)
	}
}

// fitSets makes room for the survivors of n machines.
func (s *state) fitSets(n int, l *layout) {
	words := kernel.Words(l.chunk)
	for len(s.sels) < n {
		s.sels = append(s.sels, nil)
	}
	for i := range n {
		if len(s.sels[i]) < words {
			s.sels[i] = make([]uint64, words)
		}
	}
}
