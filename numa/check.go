package numa

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"
)

// A Report is what a machine is and what its kernel does when it is asked to place pages.
type Report struct {
	System    string   `json:"system"`
	Release   string   `json:"release,omitempty"` // of the kernel
	HugePages string   `json:"huge_pages,omitempty"`
	Nodes     []Node   `json:"nodes"`
	Policy    Policy   `json:"policy"`              // what Auto comes to
	Trials    []Trial  `json:"trials"`              // of the kernel's calls
	Speeds    []Access `json:"bandwidth,omitempty"` // of every node to every node, where there are several
}

// A Trial is one thing that the kernel was asked to do.
type Trial struct {
	Name   string      `json:"name"`
	Passed bool        `json:"passed"`
	Error  string      `json:"error,omitempty"` // of the call, as it is in a container that may not make it
	Pages  map[int]int `json:"pages,omitempty"` // by node: where the pages that were touched are
}

// An Access is how fast CPUs of one node read memory of another: the best of some rounds by one thread.
type Access struct {
	CPUs           int     `json:"cpus"`
	Memory         int     `json:"memory"`
	BytesPerSecond float64 `json:"bytes_per_second"`
}

// Sizes of what Check touches.
const (
	trialBytes  = 8 << 20
	accessBytes = 64 << 20
	accessRound = 5
)

