package frame

import (
	"context"
	"errors"
	"slices"

	"github.com/colstore/colstore-go"
)

// task is a stretch of the shown rows that one worker evaluates at a time.
type task struct {
	part       int
	begin, end int // rows of the part's batch
	row        int // of all shown rows
	word       int // of the bitmaps
}

const (
	// taskBytes is what a task reads and writes: half of a second-level cache, so that a row's second column comes from there.
	taskBytes = 512 << 10
	// workerBytes is how much there is to read and write for each worker at least: less does not pay for waking it up.
	workerBytes = 1 << 20
)

// splitProgram returns the frame's program, or another with the same result whose columns use nothing that its cuts
// compute: what they share is computed again, over the survivors. It returns nil where that would call a function of the
// user's own twice.
func (f *Frame) splitProgram(p *Program) (*Program, error) {
	var shared []int
	for _, in := range p.after {
		if in.op == iCompress || in.op == iPack {
			shared = append(shared, in.node)
		}
	}
	if len(shared) == 0 {
		return p, nil
	}
	b, err := f.bound(f.src.Schema())
	if err != nil {
		return nil, err
	}
	own, seen := false, make([]bool, len(b.g.nodes))
	for _, id := range shared {
		b.g.walk(id, seen, func(id int) {
			o := b.g.nodes[id].origin
			own = own || o != nil && o.fn != nil
		})
	}
	if own {
		return nil, nil
	}
	b.split = true
	programs, err := compileAll(f.src.Schema(), b)
	if err != nil {
		return nil, err
	}
	return programs[0], nil
}

// show asks the source for its rows and divides them into tasks.
func (r *Prepared) show(ctx context.Context) error {
	src, end := r.src, int64(allRows)
	for limited := true; limited; {
		switch p := src.(type) {
		case *prefix:
			src, end = p.src, min(end, p.rows)
		case *splitPrefix:
			src, end = p.src, min(end, p.rows)
		default:
			limited = false
		}
	}
	m, ok := src.(colstore.Mapper)
	if !ok {
		return nil
	}
	var err error
	if r.mapped, err = m.Map(r.p.Inputs()); errors.Is(err, colstore.ErrNotViewable) {
		return nil
	} else if err != nil {
		return err
	}
	r.shown, r.width = make([]shown, 0, len(r.mapped)), r.rowBytes()
	var skips []colstore.Range
	if r.p.prune != nil {
		if skips, err = r.skips(ctx); err != nil {
			return err
		}
	}
	row := int64(0)
	for _, b := range r.mapped {
		rows := min(int64(b.Rows()), end-row)
		if rows <= 0 { // the limit is reached, or the run is empty
			continue
		}
		if rows < int64(b.Rows()) || b.Begin() != row {
			b = b.Slice(0, int(rows)).WithBegin(row)
		}
		inputs, err := r.p.inputsOf(b, nil)
		if err != nil {
			return err
		}
		for _, c := range inputs {
			r.files.Add(c)
		}
		r.shown = append(r.shown, shown{b, inputs})
		skips = r.divide(len(r.shown)-1, skips)
		row += rows
	}
	return nil
}

// divide appends the tasks of a part, without the rows that statistics leave out, and returns those behind the part.
func (r *Prepared) divide(part int, skips []colstore.Range) []colstore.Range {
	b := r.shown[part].batch
	step := taskRows(r.width, r.p.chunk)
	at, end := b.Begin(), b.Begin()+int64(b.Rows())
	for at < end {
		for len(skips) > 0 && skips[0].End <= at {
			skips = skips[1:]
		}
		if len(skips) > 0 && skips[0].Begin <= at {
			at = skips[0].End
			continue
		}
		to := min(end, at+step-at%step)
		if len(skips) > 0 {
			to = min(to, skips[0].Begin)
		}
		n := int(to - at)
		r.tasks = append(r.tasks, task{part: part, begin: int(at - b.Begin()), end: int(to - b.Begin()), row: r.rowsIn, word: r.words})
		r.rowsIn += n
		if r.split != nil {
			r.words += r.split.words(at, n)
		}
		at = to
	}
	return skips
}

// rowBytes returns what a row takes of memory that is read and written.
func (r *Prepared) rowBytes() int {
	return max(1, r.p.schema.RowBytes()+r.p.inputBytes())
}

// taskRows returns the rows of a task, a whole number of chunks.
func taskRows(rowBytes, chunk int) int64 {
	rows := max(chunk, min(taskBytes/rowBytes, 64<<10))
	return int64(rows / chunk * chunk)
}

// skips returns the rows that statistics leave out of a scan, in order, if they can leave out any.
func (r *Prepared) skips(ctx context.Context) ([]colstore.Range, error) {
	noted := &noting{Skipper: r.p.Skipper(0)}
	for _, err := range r.src.Scan(ctx, colstore.Scan{Columns: r.p.Inputs(), Skip: noted, Dry: true}) {
		if err != nil {
			return nil, err
		}
		return nil, nil // it leaves out nothing, or not all of it can
	}
	slices.SortFunc(noted.rows, func(a, b colstore.Range) int { return int(min(max(a.Begin-b.Begin, -1), 1)) })
	return noted.rows, nil
}

// noting is a skipper that remembers what it leaves out.
type noting struct {
	*Skipper
	rows []colstore.Range
}

// Skip is the method of [colstore.Skipper].
func (n *noting) Skip(rows colstore.Range, bounds func(column string) (colstore.Bounds, bool)) bool {
	skip := n.Skipper.Skip(rows, bounds)
	if skip {
		n.rows = append(n.rows, rows)
	}
	return skip
}
