package frame

import (
	"context"
	"fmt"
	"iter"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/kernel"
)

// DefaultBatch is the size of the batches of [Frame.BatchesOf] that is not told one.
const DefaultBatch = 32 * colstore.MiB

// BatchesOf yields the surviving rows in batches of one size, the last one short: a number of rows, "10_000", or a size in
// bytes, "4 MiB", of which a row takes what its columns are wide; at least one row. An empty size is [DefaultBatch]. A
// frame without columns yields nothing.
//
// [Frame.Batches] is cheaper: it yields what each batch of the source leaves.
//
// Memory: a batch is on the Go heap and owes nothing.
// Errors: colstore.ErrValue for another size.
func (f *Frame) BatchesOf(ctx context.Context, size string) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		schema, err := f.Schema()
		if err != nil {
			yield(nil, err)
			return
		}
		rows, err := batchRows(size, schema.RowBytes())
		if err != nil {
			yield(nil, err)
			return
		}
		if schema.Len() == 0 {
			return
		}
		c := &collector{schema: schema, want: rows}
		for b, err := range f.Batches(ctx, min(rows, countRows)) {
			for at := 0; err == nil && at < b.Rows(); {
				err = fault.Guard(func() error { at += c.take(b, at); return nil })
				if err == nil && c.rows == rows && !yield(c.batch()) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		if c.rows > 0 {
			yield(c.batch())
		}
	}
}

// batchRows reads the size of a batch whose rows take rowBytes.
func batchRows(size string, rowBytes int) (int, error) {
	if size == "" {
		return int(max(1, int64(DefaultBatch)/int64(max(1, rowBytes)))), nil
	}
	if n, err := colstore.ParseCount(size); err == nil {
		if n < 1 {
			return 0, fmt.Errorf("%w: a batch of %d rows", colstore.ErrValue, n)
		}
		return int(n), nil
	}
	bytes, err := colstore.ParseByteSize(size)
	if err != nil {
		return 0, fmt.Errorf("the size of a batch: %w (or a number of rows)", err)
	}
	return int(max(1, int64(bytes)/int64(max(1, rowBytes)))), nil
}

// collector fills one batch after the other.
type collector struct {
	schema *colstore.Schema
	want   int // rows of a batch
	rows   int
	cols   [][]byte
}

// take copies rows of b from row at on, as many as the batch has room for, and returns how many.
func (c *collector) take(b *colstore.Batch, at int) int {
	n := min(b.Rows()-at, c.want-c.rows)
	if c.cols == nil {
		c.cols = make([][]byte, c.schema.Len())
	}
	part := b.Slice(at, at+n)
	to, from := make([][]byte, len(c.cols)), make([]colstore.Column, len(c.cols))
	for i, f := range c.schema.All() {
		end := len(c.cols[i])
		c.cols[i] = append(c.cols[i], make([]byte, n*f.Type.Size())...)
		to[i], from[i] = c.cols[i][end:], part.At(i)
	}
	kernel.Deinterleave(to, from) // columns may be fields of structs
	c.rows += n
	return n
}

// batch returns the rows taken so far and starts anew.
func (c *collector) batch() (*colstore.Batch, error) {
	cols := make([]colstore.Column, len(c.cols))
	for i, f := range c.schema.All() {
		cols[i] = colstore.RawColumn(f.Type, c.rows, f.Type.Size(), unsafe.Pointer(unsafe.SliceData(c.cols[i])))
	}
	rows := c.rows
	c.rows, c.cols = 0, nil
	return colstore.NewOwnedBatch(c.schema, colstore.Range{Begin: 0, End: int64(rows)}, nil, cols...)
}
