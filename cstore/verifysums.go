package cstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// readSums prepares for the sums that there are and those that are asked for.
func (v *verifier) readSums(ctx context.Context, o *VerifyOptions) (err error) {
	path := SumsPath(v.r.path)
	if o.Sums != SumsOff {
		v.known, err = readSums(fsx.Of(ctx), path, v.r, v.h.dataAt)
		switch {
		case errors.Is(err, errStale) && o.WriteSums:
			v.result.Notes = append(v.result.Notes, "the sums were those of another version of the file")
		case errors.Is(err, errStale):
			v.find(-1, -1, fmt.Errorf("%w; write them anew, or remove %s", err, path))
		case err != nil && !(errors.Is(err, colstore.ErrFormat) && o.WriteSums):
			v.find(-1, -1, fmt.Errorf("%s: %w", path, err))
		case v.known == nil && o.Sums == SumsRequired && !o.WriteSums:
			v.find(-1, -1, fmt.Errorf("%w: there is no %s", colstore.ErrMismatch, path))
		}
	}
	v.result.Sums = v.known != nil
	if v.known == nil && !o.WriteSums {
		return nil
	}
	if v.fresh, err = newSums(v.r.schema, v.h.dataAt); err != nil {
		return err
	}
	for _, rec := range v.r.records {
		v.fresh.grow(rec.rows)
	}
	if v.known == nil {
		return nil
	}
	if n, all := len(v.known.records), len(v.r.records); n < all && !o.WriteSums {
		missing := fmt.Sprintf("there are no sums of the last %s", count(int64(all-n), "record"))
		if o.Sums == SumsRequired {
			v.find(-1, -1, fmt.Errorf("%w: %s", colstore.ErrMismatch, missing))
		} else {
			v.result.Notes = append(v.result.Notes, missing+", which came later; writing the sums adds them")
		}
	}
	return nil
}

// holds keeps the sum of a block of a column, and reports whether it is the known one.
func (v *verifier) holds(record, column, block int, sum uint32) bool {
	v.fresh.of(record, column)[block] = sum
	return v.known == nil || record >= len(v.known.records) || v.known.of(record, column)[block] == sum
}

// damaged tells of rows whose sums do not hold, if there are any, and forgets them.
func (v *verifier) damaged(record, column int, bad *colstore.Range) {
	if bad.Begin < 0 {
		return
	}
	first := v.r.records[record].first
	v.findRow(record, column, first+bad.Begin, fmt.Errorf("%w: among the rows %d to %d are values that changed since their sum was taken: the file is damaged, or was written anew",
		colstore.ErrChecksum, first+bad.Begin, first+bad.End-1))
	bad.Begin = -1
}
