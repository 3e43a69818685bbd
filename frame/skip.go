package frame

import (
	"strings"
	"sync/atomic"

	"github.com/colstore/colstore-go"
)

// A Skipper leaves out of a scan the groups of rows (records of a .cstore file, row groups of a Parquet file) of which
// statistics say that no row passes the cuts. Results are the same with and without it, as long as the statistics are true:
// they are the word of whoever wrote the file, and nothing ties them to the values.
//
// It counts what it leaves out, over all scans it is given to. It is safe for concurrent use.
type Skipper struct {
	programs []*Program
	tallied  int            // cuts of the first program
	passed   []atomic.Int64 // rows left out, by how many of these cuts they are known to pass
}

// Skipper returns the skipper of a scan whose rows the program evaluates. The counts of the first tallied cuts are wanted
// too, as in a [Tally]: a group is left out then only where they follow from the statistics, for one where the first cut
// has no weight and excludes the group alone. [Skipper.AddTo] adds them.
//
// Cuts that a value can make fail exclude nothing, since an error must not depend on statistics.
func (p *Program) Skipper(tallied int) *Skipper {
	tallied = min(tallied, len(p.cuts))
	return &Skipper{programs: []*Program{p}, tallied: tallied, passed: make([]atomic.Int64, tallied+1)}
}

// With makes the skipper keep what another program over the same scan wants, and returns it.
func (s *Skipper) With(p *Program) *Skipper {
	s.programs = append(s.programs, p)
	return s
}

// Skip is the method of [colstore.Skipper].
func (s *Skipper) Skip(rows colstore.Range, bounds func(column string) (colstore.Bounds, bool)) bool {
	known := 0
	for i, p := range s.programs {
		if p.prune == nil {
			return false
		}
		tallied := 0
		if i == 0 {
			tallied = s.tallied
		}
		passed, ok := p.prune.excludes(tallied, rows, bounds)
		if !ok {
			return false
		}
		known += passed // 0 but for the first
	}
	s.passed[known].Add(rows.Rows())
	return true
}

// Rows returns how many rows were left out so far.
func (s *Skipper) Rows() int64 {
	n := int64(0)
	for i := range s.passed {
		n += s.passed[i].Load()
	}
	return n
}

// AddTo counts the rows that were left out in the tally of the program's other rows.
func (s *Skipper) AddTo(t *Tally) {
	for known := range s.passed {
		n := s.passed[known].Load()
		t.rows += n
		for i := range known {
			t.passing[i] += n
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
