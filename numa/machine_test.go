package numa

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go"
)

// A fakeKernel is that of a machine with several nodes: it keeps what it is asked for and answers by it.
type fakeKernel struct {
	refuses error
	calls   []string
	mode    mode
	over    []int // nodes of mode
	ranges  map[*byte]fakeRange
	cpus    []int
	all     []int
	wrong   bool // pages land on node 0 whatever is asked
}

type fakeRange struct {
	mode  mode
	nodes []int
}

func (k *fakeKernel) setThread(m mode, nodes []int) error {
	k.calls = append(k.calls, map[mode]string{modeDefault: "default", modeInterleave: "interleave"}[m])
	if k.refuses == nil {
		k.mode, k.over = m, nodes
	}
	return k.refuses
}

func (k *fakeKernel) thread() (mode, error) { return k.mode, k.refuses }

func (k *fakeKernel) setRange(p []byte, m mode, nodes []int) error {
	if k.ranges == nil {
		k.ranges = map[*byte]fakeRange{}
	}
	k.ranges[unsafe.SliceData(p)] = fakeRange{m, nodes}
	return k.refuses
}

func (k *fakeKernel) nodes(p []byte) ([]int, error) {
	out := make([]int, len(p)/os.Getpagesize())
	rule, ok := k.ranges[unsafe.SliceData(p)]
	delete(k.ranges, unsafe.SliceData(p)) // the next memory may lie there
	if !ok {
		rule = fakeRange{k.mode, k.over}
	}
	for i := range out {
		switch {
		case k.wrong:
		case rule.mode == modeDefault:
			out[i] = k.cpus[0] / 4
		default:
			out[i] = rule.nodes[i%len(rule.nodes)]
		}
	}
	return out, k.refuses
}

func (k *fakeKernel) bound() ([]int, error) {
	k.calls = append(k.calls, "bound")
	return k.cpus, k.refuses
}

func (k *fakeKernel) bind(cpus []int) error {
	k.calls = append(k.calls, fmt.Sprint("bind ", cpus))
	if k.refuses == nil {
		k.cpus = cpus
	}
	return k.refuses
}

// twoSockets returns a machine of two nodes of four CPUs, and its kernel.
func twoSockets() (*Machine, *fakeKernel) {
	k := &fakeKernel{cpus: []int{0, 1, 2, 3, 4, 5, 6, 7}}
	k.all = k.cpus
	t := &Topology{Nodes: []Node{{ID: 0, CPUs: []int{0, 1, 2, 3}, Bytes: 1 << 30}, {ID: 1, CPUs: []int{4, 5, 6, 7}, Bytes: 1 << 30}}}
	return &Machine{topology: t, placer: k, binder: k}, k
}

func TestPolicies(t *testing.T) {
	two, _ := twoSockets()
	memoryless := &Topology{Nodes: []Node{{ID: 0, Bytes: 1}, {ID: 1}}}
	for _, test := range []struct {
		policy   Policy
		topology *Topology
		want     Policy
	}{
		{Auto, two.topology, Interleave},
		{Interleave, two.topology, Interleave},
		{Local, two.topology, Local},
		{Auto, single(), Local},
		{Interleave, single(), Local},
		{Auto, memoryless, Local},
	} {
		if got := test.policy.On(test.topology); got != test.want {
			t.Errorf("%v on %d nodes = %v", test.policy, len(test.topology.Nodes), got)
		}
		if got, err := ParsePolicy(test.policy.String()); got != test.policy || err != nil {
			t.Errorf("ParsePolicy(%v) = %v, %v", test.policy, got, err)
		}
	}
	if _, err := ParsePolicy("near"); !errors.Is(err, colstore.ErrOption) {
		t.Errorf("ParsePolicy of none = %v", err)
	}
}

func TestPlace(t *testing.T) {
	place := func(m *Machine, k *fakeKernel, p Policy) (during mode) {
		ran := 0
		m.Place(p, func() { ran++; during = k.mode })
		if ran != 1 {
			t.Errorf("ran %d times", ran)
		}
		return during
	}
	m, k := twoSockets()
	if during := place(m, k, Auto); during != modeInterleave || k.mode != modeDefault || !slices.Equal(k.calls, []string{"interleave", "default"}) {
		t.Errorf("mode %d, %d after it, calls %v", during, k.mode, k.calls)
	}
	m, k = twoSockets()
	if place(m, k, Local); k.calls != nil {
		t.Errorf("local makes calls %v", k.calls)
	}
	m, k = twoSockets()
	m.topology = single()
	if place(m, k, Interleave); k.calls != nil {
		t.Errorf("one node makes calls %v", k.calls)
	}
	m, k = twoSockets()
	k.mode = modeBind
	if during := place(m, k, Auto); during != modeBind || k.calls != nil {
		t.Errorf("a policy of the user's own became %d by %v", during, k.calls)
	}
	m, k = twoSockets()
	k.refuses = errors.New("operation not permitted")
	place(m, k, Auto)
}

func TestCheckTwoSockets(t *testing.T) {
	m, k := twoSockets()
	r, err := m.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Policy != Interleave || len(r.Speeds) != 4 || r.Failed() != nil || r.Refused() || k.mode != modeDefault || !slices.Equal(k.cpus, k.all) {
		t.Errorf("%+v; the kernel is left with mode %d, CPUs %v", r, k.mode, k.cpus)
	}
	var lines []string
	for _, trial := range r.Trials {
		lines = append(lines, trial.Name+": "+trial.Where())
	}
	pages := trialBytes / os.Getpagesize()
	if pages != 2048 {
		return
	}
	want := []string{
		"mbind to node 0: 2048 on node 0", "mbind to node 1: 2048 on node 1",
		"mbind interleaved: 1024 on node 0, 1024 on node 1", "set_mempolicy interleaved: 1024 on node 0, 1024 on node 1",
		"first touch by a CPU of node 0: 2048 on node 0", "first touch by a CPU of node 1: 2048 on node 1",
	}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
}

func TestCheckTellsWhatFails(t *testing.T) {
	m, k := twoSockets()
	k.wrong = true
	r, err := m.Check(t.Context())
	if err != nil || len(r.Failed()) != 4 || r.Refused() {
		t.Errorf("%v, %v", r, err)
	}
	m, k = twoSockets()
	k.refuses = errors.New("operation not permitted")
	if r, err = m.Check(t.Context()); err != nil || !r.Refused() || r.Failed() != nil || r.Speeds != nil {
		t.Errorf("%v, %v", r, err)
	}
	m, _ = twoSockets()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = m.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// On this machine the calls that the kernel allows tell where each page is. Where that is, is the kernel's choice when a node
// is full or pages are taken away: no more is asked than that not every call fails.
func TestCheckHere(t *testing.T) {
	r, err := This().Check(t.Context())
	if err != nil || len(r.Nodes) == 0 || len(r.Trials) == 0 || len(r.Failed()) == len(r.Trials) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, trial := range r.Trials {
		pages := 0
		for _, n := range trial.Pages {
			pages += n
		}
		if trial.Error == "" && pages != trialBytes/os.Getpagesize() {
			t.Errorf("%s: %d pages, %s", trial.Name, pages, trial.Where())
		}
	}
	t.Logf("failed: %q", r.Failed())
	This().Place(Auto, func() {})
	This().Bind()()
}
