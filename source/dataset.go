package source

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/colstore/colstore-go"
)

// A Dataset is a table that grows: what is added comes below what is there. The zero Dataset is empty and takes only what
// has the same columns; set Mismatch before the first rows for another rule.
//
// Its rows are read through [Dataset.Source], which shows the table as it is at that moment and does not change. It is
// safe for concurrent use.
type Dataset struct {
	Mismatch Mismatch

	mu     sync.Mutex
	parts  []Part
	opened []colstore.Source // that the dataset closes
	table  *concat           // of the parts; nil for none
	closed bool
}

// Append opens a spec and adds its rows. The dataset closes the files; columns in which they differ follow the dataset's
// rule.
//
// Errors: those of [Open]; colstore.ErrMismatch for columns that do not fit, colstore.ErrClosed. The dataset is as it was
// then, and what was opened is closed.
func (d *Dataset) Append(ctx context.Context, s Spec) error {
	s.Mismatch = d.Mismatch
	src, err := Open(ctx, s)
	if err != nil {
		return err
	}
	if err := d.add(partsOf("", src), src); err != nil {
		return errors.Join(err, src.Close())
	}
	return nil
}

// Borrow adds the rows of an open source, by a name for messages. The source stays its owner's, and must be open as long as
// the dataset is read.
//
// Errors: colstore.ErrMismatch, colstore.ErrClosed, colstore.ErrValue for no source. The dataset is as it was then.
func (d *Dataset) Borrow(name string, src colstore.Source) error {
	return d.add(partsOf(name, src), nil)
}

// partsOf returns a source as parts of a dataset: of opened files, each is one.
func partsOf(name string, src colstore.Source) []Part {
	if o, ok := src.(*opened); ok {
		return o.parts
	}
	return []Part{{name, src}}
}

// add adds parts. If they belong to a source that is owned, the dataset closes that.
func (d *Dataset) add(added []Part, owned colstore.Source) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fmt.Errorf("append to a dataset: %w", colstore.ErrClosed)
	}
	parts := slices.Concat(d.parts, added)
	table, err := newConcat(d.Mismatch, parts, joining{})
	if err != nil {
		return err
	}
	d.parts, d.table = parts, table
	if owned != nil {
		d.opened = append(d.opened, owned)
	}
	return nil
}

// Len returns the number of files and borrowed sources.
func (d *Dataset) Len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.parts)
}

// Source returns the rows that the dataset has now. Closing it does nothing; it can be read until the dataset is closed.
//
// Errors: colstore.ErrClosed; colstore.ErrValue for a dataset without parts, which has no columns.
func (d *Dataset) Source() (colstore.Source, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, fmt.Errorf("read a dataset: %w", colstore.ErrClosed)
	case d.table == nil:
		return nil, fmt.Errorf("read a dataset: %w: it has no parts, and so no columns", colstore.ErrValue)
	}
	return snapshot{d.table}, nil
}

// snapshot is the rows of a dataset, which owns them.
type snapshot struct{ *concat }

func (snapshot) Close() error { return nil }

// Close closes what the dataset opened, and leaves what it borrowed. Closing twice is fine.
func (d *Dataset) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	for _, src := range d.opened {
		err = errors.Join(err, src.Close())
	}
	d.closed, d.opened, d.parts, d.table = true, nil, nil, nil
	return err
}
