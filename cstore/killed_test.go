//go:build unix

package cstore_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/colstore/colstore-go/internal/soak"
)

// withKilled names what the process is told that is to be killed; without it there is none.
const withKilled = "COLSTORE_TEST_KILLED"

// A killable is told to a process: the folder it writes in, its random numbers, and what the files hold.
type killable struct {
	Dir    string
	Seed   uint64
	Next   int64 // the first value of the next table
	Holds  map[string]extent
	Target string // that it writes to first; empty: any
}

// An extent is what a file holds: consecutive numbers. The zero extent is no file.
type extent struct {
	There       bool
	First, Rows int64
	Parts       []int64 `json:",omitempty"` // rows of each shard of a folder
}

func (e extent) String() string {
	if !e.There {
		return "nothing"
	}
	return fmt.Sprintf("%d rows from %d in %v", e.Rows, e.First, e.Parts)
}

// TestKilledWriter is the process that TestKilledWritersSoak kills: it writes without end, and says so before and after,
// on its fourth descriptor.
func TestKilledWriter(t *testing.T) {
	text := os.Getenv(withKilled)
	if text == "" {
		return
	}
	var k killable
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		t.Fatal(err)
	}
	said := os.NewFile(3, "said")
	rng := rand.New(rand.NewPCG(k.Seed, 1))
	name := k.Target
	for {
		if name == "" {
			name = killedNames[rng.IntN(len(killedNames))]
		}
		job := killedTargets[name].plan(rng, k.Holds[name], k.Next)
		k.Next = max(k.Next, job.is.First) + job.is.Rows
		is, err := json.Marshal(job.is)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(said, "begin %s %s %s\n", name, job.kind, is); err != nil {
			t.Fatal(err)
		}
		if err := job.do(t.Context(), filepath.Join(k.Dir, name)); err != nil {
			t.Fatalf("%s %s: %v", job.kind, name, err)
		}
		if _, err := fmt.Fprintln(said, "done"); err != nil {
			t.Fatal(err)
		}
		k.Holds[name], name = job.is, ""
	}
}

// TestKilledWritersSoak kills writing processes at random moments. Every commit that had returned is there, of the one that
// was on its way all or nothing, and the next writer goes on with the same files and removes what was left behind.
func TestKilledWritersSoak(t *testing.T) {
	const lanes = 4
	kills := soak.Count(t, 60, 2000)
	var inside, took, done atomic.Int64
	var kinds sync.Map
	var wg sync.WaitGroup
	for lane := range min(lanes, kills) {
		l := &killedLane{t: t, rng: rand.New(rand.NewPCG(uint64(lane), 2)), k: killable{Dir: t.TempDir(), Next: 1, Holds: map[string]extent{}}}
		wg.Go(func() {
			for i := lane; i < kills && !t.Failed(); i += lanes {
				switch pending := l.kill(); {
				case t.Failed():
				case pending.kind != "":
					inside.Add(1)
					kinds.Store(pending.kind, true)
					if pending.took {
						took.Add(1)
					}
				}
				done.Add(l.acknowledged)
			}
		})
	}
	wg.Wait()
	t.Logf("%d kills, %d of them inside a write, of which %d had taken effect; %d commits had returned", kills, inside.Load(), took.Load(), done.Load())
	if n := inside.Load(); !t.Failed() && kills >= 60 && n < int64(kills)/3 {
		t.Errorf("only %d of %d kills fell into a write", n, kills)
	}
	for _, kind := range []string{"create", "update", "compact", "replace", "append"} {
		if _, met := kinds.Load(kind); !met && kills >= 2000 && !t.Failed() {
			t.Errorf("no kill fell into %s", kind)
		}
	}
}

// A killedLane is a folder of files that one process after the other writes to.
type killedLane struct {
	t            *testing.T
	rng          *rand.Rand
	k            killable
	acknowledged int64 // by the last process
	log          []string
}

// A pendingWrite is what a process was at when it died.
type pendingWrite struct {
	name, kind string
	is         extent
	took       bool // the file holds it
}