// Check tries the kernel's calls, and measures memory where a machine has several nodes. It takes some tens of milliseconds a
// node, and a tenth of a second a pair of nodes. What fails is part of the report.
//
// Errors: that of ctx.
func (m *Machine) Check(ctx context.Context) (*Report, error) {
	t := m.topology
	r := &Report{
		System: runtime.GOOS + "/" + runtime.GOARCH, Release: release(), HugePages: HugePages(os.DirFS("/")),
		Nodes: t.Nodes, Policy: Auto.On(t),
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m.tryPlacing(r)
	before, err := m.binder.bound()
	if err != nil {
		r.Trials = append(r.Trials, Trial{Name: "sched_getaffinity", Error: err.Error()})
		return r, context.Cause(ctx)
	}
	defer func() { _ = m.binder.bind(before) }()
	m.tryBinding(r)
	if len(t.Nodes) > 1 {
		if err := m.measure(ctx, r); err != nil {
			return nil, err
		}
	}
	return r, context.Cause(ctx)
}

// tryPlacing tries the calls that say where pages go.
func (m *Machine) tryPlacing(r *Report) {
	nodes := m.topology.memory()
	for _, n := range nodes {
		r.Trials = append(r.Trials, m.trial(fmt.Sprintf("mbind to node %d", n), only(n), func(p []byte) error {
			return m.placer.setRange(p, modeBind, []int{n})
		}))
	}
	r.Trials = append(r.Trials,
		m.trial("mbind interleaved", spread(nodes), func(p []byte) error { return m.placer.setRange(p, modeInterleave, nodes) }),
		m.trial("set_mempolicy interleaved", spread(nodes), func([]byte) error { return m.placer.setThread(modeInterleave, nodes) }))
	_ = m.placer.setThread(modeDefault, nil)
}

// tryBinding tries whether pages are on the node of the CPUs that this thread is bound to. It leaves the thread bound.
func (m *Machine) tryBinding(r *Report) {
	for _, n := range m.topology.Nodes {
		if len(n.CPUs) == 0 || !slices.Contains(m.topology.memory(), n.ID) {
			continue
		}
		r.Trials = append(r.Trials, m.trial(fmt.Sprintf("first touch by a CPU of node %d", n.ID), only(n.ID), func([]byte) error { return m.binder.bind(n.CPUs) }))
	}
}

// measure finds how fast the CPUs of every node read the memory of every node. It leaves the thread bound.
func (m *Machine) measure(ctx context.Context, r *Report) error {
	for _, from := range m.topology.Nodes {
		if len(from.CPUs) == 0 || m.binder.bind(from.CPUs) != nil {
			continue
		}
		for _, to := range m.topology.memory() {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if speed, ok := m.access(to); ok {
				r.Speeds = append(r.Speeds, Access{from.ID, to, speed})
			}
		}
	}
	return nil
}

// trial touches fresh memory after a call was made for it, and looks where its pages are.
func (m *Machine) trial(name string, right func(pages map[int]int) bool, call func(p []byte) error) Trial {
	fail := func(err error) Trial { return Trial{Name: name, Error: err.Error()} }
	p, free, err := anonymous(trialBytes)
	if err != nil {
		return fail(err)
	}
	defer free()
	if err := call(p); err != nil {
		return fail(err)
	}
	for i := 0; i < len(p); i += os.Getpagesize() {
		p[i] = 1
	}
	at, err := m.placer.nodes(p)
	if err != nil {
		return fail(fmt.Errorf("move_pages: %w", err))
	}
	t := Trial{Name: name, Pages: map[int]int{}}
	for _, n := range at {
		t.Pages[n]++
	}
	t.Passed = right(t.Pages)
	return t
}

// only reports whether all pages are on one node.
func only(node int) func(map[int]int) bool {
	return func(pages map[int]int) bool { return len(pages) == 1 && pages[node] > 0 }
}

// spread reports whether no node has less than half its share of the pages, or pages are elsewhere. Interleaved huge pages
// are few, so that shares differ.
func spread(nodes []int) func(map[int]int) bool {
	return func(pages map[int]int) bool {
		total := 0
		for _, n := range pages {
			total += n
		}
		for _, n := range nodes {
			if 2*pages[n]*len(nodes) < total {
				return false
			}
		}
		return total > 0 && len(pages) == len(nodes)
	}
}

// seen takes what access adds up, or the compiler would leave out its loop.
var seen atomic.Uint64

// access returns how many bytes a second this thread reads from a node.
func (m *Machine) access(node int) (speed float64, ok bool) {
	p, free, err := anonymous(accessBytes)
	if err != nil {
		return 0, false
	}
	defer free()
	if m.placer.setRange(p, modeBind, []int{node}) != nil {
		return 0, false
	}
	words := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(p))), len(p)/8) // pages are aligned for any type
	for i := range words {
		words[i] = uint64(i)
	}
	best := time.Duration(1<<63 - 1)
	for range accessRound {
		start := time.Now()
		var a, b, c, d uint64 // apart, or the additions would be what is measured
		for i := 0; i+4 <= len(words); i += 4 {
			a, b, c, d = a+words[i], b+words[i+1], c+words[i+2], d+words[i+3]
		}
		best = min(best, time.Since(start))
		seen.Add(a + b + c + d)
	}
	return float64(len(p)) / max(best, 1).Seconds(), true
}

// Refused reports whether the kernel made none of the calls, as in a container that is not allowed to.
func (r *Report) Refused() bool {
	return !slices.ContainsFunc(r.Trials, func(t Trial) bool { return t.Error == "" })
}

// Failed returns the names of the trials whose calls were made, but whose pages are not where they should be.
func (r *Report) Failed() []string {
	var out []string
	for _, t := range r.Trials {
		if t.Error == "" && !t.Passed {
			out = append(out, t.Name)
		}
	}
	return out
}

// Where returns the pages of a trial as text: "2048 on node 0".
func (t *Trial) Where() string {
	var nodes []int
	for n := range t.Pages {
		nodes = append(nodes, n)
	}
	slices.Sort(nodes)
	var parts []string
	for _, n := range nodes {
		if n < 0 {
			parts = append(parts, fmt.Sprintf("%d nowhere", t.Pages[n]))
			continue
		}
		parts = append(parts, fmt.Sprintf("%d on node %d", t.Pages[n], n))
	}
	return strings.Join(parts, ", ")
}
