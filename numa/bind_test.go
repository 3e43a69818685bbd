package numa

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A goroutine is bound to the node with the fewest for its CPUs, by these calls, and back to where it was.
func TestBind(t *testing.T) {
	m, k := twoSockets()
	m.topology.Nodes[1].CPUs = []int{4, 5} // half as many
	m.topology.Nodes = append(m.topology.Nodes, Node{ID: 2, Bytes: 1 << 30})
	var undo []func()
	for range 4 {
		undo = append(undo, m.Bind())
		k.cpus = k.all // each of them is another thread
	}
	undo[1]()
	undo = append(undo, m.Bind())
	want := []string{
		"bound", "bind [0 1 2 3]", "bound", "bind [4 5]", "bound", "bind [0 1 2 3]", "bound", "bind [0 1 2 3]",
		"bind [0 1 2 3 4 5 6 7]", "bound", "bind [4 5]",
	}
	if d := cmp.Diff(want, k.calls); d != "" {
		t.Error(d)
	}
	for i, u := range undo {
		if i != 1 {
			u()
		}
	}
	if m.bound.at[0] != 0 || m.bound.at[1] != 0 {
		t.Errorf("still bound: %v", m.bound.at)
	}
}

// Where there is one node, or may be used, or the kernel refuses, nothing is bound; and what may not be used stays so.
func TestBindWhereItMayNot(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(m *Machine, k *fakeKernel)
		calls  []string
	}{
		{"one node", func(m *Machine, _ *fakeKernel) { m.topology = single() }, nil},
		{"one node is allowed", func(_ *Machine, k *fakeKernel) { k.cpus = []int{1, 2} }, []string{"bound"}},
		{"some of each are", func(_ *Machine, k *fakeKernel) { k.cpus = []int{2, 3, 4} }, []string{"bound", "bind [2 3]", "bind [2 3 4]"}},
		{"refused", func(_ *Machine, k *fakeKernel) { k.refuses = errors.New("operation not permitted") }, []string{"bound"}},
	} {
		m, k := twoSockets()
		test.change(m, k)
		before := k.cpus
		m.Bind()()
		if d := cmp.Diff(test.calls, k.calls); d != "" || !slices.Equal(k.cpus, before) || m.bound.at[0] != 0 {
			t.Errorf("%s: %s left on %v", test.name, d, k.cpus)
		}
	}
}

func TestBound(t *testing.T) {
	m, k := twoSockets()
	Bind(t.Context())()
	if k.calls != nil {
		t.Errorf("without being asked: %v", k.calls)
	}
	ctx := Bound(t.Context(), m)
	if BinderOf(ctx) != Binder(m) {
		t.Error("another binder")
	}
	Bind(ctx)()
	if d := cmp.Diff([]string{"bound", "bind [0 1 2 3]", "bind [0 1 2 3 4 5 6 7]"}, k.calls); d != "" {
		t.Error(d)
	}
}
