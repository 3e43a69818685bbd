package frame

import "github.com/colstore/colstore-go"

// shareOutputs gives what the last kernel of an output reads for itself alone the output's own place, where the kernel can
// work in place: a chunk of memory less goes through the cache, and the output's is fetched while that is computed.
func shareOutputs(g *graph, programs []*Program) {
	regs, uses := programs[0].regs, readsOf(programs)
	for _, p := range programs {
		p.loadOutputs()
		computed := map[int]bool{}
		for _, in := range p.after {
			computed[in.dst] = computed[in.dst] || in.op == iKernel
		}
		for i := len(p.after) - 1; i >= 0; i-- { // from the outermost on
			in := &p.after[i]
			if in.op != iKernel || regs[in.dst].out == none || !worksInPlace(g, in, regs[in.dst].typ) {
				continue
			}
			for _, a := range in.args {
				if r := &regs[a]; computed[a] && r.out == none && uses[a] == 1 && r.typ == regs[in.dst].typ {
					r.out = regs[in.dst].out
					break
				}
			}
		}
	}
}

// loadOutputs makes the survivors of an input that are computed with and are an output too be written once: to the output,
// and read there. Without cuts outputs that are inputs may be views of them.
func (p *Program) loadOutputs() {
	if !p.HasCuts() {
		return
	}
	for _, in := range p.after {
		if in.op != iLoad {
			continue // what it makes may be a bitmap, whose numbers are their own
		}
		r := &p.regs[in.dst]
		for i := range p.out {
			if o := &p.out[i]; o.input == in.input && o.typ == r.typ {
				o.loaded, r.out = true, i
				break
			}
		}
	}
}

// worksInPlace reports whether an instruction's kernel may write to what it reads: one that makes a value of each row from
// that row's alone, in one loop, as those of [ops.Fuse] do.
func worksInPlace(g *graph, in *instr, t colstore.DType) bool {
	if t != colstore.Float32 && t != colstore.Float64 {
		return false
	}
	if len(in.inside) > 0 {
		return len(in.args) == 3 // a pair
	}
	switch g.nodes[in.node].name {
	case "add", "subtract", "multiply", "divide":
		return true
	}
	return false
}
