//go:build interop && unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/source"
)

// A numberRun is a first number and how many follow it, itself included.
type numberRun [2]int64

// A writerCommand is what writers.py is told.
type writerCommand struct {
	Op    string  `json:"op"`
	Path  string  `json:"path"`
	First int64   `json:"first"`
	Rows  int64   `json:"rows"`
	Wait  float64 `json:"wait"`
	Pause float64 `json:"pause"`
}

func (c writerCommand) runs() []numberRun { return []numberRun{{c.First, c.Rows}} }

// A writerAnswer is what became of it: "ok", "locked", "exists", "missing" or "failed".
type writerAnswer struct {
	Result string      `json:"result"`
	Error  string      `json:"error"`
	Runs   []numberRun `json:"runs"`
}

// writeAtOnce lets a writer of the Python package and one of ours at the same path, again and again. What is there in the
// end is what those that were told it is saved make of it one after the other, and both packages read the same.
func (x interop) writeAtOnce(t *testing.T) {
	const rounds = 500
	p := x.startWriters(t)
	rng := rand.New(rand.NewPCG(6, 6))
	w := &writersAtOnce{t: t, peer: p, rng: rng, results: map[string]int{}}
	ops := []string{"create", "recreate", "update", "compact"}
	contests := []*contest{
		{path: filepath.Join(t.TempDir(), "x.cstore"), ours: ops, theirs: ops},
		{path: filepath.Join(t.TempDir(), "x"), ours: []string{"appender"}, theirs: []string{"append", "appender"}},
	}
	for i := 0; i < rounds && !t.Failed(); i++ {
		w.round(contests[i%len(contests)])
	}
	p.end(t)
	t.Logf("%d rounds, %d excused; ours, theirs: %v", rounds, w.excused, w.results)
	if w.excused > rounds/25 {
		t.Errorf("%d rounds ended as only the package's known defects explain", w.excused)
	}
	for _, met := range []string{"ok, ok", "ok, locked", "locked, ok"} {
		if w.results[met] < rounds/100 && !t.Failed() {
			t.Errorf("only %d rounds ended so: %s", w.results[met], met)
		}
	}
}

// writersPeer is writers.py at work.
type writersPeer struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr strings.Builder
}

func (x interop) startWriters(t *testing.T) *writersPeer {
	t.Helper()
	p := &writersPeer{cmd: exec.CommandContext(t.Context(), x.python, filepath.Join("testdata", "interop", "writers.py"))}
	p.cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *writersPeer) tell(t *testing.T, c writerCommand) {
	t.Helper()
	line, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("writers.py: %v\n%s", err, p.stderr.String())
	}
}

func (p *writersPeer) answer(t *testing.T) writerAnswer {
	t.Helper()
	var a writerAnswer
	line, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err != nil {
		t.Fatalf("writers.py: %v\n%s", err, p.stderr.String())
	}
	return a
}

func (p *writersPeer) end(t *testing.T) {
	t.Helper()
	if err := errors.Join(p.in.Close(), p.cmd.Wait()); err != nil {
		t.Errorf("writers.py: %v\n%s", err, p.stderr.String())
	}
}

// A contest is a path, what it holds, and what is done to it.
type contest struct {
	path         string
	holds        []numberRun // nil for nothing there
	ours, theirs []string
}

type writersAtOnce struct {
	t       *testing.T
	peer    *writersPeer
	rng     *rand.Rand
	next    int64
	results map[string]int // "ours, theirs" → rounds
	excused int
}

// round lets both write at once and looks at what came of it.
func (w *writersAtOnce) round(c *contest) {
	t := w.t
	if w.rng.IntN(4) == 0 {
		w.forget(c)
	}
	ours, theirs := w.command(c.path, c.ours), w.command(c.path, c.theirs)
	w.peer.tell(t, theirs)
	err := ourWriter(t.Context(), ours)
	answer := w.peer.answer(t)
	result := resultOf(err)
	w.results[result+", "+answer.Result]++
	what := fmt.Sprintf("ours: %s of %v, %s (%v); theirs: %s of %v, %s %s; before: %v", ours.Op, ours.runs(), result, err,
		theirs.Op, theirs.runs(), answer.Result, answer.Error, c.holds)
	if answer.Result == "locked" && (theirs.Op == "create" || theirs.Op == "recreate") && (result != "ok" || isEmpty(c.path)) {
		// The package cuts a file before it asks for the lock. Ours has found that out and says so, or had looked for the last
		// time and not yet given the lock back.
		if result == "ok" {
			w.excused++
		}
		w.forget(c)
		return
	}
	runs, err := ourReader(t.Context(), c.path)
	if err != nil {
		t.Errorf("%s; then: %v", what, err)
		return
	}
	if runs != nil {
		w.peer.tell(t, writerCommand{Op: "read", Path: c.path})
		if theirs := w.peer.answer(t); theirs.Result != "ok" || !slices.Equal(theirs.Runs, runs) {
			t.Errorf("%s; then there is %v for us, for the package %v %s", what, runs, theirs.Runs, theirs.Error)
		}
	}
	switch {
	case possible(c.holds, runs, ours, result == "ok", theirs, answer.Result == "ok"):
	case defect(c.holds, runs, ours, result == "ok", theirs, answer.Result == "ok"):
		w.excused++
	default:
		t.Errorf("%s; then: %v", what, runs)
	}
	if result == "failed" && theirs.Op == "update" || answer.Result == "failed" && ours.Op == "update" {
		t.Errorf("%s: neither replaces the file", what)
	}
	for _, pattern := range []string{".x.cstore.*", "x/.*.tmp"} {
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(c.path), pattern)); len(left) > 0 {
			t.Errorf("%s; left behind: %v", what, left)
		}
	}
	c.holds = runs
}

