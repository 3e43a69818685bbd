package frame

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/ops"
)

// A Reducer folds batches of a frame's source into the states of aggregates. Aggregates of one family over the same
// columns share a state.
type Reducer struct {
	src    colstore.Source
	p      *Program
	aggs   []ops.Agg
	shared []int     // by aggregate: its state
	makers []ops.Agg // by state: the aggregate that makes it
	cols   [][]int   // by state: the program's outputs that it folds
	bytes  int64
	direct bool                        // every output is a column of the source, and there are no cuts
	step   int64                       // rows that are folded into all states before the next ones are
	fresh  atomic.Pointer[[]ops.State] // empty states of rows from 0 on, which nobody has taken yet
}

// Reducer binds aggregates of the columns of a frame without limits (see [Frame.Resolve]). Only what they and the cuts
// need is read.
func (f *Frame) Reducer(aggs ...ops.Agg) (*Reducer, error) {
	r := &Reducer{src: f.src, aggs: aggs, shared: make([]int, len(aggs))}
	var names []string
	families := map[[2]string]int{}
	for i, a := range aggs {
		if a.New == nil || a.Value == nil {
			return nil, fmt.Errorf("%w: aggregate %d has no New or no Value; make it with ops.Sum, ops.Quantile and the like", colstore.ErrOption, i+1)
		}
		key := [2]string{a.Family, strings.Join(a.Args, "\x00")}
		at, ok := families[key]
		if !ok || a.Family == "" {
			at = len(r.makers)
			families[key] = at
			r.makers = append(r.makers, a)
			cols := make([]int, len(a.Args))
			for j, name := range a.Args {
				if cols[j] = slices.Index(names, name); cols[j] < 0 {
					cols[j] = len(names)
					names = append(names, name)
				}
			}
			r.cols = append(r.cols, cols)
			r.bytes += a.Bytes
		} else if a.Level > r.makers[at].Level {
			r.bytes += a.Bytes - r.makers[at].Bytes
			r.makers[at] = a
		}
		r.shared[i] = at
	}
	var err error
	if r.p, err = f.programOf(names); err != nil {
		return nil, err
	}
	_, r.direct = r.p.Copied()
	r.step = r.cachedRows()
	if r.direct && len(r.makers) <= r.p.schema.Len() {
		r.step = math.MaxInt64 // each column is read once
	}
	// Each is asked, not only the makers: a family may share a state and still not the conditions of its members.
	fresh := make([]ops.State, len(r.makers))
	for i, a := range aggs {
		s, err := r.state(a, r.typesOf(a), 0)
		if err != nil {
			return nil, err
		}
		if at := r.shared[i]; fresh[at] == nil || a.Level == r.makers[at].Level {
			fresh[at] = s
		}
	}
	r.fresh.Store(&fresh)
	return r, nil
}

// reducing is the program of some columns of a frame over a schema: of those that were last reduced.
type reducing struct {
	schema *colstore.Schema
	names  []string
	p      *Program
}

// programOf returns the program of some columns of the frame. That of the last ones is kept.
func (f *Frame) programOf(names []string) (*Program, error) {
	if f.ready == nil || f.src == nil {
		return f.Select(names...).program()
	}
	schema := f.src.Schema()
	if made := f.ready.reducing.Load(); made != nil && made.schema == schema && slices.Equal(made.names, names) {
		return made.p, nil
	}
	p, err := f.Select(names...).program()
	if err == nil {
		f.ready.reducing.Store(&reducing{schema, names, p})
	}
	return p, err
}

func (r *Reducer) typesOf(a ops.Agg) []colstore.DType {
	out := make([]colstore.DType, len(a.Args))
	for i, name := range a.Args {
		at, _ := r.p.schema.Index(name)
		out[i] = r.p.schema.Field(at).Type
	}
	return out
}

func (r *Reducer) state(a ops.Agg, types []colstore.DType, begin int64) (ops.State, error) {
	s, err := a.New(types, begin)
	if e, ok := errors.AsType[*colstore.Error](err); ok && e.Column != "" {
		return nil, err // it says which of the arguments
	}
	if err != nil {
		return nil, &colstore.Error{Column: strings.Join(a.Args, ", "), Err: err}
	}
	return s, nil
}

// Run reads the source and returns the results.
func (r *Reducer) Run(ctx context.Context) ([]ops.Result, error) {
	states, err := r.States(0)
	if err != nil {
		return nil, err
	}
	switch done, err := r.runShown(ctx, states); {
	case err != nil:
		return nil, err
	case done:
		return r.end(states), nil
	}
	mem := &recycler{}
	for in, err := range r.src.Scan(ctx, colstore.Scan{Columns: r.p.Inputs(), BatchRows: r.batchRows(), Skip: r.Skipper()}) {
		if err != nil {
			return nil, err
		}
		if err := fault.Guard(func() error { return r.Add(ctx, in, mem, states) }); err != nil {
			return nil, colstore.Locate(r.src, err)
		}
	}
	return r.end(states), nil
}

