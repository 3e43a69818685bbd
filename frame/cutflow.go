package frame

import (
	"strconv"

	"github.com/colstore/colstore-go/ops"
)

// A Cutflow tells how many rows entered and passed each cut, in order.
type Cutflow struct {
	Cuts []Cut
	// NMinusOne, nil unless [Frame.NMinusOne] asked for it, has the same cuts: the rows that enter one are those that pass
	// all others, those that pass are the survivors of all cuts. It is no part of the JSON of the cutflow.
	NMinusOne *Cutflow
}

// A Cut is one row of a cutflow. The weighted sums are those of the weight in force at the cut over the rows that
// entered and passed it; they are NaN if a weight among them is.
type Cut struct {
	Label             string
	Entering, Passing int64
	Weighted          bool
	WeightedEntering  float64
	WeightedPassing   float64
}

// Efficiency is the part of the entering rows that pass, 0 if none enters.
func (c Cut) Efficiency() float64 { return ratio(float64(c.Passing), float64(c.Entering)) }

// WeightedEfficiency is [Cut.Efficiency] of the weighted sums.
func (c Cut) WeightedEfficiency() float64 { return ratio(c.WeightedPassing, c.WeightedEntering) }

func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// A Tally counts for a cutflow over a range of rows. Tallies of adjacent ranges merge; the sums do not depend on where
// the ranges were cut (see ops.FloatSum). The zero Tally is of no use: [Program.NewTally] makes one.
type Tally struct {
	rows     int64 // that entered the first cut
	passing  []int64
	entering []*ops.FloatSum // nil without a weight, or where the sum is the one that passed the cut before
	passed   []*ops.FloatSum
	minus    *minusTally // of a program with an N−1 table
}

// NewTally returns the tally of no rows, for the program's cuts over the rows from global row begin on.
func (p *Program) NewTally(begin int64) *Tally {
	t := &Tally{passing: make([]int64, len(p.cuts)), entering: make([]*ops.FloatSum, len(p.cuts)), passed: make([]*ops.FloatSum, len(p.cuts))}
	for i, c := range p.cuts {
		if c.weight == none {
			continue
		}
		t.passed[i] = ops.NewFloatSum(begin)
		if i == 0 || p.cuts[i-1].weight != c.weight {
			t.entering[i] = ops.NewFloatSum(begin)
		}
	}
	if p.minus {
		t.minus = p.newMinusTally(begin)
	}
	return t
}

// Merge adds the tally of the rows after those of t.
func (t *Tally) Merge(next *Tally) {
	t.rows += next.rows
	for i := range t.passing {
		t.passing[i] += next.passing[i]
		if t.entering[i] != nil {
			t.entering[i].Merge(next.entering[i])
		}
		if t.passed[i] != nil {
			t.passed[i].Merge(next.passed[i])
		}
	}
	if t.minus != nil {
		t.minus.merge(next.minus)
	}
}

// Cutflow returns the counts of a tally under the program's labels; nil is a tally of no rows.
func (p *Program) Cutflow(t *Tally) *Cutflow {
	if t == nil {
		t = p.NewTally(0)
	}
	f := &Cutflow{Cuts: make([]Cut, 0, len(p.cuts))}
	entering := t.rows
	for i, c := range p.cuts {
		if c.silent {
			entering = t.passing[i]
			continue
		}
		cut := Cut{Label: c.label, Entering: entering, Passing: t.passing[i]}
		if cut.Label == "" {
			cut.Label = "#" + strconv.Itoa(len(f.Cuts))
		}
		if c.weight != none {
			cut.Weighted = true
			cut.WeightedPassing = t.passed[i].Value()
			if t.entering[i] != nil {
				cut.WeightedEntering = t.entering[i].Value()
			} else {
				cut.WeightedEntering = f.Cuts[len(f.Cuts)-1].WeightedPassing
			}
		}
		f.Cuts = append(f.Cuts, cut)
		entering = cut.Passing
	}
	if p.minus {
		f.NMinusOne = p.nMinusOne(t, f)
	}
	return f
}
