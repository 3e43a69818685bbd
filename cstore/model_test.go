package cstore_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/soak"
)

// world is a folder of files and what they must hold. Whatever it does to them it does to the model, and compares.
type world struct {
	ctx     context.Context
	fs      *mortal
	r       *rand.Rand // of the step
	dir     string
	files   map[string]*table
	shards  []*table // of its folder, in order
	held    []held
	anyDied bool // hidden files of the dead may lie about
	trace   []string
}

// held is an open reader and what it must go on showing.
type held struct {
	r *cstore.Reader
	t *table
}

// step is one thing that can be done; often says how often.
type step struct {
	name  string
	often int
	do    func(w *world) error
}

// steps are those of writers and readers; other files add theirs.
var steps = slices.Concat([]step{
	{"create", 14, (*world).create},
	{"update", 16, (*world).update},
	{"re-block", 4, (*world).reblock},
	{"leftovers", 3, (*world).leftovers},
	{"remove", 2, (*world).remove},
	{"hold", 3, (*world).hold},
	{"look again", 4, (*world).lookAgain},
}, mergeSteps, shardSteps, readSteps)

const historySteps = 100

// Of 100,000 steps, drawn as histories of a hundred each on a folder of its own, none leaves a file that is not what the
// model says, whether its writer committed, aborted, went on after a failed write, or died at any call.
func TestModelSoak(t *testing.T) {
	histories := soak.Count(t, 20, 1000)
	var next, failed atomic.Int64
	var wg sync.WaitGroup
	for range goruntime.GOMAXPROCS(0) {
		wg.Go(func() {
			for failed.Load() == 0 {
				h := int(next.Add(1)) - 1
				if h >= histories {
					return
				}
				all := make([]int, historySteps)
				for i := range all {
					all[i] = i
				}
				if at, err := runHistory(t, h, all); err != nil {
					failed.Store(1)
					few, trace, err := shrink(t, h, all[:at+1], err)
					t.Errorf("history %d, steps %v:\n%s\n%v", h, few, strings.Join(trace, "\n"), err)
				}
			}
		})
	}
	wg.Wait()
}

// shrink leaves out steps without which the history fails too.
func shrink(t *testing.T, history int, steps []int, err error) ([]int, []string, error) {
	for size := len(steps) / 2; size > 0; size /= 2 {
		for begin := 0; begin+size < len(steps); {
			fewer := slices.Concat(steps[:begin], steps[begin+size:])
			if at, e := runHistory(t, history, fewer); e != nil {
				steps, err = fewer[:at+1], e
			} else {
				begin += size
			}
		}
	}
	w := newWorld(t)
	defer w.close()
	_, err2 := w.run(history, steps)
	return steps, w.trace, cmpOr(err2, err)
}

func cmpOr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// runHistory makes the steps of a history and returns the number of the one that failed.
func runHistory(t *testing.T, history int, steps []int) (int, error) {
	w := newWorld(t)
	defer w.close()
	return w.run(history, steps)
}

func newWorld(t *testing.T) *world {
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	fs := &mortal{FS: fsx.OS, left: -1}
	return &world{ctx: fsx.With(t.Context(), fs), fs: fs, dir: dir, files: map[string]*table{}}
}

func (w *world) close() {
	for _, h := range w.held {
		_ = h.r.Close()
	}
	_ = os.RemoveAll(w.dir)
}

func (w *world) run(history int, numbers []int) (failed int, err error) {
	total := 0
	for _, s := range steps {
		total += s.often
	}
	source := rand.NewPCG(0, 0)
	w.r = rand.New(source)
	for i, n := range numbers {
		source.Seed(uint64(history), uint64(n))
		pick := w.r.IntN(total)
		for _, s := range steps {
			if pick -= s.often; pick < 0 {
				w.trace = append(w.trace, fmt.Sprintf("%d: %s", n, s.name))
				err = s.do(w)
				break
			}
		}
		if err != nil {
			return i, err
		}
	}
	return len(numbers) - 1, w.listing()
}

// note adds what a step chose to the trace.
func (w *world) note(format string, args ...any) {
	w.trace[len(w.trace)-1] += fmt.Sprintf(" "+format, args...)
}

