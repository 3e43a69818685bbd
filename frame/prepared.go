package frame

import (
	"cmp"
	"context"
	"errors"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/memory"
	"github.com/colstore/colstore-go/kernel"
)

// MemoryOptions says how a frame is evaluated into memory. The zero value, and nil, are the defaults.
type MemoryOptions struct {
	Workers int // goroutines; 0 is one a processor, where there is work enough for them. No result depends on it.
}

// A Prepared is a frame bound to its source, whose result is to be put into memory: once, or again and again. It is safe
// for concurrent use.
//
// Rows of a source that lie in memory (a mapped file, batches in memory) are read in place, by several workers, each of
// which writes where its rows belong. Other sources are scanned.
//
// Memory: it holds what it was shown of the source, until it is closed, and a bit for each row of the source while it runs.
type Prepared struct {
	src     colstore.Source
	frame   *Frame // without limits
	p       *Program
	split   *Program // computes its columns from nothing that its cuts have computed; may be p, nil if there is none
	workers int      // 0 for as many as pay
	shown   []shown  // nil if the rows do not lie in memory
	mapped  []*colstore.Batch
	tasks   []task
	files   fault.Files // that the rows are mapped from
	rowsIn  int         // of all tasks
	width   int         // bytes of a row that are read and written
	words   int         // of the bitmaps of all tasks
	stored  []int       // the bool columns of the result that may hold what a file stores
}

// shown is a run of rows of the source that lies in memory.
type shown struct {
	batch  *colstore.Batch
	inputs []colstore.Column // of the program
}

