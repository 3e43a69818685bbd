package frame

import (
	"context"
	"iter"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
)

// Batches yields the surviving rows, a batch for each batch of at most rows rows of the source; batches without a
// survivor are left out. rows of 0 is the source's choice.
//
// This is the sequential reference: package runtime does the same in parallel, with the same bytes.
func (f *Frame) Batches(ctx context.Context, rows int) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		f, err := f.Resolve(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		p, err := f.program()
		if err != nil {
			yield(nil, err)
			return
		}
		for b, err := range f.evaluated(ctx, p, rows, nil) {
			if err != nil {
				yield(nil, err)
				return
			}
			if b.Rows() == 0 {
				b.Release()
			} else if !b.Lend(yield) {
				return
			}
		}
	}
}

// evaluated yields what the program makes of every batch of the source, also if nothing is left; the loop body releases
// it.
func (f *Frame) evaluated(ctx context.Context, p *Program, rows int, t *Tally) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		tallied := 0
		if t != nil {
			tallied = len(p.cuts)
		}
		skip := p.Skipper(tallied)
		for in, err := range f.src.Scan(ctx, colstore.Scan{Columns: p.Inputs(), BatchRows: rows, Skip: skip}) {
			var out *colstore.Batch
			if err == nil {
				err = fault.Guard(func() (err error) {
					out, err = p.Eval(ctx, in, nil, t)
					return err
				})
			}
			if err != nil {
				yield(nil, colstore.Locate(f.src, err))
				return
			}
			if !yield(out, nil) {
				return
			}
		}
		if t != nil {
			skip.AddTo(t)
		}
	}
}

// Count returns the number of surviving rows. It reads only what the cuts need, and nothing if there are none.
func (f *Frame) Count(ctx context.Context) (int64, error) {
	f, err := f.Resolve(ctx)
	if err != nil {
		return 0, err
	}
	p, err := f.Select().program()
	if err != nil {
		return 0, err
	}
	if !p.HasCuts() && f.src.Rows() >= 0 {
		return f.src.Rows(), nil
	}
	n := int64(0)
	for b, err := range f.evaluated(ctx, p, 0, nil) {
		if err != nil {
			return 0, err
		}
		n += int64(b.Rows())
		b.Release()
	}
	return n, nil
}

// Report returns the cutflow. It reads only what the cuts and weights need.
func (f *Frame) Report(ctx context.Context) (*Cutflow, error) {
	f, err := f.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	p, err := f.Select().program()
	if err != nil {
		return nil, err
	}
	t := p.NewTally(0)
	for b, err := range f.evaluated(ctx, p, 0, t) {
		if err != nil {
			return nil, err
		}
		b.Release()
	}
	return p.Cutflow(t), nil
}
