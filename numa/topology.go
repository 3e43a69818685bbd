package numa

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Node is one memory node: its number, and the CPUs whose memory it is.
type Node struct {
	ID   int
	CPUs []int
}

// A Topology is the memory nodes of a machine, by number. It has at least one.
type Topology struct{ Nodes []Node }

// nodesDir is where Linux describes its nodes, below the root of the file system.
const nodesDir = "sys/devices/system/node"

// ReadFrom returns the topology that a file system shows below its root: os.DirFS("/") on Linux, a fake one in tests. A
// file system without one is a machine of a single node.
//
// Errors: what cannot be understood, naming the file.
func ReadFrom(root fs.FS) (*Topology, error) {
	entries, err := fs.ReadDir(root, nodesDir)
	if errors.Is(err, fs.ErrNotExist) {
		return single(), nil
	}
	if err != nil {
		return nil, err
	}
	t := &Topology{}
	for _, e := range entries {
		number, ok := strings.CutPrefix(e.Name(), "node")
		if !ok {
			continue
		}
		id, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		file := path.Join(nodesDir, e.Name(), "cpulist")
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return nil, err
		}
		cpus, err := parseList(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		t.Nodes = append(t.Nodes, Node{ID: id, CPUs: cpus})
	}
	if len(t.Nodes) == 0 {
		return single(), nil
	}
	slices.SortFunc(t.Nodes, func(a, b Node) int { return a.ID - b.ID })
	return t, nil
}

func single() *Topology { return &Topology{Nodes: []Node{{}}} }

// maxCPU is beyond any machine; a larger number is a mistake, not a list of that length.
const maxCPU = 1 << 16

// parseList reads the kernel's list form: "0-3,8,10-11". A node of memory alone has an empty one.
func parseList(text string) ([]int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		lo, hi, isRange := strings.Cut(part, "-")
		if !isRange {
			hi = lo
		}
		a, errA := strconv.Atoi(lo)
		b, errB := strconv.Atoi(hi)
		if errA != nil || errB != nil || a < 0 || b < a || b > maxCPU {
			return nil, fmt.Errorf("%q is no list of CPUs", text)
		}
		for c := a; c <= b; c++ {
			out = append(out, c)
		}
	}
	return out, nil
}
