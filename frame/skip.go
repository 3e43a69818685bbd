package frame

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/colstore/colstore-go"
)

// A Skipper leaves out of a scan the groups of rows (records of a .cstore file, row groups of a Parquet file) of which
// statistics say that no row passes the cuts. Results are the same with and without it, as long as the statistics are true:
// they are the word of whoever wrote the file, and nothing ties them to the values.
//
// It counts what it leaves out, over all scans it is given to. It is safe for concurrent use.
type Skipper struct{ programs []skipped }

// skipped is a program and the rows that were left out of its scan.
type skipped struct {
	*Program
	tallied int            // of its cuts, the first that are counted
	passed  []atomic.Int64 // rows left out, by how many of these cuts they are known to pass
}

// newSkipper returns the skipper of a scan that programs share, of whose first cuts so many are counted each.
func newSkipper(tallied int, programs ...*Program) *Skipper {
	s := &Skipper{programs: make([]skipped, len(programs))}
	for i, p := range programs {
		n := min(tallied, len(p.cuts))
		s.programs[i] = skipped{p, n, make([]atomic.Int64, n+1)}
	}
	return s
}

// Skipper returns the skipper of a scan whose rows the program evaluates. The counts of the first tallied cuts are wanted
// too, as in a [Tally]: a group is left out then only where they follow from the statistics, for one where the first cut
// has no weight and excludes the group alone. [Skipper.AddTo] adds them.
//
// Cuts that a value can make fail exclude nothing, since an error must not depend on statistics.
func (p *Program) Skipper(tallied int) *Skipper { return newSkipper(tallied, p) }

// Skipper returns the skipper of a scan whose rows the set evaluates: it leaves out what no frame wants. If it is tallied,
// the counts of all cuts of every frame are wanted too, as [Program.Skipper] says; [Skipper.AddTo] adds them.
func (s *Set) Skipper(tallied bool) *Skipper {
	cuts := 0
	for _, p := range s.programs {
		if tallied {
			cuts = max(cuts, len(p.cuts))
		}
	}
	return newSkipper(cuts, s.programs...)
}

// With makes the skipper keep what another program over the same scan wants, and returns it.
func (s *Skipper) With(p *Program) *Skipper {
	s.programs = append(s.programs, newSkipper(0, p).programs...)
	return s
}

// prunes reports whether statistics could exclude anything.
func (s *Skipper) prunes() bool {
	return len(s.programs) > 0 && !slices.ContainsFunc(s.programs, func(p skipped) bool { return p.prune == nil })
}

// Skip is the method of [colstore.Skipper].
func (s *Skipper) Skip(rows colstore.Range, bounds func(column string) (colstore.Bounds, bool)) bool {
	if !s.prunes() {
		return false
	}
	known := make([]int, 0, 8)
	for _, p := range s.programs {
		passed, ok := p.prune.excludes(p.tallied, rows, bounds)
		if !ok {
			return false
		}
		known = append(known, passed)
	}
	for i, passed := range known {
		s.programs[i].passed[passed].Add(rows.Rows())
	}
	return true
}

// Rows returns how many rows were left out so far.
func (s *Skipper) Rows() int64 {
	n := int64(0)
	if len(s.programs) > 0 {
		first := &s.programs[0]
		for i := range first.passed {
			n += first.passed[i].Load()
		}
	}
	return n
}

// AddTo counts the rows that were left out in the tallies of the programs' other rows, in the order of the programs.
func (s *Skipper) AddTo(tallies ...*Tally) {
	for k, t := range tallies {
		p := &s.programs[k]
		for known := range p.passed {
			n := p.passed[known].Load()
			t.rows += n
			for i := range known {
				t.passing[i] += n
			}
		}
	}
}

// Prunes describes by which parts of the cuts statistics can leave out rows, in the query language; empty if by none.
func (p *Program) Prunes() string {
	if p.prune == nil {
		return ""
	}
	return strings.Join(p.prune.conditions(), ", ")
}
