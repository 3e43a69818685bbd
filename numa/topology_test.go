package numa_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go/numa"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestTwoSockets(t *testing.T) {
	const dir = "sys/devices/system/node/"
	got, err := numa.ReadFrom(fstest.MapFS{
		dir + "node1/cpulist": file("4-5,7\n"), dir + "node0/cpulist": file("0-3,6\n"), dir + "node2/cpulist": file("\n"), dir + "possible": file("0-1\n"),
		dir + "node0/meminfo": file("Node 0 MemTotal:       2048 kB\nNode 0 MemFree:        1024 kB\nNode 0 HugePages_Total: 0\n"), dir + "node0/distance": file("10 21 30\n"),
		dir + "node1/meminfo": file("rubbish\n"), dir + "node1/distance": file("21 x\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &numa.Topology{Nodes: []numa.Node{
		{ID: 0, CPUs: []int{0, 1, 2, 3, 6}, Bytes: 2 << 20, Free: 1 << 20, Distance: []int{10, 21, 30}}, {ID: 1, CPUs: []int{4, 5, 7}}, {ID: 2},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// A container of one node may not place memory on the other: the kernel leaves that out without a word.
func TestNodesOfAContainer(t *testing.T) {
	const dir = "sys/devices/system/node/"
	root := fstest.MapFS{
		dir + "node0/cpulist": file("0-3\n"), dir + "node0/meminfo": file("Node 0 MemTotal: 2048 kB\n"),
		dir + "node1/cpulist": file("4-7\n"), dir + "node1/meminfo": file("Node 1 MemTotal: 2048 kB\n"),
	}
	for allowed, want := range map[string]numa.Policy{"0-1": numa.Interleave, "1": numa.Local, "": numa.Interleave, "x": numa.Interleave} {
		root["proc/self/status"] = file("Name:\tx\nMems_allowed:\t3\nMems_allowed_list:\t" + allowed + "\n")
		got, err := numa.ReadFrom(root)
		if err != nil {
			t.Fatal(err)
		}
		if p := numa.Auto.On(got); p != want || got.Nodes[0].Barred != (allowed == "1") || got.Nodes[1].Barred {
			t.Errorf("%q: %v, %+v", allowed, p, got.Nodes)
		}
	}
}

func TestMachinesWithoutNodes(t *testing.T) {
	for _, root := range []fstest.MapFS{{}, {"sys/devices/system/node/possible": file("0\n")}} {
		got, err := numa.ReadFrom(root)
		if err != nil || len(got.Nodes) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for _, bad := range []string{"x", "3-1", "0-99999999999", "-1", "1,,2"} {
		if got, err := numa.ReadFrom(fstest.MapFS{"sys/devices/system/node/node0/cpulist": file(bad)}); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
}

func TestThisMachine(t *testing.T) {
	got, err := numa.Read()
	if err != nil || len(got.Nodes) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestHugePages(t *testing.T) {
	for text, want := range map[string]string{"always [madvise] never\n": "madvise", "rubbish": ""} {
		if got := numa.HugePages(fstest.MapFS{"sys/kernel/mm/transparent_hugepage/enabled": file(text)}); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := numa.HugePages(fstest.MapFS{}); got != "" {
		t.Errorf("without the file: %q", got)
	}
}