// end returns the results, and ends the use of the states.
func (r *Reducer) end(states []ops.State) []ops.Result {
	out := r.Values(states)
	for _, s := range states {
		if s, ok := s.(ops.Recycler); ok {
			s.Recycle()
		}
	}
	return out
}

const (
	// shownBytes is up to how many bytes a column's rows are folded as the source shows them: a scan takes microseconds to
	// begin, but reads ahead what is not in memory yet.
	shownBytes = 4 << 20
	// shownFiles is the most files that are shown for it.
	shownFiles = 16
	// viewBytes is what a batch of a mapped file shows where rows are folded as they lie: it takes no memory, and its making
	// and reading ahead are not to be seen beside its folding.
	viewBytes = 8 << 20
)

// runShown folds the rows of a small table where the source shows them; it reports whether it has.
func (r *Reducer) runShown(ctx context.Context, states []ops.State) (done bool, err error) {
	m, ok := r.src.(colstore.Mapper)
	if n := r.src.Rows(); !ok || !r.direct || n < 0 || n > shownBytes || n*int64(r.InputBytes()) > shownBytes {
		return false, nil
	}
	if c, ok := r.src.(colstore.Composite); ok && len(c.Parts()) > shownFiles {
		return false, nil
	}
	batches, err := m.Map(r.p.Inputs())
	if errors.Is(err, colstore.ErrNotViewable) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer func() {
		for _, b := range batches {
			b.Release()
		}
	}()
	err = fault.Guard(func() error {
		var files fault.Files
		for _, b := range batches {
			if err := r.Add(ctx, b, nil, states); err != nil {
				return err
			}
			for i := range b.Schema().Len() {
				files.Add(b.At(i))
			}
		}
		return files.Check()
	})
	return true, colstore.Locate(r.src, err)
}

// batchRows returns the rows of a batch of the scan, 0 for as many as the source likes.
func (r *Reducer) batchRows() int {
	c, ok := r.src.(colstore.Coster)
	if !r.direct || !ok {
		return 0
	}
	if cost := c.Cost(r.p.Inputs()); cost.Row > 0 || cost.Fixed > 0 || !cost.Rescan {
		return 0
	}
	return max(1, viewBytes/max(1, r.InputBytes())/ops.BlockRows) * ops.BlockRows
}

// Inputs returns the names of the only columns that need to be scanned.
func (r *Reducer) Inputs() []string { return r.p.Inputs() }

// Skipper returns the skipper of a scan whose rows are added.
func (r *Reducer) Skipper() *Skipper { return r.p.Skipper(0) }

// InputBytes returns the bytes of a row of the columns that are scanned.
func (r *Reducer) InputBytes() int { return r.p.inputBytes() }

// Computes reports whether rows are cut or computed, rather than folded as they are.
func (r *Reducer) Computes() bool { return !r.direct }

// RowBytes returns the bytes that adding a batch holds per row of it.
func (r *Reducer) RowBytes() int { return r.p.RowBytes() }

// StateBytes returns what one set of states may come to hold.
func (r *Reducer) StateBytes() int64 { return r.bytes }

