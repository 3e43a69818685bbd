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

// A Node is one memory node.
type Node struct {
	ID       int   `json:"id"`
	CPUs     []int `json:"cpus"`               // whose memory it is; a node of memory alone has none
	Bytes    int64 `json:"bytes"`              // of its memory; 0 if it is not told
	Free     int64 `json:"free"`               // of those, that nobody uses, also for files
	Barred   bool  `json:"barred,omitempty"`   // the process may not use its memory, as in a container of some nodes
	Distance []int `json:"distance,omitempty"` // to each node in their order: 10 is its own memory, 20 takes twice as long
}

// A Topology is the memory nodes of a machine, by number. It has at least one.
type Topology struct {
	Nodes []Node `json:"nodes"`
}

// nodesDir is where Linux describes its nodes, below the root of the file system.
const nodesDir = "sys/devices/system/node"

// ReadFrom returns the topology that a file system shows below its root: os.DirFS("/") on Linux, a fake one in tests. A
// file system without one is a machine of a single node.
//
// Errors: what cannot be understood, naming the file; fs.ErrInvalid for no file system.
func ReadFrom(root fs.FS) (*Topology, error) {
	if root == nil {
		return nil, fmt.Errorf("read the memory nodes: no file system: %w", fs.ErrInvalid)
	}
	entries, err := fs.ReadDir(root, nodesDir)
	if errors.Is(err, fs.ErrNotExist) {
		return single(), nil
	}
	if err != nil {
		return nil, err
	}
	t, allowed := &Topology{}, allowedNodes(root)
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
		n := Node{ID: id, CPUs: cpus, Barred: allowed != nil && !slices.Contains(allowed, id)}
		n.describe(root, path.Join(nodesDir, e.Name()))
		t.Nodes = append(t.Nodes, n)
	}
	if len(t.Nodes) == 0 {
		return single(), nil
	}
	slices.SortFunc(t.Nodes, func(a, b Node) int { return a.ID - b.ID })
	return t, nil
}

// describe reads what the kernel tells of a node beyond its CPUs. What cannot be read or understood stays zero: nothing
// depends on it.
func (n *Node) describe(root fs.FS, dir string) {
	if text, err := fs.ReadFile(root, path.Join(dir, "meminfo")); err == nil {
		for line := range strings.Lines(string(text)) {
			// "Node 0 MemTotal:       24683652 kB"
			if f := strings.Fields(line); len(f) == 5 && f[4] == "kB" {
				kib, _ := strconv.ParseInt(f[3], 10, 50)
				switch f[2] {
				case "MemTotal:":
					n.Bytes = kib << 10
				case "MemFree:":
					n.Free = kib << 10
				}
			}
		}
	}
	text, err := fs.ReadFile(root, path.Join(dir, "distance"))
	if err != nil {
		return
	}
	for f := range strings.FieldsSeq(string(text)) {
		d, err := strconv.Atoi(f)
		if err != nil {
			n.Distance = nil
			return
		}
		n.Distance = append(n.Distance, d)
	}
}

// allowedNodes returns the nodes whose memory the process may use, nil if the kernel does not tell.
func allowedNodes(root fs.FS) []int {
	text, err := fs.ReadFile(root, "proc/self/status")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		if list, ok := strings.CutPrefix(line, "Mems_allowed_list:"); ok {
			nodes, _ := parseList(list)
			return nodes
		}
	}
	return nil
}

// memory returns the nodes that have memory which the process may use, all of them if none tells.
func (t *Topology) memory() []int {
	var out, all []int
	for _, n := range t.Nodes {
		if n.Bytes > 0 && !n.Barred {
			out = append(out, n.ID)
		}
		all = append(all, n.ID)
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// HugePages returns what the kernel does about transparent huge pages: "always", "madvise" or "never"; "" if it does not tell.
func HugePages(root fs.FS) string {
	if root == nil {
		return ""
	}
	text, err := fs.ReadFile(root, "sys/kernel/mm/transparent_hugepage/enabled")
	if err != nil {
		return ""
	}
	_, state, _ := strings.Cut(string(text), "[") // "always [madvise] never"
	state, _, _ = strings.Cut(state, "]")
	return state
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
