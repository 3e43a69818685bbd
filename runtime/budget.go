package runtime

import (
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
)

const (
	// readAhead is how many slots there are beside one for each worker: one that is written while the next is read.
	readAhead = 2
	// slotBytes is what a slot takes if the budget allows more: beyond it a batch leaves the caches between the steps of
	// its life and nothing is gained (docs/decisions/0004-batches.md).
	slotBytes = 8 << 20
	blockRows = 4096 // batches are whole blocks of the sums where they can be
)

// sizing is how large batches are.
type sizing struct {
	rows  int
	slots int
	share int64 // most bytes of a slot; 0 is no limit
}

// limits are what a run may use.
type limits struct {
	budget  int64
	rows    int // of a batch, whatever the budget says; 0: by the budget
	workers int
}

// newWalker sizes the batches of a scan of columns of src, whose rows take rowBytes bytes beside what they take in the
// source's batches. fixed is what the sinks hold.
func newWalker(src colstore.Source, columns []string, fixed int64, rowBytes int, widest string, l limits) (*walker, error) {
	cost := costOf(src, columns)
	touched := rowBytes + scannedBytes(src.Schema(), columns)
	s, err := size(l, fixed+cost.Fixed, cost.Row+rowBytes, touched, widest)
	if err == nil && cost.Fixed > 0 && scansAtOnce(src, s.rows) {
		s, err = size(l, fixed+cost.Fixed*int64(l.workers), cost.Row+rowBytes, touched, widest)
	}
	if err != nil {
		return nil, err
	}
	return &walker{src: src, columns: columns, batchRows: s.rows, workers: l.workers, slots: s.slots, share: s.share}, nil
}

// scansAtOnce reports whether workers scan ranges of the source themselves, and not the dispatcher all of it.
func scansAtOnce(src colstore.Source, rows int) bool {
	splitter, ok := src.(colstore.Splitter)
	return ok && src.Rows() >= 0 &&
		slices.ContainsFunc(splitter.Splits(rows), func(r colstore.Range) bool { return r.Rows() <= int64(rows) })
}

// scannedBytes returns the bytes of a row of some columns; nil is all.
func scannedBytes(s *colstore.Schema, columns []string) int {
	if columns == nil {
		return s.RowBytes()
	}
	bytes := 0
	for _, n := range columns {
		if i, ok := s.Index(n); ok {
			bytes += s.Field(i).Type.Size()
		}
	}
	return bytes
}

// size divides the budget: what is left of it after what the endpoints hold, by the slots and the bytes of a row. touched
// are the bytes of a row including those in mapped files, which are no part of the budget but of what a slot is to stay
// below. l.rows, if not 0, are taken whatever the budget says.
//
// Errors: colstore.ErrBudget if not one row fits.
func size(l limits, fixed int64, rowBytes, touched int, widest string) (sizing, error) {
	s := sizing{rows: l.rows, slots: l.workers + readAhead}
	if l.rows > 0 {
		return s, nil
	}
	row := int64(max(1, rowBytes))
	share := (l.budget - fixed) / int64(s.slots)
	if share < row {
		return s, fmt.Errorf("%w: %s less %s that input and output hold leaves no room for %d rows of %d bytes in flight; "+
			"raise it to at least %s (--batch-size, limits.memory); the widest column is %q",
			colstore.ErrBudget, colstore.ByteSize(l.budget), colstore.ByteSize(fixed), s.slots, row,
			colstore.ByteSize(fixed+int64(s.slots)*max(row, min(row*blockRows, slotBytes))), widest)
	}
	s.rows = int(max(1, min(share/row, slotBytes/int64(max(1, touched)))))
	if s.rows > blockRows {
		s.rows = s.rows / blockRows * blockRows
	}
	s.share = share
	return s, nil
}

// widest returns the column that takes the most bytes of a row.
func widest(s *colstore.Schema) string {
	name, size := "", 0
	for _, f := range s.All() {
		if f.Type.Size() > size {
			name, size = f.Name, f.Type.Size()
		}
	}
	return name
}

// costOf returns what an endpoint holds.
func costOf(endpoint any, columns []string) colstore.Cost {
	if c, ok := endpoint.(colstore.Coster); ok {
		return c.Cost(columns)
	}
	return colstore.Cost{}
}