// States returns the empty states of rows from global row begin on.
func (r *Reducer) States(begin int64) ([]ops.State, error) {
	if begin == 0 {
		if fresh := r.fresh.Swap(nil); fresh != nil {
			return *fresh, nil
		}
	}
	out := make([]ops.State, len(r.makers))
	for i, a := range r.makers {
		var err error
		if out[i], err = r.state(a, r.typesOf(a), begin); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Values returns the results of states that [Reducer.States] made. It panics for others.
func (r *Reducer) Values(states []ops.State) []ops.Result {
	out := make([]ops.Result, len(r.aggs))
	for i, a := range r.aggs {
		out[i] = a.Value(states[r.shared[i]])
	}
	return out
}

// stepBytes is how many bytes of rows are folded into all states before the next ones are: they stay in the second-level
// cache until the last state has read them.
const stepBytes = 256 << 10

// cachedRows chooses the rows of a step: whole blocks.
func (r *Reducer) cachedRows() int64 {
	if r.p.HasCuts() {
		return ops.BlockRows // the states are told which block the survivors are of
	}
	blocks := stepBytes / (max(1, r.p.schema.RowBytes()) * ops.BlockRows)
	return int64(max(1, blocks)) * ops.BlockRows
}

// Add folds the surviving rows of a batch into states that [Reducer.States] made. Batches come in row order.
func (r *Reducer) Add(ctx context.Context, in *colstore.Batch, mem colstore.Allocator, states []ops.State) error {
	switch {
	case in == nil:
		return errNoBatch
	case len(states) != len(r.makers) || slices.Contains(states, nil):
		return fmt.Errorf("%w: the states are not those that the reducer made", colstore.ErrMismatch)
	}
	f := r.folding(states)
	if r.direct {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := f.show(in); err != nil {
			return err
		}
	}
	for at := 0; at < in.Rows(); {
		row, end := in.Begin()+int64(at), in.Rows()
		if left := f.step - row%f.step; left < int64(end-at) {
			end = at + int(left)
		}
		if r.direct {
			f.rows(row, at, end)
			at = end
			continue
		}
		b, err := r.p.Eval(ctx, in.Slice(at, end), mem, nil)
		if err != nil {
			return err
		}
		f.batch(row, b)
		at = end
	}
	return nil
}

// folding is a reducer at work on one batch.
type folding struct {
	*Reducer
	states []ops.State
	step   int64
	shown  []colstore.Column   // by output: the batch's column that it is
	plain  []colstore.Column   // by output: the rows at hand
	args   [][]colstore.Column // by state, of those
	part   []colstore.Column   // room for a block of the arguments of a state
	copies [][]byte            // by output: room for rows at hand that are not plain
}

func (r *Reducer) folding(states []ops.State) *folding {
	f := &folding{Reducer: r, states: states, step: r.step, args: make([][]colstore.Column, len(states))}
	n, most := 0, 0
	for _, cols := range r.cols {
		n, most = n+len(cols), max(most, len(cols))
	}
	columns := r.p.schema.Len()
	room := make([]colstore.Column, 2*columns+n+most)
	f.shown, f.plain, room = room[:columns], room[columns:2*columns], room[2*columns:]
	for i, cols := range r.cols {
		f.args[i], room = room[:len(cols):len(cols)], room[len(cols):]
	}
	f.part = room
	return f
}

// show finds the columns that are folded as they are.
func (f *folding) show(in *colstore.Batch) error {
	inputs, err := f.p.inputsOf(in, nil)
	if err != nil {
		return err
	}
	for i, o := range f.p.out {
		c := inputs[o.input]
		f.shown[i] = c
		if !isPlain(c) {
			f.step = f.cachedRows()
		}
	}
	return nil
}

// rows adds rows at to end of the columns shown, which begin at that row of the source.
func (f *folding) rows(row int64, at, end int) {
	for i, c := range f.shown {
		f.plain[i] = f.asPlain(i, window(c, at, end-at))
	}
	f.fold(row, end-at)
}

// batch adds the rows of b, which begin at that row of the source, to the states and releases b, also if reading a mapping
// panics.
func (f *folding) batch(row int64, b *colstore.Batch) {
	defer b.Release()
	for i := range f.plain {
		f.plain[i] = f.asPlain(i, b.At(i))
	}
	f.fold(row, b.Rows())
}

func isPlain(c colstore.Column) bool { return c.IsPlain() && c.Stride() != 0 }

// asPlain returns rows of output i, or a copy of them.
func (f *folding) asPlain(i int, c colstore.Column) colstore.Column {
	if isPlain(c) {
		return c
	}
	if f.copies == nil {
		f.copies = make([][]byte, len(f.plain))
	}
	t := c.Type().Native()
	if need := c.Rows() * t.Size(); cap(f.copies[i]) < need {
		f.copies[i] = make([]byte, need)
	}
	kernel.Load(f.copies[i], c)
	return colstore.RawColumn(t, c.Rows(), t.Size(), unsafe.Pointer(unsafe.SliceData(f.copies[i])))
}

// fold adds rows of plain to the states: those of the source from row on, or what the cuts left of a block.
func (f *folding) fold(row int64, rows int) {
	for i, s := range f.states {
		args := f.args[i]
		for j, c := range f.cols[i] {
			args[j] = f.plain[c]
		}
		whole, ok := s.(ops.RowsAdder)
		switch {
		case f.p.HasCuts():
			s.Add(row, rows, args)
		case ok:
			whole.AddRows(row, rows, args)
		default:
			f.blocks(s, row, rows, args)
		}
	}
}

// blocks adds rows to a state block by block.
func (f *folding) blocks(s ops.State, row int64, rows int, args []colstore.Column) {
	part := f.part[:len(args)]
	for at := 0; at < rows; {
		n := min(rows-at, int(ops.BlockRows-row%ops.BlockRows))
		for j, c := range args {
			part[j] = window(c, at, n)
		}
		s.Add(row, n, part)
		row, at = row+int64(n), at+n
	}
}