// kill starts a process, kills it and looks at what it left.
func (l *killedLane) kill() pendingWrite {
	l.k.Seed = l.rng.Uint64()
	l.k.Target = ""
	text, err := json.Marshal(l.k)
	if err != nil {
		l.fail("%v", err)
		return pendingWrite{}
	}
	lines, err := l.run(string(text))
	if err != nil {
		l.fail("%v", err)
		return pendingWrite{}
	}
	var pending pendingWrite
	touched := map[string]bool{}
	l.acknowledged = 0
	for _, line := range lines {
		l.log = append(l.log, line)
		if line == "done" {
			l.k.Holds[pending.name] = pending.is
			pending = pendingWrite{}
			l.acknowledged++
			continue
		}
		word := strings.SplitN(line, " ", 4)
		if len(word) != 4 || word[0] != "begin" {
			l.fail("the process says %q", line)
			return pending
		}
		pending = pendingWrite{name: word[1], kind: word[2]}
		if err := json.Unmarshal([]byte(word[3]), &pending.is); err != nil {
			l.fail("the process says %q: %v", line, err)
			return pending
		}
		l.k.Next = max(l.k.Next, pending.is.First) + pending.is.Rows
		touched[pending.name] = true
	}
	l.log = append(l.log, "killed")
	l.log = l.log[max(0, len(l.log)-20):]
	for name := range touched {
		l.look(name, &pending)
	}
	return pending
}

// run starts a process, kills it after a random time and returns what it has said.
func (l *killedLane) run(told string) ([]string, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.CommandContext(l.t.Context(), os.Args[0], "-test.run=^TestKilledWriter$")
	cmd.Env = append(os.Environ(), withKilled+"="+told)
	cmd.ExtraFiles = []*os.File{in}
	var printed strings.Builder
	cmd.Stdout, cmd.Stderr = &printed, &printed
	err = cmd.Start()
	if err := errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	var lines []string
	killed := make(chan struct{})
	kill := func(after time.Duration) {
		time.AfterFunc(after, func() {
			_ = cmd.Process.Kill() // SIGKILL; it may have ended by itself, which is told below
			close(killed)
		})
	}
	// One in ten is killed wherever it is, before it writes for the most part, the others once they have begun to.
	atOnce := l.rng.IntN(10) == 0
	wait := time.Duration(l.rng.Int64N(int64(20 * time.Millisecond)))
	if atOnce {
		kill(wait)
	}
	for s := bufio.NewScanner(out); s.Scan(); {
		if lines = append(lines, s.Text()); len(lines) == 1 && !atOnce {
			kill(wait)
		}
	}
	if len(lines) > 0 || atOnce {
		<-killed
	}
	if err := cmd.Wait(); err == nil || printed.Len() > 0 {
		return nil, errors.Join(err, fmt.Errorf("the process ended by itself: %s", printed.String()))
	}
	return lines, nil
}

func (l *killedLane) fail(format string, args ...any) {
	l.t.Errorf("%s: "+format+"\n%s", append(append([]any{l.k.Dir}, args...), strings.Join(l.log, "\n"))...)
}

// look holds a file against what was said of it, and now and then writes to it as the next writer.
func (l *killedLane) look(name string, pending *pendingWrite) {
	path, target := filepath.Join(l.k.Dir, name), killedTargets[name]
	was := l.k.Holds[name]
	is := extent{}
	if _, err := os.Lstat(path); err == nil {
		if is, err = target.read(l.t.Context(), path); err != nil {
			l.fail("%s: %v", name, err)
			return
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		l.fail("%s: %v", name, err)
		return
	}
	switch {
	case sameExtent(is, was):
	case pending.name == name && target.allowed(is, was, pending.is):
		pending.took = true
	default:
		l.fail("%s holds %v, not %v; %s was to make it %v", name, is, was, pending.kind, pending.is)
		return
	}
	l.k.Holds[name] = is
	if l.rng.IntN(2) == 0 {
		return // the next process meets what was left
	}
	if err := target.settle(l.t.Context(), path); err != nil {
		l.fail("the next writer of %s: %v", name, err)
		return
	}
	for _, left := range l.hidden(path) {
		if target.leftover(left, path) {
			l.fail("%s is left behind by the next writer too", left)
		}
	}
	if again, err := target.read(l.t.Context(), path); is.There && (err != nil || !sameExtent(again, is)) {
		l.fail("%s holds %v after the next writer, not %v: %v", name, again, is, err)
	}
}

// hidden returns the hidden files beside a file, or in a folder.
func (l *killedLane) hidden(path string) []string {
	dir := path
	if filepath.Ext(path) != "" {
		dir = filepath.Dir(path)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.fail("%v", err)
	}
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			out = append(out, e.Name())
		}
	}
	return out
}

func sameExtent(a, b extent) bool {
	return a.There == b.There && a.Rows == b.Rows && (a.First == b.First || a.Rows == 0)
}
