package frame

import (
	"context"
	"iter"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/ops"
)

// Batches yields the surviving rows, a batch for each batch of at most rows rows of the source; batches without a
// survivor are left out. rows of 0 is the source's choice.
//
// This is the sequential reference: package runtime does the same in parallel, with the same bytes.
func (f *Frame) Batches(ctx context.Context, rows int) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		p, err := f.program()
		if err != nil {
			yield(nil, err)
			return
		}
		for b, err := range f.evaluated(ctx, p, rows, nil) {
			if err != nil {
				yield(nil, err)
				return
			}
			if b.Rows() == 0 {
				b.Release()
			} else if !b.Lend(yield) {
				return
			}
		}
	}
}

// evaluated yields what the program makes of every batch of the source, also if nothing is left; the loop body releases
// it.
func (f *Frame) evaluated(ctx context.Context, p *Program, rows int, t *Tally) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		tallied := 0
		if t != nil {
			tallied = len(p.cuts)
		}
		skip := p.Skipper(tallied)
		for in, err := range f.src.Scan(ctx, colstore.Scan{Columns: p.Inputs(), BatchRows: rows, Skip: skip}) {
			var out *colstore.Batch
			if err == nil {
				err = fault.Guard(func() (err error) {
					out, err = p.Eval(ctx, in, nil, t)
					return err
				})
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(out, nil) {
				return
			}
		}
		if t != nil {
			skip.AddTo(t)
		}
	}
}

// Collect returns the surviving rows as one batch on the Go heap.
func (f *Frame) Collect(ctx context.Context) (*colstore.Batch, error) {
	p, err := f.program()
	if err != nil {
		return nil, err
	}
	cols := make([][]byte, p.schema.Len())
	rows := 0
	for b, err := range f.Batches(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if err := fault.Guard(func() error {
			for i := range cols {
				size := p.schema.Field(i).Type.Size()
				at := len(cols[i])
				cols[i] = append(cols[i], make([]byte, b.Rows()*size)...)
				kernel.Load(cols[i][at:], b.At(i))
			}
			return nil
		}); err != nil {
			return nil, err
		}
		rows += b.Rows()
	}
	out := make([]colstore.Column, len(cols))
	for i, f := range p.schema.All() {
		out[i] = colstore.RawColumn(f.Type, rows, f.Type.Size(), unsafe.Pointer(unsafe.SliceData(cols[i])))
	}
	return colstore.NewOwnedBatch(p.schema, colstore.Range{Begin: 0, End: int64(rows)}, nil, out...)
}

// Count returns the number of surviving rows. It reads only what the cuts need, and nothing if there are none.
func (f *Frame) Count(ctx context.Context) (int64, error) {
	p, err := f.Select().program()
	if err != nil {
		return 0, err
	}
	if !p.HasCuts() && f.src.Rows() >= 0 {
		return f.src.Rows(), nil
	}
	n := int64(0)
	for b, err := range f.evaluated(ctx, p, 0, nil) {
		if err != nil {
			return 0, err
		}
		n += int64(b.Rows())
		b.Release()
	}
	return n, nil
}

// Report returns the cutflow. It reads only what the cuts and weights need.
func (f *Frame) Report(ctx context.Context) (*Cutflow, error) {
	p, err := f.Select().program()
	if err != nil {
		return nil, err
	}
	t := p.NewTally(0)
	for b, err := range f.evaluated(ctx, p, 0, t) {
		if err != nil {
			return nil, err
		}
		b.Release()
	}
	return p.Cutflow(t), nil
}

// Reduce folds columns of the frame to one value each, all in one pass over the source.
//
// Errors: colstore.ErrNoColumn, colstore.ErrType for a reduction that the column's dtype does not have, those of reading.
func (f *Frame) Reduce(ctx context.Context, aggs ...ops.Agg) ([]colstore.Scalar, error) {
	r, err := f.Reducer(aggs...)
	if err != nil {
		return nil, err
	}
	states, err := r.States(0)
	if err != nil {
		return nil, err
	}
	for in, err := range f.src.Scan(ctx, colstore.Scan{Columns: r.p.Inputs(), Skip: r.Skipper()}) {
		if err != nil {
			return nil, err
		}
		if err := fault.Guard(func() error { return r.Add(ctx, in, nil, states) }); err != nil {
			return nil, err
		}
	}
	return r.Values(states), nil
}

// A Reducer folds batches of a frame's source into the states of reductions.
type Reducer struct {
	p    *Program
	aggs []ops.Agg
	cols []int // of the program's output, by reduction; none for a count of rows
}

// Reducer binds reductions of the frame's columns. Only what they and the cuts need is read.
func (f *Frame) Reducer(aggs ...ops.Agg) (*Reducer, error) {
	r := &Reducer{aggs: aggs, cols: make([]int, len(aggs))}
	var names []string
	index := map[string]int{}
	for i, a := range aggs {
		r.cols[i] = none
		if a.Column == "" {
			continue
		}
		if _, ok := index[a.Column]; !ok {
			index[a.Column] = len(names)
			names = append(names, a.Column)
		}
		r.cols[i] = index[a.Column]
	}
	var err error
	if r.p, err = f.Select(names...).program(); err != nil {
		return nil, err
	}
	_, err = r.States(0)
	return r, err
}

// Inputs returns the names of the only columns that need to be scanned.
func (r *Reducer) Inputs() []string { return r.p.Inputs() }

// Skipper returns the skipper of a scan whose rows are added.
func (r *Reducer) Skipper() *Skipper { return r.p.Skipper(0) }

// RowBytes returns the bytes that adding a batch holds per row of it.
func (r *Reducer) RowBytes() int { return r.p.RowBytes() }

// States returns the empty states of rows from global row begin on.
func (r *Reducer) States(begin int64) ([]ops.State, error) {
	out := make([]ops.State, len(r.aggs))
	for i, a := range r.aggs {
		t := colstore.Int64
		if r.cols[i] != none {
			t = r.p.schema.Field(r.cols[i]).Type
		}
		var err error
		if out[i], err = a.New(t, begin); err != nil {
			return nil, &colstore.Error{Column: a.Column, Err: err}
		}
	}
	return out, nil
}

// Add folds the surviving rows of a batch into states. Batches come in row order; none of them spans a block of
// ops.BlockRows rows other than whole chunks do.
func (r *Reducer) Add(ctx context.Context, in *colstore.Batch, mem colstore.Allocator, states []ops.State) error {
	// A block of source rows at a time, since the states are told which block their values are of.
	for at := 0; at < in.Rows(); {
		row := in.Begin() + int64(at)
		end := min(in.Rows(), at+int(ops.BlockRows-row%ops.BlockRows))
		b, err := r.p.Eval(ctx, in.Slice(at, end), mem, nil)
		if err != nil {
			return err
		}
		for i, s := range states {
			if r.cols[i] == none {
				s.Add(row, colstore.RawColumn(colstore.Uint8, b.Rows(), 0, unsafe.Pointer(&zeroByte)))
				continue
			}
			c := b.At(r.cols[i])
			if !c.IsPlain() || c.Stride() == 0 {
				c = c.Copy()
			}
			s.Add(row, c)
		}
		b.Release()
		at = end
	}
	return nil
}

var zeroByte byte

// Values returns the results.
func (r *Reducer) Values(states []ops.State) []colstore.Scalar {
	out := make([]colstore.Scalar, len(states))
	for i, s := range states {
		out[i] = s.Value()
	}
	return out
}
