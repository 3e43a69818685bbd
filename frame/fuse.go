package frame

import (
	"slices"

	"github.com/colstore/colstore-go/ops"
)

// fuser replaces pairs of instructions by one kernel that computes both, where the first one's result has no other use.
type fuser struct {
	g        *graph
	uses     []int // of each register
	list     []instr
	producer map[int]int // register → the instruction of the list that writes it
	dead     []bool
}

// fuseAll fuses the instructions of programs of one layout.
func fuseAll(g *graph, programs []*Program, common *Program) {
	f := &fuser{g: g, uses: readsOf(append(slices.Clone(programs), common))}
	for i, r := range common.regs {
		if r.out != none {
			f.uses[i]++
		}
	}
	for _, p := range programs {
		fallible := p.mayFail
		p.dense = f.fuse(p.dense, func(at int) {
			if at <= fallible {
				p.mayFail--
			}
		})
		p.after = f.fuse(p.after, func(int) {})
	}
	common.after = f.fuse(common.after, func(int) {})
}

// fuse returns a list with fewer instructions; gone is told the place of each that is left out.
func (f *fuser) fuse(list []instr, gone func(at int)) []instr {
	f.list, f.producer, f.dead = list, map[int]int{}, make([]bool, len(list))
	for i, in := range list {
		if in.op == iKernel {
			f.producer[in.dst] = i
		}
	}
	for i := len(list) - 1; i >= 0; i-- { // from the outermost on
		if !f.dead[i] && list[i].op == iKernel && !list[i].fallible {
			f.squares(&list[i])
			f.pair(&list[i])
		}
	}
	var out []instr
	for i, in := range list {
		if f.dead[i] {
			gone(i)
			continue
		}
		out = append(out, in)
	}
	return out
}

// inner returns the instruction that makes a register for one other instruction alone, in the same dtype as that; nil if
// there is none.
func (f *fuser) inner(reg int, of *instr) *instr {
	at, ok := f.producer[reg]
	if !ok || f.dead[at] || len(f.list[at].inside) > 0 || f.uses[reg] != 1 || f.list[at].fallible || f.typed(&f.list[at]) != f.typed(of) {
		return nil
	}
	return &f.list[at]
}

func (f *fuser) typed(in *instr) string { return f.g.nodes[in.node].typ.String() }
func (f *fuser) name(in *instr) string  { return f.g.nodes[in.node].name }

// absorb makes outer compute what inner does.
func (f *fuser) absorb(outer, inner *instr) {
	f.dead[f.producer[inner.dst]] = true
	outer.inside = append(append(outer.inside, inner.node), inner.inside...)
}

// pair fuses a sum, difference or product with that of one of its arguments.
func (f *fuser) pair(outer *instr) {
	if len(outer.args) != 2 || len(outer.inside) > 0 {
		return
	}
	for i, r := range outer.args {
		inner := f.inner(r, outer)
		if inner == nil || len(inner.args) != 2 {
			continue
		}
		if k := ops.Fuse(f.name(outer), f.name(inner), i == 1, f.g.nodes[outer.node].typ); k != nil {
			outer.kernel, outer.args = k, []int{inner.args[0], inner.args[1], outer.args[1-i]}
			f.absorb(outer, inner)
			return
		}
	}
}

// squares fuses a*a + b*b, and its root.
func (f *fuser) squares(outer *instr) {
	sum, root := outer, f.name(outer) == "sqrt"
	if root {
		if sum = f.inner(outer.args[0], outer); sum == nil {
			return
		}
	}
	if f.name(sum) != "add" || len(sum.args) != 2 || sum.args[0] == sum.args[1] {
		return
	}
	var parts [2]*instr
	for i, r := range sum.args {
		if parts[i] = f.inner(r, sum); parts[i] == nil || !f.isSquare(parts[i]) {
			return
		}
	}
	k := ops.FuseSquares(root, f.g.nodes[outer.node].typ)
	if k == nil {
		return
	}
	outer.kernel, outer.args = k, []int{parts[0].args[0], parts[1].args[0]}
	for _, in := range parts {
		f.absorb(outer, in)
	}
	if root {
		f.absorb(outer, sum)
	}
}

// isSquare reports whether an instruction multiplies a column by itself.
func (f *fuser) isSquare(in *instr) bool {
	return f.name(in) == "square" && len(in.args) == 1 || f.name(in) == "multiply" && len(in.args) == 2 && in.args[0] == in.args[1]
}
