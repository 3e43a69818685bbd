package numa

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// threads returns the CPUs that each thread of the process may run on, every list once; of the threads but one.
func threads(t *testing.T, but int) []string {
	files, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range files {
		if filepath.Base(filepath.Dir(f)) == strconv.Itoa(but) {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		_, list, _ := strings.Cut(string(text), "Cpus_allowed_list:")
		list, _, _ = strings.Cut(list, "\n")
		out = append(out, strings.TrimSpace(list))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// halves returns this machine as one of two nodes, which it need not be; not ok with a single CPU.
func halves(t *testing.T) (m *Machine, ok bool) {
	cpus, err := system{}.bound()
	if err != nil {
		t.Fatal(err)
	}
	n := len(cpus) / 2
	return &Machine{topology: &Topology{Nodes: []Node{{ID: 0, CPUs: cpus[:n]}, {ID: 1, CPUs: cpus[n:]}}}, placer: system{}, binder: system{}}, n > 0
}

// refusing is the system, whose second binding of a thread fails: it cannot be let go.
type refusing struct {
	system
	calls int
}

func (r *refusing) bind(cpus []int) error {
	if r.calls++; r.calls == 2 {
		return errors.New("invalid argument")
	}
	return r.system.bind(cpus)
}

// Threads run where they are bound to, and when their goroutines have ended, by a panic too, no thread is bound, not even one
// that the system does not let go.
func TestBindHere(t *testing.T) {
	m, ok := halves(t)
	if !ok {
		return
	}
	before := threads(t, 0)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			defer func() {
				if r := recover(); r != nil && r != "bug" {
					panic(r)
				}
			}()
			defer m.Bind()()
			cpus, err := system{}.bound()
			if err != nil || !slices.Equal(cpus, m.topology.Nodes[0].CPUs) && !slices.Equal(cpus, m.topology.Nodes[1].CPUs) {
				t.Errorf("worker %d runs on %v, %v", i, cpus, err)
			}
			if i%2 == 0 {
				panic("bug")
			}
		})
	}
	all.Wait()
	if after := threads(t, 0); !slices.Equal(after, before) {
		t.Errorf("threads run on %v, before on %v", after, before)
	}
	stuck := &Machine{topology: m.topology, placer: m.placer, binder: &refusing{}}
	all.Go(func() { stuck.Bind()() })
	all.Wait()
	var after []string
	for range 10_000 { // the thread ends after its goroutine; the first one of a process stays, and runs none
		if after = threads(t, os.Getpid()); slices.Equal(after, before) {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("threads run on %v, before on %v", after, before)
}
