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
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &numa.Topology{Nodes: []numa.Node{{0, []int{0, 1, 2, 3, 6}}, {1, []int{4, 5, 7}}, {2, nil}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
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
