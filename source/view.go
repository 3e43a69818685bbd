package source

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
)

// A View is rows and columns of a source that were chosen but not read. It is immutable: [View.Pick], [View.Select] and
// [View.Drop] return views of it, which compose without reading. It is a source itself, so that a frame can start from it;
// its rows are numbered from 0.
//
// The first error of building it sticks: every method that reads returns it, and so does Err.
//
// Memory: a view holds a bit a row of the source for a mask or predicate and eight bytes a row for a list, nothing of the
// data. It does not own the source, which must be open whenever the view is read; what was read before stays valid.
type View struct {
	src     colstore.Source
	columns *colstore.Schema
	rows    rowset      // nil until the pending selections are resolved
	pending []selecting // from the source's rows on
	err     error
	held    *held // of a prepared view, and of those made of it
	owns    bool  // held is this view's to give back
}

// selecting is a selection that waits for what only reading tells, and the columns that are visible to it.
type selecting struct {
	sel     Selection
	columns *colstore.Schema
}

// none returns a view of nothing, for what is wrong with it.
func none(err error) *View { return &View{columns: colstore.MustSchema(), err: err} }

// orNone returns the view, or one of nothing for a nil.
func (v *View) orNone() *View {
	if v == nil {
		return none(fmt.Errorf("%w: the view is nil", colstore.ErrValue))
	}
	return v
}

// ViewOf returns the view of all rows and columns of a source.
func ViewOf(src colstore.Source) *View {
	if src == nil {
		return none(fmt.Errorf("%w: a view of no source", colstore.ErrValue))
	}
	v := &View{src: src, columns: src.Schema()}
	if n := src.Rows(); n >= 0 {
		v.rows = run{0, 1, n}
	}
	return v
}

// Pick returns the rows of the view that a selection takes: row numbers, slices and masks are those of the view. A list of
// rows is checked when it is read, as are selections of rows that are not known yet; all others are checked at once.
func (v *View) Pick(s Selection) *View {
	w := v.derive()
	switch {
	case w.err != nil:
	case s.isLazy() && s.where == nil:
		w.err = fmt.Errorf("%w: Where of no predicate", colstore.ErrValue)
	case s.isLazy():
		if w.err = s.where.Check(v.columns); w.err == nil {
			w.pending = append(slices.Clip(w.pending), selecting{s, v.columns})
		}
	case len(w.pending) > 0 || w.rows == nil:
		w.pending = append(slices.Clip(w.pending), selecting{s, v.columns})
	default:
		w.rows, w.err = pick(w.rows, s, v.src.Rows())
	}
	return w
}

// Select returns the named columns, in that order.
func (v *View) Select(names ...string) *View {
	w := v.derive()
	switch {
	case w.err != nil:
	case len(names) == 0:
		w.err = fmt.Errorf("%w: select names no column", colstore.ErrValue)
	default:
		w.project(names)
	}
	return w
}

// project leaves only the named columns; on an error the columns stay, so that the view can still tell them.
func (v *View) project(names []string) {
	s, err := v.columns.Select(names...)
	if v.err = err; err == nil {
		v.columns = s
	}
}

// Drop returns the columns but the named ones.
func (v *View) Drop(names ...string) *View {
	w := v.derive()
	for _, n := range names {
		if _, ok := v.columns.Index(n); !ok && w.err == nil {
			w.err = v.columns.NoColumn(n)
		}
	}
	if w.err == nil {
		w.project(slices.DeleteFunc(v.columns.Names(), func(n string) bool { return slices.Contains(names, n) }))
	}
	return w
}

// Err returns the first error of building the view.
func (v *View) Err() error { return v.err }

// IsLazy reports whether only reading tells the rows: a predicate is pending, or the source does not know how many rows
// it has. A lazy view finds its rows out anew every time it is read; [View.Evaluate] does it once.
func (v *View) IsLazy() bool { return v.rows == nil || len(v.pending) > 0 }

// Schema returns the columns.
func (v *View) Schema() *colstore.Schema { return v.columns }

// Rows returns the number of rows, or -1 for a lazy view.
func (v *View) Rows() int64 {
	if v.err != nil || v.IsLazy() {
		return -1
	}
	return v.rows.len()
}

