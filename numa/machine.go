package numa

import (
	"runtime"
	"sync"
)

// mode is how the kernel places pages: its own numbers.
type mode int

// The kernel's modes.
const (
	modeDefault    mode = 0
	modeBind       mode = 2
	modeInterleave mode = 3
)

// placer is the calls of the kernel that place pages.
type placer interface {
	// setThread sets where pages go that this thread touches first.
	setThread(m mode, nodes []int) error
	// thread returns what setThread has set.
	thread() (mode, error)
	// setRange sets where the untouched pages of anonymous memory go.
	setRange(p []byte, m mode, nodes []int) error
	// nodes returns the node of every page of p, negative for one that is nowhere.
	nodes(p []byte) ([]int, error)
}

// binder is the calls of the kernel that bind the calling thread to CPUs.
type binder interface {
	bound() ([]int, error)
	bind(cpus []int) error
}

// A Machine is a topology and the kernel's calls that use it. It is safe for concurrent use.
type Machine struct {
	topology *Topology
	placer   placer
	binder   binder
	bound    loads
}

// This returns the machine that the program runs on. One whose topology cannot be read counts as a single node.
var This = sync.OnceValue(func() *Machine {
	t, err := Read()
	if err != nil {
		t = single()
	}
	return &Machine{topology: t, placer: system{}, binder: system{}}
})

// Topology returns the machine's nodes.
func (m *Machine) Topology() *Topology { return m.topology }

// Place runs f so that pages which it touches first in its goroutine, and pages of files that it is the first to read, are
// placed by the policy. Where that is what the kernel does anyway, or the kernel refuses, as in a container that may not, f
// runs all the same.
func (m *Machine) Place(p Policy, f func()) {
	if p.On(m.topology) != Interleave {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if before, err := m.placer.thread(); err == nil && before == modeDefault { // a policy of the user's own, as numactl's, stays
		if m.placer.setThread(modeInterleave, m.topology.memory()) == nil {
			defer func() { _ = m.placer.setThread(modeDefault, nil) }()
		}
	}
	f()
}
