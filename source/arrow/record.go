package arrow

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/colstore/colstore-go"
	bridge "github.com/colstore/colstore-go/internal/arrow"
	"github.com/colstore/colstore-go/source/format"
)

// Nulls is the policy for nulls; its zero value refuses them. It is that of package source.
type Nulls = format.Nulls

// The modes of [Nulls] beside refusing them: nulls become the missing value of their dtype; and a bool column NAME_valid
// tells where they were.
const (
	NullFill = format.NullFill
	NullMask = format.NullMask
)

// Options say how records become columns. The zero value, and nil, take all columns and refuse nulls.
type Options struct {
	// Columns are the columns to take, in this order; nil is all.
	Columns []string
	// Types give widths to text and bytes of any length. A longer value is an error. For other columns they must be what
	// the column is read as anyway.
	Types map[string]colstore.DType
	// Nulls say what becomes of nulls. With masks, a record has one for each column that has nulls; a stream, of which
	// that is not known, for each nullable column.
	Nulls Nulls
}

// FromRecord returns the rows of a record as a batch, which has one holder, the caller. Its row 0 has the global number 0.
//
// Memory: the batch holds rec until its last Release; the caller keeps a hold of its own.
// Errors: colstore.ErrNoColumn and colstore.ErrDuplicate for names in o; colstore.ErrType for a column whose type is no
// dtype; colstore.ErrMismatch for one that is not read as the dtype in o.Types; colstore.ErrNull for a null that the
// policy refuses; colstore.ErrValue for text that is no UTF-8 or is longer than its declared width; colstore.ErrFormat for
// buffers that do not hold what they say. Each names column and, for a value, row.
func FromRecord(rec arrow.Record, o *Options) (*colstore.Batch, error) {
	p, err := bridge.PlanRecord(rec, (*bridge.Options)(o))
	if err != nil {
		return nil, err
	}
	d, err := p.Decoder(rec, 0, nil)
	if err != nil {
		return nil, err
	}
	columns := make([]int, p.Schema().Len())
	for i := range columns {
		columns[i] = i
	}
	return d.Batch(p.Schema(), columns, 0, d.Rows(), nil)
}