// Prepare binds the frame, finds the rows that its limits leave and what statistics leave out, and asks the source to show
// its rows. Collect and CollectInto do it for one use.
//
// Errors: those of the steps and of finding where a limit ends.
func (f *Frame) Prepare(ctx context.Context, o *MemoryOptions) (*Prepared, error) {
	f, err := f.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	r := &Prepared{src: f.src, frame: f}
	if o != nil {
		r.workers = o.Workers
	}
	if r.p, r.split, err = f.bothPrograms(); err != nil {
		return nil, err
	}
	r.stored = r.p.storedBools()
	if len(r.p.appliers) > 0 || len(r.p.inputs) == 0 {
		return r, nil // an operator is to see the batches of the source; what needs no column is soon done
	}
	if err := r.show(ctx); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close gives back what the source has shown. It is not to be called while the result is being computed; what was
// computed stays valid.
func (r *Prepared) Close() error {
	for _, b := range r.mapped {
		b.Release()
	}
	r.mapped, r.shown, r.tasks = nil, nil, nil
	return nil
}

// Schema returns the columns of the result.
func (r *Prepared) Schema() *colstore.Schema { return r.p.schema }

// Collect returns the surviving rows as one batch on the Go heap.
func (r *Prepared) Collect(ctx context.Context) (*colstore.Batch, error) {
	if r.shown == nil || r.split == nil {
		return r.collectScan(ctx)
	}
	run := r.takeRun(ctx)
	defer run.give()
	if err := run.count(); err != nil {
		return nil, r.first(ctx, err)
	}
	run.to = r.fresh(run.rows)
	if err := run.write(); err != nil {
		return nil, r.first(ctx, err)
	}
	if err := r.files.Check(); err != nil {
		return nil, err
	}
	return r.batch(run.rows, run.to.bufs)
}

// Into writes the surviving rows to the front of dst, a column for each of the result, all of one length, and returns their
// number: [colstore.Wrap] makes a column of a slice. Of a bool that is stored as neither 0 nor 1 all but 0 is true, as a slice of
// Go's bools needs.
//
//	x, y := make([]float64, n), make([]float64, n)
//	rows, err := r.Into(ctx, colstore.Wrap(x), colstore.Wrap(y))
//
// Memory: the columns of dst must overlap neither the source nor each other. Of rows that lie in memory nothing is allocated
// after the first call, but some hundred bytes for each worker where there are several. What is behind the rows of the result is
// not touched; after an error dst is of any content.
// Errors: those of [Program.EvalInto].
func (r *Prepared) Into(ctx context.Context, dst ...colstore.Column) (rows int, err error) {
	if rows, err = r.into(ctx, dst); err != nil {
		return rows, err
	}
	for _, i := range r.stored {
		kernel.Truths(kernel.RawOut(dst[i])[:rows])
	}
	return rows, nil
}

// into is Into with bools as they are stored.
func (r *Prepared) into(ctx context.Context, dst []colstore.Column) (rows int, err error) {
	if r.shown == nil {
		return r.scanInto(ctx, dst)
	}
	run := r.takeRun(ctx)
	defer run.give()
	if run.to, err = r.p.placeIn(dst, run.bufs); err != nil {
		return 0, err
	}
	run.bufs = run.to.bufs
	if run.workers == 1 || r.split == nil {
		err = run.onePass()
	} else if err = run.count(); err == nil && run.rows <= run.to.room {
		err = run.write()
	}
	if err != nil {
		return 0, r.first(ctx, err)
	}
	switch err = r.files.Check(); {
	case err != nil:
		return 0, err
	case run.rows > run.to.room:
		return run.rows, errRoom(run.rows, run.to.room)
	}
	return run.rows, nil
}

// fresh returns new memory for the result.
func (r *Prepared) fresh(rows int) place {
	to := place{room: rows, bufs: make([][]byte, 0, len(r.p.out))}
	for _, o := range r.p.out {
		to.bufs = append(to.bufs, memory.Get(rows*o.typ.Size()))
	}
	return to
}

// batch returns filled buffers as a batch that owes nothing.
func (r *Prepared) batch(rows int, bufs [][]byte) (*colstore.Batch, error) {
	cols := make([]colstore.Column, len(r.p.out))
	for i, o := range r.p.out {
		cols[i] = colstore.RawColumn(o.typ, rows, o.typ.Size(), unsafe.Pointer(unsafe.SliceData(bufs[i])))
	}
	return colstore.NewOwnedBatch(r.p.schema, colstore.Range{Begin: 0, End: int64(rows)}, nil, cols...)
}

// collectScan is Collect for rows that are read in order.
func (r *Prepared) collectScan(ctx context.Context) (*colstore.Batch, error) {
	if n := r.src.Rows(); n >= 0 && !r.p.HasCuts() {
		to := r.fresh(int(n))
		dst := make([]colstore.Column, len(to.bufs))
		for i, o := range r.p.out {
			dst[i] = colstore.RawColumn(o.typ, int(n), o.typ.Size(), unsafe.Pointer(unsafe.SliceData(to.bufs[i])))
		}
		rows, err := r.scanInto(ctx, dst)
		if err != nil {
			return nil, err
		}
		return r.batch(rows, to.bufs)
	}
	bufs := make([][]byte, len(r.p.out))
	rows := 0
	for b, err := range r.frame.evaluated(ctx, r.p, 0, nil) {
		if err != nil {
			return nil, err
		}
		if err := fault.Guard(func() error {
			defer b.Release()
			for i, o := range r.p.out {
				at := len(bufs[i])
				bufs[i] = append(bufs[i], make([]byte, b.Rows()*o.typ.Size())...)
				kernel.Load(bufs[i][at:], b.At(i))
			}
			return nil
		}); err != nil {
			return nil, err
		}
		rows += b.Rows()
	}
	return r.batch(rows, bufs)
}

// scanInto is Into for rows that are read in order.
func (r *Prepared) scanInto(ctx context.Context, dst []colstore.Column) (rows int, err error) {
	to, err := r.p.placeIn(dst, nil)
	if err != nil {
		return 0, err
	}
	rest := make([]colstore.Column, len(dst))
	for in, err := range r.src.Scan(ctx, colstore.Scan{Columns: r.p.Inputs(), Skip: r.p.Skipper(0), Threads: cmp.Or(r.workers, cores())}) {
		if err == nil {
			err = fault.Guard(func() error {
				for i, c := range dst {
					rest[i] = c.Slice(min(rows, to.room), to.room, 1)
				}
				n, err := r.p.EvalInto(ctx, in, rest...)
				rows += n
				if errors.Is(err, colstore.ErrMismatch) && rows > to.room {
					return nil // counted to the end
				}
				return err
			})
		}
		if err != nil {
			return 0, colstore.Locate(r.src, err)
		}
	}
	if rows > to.room {
		return rows, errRoom(rows, to.room)
	}
	return rows, nil
}

// first returns the error that evaluating the rows in order meets: workers meet theirs in any order, and those of the cuts
// before those of the columns.
func (r *Prepared) first(ctx context.Context, err error) error {
	if e := context.Cause(ctx); e != nil {
		return e
	}
	for b, e := range r.frame.evaluated(ctx, r.p, 0, nil) {
		if e != nil {
			return e
		}
		b.Release()
	}
	return colstore.Locate(r.src, err)
}

// CollectInto writes the surviving rows to the front of dst and returns their number: see [Prepared.Into].
func (f *Frame) CollectInto(ctx context.Context, dst ...colstore.Column) (rows int, err error) {
	r, err := f.Prepare(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.Into(ctx, dst...)
}

// Collect returns the surviving rows as one batch on the Go heap. Rows that lie in memory are evaluated by one worker a
// processor: see [Frame.Prepare], which takes their number.
func (f *Frame) Collect(ctx context.Context) (b *colstore.Batch, err error) {
	r, err := f.Prepare(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.Collect(ctx)
}
