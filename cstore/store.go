package cstore

import (
	"context"
	"errors"

	"github.com/colstore/colstore-go"
)

// Store writes the rows of b as a file of one record: the Python package's one-shot store.
func Store(ctx context.Context, path string, b *colstore.Batch, o *WriteOptions) (err error) {
	if o == nil {
		o = &WriteOptions{}
	}
	single := *o
	single.Layout = LayoutPerWrite
	w, err := Create(path, b.Schema(), &single)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	if err := w.Write(ctx, b); err != nil {
		return err
	}
	return w.Commit(ctx)
}
