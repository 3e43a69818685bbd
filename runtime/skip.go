package runtime

import (
	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// skipping is the skipper of a pass, whose progress counts what is left out.
type skipping struct {
	*frame.Skipper
	run   *run
	phase Phase
}

func (s skipping) Skip(rows colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	skip := s.Skipper.Skip(rows, bounds)
	if skip {
		s.run.progress(s.phase, rows.Rows())
	}
	return skip
}

// skipper returns the skipper of a pass that runs some programs. If it is tallied, the counts of the shared cuts are kept.
func (r *run) skipper(tallied bool, phase Phase, progs ...*frame.Program) skipping {
	cuts := 0
	if f := r.plan.p.Frame; tallied && f != nil {
		cuts = f.Cuts()
	}
	s := progs[0].Skipper(cuts)
	for _, p := range progs[1:] {
		s.With(p)
	}
	return skipping{s, r, phase}
}

// skipping returns the skipper, or none where the branch that is tallied ends before the scan does: what is left out is
// counted as rows of that branch.
func (r *run) skipping(s skipping) colstore.Skipper {
	if r.branches[0].end < r.end {
		return nil
	}
	return s
}

// settle completes the tally after the pass that made it.
func (r *run) settle(p *frame.Program, skip skipping) {
	if r.total = r.tallies.value(); r.total == nil {
		r.total = p.NewTally(0)
	}
	skip.AddTo(r.total)
}
