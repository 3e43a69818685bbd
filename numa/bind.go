package numa

import (
	"context"
	"runtime"
	"slices"
	"sync"
)

// A Binder binds goroutines to CPUs. A [Machine] binds them to those of its nodes.
type Binder interface {
	// Bind binds the calling goroutine; undo, which the same goroutine calls, ends that.
	Bind() (undo func())
}

// boundKey is that of a context's Binder.
type boundKey struct{}

// Bound returns a context by which the workers of a run, and those of a read of a view or frame into memory, are bound by b
// while they work; without it they run where Go puts them. Reads by a single goroutine are not bound, nor are goroutines that
// write outputs in order or help to decode a batch. It changes speed only.
//
//	ctx = numa.Bound(ctx, numa.This())
//	report, err := runtime.Run(ctx, p, nil)
func Bound(ctx context.Context, b Binder) context.Context {
	return context.WithValue(ctx, boundKey{}, b)
}

// BinderOf returns what [Bound] has put into a context, nil for nothing.
func BinderOf(ctx context.Context) Binder {
	b, _ := ctx.Value(boundKey{}).(Binder)
	return b
}

// Bind binds the calling goroutine as its context says; undo, which the same goroutine calls, ends that.
func Bind(ctx context.Context) (undo func()) {
	if b := BinderOf(ctx); b != nil {
		return b.Bind()
	}
	return unbound
}

// unbound undoes nothing.
func unbound() {}

// loads counts the goroutines that are bound to each node, by its number.
type loads struct {
	mu sync.Mutex
	at map[int]int
}

// take chooses of nodes the one with the fewest goroutines for its CPUs, the first of several, and counts one more there.
func (l *loads) take(nodes []Node) *Node {
	l.mu.Lock()
	defer l.mu.Unlock()
	best := &nodes[0]
	for i := range nodes {
		if n := &nodes[i]; l.at[n.ID]*len(best.CPUs) < l.at[best.ID]*len(n.CPUs) {
			best = n
		}
	}
	if l.at == nil {
		l.at = map[int]int{}
	}
	l.at[best.ID]++
	return best
}

func (l *loads) give(n *Node) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at[n.ID]--
}

// Bind locks the calling goroutine to its thread, and the thread to the CPUs of a node: the one to which the fewest are bound
// for the CPUs that it has. undo, which the same goroutine calls, lets the thread run where it ran before, and unlocks the
// goroutine. CPUs that the thread may not use, as under taskset, are left out; where that leaves CPUs of one node alone, as on
// a machine of one, or the kernel refuses, nothing is done.
func (m *Machine) Bind() (undo func()) {
	if len(m.topology.Nodes) < 2 {
		return unbound
	}
	runtime.LockOSThread()
	before, err := m.binder.bound()
	nodes := m.topology.within(before)
	if err != nil || len(nodes) < 2 {
		runtime.UnlockOSThread()
		return unbound
	}
	node := m.bound.take(nodes)
	if m.binder.bind(node.CPUs) != nil {
		m.bound.give(node)
		runtime.UnlockOSThread()
		return unbound
	}
	return func() {
		m.bound.give(node)
		// A thread that stays bound must get no other goroutine: left locked, it ends with its own.
		if m.binder.bind(before) == nil {
			runtime.UnlockOSThread()
		}
	}
}

// within returns the nodes that have CPUs among some, with those alone.
func (t *Topology) within(cpus []int) []Node {
	var out []Node
	for _, n := range t.Nodes {
		n.CPUs = slices.DeleteFunc(slices.Clone(n.CPUs), func(c int) bool { return !slices.Contains(cpus, c) })
		if len(n.CPUs) > 0 {
			out = append(out, n)
		}
	}
	return out
}
