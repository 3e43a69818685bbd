package frame

import (
	"cmp"
	"context"
	goruntime "runtime"
	"sync"

	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
)

// memoryRun is one evaluation of a Prepared over rows that lie in memory: of its tasks, by several workers. A result of
// cut rows takes two passes, since only the number of survivors of all tasks before tells where those of a task belong:
// the first leaves bitmaps, the second evaluates what they leave.
type memoryRun struct {
	*Prepared
	ctx     context.Context
	workers int // as many as pay
	to      place
	bits    []uint64 // survivors, by task
	starts  []int    // rows of the result before each task; while they are counted, of the task before it
	rows    int      // of the result
	bufs    [][]byte // room for those of to

	// The methods as values, which would be allocated for each call.
	marks, takes, fills, orders func(i int) error
}

// cores returns how many goroutines are used where nobody says.
func cores() int { return cmp.Or(kernel.Tuned().Threads, goruntime.GOMAXPROCS(0)) }

// runs are for any Prepared: one that is used once would make a pool of its own for nothing.
var runs sync.Pool

// takeRun returns room for a run, of one before if there is one.
func (r *Prepared) takeRun(ctx context.Context) *memoryRun {
	run, _ := runs.Get().(*memoryRun)
	if run == nil {
		run = &memoryRun{}
		run.marks, run.takes, run.fills, run.orders = run.markTask, run.takeTask, run.fillTask, run.inOrder
	}
	run.Prepared, run.ctx, run.rows = r, ctx, 0
	if run.workers = r.workers; run.workers <= 0 {
		run.workers = max(1, min(cores(), r.rowsIn*r.width/workerBytes))
	}
	return run
}

// give keeps the room for the next run.
func (run *memoryRun) give() {
	clear(run.bufs)
	run.Prepared, run.ctx, run.to = nil, nil, place{}
	runs.Put(run)
}

// count finds out how many rows the result has.
func (run *memoryRun) count() error {
	if !run.p.HasCuts() {
		run.rows = run.rowsIn
		return nil
	}
	if len(run.bits) < run.words {
		run.bits = make([]uint64, run.words)
	}
	if len(run.starts) <= len(run.tasks) {
		run.starts = make([]int, len(run.tasks)+1)
	}
	if err := parallel.EachBound(run.ctx, len(run.tasks), run.workers, run.marks); err != nil {
		return err
	}
	for i := range run.tasks {
		run.starts[i+1] += run.starts[i]
	}
	run.rows = run.starts[len(run.tasks)]
	return nil
}

func (run *memoryRun) markTask(i int) error {
	if err := context.Cause(run.ctx); err != nil {
		return err
	}
	t := &run.tasks[i]
	in := &run.shown[t.part]
	s := takeState(run.split.layout)
	defer s.give()
	n, err := s.at(run.split, in.batch, in.inputs, place{}, 0).mark(t.begin, t.end, run.bits[t.word:])
	run.starts[i+1] = n
	return err
}

// write evaluates the columns of the rows that were counted.
func (run *memoryRun) write() error {
	if run.p.HasCuts() {
		return parallel.EachBound(run.ctx, len(run.tasks), run.workers, run.takes)
	}
	return parallel.EachBound(run.ctx, len(run.tasks), run.workers, run.fills)
}

func (run *memoryRun) takeTask(i int) error {
	if run.starts[i+1] == run.starts[i] {
		return nil
	}
	if err := context.Cause(run.ctx); err != nil {
		return err
	}
	t := &run.tasks[i]
	in := &run.shown[t.part]
	s := takeState(run.split.layout)
	defer s.give()
	return s.at(run.split, in.batch, in.inputs, run.to, run.starts[i]).take(t.begin, t.end, run.bits[t.word:])
}

// fillTask evaluates rows that are all wanted.
func (run *memoryRun) fillTask(i int) error {
	if err := context.Cause(run.ctx); err != nil {
		return err
	}
	t := &run.tasks[i]
	in := &run.shown[t.part]
	s := takeState(run.p.layout)
	defer s.give()
	return s.at(run.p, in.batch, in.inputs, run.to, t.row).fill(t.begin, t.end, run.to.room)
}

// onePass evaluates all tasks in order, each from the row on where the one before it ended.
func (run *memoryRun) onePass() error {
	return parallel.Each(1, 1, run.orders)
}

func (run *memoryRun) inOrder(int) error {
	s := takeState(run.p.layout)
	defer s.give()
	for i := range run.tasks {
		if err := context.Cause(run.ctx); err != nil {
			return err
		}
		t := &run.tasks[i]
		in := &run.shown[t.part]
		m := s.at(run.p, in.batch, in.inputs, run.to, run.rows)
		if err := m.fill(t.begin, t.end, run.to.room); err != nil {
			return err
		}
		run.rows = m.rows
	}
	return nil
}
