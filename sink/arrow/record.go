package arrow

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/colstore/colstore-go"
	bridge "github.com/colstore/colstore-go/internal/arrow"
)

// Schema returns the Arrow schema of batches of schema s.
//
// Errors: colstore.ErrType for a dtype that Arrow has no type for, naming the column.
func Schema(s *colstore.Schema) (*arrow.Schema, error) { return bridge.Schema(s) }

// Record returns the rows of b as a record, which the caller releases.
//
// Memory: the record holds b until its own last Release, and so does each of its arrays that is retained beyond that; the
// caller's hold on b is untouched.
// Errors: colstore.ErrType as in [Schema]; colstore.ErrValue, naming column and row, for text that is no text, for a date
// beyond 32 bits of days and for more than 2 GiB of text in one column.
func Record(b *colstore.Batch) (arrow.Record, error) {
	e, err := bridge.NewEncoder(b.Schema())
	if err != nil {
		return nil, err
	}
	return e.Record(b)
}
