package frame

import (
	"context"
	"errors"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
)

// Limit keeps the first rows rows that survive the steps before it: as if the source ended at the row that gave the last
// of them. So the rows that a cutflow counts are those of the source up to there, and steps after it, cuts too, see no
// others. A limit is no cut of the cutflow.
//
// Where a limit comes after cuts, every terminal finds that row first, by a pass over the cuts that stops there.
func (f *Frame) Limit(rows int64) *Frame { return f.with(&limitStep{rows: rows}) }

type limitStep struct{ rows int64 }

func (s *limitStep) check() error {
	if s.rows < 0 {
		return stepErrorf("limit", colstore.ErrValue, "%d rows; it is 0 or more", s.rows)
	}
	return nil
}

func (*limitStep) reads(*nameScope) error { return nil }

// apply has nothing to do: a limit is resolved to rows of the source before a program runs.
func (*limitStep) apply(*binder) error { return nil }

var errLimited = errors.New("a program has no limit; use Frame.Resolve before Bind")

// Limited reports whether there is a limit among the steps.
func (f *Frame) Limited() bool {
	for _, s := range f.steps() {
		if _, ok := s.(*limitStep); ok {
			return true
		}
	}
	return false
}

// Unlimited returns the frame without its limits.
func (f *Frame) Unlimited() *Frame {
	if !f.Limited() {
		return f
	}
	return f.unlimitedOver(f.src)
}

// unlimitedOver returns the steps without the limits over another source of the same columns.
func (f *Frame) unlimitedOver(src colstore.Source) *Frame {
	g := &Frame{src: src, names: f.names, err: f.err}
	for _, s := range f.steps() {
		if _, ok := s.(*limitStep); !ok {
			g = &Frame{parent: g, step: s, src: src, names: f.names, err: f.err}
		}
	}
	return g
}

// Resolve returns the frame without its limits, over the rows of the source that they leave; the frame itself if it has
// none. It reads what the cuts before a limit need, up to the row where the limit ends the source.
//
// Errors: those of the steps, of reading, and of evaluating the cuts on the rows up to there.
func (f *Frame) Resolve(ctx context.Context) (*Frame, error) {
	end, limited, err := f.End(ctx)
	if err != nil || !limited {
		return f, err
	}
	return f.unlimitedOver(Prefix(f.src, end)), nil
}

// End returns how many rows of the source the limits leave; limited is false if there is no limit. See [Frame.Resolve].
func (f *Frame) End(ctx context.Context) (rows int64, limited bool, err error) {
	switch {
	case f.err != nil:
		return 0, false, f.err
	case !f.Limited():
		return 0, false, nil
	case f.src == nil:
		return 0, false, errUnbound
	}
	src := f.src
	before := &Frame{src: src, names: f.names}
	for _, s := range f.steps() {
		l, ok := s.(*limitStep)
		if !ok {
			before = &Frame{parent: before, step: s, src: src, names: f.names}
			continue
		}
		end, err := before.end(ctx, l.rows)
		if err != nil {
			return 0, false, err
		}
		if !limited || end < rows {
			rows, limited = end, true
			src = Prefix(f.src, rows)
			before = before.unlimitedOver(src)
		}
	}
	return rows, true, nil
}

// allRows is a number of rows that no source has: what the end of one of unknown rows is taken for.
const allRows = 1<<63 - 1

// countRows is how many rows at a time a limit is counted in: little is read beyond it.
const countRows = 1 << 16

// end returns how many rows of the source there are up to the one that gives the n-th survivor, or all.
func (f *Frame) end(ctx context.Context, n int64) (int64, error) {
	all := f.src.Rows()
	if all < 0 {
		all = allRows
	}
	p, err := f.Select().program()
	if err != nil {
		return 0, err
	}
	if n == 0 || !p.HasCuts() {
		return min(n, all), nil
	}
	const number = "row"
	if p, err = f.Assign(number, Row()).Select(number).program(); err != nil {
		return 0, err
	}
	for in, err := range f.src.Scan(ctx, colstore.Scan{Columns: p.Inputs(), BatchRows: countRows, Skip: p.Skipper(0)}) {
		if err != nil {
			return 0, err
		}
		var rows []int64
		if err := fault.Guard(func() error { rows, err = p.survivors(ctx, in, n); return err }); err != nil {
			return 0, colstore.Locate(f.src, err)
		}
		if int64(len(rows)) >= n {
			return rows[n-1] + 1, nil
		}
		n -= int64(len(rows))
	}
	return all, nil
}

// survivors returns the numbers of the surviving rows of a batch, which are the only output. A value that the cuts cannot
// take is an error only if it comes before the n-th survivor: the batch may reach beyond where the limit ends the source.
func (p *Program) survivors(ctx context.Context, in *colstore.Batch, n int64) ([]int64, error) {
	out, err := p.Eval(ctx, in, nil, nil)
	if err == nil {
		defer out.Release()
		return colstore.CopyOf[int64](out.At(0))
	}
	e, ok := errors.AsType[*colstore.Error](err)
	if !ok {
		return nil, err
	}
	row, ok := e.Row.Get()
	if !ok || row <= in.Begin() || row >= in.Begin()+int64(in.Rows()) {
		return nil, err
	}
	rows, before := p.survivors(ctx, in.Slice(0, int(row-in.Begin())), n)
	if before != nil || int64(len(rows)) < n {
		return nil, errors.Join(before, err)
	}
	return rows, nil
}
