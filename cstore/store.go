package cstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
)

// Store writes the rows of b as a file of one record, whatever the layout of o: the Python package's one-shot store, but
// that the path is as it was until the file is complete, and on the disk then. colstore.BatchOf makes a batch of slices,
// source.FromStructs of structs, FromRecord of package source/arrow of an Arrow record, by which nulls are filled or refused.
// With ModeUpdate the rows become one more record of the file.
//
// Errors: as [Create] and [Writer.Write].
func Store(ctx context.Context, path string, b *colstore.Batch, o *WriteOptions) error {
	if b == nil {
		return errNothing("create", path, "batch")
	}
	return store(ctx, path, b.Schema(), o, LayoutPerWrite, func(w *Writer) error { return w.Write(ctx, b) })
}

// StoreSource writes all rows of src as a file of one record, as [Store] does. Memory does not depend on their number: if
// src does not know that, they wait in a hidden file beside the path.
//
// Errors: those of reading too.
func StoreSource(ctx context.Context, path string, src colstore.Source, o *WriteOptions) error {
	if src == nil {
		return errNothing("create", path, "source")
	}
	return store(ctx, path, src.Schema(), o, LayoutSingle, func(w *Writer) error {
		write, row := w.Write, int64(0)
		if n := src.Rows(); n >= 0 {
			if err := w.Reserve(n); err != nil {
				return err
			}
			write = func(ctx context.Context, b *colstore.Batch) error {
				err := w.WriteAt(ctx, row, b)
				row += int64(b.Rows())
				return err
			}
		}
		for b, err := range src.Scan(ctx, colstore.Scan{Once: true}) {
			if err != nil {
				return err
			}
			if err := write(ctx, b); err != nil {
				return err
			}
		}
		return nil
	})
}

// errNothing tells of a nil where there must be something to write.
func errNothing(op, path, what string) error {
	return &colstore.Error{Op: op, Path: path, Err: fmt.Errorf("%w: the %s is nil", colstore.ErrValue, what)}
}

// store makes a file of what fill writes.
func store(ctx context.Context, path string, s *colstore.Schema, o *WriteOptions, layout Layout, fill func(*Writer) error) (err error) {
	if o == nil {
		o = &WriteOptions{}
	}
	one := *o
	one.Layout, one.BlockRows = layout, 0
	w, err := CreateIn(ctx, path, s, &one)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	if err := fault.Guard(func() error { return fill(w) }); err != nil {
		return err
	}
	return w.Commit(ctx)
}
