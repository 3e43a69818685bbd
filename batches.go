package colstore

import (
	"fmt"

	"github.com/colstore/colstore-go/internal/invariants"
)

// NewOwnedBatches returns a batch for each range of rows, over memory that they hold together: release gives it back when the
// last of them was released. It is [NewOwnedBatch] for the thousand records of a file.
//
// Shapes: cols holds the columns of the first batch, then those of the second, and so on.
// Memory: the batches keep cols.
// Errors: [ErrMismatch] when columns, schema and ranges differ, [ErrValue] for no schema; release is not called then, nor if
// there are no ranges.
func NewOwnedBatches(s *Schema, at []Range, release func(), cols []Column) ([]*Batch, error) {
	if s == nil {
		return nil, errNoSchema
	}
	if len(cols) != len(at)*s.Len() {
		return nil, fmt.Errorf("%w: %d columns for %d batches of a schema of %d", ErrMismatch, len(cols), len(at), s.Len())
	}
	if len(at) == 0 {
		return nil, nil
	}
	all, out := make([]Batch, len(at)), make([]*Batch, len(at))
	held := &owner{release: release}
	held.refs.Store(int64(len(at)))
	for i, rows := range at {
		part := cols[i*s.Len() : (i+1)*s.Len() : (i+1)*s.Len()]
		if err := checkColumns(s, int(rows.Rows()), part); err != nil {
			return nil, err
		}
		all[i] = Batch{schema: s, cols: part, rows: int(rows.Rows()), begin: rows.Begin, owner: held}
		out[i] = &all[i]
	}
	invariants.Batches.Add(1)
	return out, nil
}
