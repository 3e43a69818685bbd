package ops

import (
	"context"

	"github.com/colstore/colstore-go"
)

// A BatchOp makes columns of whole batches: a program's own step of a frame, where a function of one expression is not
// enough. It sees every row of the source, those too that cuts drop, in batches whose borders mean nothing: its values in
// a row must not depend on where a batch begins or ends. Batch.Begin is the global number of a batch's first row.
type BatchOp interface {
	// Name returns what messages call it.
	Name() string
	// Columns returns the names of the columns that it takes, nil for all there are, and of those it makes.
	Columns() (in, out []string)
	// Schema returns the columns it makes, under their names and in their order, for the dtypes of those it takes. Their
	// byte order is the native one.
	Schema(in *colstore.Schema) (*colstore.Schema, error)
	// Apply makes them for the rows of in. It may be called from several goroutines at once.
	//
	// Memory: the result is the caller's to release. It may hold in, and buffers of mem (nil: the Go heap), which it gives
	// back then.
	Apply(ctx context.Context, in *colstore.Batch, mem colstore.Allocator) (*colstore.Batch, error)
}

// A BatchFunc is a function as a BatchOp.
type BatchFunc struct {
	Title string           // its name
	In    []string         // the columns it takes; nil is all
	Out   []colstore.Field // the columns it makes
	// Func returns the columns of Out for the rows of in: on the Go heap, or views of in.
	Func func(ctx context.Context, in *colstore.Batch) ([]colstore.Column, error)
}

// Name implements BatchOp.
func (f *BatchFunc) Name() string { return f.Title }

// Columns implements BatchOp.
func (f *BatchFunc) Columns() (in, out []string) {
	for _, c := range f.Out {
		out = append(out, c.Name)
	}
	return f.In, out
}

// Schema implements BatchOp.
func (f *BatchFunc) Schema(*colstore.Schema) (*colstore.Schema, error) {
	return colstore.NewSchema(f.Out...)
}

// Apply implements BatchOp.
func (f *BatchFunc) Apply(ctx context.Context, in *colstore.Batch, _ colstore.Allocator) (*colstore.Batch, error) {
	cols, err := f.Func(ctx, in)
	if err != nil {
		return nil, err
	}
	schema, err := colstore.NewSchema(f.Out...)
	if err != nil {
		return nil, err
	}
	out, err := colstore.NewOwnedBatch(schema, colstore.Range{Begin: in.Begin(), End: in.Begin() + int64(in.Rows())}, in.Release, cols...)
	if err == nil {
		in.Retain()
	}
	return out, err
}

var _ BatchOp = (*BatchFunc)(nil)