// isEmpty reports whether there is a file at a path, without a byte.
func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

func (w *writersAtOnce) forget(c *contest) {
	if err := os.RemoveAll(c.path); err != nil {
		w.t.Fatal(err)
	}
	c.holds = nil
}

// command draws what one side does.
func (w *writersAtOnce) command(path string, ops []string) writerCommand {
	w.next += 1_000_000
	random := func(most time.Duration) float64 { return time.Duration(w.rng.Int64N(int64(most))).Seconds() }
	return writerCommand{
		Op: ops[w.rng.IntN(len(ops))], Path: path, First: w.next, Rows: 2 + w.rng.Int64N(3000),
		Wait: random(3 * time.Millisecond), Pause: random(2 * time.Millisecond),
	}
}

// done returns what a path holds when a command has been carried out, and whether it can be.
func (c writerCommand) done(holds []numberRun) ([]numberRun, bool) {
	switch c.Op {
	case "create":
		return c.runs(), holds == nil
	case "recreate":
		return c.runs(), true
	case "update":
		return append(slices.Clone(holds), c.runs()...), holds != nil
	case "compact":
		return holds, holds != nil
	default: // shards
		return append(slices.Clone(holds), c.runs()...), true
	}
}

// possible reports whether runs is what the commands that succeeded make of a path one after the other.
func possible(holds, runs []numberRun, ours writerCommand, oursDone bool, theirs writerCommand, theirsDone bool) bool {
	serial := func(commands ...writerCommand) bool {
		is := holds
		for _, c := range commands {
			next, can := c.done(is)
			if !can {
				return false
			}
			is = next
		}
		return slices.Equal(is, runs)
	}
	switch {
	case oursDone && theirsDone:
		return serial(ours, theirs) || serial(theirs, ours)
	case oursDone:
		return serial(ours)
	case theirsDone:
		return serial(theirs)
	default:
		return serial()
	}
}

// defect reports whether runs is what the package's ways explain: it opens a file before it locks it and does not look
// whether that has been replaced meanwhile; it cuts a new file that has just appeared; it gives the lock of a file back
// before it renames what it has compacted.
func defect(holds, runs []numberRun, ours writerCommand, oursDone bool, theirs writerCommand, theirsDone bool) bool {
	if !oursDone || !theirsDone {
		return false
	}
	switch theirs.Op {
	case "create":
		return slices.Equal(runs, theirs.runs())
	case "compact":
		return slices.Equal(runs, holds)
	case "update", "recreate":
		is, can := ours.done(holds)
		return can && ours.Op != "update" && slices.Equal(runs, is)
	}
	return false
}

// ourWriter carries out a command as writers.py does.
func ourWriter(ctx context.Context, c writerCommand) (err error) {
	time.Sleep(time.Duration(c.Wait * float64(time.Second)))
	var w colstore.Sink
	schema := numbers(0, 0).Schema()
	switch c.Op {
	case "compact":
		_, err := cstore.Compact(ctx, c.Path, nil)
		return err
	case "create":
		w, err = cstore.Create(c.Path, schema, nil)
	case "recreate":
		w, err = cstore.Create(c.Path, schema, &cstore.WriteOptions{Mode: cstore.ModeReplace, Layout: cstore.LayoutBlocks})
	case "update":
		w, err = cstore.Update(c.Path, nil)
	case "appender":
		w, err = cstore.NewAppender(c.Path, schema, &cstore.AppendOptions{ShardRows: 1})
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	head := c.Rows / 2
	if err := w.Write(ctx, numbers(c.First, head)); err != nil {
		return err
	}
	time.Sleep(time.Duration(c.Pause * float64(time.Second)))
	if err := w.Write(ctx, numbers(c.First+head, c.Rows-head)); err != nil {
		return err
	}
	return w.Commit(ctx)
}

// numbers returns consecutive numbers and their halves.
func numbers(first, rows int64) *colstore.Batch {
	n, half := make([]int64, rows), make([]float64, rows)
	for i := range n {
		n[i], half[i] = first+int64(i), float64(first+int64(i))/2
	}
	s := colstore.MustSchema(colstore.Field{Name: "n", Type: colstore.Int64}, colstore.Field{Name: "half", Type: colstore.Float64})
	b, err := colstore.NewBatch(s, colstore.Wrap(n), colstore.Wrap(half))
	if err != nil {
		panic(err)
	}
	return b
}

// ourReader returns what a path holds.
func ourReader(ctx context.Context, path string) (runs []numberRun, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if filepath.Ext(path) == ".cstore" {
		v, err := cstore.Verify(ctx, path, nil)
		if err != nil {
			return nil, err
		}
		if len(v.Findings) > 0 {
			return nil, v.Findings[0]
		}
	}
	src, err := source.OpenPath(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	for b, err := range src.Scan(ctx, colstore.Scan{}) {
		if err != nil {
			return nil, err
		}
		n, err := colstore.Values[int64](b.At(0))
		if err != nil {
			return nil, err
		}
		half, err := colstore.Values[float64](b.At(1))
		if err != nil {
			return nil, err
		}
		for i, v := range n {
			if half[i] != float64(v)/2 {
				return nil, fmt.Errorf("%s: %d is beside %g", path, v, half[i])
			}
			if k := len(runs) - 1; k >= 0 && runs[k][0]+runs[k][1] == v {
				runs[k][1]++
			} else {
				runs = append(runs, numberRun{v, 1})
			}
		}
	}
	return runs, nil
}

// resultOf names what became of a command in the words of writers.py.
func resultOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, colstore.ErrLocked):
		return "locked"
	case errors.Is(err, fs.ErrExist):
		return "exists"
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	}
	return "failed"
}