// path returns the path of a name.
func (w *world) path(name string) string { return filepath.Join(w.dir, name+".cstore") }

// anyName returns a name, of a file that is there or not.
func (w *world) anyName() string { return string(rune('a' + w.r.IntN(4))) }

// existing returns a file, "" if there is none.
func (w *world) existing() string {
	var names []string
	for n := range w.files {
		names = append(names, n)
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return names[w.r.IntN(len(names))]
}

// dying makes some of the steps those of a process that dies, and returns what ends the step.
func (w *world) dying() (done func() (died bool)) {
	if w.r.IntN(6) == 0 {
		w.fs.left = w.r.IntN(24)
		w.note("dies after %d calls", w.fs.left)
	}
	return func() bool {
		died := w.fs.left == 0
		w.fs.left = -1
		w.anyDied = w.anyDied || died
		return died
	}
}

// listing finds files that nobody should have left.
func (w *world) listing() error {
	if w.anyDied {
		return nil
	}
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".cstore")
		if _, known := w.files[name]; !e.IsDir() && (!ok || !known) {
			return fmt.Errorf("%s is left behind", e.Name())
		}
	}
	return nil
}

// create makes or replaces a file.
func (w *world) create() error {
	name, kind := w.anyName(), w.r.IntN(len(kinds))
	old := w.files[name]
	o := w.writeOptions()
	if w.r.IntN(4) > 0 {
		o.Mode = cstore.ModeReplace
	}
	w.note("%s %+v", name, o)
	done := w.dying()
	wr, err := cstore.CreateIn(w.ctx, w.path(name), kinds[kind].schema, &o)
	if err != nil {
		if died := done(); died || errors.Is(err, colstore.ErrExists) && old != nil && o.Mode == cstore.ModeCreate {
			return w.settle(name, old, old, died)
		}
		return err
	}
	add, committed, err := w.fill(wr, kind)
	died := done()
	switch {
	case err != nil && !died:
		return err
	case !committed && !died:
		return w.settle(name, old, old, false)
	}
	add.arrange(&o, true)
	add.stats = o.Stats
	return w.settle(name, old, add, died)
}

func (w *world) writeOptions() cstore.WriteOptions {
	o := cstore.WriteOptions{Layout: cstore.Layout(w.r.IntN(3)), Stats: w.r.IntN(2) == 0}
	if o.Layout == cstore.LayoutBlocks {
		o.BlockRows = 1 + w.r.Int64N(9)
	}
	return o
}

// update appends to a file.
func (w *world) update() error {
	name := w.existing()
	if name == "" {
		return nil
	}
	old := w.files[name]
	o := w.writeOptions()
	w.note("%s %+v", name, o)
	done := w.dying()
	wr, err := cstore.UpdateIn(w.ctx, w.path(name), &o)
	if err != nil {
		if died := done(); died {
			return w.settle(name, old, old, true)
		}
		return err
	}
	add, committed, err := w.fill(wr, old.kind)
	died := done()
	switch {
	case err != nil && !died:
		return err
	case !committed && !died:
		return w.settle(name, old, old, false)
	}
	add.arrange(&o, false)
	joined := old.plus(add)
	joined.stats = old.stats || o.Stats && len(add.records) > 0
	joined.anyStats = o.Stats
	return w.settle(name, old, joined, died)
}

// fill writes some batches and commits, or not. Between them are writes that fail, after which the writer goes on.
func (w *world) fill(wr *cstore.Writer, kind int) (add *table, committed bool, err error) {
	defer func() { err = errors.Join(err, wr.Abort()) }()
	add = &table{kind: kind}
	for range w.r.IntN(5) {
		if w.r.IntN(6) == 0 {
			other := (kind + 1) % len(kinds)
			if err := wr.Write(w.ctx, kinds[other].batch(kinds[other].draw(w.r, 3))); err == nil {
				return nil, false, errors.New("rows of another schema were taken")
			}
			gone, cancel := context.WithCancel(w.ctx)
			cancel()
			if err := wr.Write(gone, kinds[kind].batch(kinds[kind].draw(w.r, 3))); err == nil {
				return nil, false, errors.New("a cancelled write was taken")
			}
		}
		rows := kinds[kind].draw(w.r, w.r.IntN(24))
		if err := wr.Write(w.ctx, kinds[kind].batch(rows)); err != nil {
			return add, false, err
		}
		add.rows = append(add.rows, rows...)
		add.records = append(add.records, len(rows)/kinds[kind].size)
	}
	if w.r.IntN(5) == 0 {
		w.note("%d writes, then aborted", len(add.records))
		return add, false, nil
	}
	w.note("%d writes", len(add.records))
	if err := wr.Commit(w.ctx); err != nil {
		return add, false, err
	}
	return add, true, nil
}

