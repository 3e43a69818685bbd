package frame

import (
	"fmt"
	"math/bits"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// Sample keeps about the given fraction of the rows, chosen by a hash of seed and the row's global number in the source:
// the same rows whatever the batches, workers and splits, and of two fractions with one seed the larger has all rows of
// the smaller. It is no cut of the cutflow.
//
// Errors: colstore.ErrValue for a fraction that is not from 0 to 1.
func (f *Frame) Sample(fraction float64, seed uint64) *Frame {
	return f.with(&sampleStep{fraction: fraction, seed: seed})
}

type sampleStep struct {
	fraction float64
	seed     uint64
}

func (s *sampleStep) check() error {
	if !(s.fraction >= 0 && s.fraction <= 1) {
		return stepErrorf("sample", colstore.ErrValue, "the fraction %v is not from 0 to 1", s.fraction)
	}
	return nil
}

func (*sampleStep) reads(*nameScope) error { return nil }

func (s *sampleStep) apply(b *binder) error {
	// 53 bits of the hash against the fraction in units of 2^-53, exact for both: 1 keeps every row, 0 none.
	keep, seed := uint64(s.fraction*(1<<53)), mix(s.seed)
	test := func(dst []uint64, args []colstore.Column, rows int) error {
		clear(dst)
		for i, row := range kernel.In[int64](args[0])[:rows] {
			_, less := bits.Sub64(mix(seed^uint64(row))>>11, keep, 0)
			dst[i/64] |= less << (i % 64)
		}
		return nil
	}
	id, err := b.g.decide(fmt.Sprintf("sample %v %d", s.fraction, s.seed), test, []int{b.g.row()}, false, nil)
	if err != nil {
		return err
	}
	b.cuts = append(b.cuts, cut{pred: id, weight: none, silent: true})
	return nil
}

// mix is the finalizer of SplitMix64, a bijection whose output bits each depend on all input bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
