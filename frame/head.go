package frame

import (
	"context"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
)

// Head returns the first n surviving rows as a table to look at; what the options leave out is the default. The numbers
// beside the rows are those of the source.
func (f *Frame) Head(ctx context.Context, n int, o PreviewOptions) (*Preview, error) {
	b, numbers, err := f.First(ctx, n)
	if err != nil {
		return nil, err
	}
	return NewPreview("frame", b, numbers, o), nil
}

// Tail is [Frame.Head] of the last n surviving rows.
func (f *Frame) Tail(ctx context.Context, n int, o PreviewOptions) (*Preview, error) {
	b, numbers, err := f.Last(ctx, n)
	if err != nil {
		return nil, err
	}
	return NewPreview("frame", b, numbers, o), nil
}

// First returns the first n surviving rows, and the numbers that they have in the source. It stops reading when it has
// them. The batch is on the Go heap and owes nothing.
func (f *Frame) First(ctx context.Context, n int) (*colstore.Batch, []int64, error) {
	return f.Ends(ctx, n, false, 0)
}

// Last returns the last n surviving rows, and the numbers that they have in the source. It keeps no more rows than that and
// a batch; only without cuts can it start near the end.
func (f *Frame) Last(ctx context.Context, n int) (*colstore.Batch, []int64, error) {
	return f.Ends(ctx, n, true, 0)
}

// An origin is a source whose rows have other numbers where they come from: a view.
type origin interface {
	Origins(ctx context.Context, rows []int64) ([]int64, error)
}

// Ends is [Frame.First], or [Frame.Last], that reads batches of so many rows; 0 leaves it to the number that is asked for.
func (f *Frame) Ends(ctx context.Context, n int, last bool, batchRows int) (*colstore.Batch, []int64, error) {
	src := f.src // as it was opened: limits are resolved to the first rows of it
	f, err := f.Resolve(ctx)
	if err != nil {
		return nil, nil, err
	}
	p, err := f.program()
	if err != nil {
		return nil, nil, err
	}
	schema := p.Schema()
	if p, err = f.Assign(matchName, Row()).program(); err != nil {
		return nil, nil, err
	}
	// A look should not decode much more than it shows.
	scan := colstore.Scan{Columns: p.Inputs(), Skip: p.Skipper(0), BatchRows: max(min(n, 1<<16), 1<<12), Once: true}
	if batchRows > 0 {
		scan.BatchRows = batchRows
	}
	// Without cuts it is known which rows are shown. What is wrong with another row is no matter then.
	switch total := f.src.Rows(); {
	case p.HasCuts() || n <= 0:
	case last && total > int64(n):
		scan.Rows = colstore.Range{Begin: total - int64(n), End: total}
	case !last && total > int64(n):
		scan.Rows = colstore.Range{End: int64(n)}
	case !last && total < 0:
		scan.BatchRows = min(scan.BatchRows, n)
	}
	var kept []*colstore.Batch
	if n > 0 {
		if kept, err = firstOrLast(ctx, f.src, p, scan, n, last); err != nil {
			return nil, nil, err
		}
	}
	b, numbers, err := numbered(p.Schema(), schema, kept)
	if err != nil {
		return nil, nil, err
	}
	if v, ok := src.(origin); ok {
		numbers, err = v.Origins(ctx, numbers)
	}
	return b, numbers, err
}

// firstOrLast returns the first or the last n rows that survive a program, in copies.
func firstOrLast(ctx context.Context, src colstore.Source, p *Program, scan colstore.Scan, n int, last bool) ([]*colstore.Batch, error) {
	var kept []*colstore.Batch
	rows := 0
	for in, err := range src.Scan(ctx, scan) {
		if err != nil {
			return nil, err
		}
		var part *colstore.Batch
		if err := fault.Guard(func() error {
			b, err := p.Eval(ctx, in, nil, nil)
			if err != nil {
				return err
			}
			defer b.Release()
			if last {
				part = b.Slice(max(0, b.Rows()-n), b.Rows()).Detach()
			} else {
				part = b.Slice(0, min(b.Rows(), n-rows)).Detach()
			}
			return nil
		}); err != nil {
			return nil, colstore.Locate(src, err)
		}
		kept = append(kept, part)
		rows += part.Rows()
		if !last && rows == n {
			break
		}
		for last && rows-kept[0].Rows() >= n {
			rows -= kept[0].Rows()
			kept = kept[1:]
		}
	}
	if extra := rows - n; last && extra > 0 {
		kept[0] = kept[0].Slice(extra, kept[0].Rows())
	}
	return kept, nil
}

// numbered takes the column of row numbers, the last one, off rows.
func numbered(with, without *colstore.Schema, parts []*colstore.Batch) (*colstore.Batch, []int64, error) {
	all, err := colstore.Stack(with, parts...)
	if err != nil {
		return nil, nil, err
	}
	cols := make([]colstore.Column, without.Len())
	for i := range cols {
		cols[i] = all.At(i)
	}
	numbers, err := colstore.CopyOf[int64](all.At(len(cols)))
	if err != nil {
		return nil, nil, err
	}
	b, err := colstore.NewOwnedBatch(without, colstore.Range{Begin: 0, End: int64(all.Rows())}, nil, cols...)
	return b, numbers, err
}