// reblock writes the rows of a file as records of another size, over itself or another file.
func (w *world) reblock() error {
	from, to := w.existing(), w.anyName()
	if from == "" {
		return nil
	}
	src, old := w.files[from], w.files[to]
	o := cstore.WriteOptions{Mode: cstore.ModeReplace, Layout: cstore.LayoutBlocks, BlockRows: 1 + w.r.Int64N(20), Stats: w.r.IntN(2) == 0}
	w.note("%s to %s %+v", from, to, o)
	r, err := cstore.Open(w.path(from), nil)
	if err != nil {
		return err
	}
	defer r.Close()
	done := w.dying()
	err = func() (err error) {
		wr, err := cstore.CreateIn(w.ctx, w.path(to), r.Schema(), &o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, wr.Abort()) }()
		for b, err := range r.Scan(w.ctx, colstore.Scan{BatchRows: 1 + w.r.IntN(9)}) {
			if err == nil {
				err = wr.Write(w.ctx, b)
			}
			if err != nil {
				return err
			}
		}
		return wr.Commit(w.ctx)
	}()
	died := done()
	if err != nil && !died {
		return err
	}
	made := &table{kind: src.kind, rows: src.rows, records: []int{src.len()}, stats: o.Stats}
	made.arrange(&o, true)
	return w.settle(to, old, made, died)
}

// leftovers puts behind a file what a writer may leave that died.
func (w *world) leftovers() error {
	name := w.existing()
	if name == "" {
		return nil
	}
	w.note("%s", name)
	f, err := os.OpenFile(w.path(name), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	rest := append([]byte("REC\x01"), kinds[0].draw(w.r, w.r.IntN(9))...)
	_, err = f.Write(rest[:1+w.r.IntN(len(rest))])
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	t := *w.files[name]
	t.stats = false // a footer ends with its file
	return w.settle(name, nil, &t, false)
}

func (w *world) remove() error {
	name := w.existing()
	if name == "" {
		return nil
	}
	w.note("%s", name)
	delete(w.files, name)
	return os.Remove(w.path(name))
}

// hold keeps a reader open, whatever becomes of its file.
func (w *world) hold() error {
	name := w.existing()
	if name == "" {
		return nil
	}
	r, err := cstore.Open(w.path(name), nil)
	if err != nil {
		return err
	}
	if len(w.held) == 3 {
		_ = w.held[0].r.Close()
		w.held = slices.Delete(w.held, 0, 1)
	}
	w.held = append(w.held, held{r, w.files[name]})
	return nil
}

// lookAgain reads what was opened before.
func (w *world) lookAgain() error {
	for _, h := range w.held {
		if err := h.t.same(h.r); err != nil {
			return fmt.Errorf("opened before: %w", err)
		}
	}
	return nil
}

// settle opens a file and takes for its model what it must hold: after, or, if the writer died, before.
func (w *world) settle(name string, before, after *table, died bool) error {
	path := w.path(name)
	r, err := cstore.Open(path, nil)
	if errors.Is(err, os.ErrNotExist) && (after == nil || died && before == nil) {
		delete(w.files, name)
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	err = errors.New("there is a file that should not be")
	if after != nil {
		err = after.fits(r, false)
	}
	took := after
	if err != nil && died && before != nil {
		if e := before.fits(r, true); e != nil {
			return fmt.Errorf("after its writer died %s is neither what it should become (%w) nor what it was (%w)", name, err, e)
		}
		took, err = before, nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	now := *took
	now.stats, now.anyStats = r.HasStatistics(), false
	now.records = nil
	for i := range r.Records() {
		now.records = append(now.records, int(r.RecordRows(i).Rows()))
	}
	w.files[name] = &now
	return nil
}