// Count returns the number of rows. Only a lazy view reads for it, what its predicates need.
func (v *View) Count(ctx context.Context) (int64, error) {
	w, err := v.Evaluate(ctx)
	if err != nil {
		return 0, err
	}
	return w.rows.len(), nil
}

// Evaluate returns the view with its rows found out, so that reading it again does not evaluate its predicates again.
func (v *View) Evaluate(ctx context.Context) (*View, error) {
	if v.err != nil {
		return nil, v.err
	}
	if !v.IsLazy() {
		return v, nil
	}
	w := v.derive()
	w.pending = nil
	total := v.src.Rows()
	if w.rows == nil {
		var err error
		if total, err = countRows(ctx, v.src); err != nil {
			return nil, err
		}
		w.rows = run{0, 1, total}
	}
	for _, p := range v.pending {
		if !p.sel.isLazy() {
			var err error
			if w.rows, err = pick(w.rows, p.sel, total); err != nil {
				return nil, err
			}
			continue
		}
		// The whole source is matched as it is, so that it can leave out what its statistics exclude.
		src := v.src
		if r, ok := w.rows.(run); !ok || r.first != 0 || r.step != 1 || r.n != src.Rows() || p.columns != src.Schema() {
			src = &View{src: v.src, columns: p.columns, rows: w.rows}
		}
		words, rows, err := p.sel.where.Match(ctx, src)
		if err != nil {
			return nil, err
		}
		if rows != w.rows.len() {
			return nil, fmt.Errorf("%w: the predicate saw %d rows of %d", colstore.ErrMismatch, rows, w.rows.len())
		}
		w.rows = throughMarks(w.rows, words)
	}
	return w, nil
}

// countRows reads a source to find out how many rows it has.
func countRows(ctx context.Context, src colstore.Source) (int64, error) {
	if n := src.Rows(); n >= 0 {
		return n, nil
	}
	columns := []string{}
	if s := src.Schema(); s.Len() > 0 {
		columns = append(columns, s.Field(0).Name)
	}
	n := int64(0)
	for b, err := range src.Scan(ctx, colstore.Scan{Columns: columns}) {
		if err != nil {
			return 0, err
		}
		n += int64(b.Rows())
	}
	return n, nil
}

// Positions returns the numbers that the view's rows have in the source.
func (v *View) Positions(ctx context.Context) ([]int64, error) {
	w, err := v.Evaluate(ctx)
	if err != nil {
		return nil, err
	}
	if err := verify(w.rows); err != nil {
		return nil, err
	}
	out := make([]int64, w.rows.len())
	w.rows.fill(out, 0)
	return out, nil
}

// Origins returns the numbers that rows of the view have in the source, for whoever shows a few of them.
//
// Errors: colstore.ErrRange for a row that the view does not have.
func (v *View) Origins(ctx context.Context, rows []int64) ([]int64, error) {
	w, err := v.Evaluate(ctx)
	if err != nil {
		return nil, err
	}
	if err := verify(w.rows); err != nil {
		return nil, err
	}
	out := make([]int64, len(rows))
	for i, r := range rows {
		if r < 0 || r >= w.rows.len() {
			return nil, outside(r, w.rows.len())
		}
		w.rows.fill(out[i:i+1], r)
	}
	return out, nil
}

// Locate returns the file that a row of the view lies in, if the source knows it and the view is not lazy.
func (v *View) Locate(row int64) (path string, at int64) {
	l, ok := v.src.(colstore.Locator)
	if !ok || v.err != nil || v.IsLazy() || row < 0 || row >= v.rows.len() || verify(v.rows) != nil {
		return "", row
	}
	of := make([]int64, 1)
	v.rows.fill(of, row)
	return l.Locate(of[0])
}

// String tells what the view shows without reading: at most twenty names.
func (v *View) String() string {
	names := v.columns.Names()
	more := ""
	if len(names) > 20 {
		names, more = names[:20], ", …"
	}
	rows := "lazy selection"
	if n := v.Rows(); n >= 0 {
		rows = fmt.Sprintf("%d rows", n)
	}
	return fmt.Sprintf("View: %s, %d columns [%s%s]", rows, v.columns.Len(), strings.Join(names, ", "), more)
}
