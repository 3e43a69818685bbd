package frame

import "slices"

// assignSlots gives every register that needs memory a place in the arena, and the place to the next one after its last
// use, like a register allocator. It returns the bytes a row of the arena.
func assignSlots(programs []*Program, common *Program) int {
	regs := common.regs
	last := make([]int, len(regs)) // the last instruction that reads a register
	each := func(visit func(p *Program, at int, in instr)) {
		at := 0
		all := func(p *Program, list []instr) {
			for _, in := range list {
				visit(p, at, in)
				at++
			}
		}
		for _, p := range programs {
			all(p, p.dense)
		}
		all(common, common.after)
		for _, p := range programs {
			all(p, p.after)
		}
	}
	each(func(p *Program, at int, in instr) {
		for _, a := range in.columns(p) {
			last[a] = at
		}
	})
	width := 0
	free := map[int][]int{} // element size → slots
	each(func(p *Program, at int, in instr) {
		if in.writesColumn() {
			if r := &regs[in.dst]; r.out == none {
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
			if r := &regs[a]; last[a] == at && r.slot != none && !slices.Contains(free[r.typ.Size()], r.slot) {
				free[r.typ.Size()] = append(free[r.typ.Size()], r.slot)
			}
		}
	})
	return width
}

// writesColumn reports whether dst is a column register.
func (i instr) writesColumn() bool {
	switch i.op {
	case iLoad, iRow, iKernel, iBytes, iCompress, iNarrow, iCopy:
		return true
	}
	return false
}

// columns returns the column registers that the instruction reads.
func (i instr) columns(p *Program) []int {
	switch i.op {
	case iKernel, iTest, iCompress, iNarrow, iCopy:
		return i.args
	case iCut:
		if w := p.cuts[i.input].weight; w != none {
			return []int{w}
		}
	case iMinus:
		var out []int
		for _, c := range p.cuts {
			if c.weight != none && !slices.Contains(out, c.weight) {
				out = append(out, c.weight)
			}
		}
		return out
	}
	return nil
}

// readsOf returns how many instructions of programs of one layout read each column register.
func readsOf(programs []*Program) []int {
	reads := make([]int, len(programs[0].regs))
	for _, p := range programs {
		for _, in := range slices.Concat(p.dense, p.after) {
			for _, r := range in.columns(p) {
				reads[r]++
			}
		}
	}
	return reads
}
