package runtime

import (
	"context"

	"github.com/colstore/colstore-go/sink"
	"github.com/colstore/colstore-go/source/format"
)

// copied returns the columns of the input that an output is, unchanged and whole, if they can be copied as the bytes that they
// are in their files; nil if the rows have to be taken through a program.
func (l *Plan) copied(b *branch) []string {
	columns, ok := b.prog.Copied()
	if !ok || b.frame.Limited() || !sink.Copies(b.spec, l.in.src, columns) {
		return nil
	}
	return columns
}

// Copies reports whether the outputs are copies of the input's bytes, so that nothing is decoded.
func (l *Plan) Copies() bool {
	for _, b := range l.branches {
		if b.copied == nil {
			return false
		}
	}
	return true
}

// copy writes all outputs, if they are copies of the input's bytes; else it does nothing and returns false.
func (r *run) copy(ctx context.Context) (bool, error) {
	for _, b := range r.branches {
		if _, ok := b.sink.(format.Copier); !ok || b.branch.copied == nil {
			return false, nil
		}
	}
	r.total = r.branches[0].prog.NewTally(0) // of no cuts
	for i, b := range r.branches {
		err := safely(func() error {
			return b.sink.(format.Copier).CopyFrom(ctx, r.src, b.branch.copied, r.plan.workers, func(n int64) {
				b.rows.Add(n)
				if i == 0 {
					r.progress(PhaseWrite, n)
				}
			})
		})
		if err != nil {
			return false, err
		}
	}
	return true, nil
}
