package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/colstore/colstore-go/numa"
)

// twoNodes is a record of a machine that this one may not be.
func twoNodes() *numa.Report {
	return &numa.Report{
		System: "linux/amd64", Release: "6.8.0", HugePages: "madvise", Policy: numa.Interleave,
		Nodes: []numa.Node{
			{ID: 0, CPUs: []int{0, 1, 2, 3, 8}, Bytes: 64 << 30, Free: 1 << 30, Distance: []int{10, 21}},
			{ID: 1, CPUs: []int{4, 5}, Bytes: 64 << 30, Free: 3 << 30, Distance: []int{21, 10}},
		},
		Trials: []numa.Trial{
			{Name: "mbind to node 1", Passed: true, Pages: map[int]int{1: 2048}},
			{Name: "mbind interleaved", Pages: map[int]int{0: 2040, -2: 8}},
			{Name: "set_mempolicy interleaved", Error: "operation not permitted"},
		},
		Speeds: []numa.Access{{CPUs: 0, Memory: 1, BytesPerSecond: 12.34e9}},
	}
}

func TestPrintNodes(t *testing.T) {
	const want = `node  CPUs   memory  free   distances
0     0-3,8  64 GiB  1 GiB  10 21
1     4-5    64 GiB  3 GiB  21 10

trial                      result                            pages
mbind to node 1            as asked                          2048 on node 1
mbind interleaved          elsewhere                         8 nowhere, 2040 on node 0
set_mempolicy interleaved  refused: operation not permitted  

CPUs of node  memory of node  GB/s
0             1               12.3

huge pages: madvise
2 nodes; auto places files that are read ahead: interleave
`
	var out bytes.Buffer
	if err := (&app{out: &out}).printNodes(twoNodes()); err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
	r := twoNodes()
	r.Trials = r.Trials[2:]
	out.Reset()
	if err := (&app{out: &out}).printNodes(r); err != nil || !strings.HasSuffix(out.String(), "the system refuses to place memory, and it is left where it is first touched\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// The check of this machine ends well, and its record is what it prints.
func TestNUMACheck(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"numa", "check", "--json", "-o", "record.json"}, &out, &errs); code != exitDone {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	text, err := os.ReadFile("record.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{out.Bytes(), text} {
		var r struct {
			Nodes  []numa.Node
			Policy string
		}
		if err := json.Unmarshal(b, &r); err != nil || len(r.Nodes) == 0 || r.Policy == "" {
			t.Errorf("%v: %s", err, b)
		}
	}
	if got := printed(t, "numa check -o record.json"); !strings.Contains(got, "exists") || !strings.HasSuffix(got, "(exit 1)\n") {
		t.Errorf("over an existing record: %s", got)
	}
	out.Reset()
	if code := run(t.Context(), []string{"numa", "check", "-o", "-"}, &out, &errs); code != exitDone || !json.Valid(out.Bytes()) {
		t.Errorf("to standard output: exit %d: %s", code, out.String())
	}
	if _, err := os.Stat("-"); err == nil {
		t.Error("there is a file called -")
	}
	if got := printed(t, "numa"); !strings.HasSuffix(got, "(exit 2)\n") {
		t.Errorf("without a command: %s", got)
	}
}
