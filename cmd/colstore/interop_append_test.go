//go:build interop && unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// orders is a process of the Python package that does what it is told, line by line.
type orders struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

// orders starts testdata/interop/append.py, which ends with the test.
func (x interop) orders(t *testing.T) *orders {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), x.python, filepath.Join("testdata", "interop", "append.py"))
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=ignore")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Error(err)
		}
	})
	return &orders{t, in, bufio.NewReader(out)}
}

// do gives an order and returns the answer.
func (o *orders) do(format string, args ...any) string {
	o.t.Helper()
	if _, err := fmt.Fprintf(o.in, format+"\n", args...); err != nil {
		o.t.Fatal(err)
	}
	line, err := o.out.ReadString('\n')
	if err != nil {
		o.t.Fatalf("append.py: %v", err)
	}
	return strings.TrimSpace(line)
}

// appendBothWays lets the Python package and the binary add to one folder in turn: each goes on where the other was, both
// read the same rows, and neither writes while the other has the folder.
func (x interop) appendBothWays(t *testing.T) {
	peer := x.orders(t)
	root := t.TempDir()
	dir := filepath.Join(root, "trades")
	table := func(first, rows int) string {
		var b strings.Builder
		b.WriteString("x,s\n")
		for i := first; i < first+rows; i++ {
			fmt.Fprintf(&b, "%d,%d\n", i, i)
		}
		path := filepath.Join(root, fmt.Sprintf("t%d.csv", first))
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ours := func(args ...string) []string {
		t.Helper()
		var result struct {
			Shards []struct{ Path string }
		}
		text := x.ok(t, append([]string{"append", dir, "--json", "-q", "--dtype", "s=S6"}, args...)...)
		if err := json.Unmarshal([]byte(text), &result); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range result.Shards {
			names = append(names, filepath.Base(s.Path))
		}
		return names
	}
	expect := func(got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	rows := 0
	same := func() {
		t.Helper()
		var theirs struct {
			X     []int
			S     []string
			Error string
		}
		if err := json.Unmarshal([]byte(peer.do("read %s", dir)), &theirs); err != nil {
			t.Fatal(err)
		}
		if len(theirs.X) != rows || theirs.Error != "" {
			t.Fatalf("the package reads %d rows of %d; %s", len(theirs.X), rows, theirs.Error)
		}
		for i, n := range theirs.X {
			if n != i || theirs.S[i] != strconv.Itoa(i) {
				t.Fatalf("the package reads %d, %q in row %d", n, theirs.S[i], i)
			}
		}
		var want strings.Builder
		want.WriteString("x,s\n")
		for i := range rows {
			fmt.Fprintf(&want, "%d,%d\n", i, i)
		}
		if got := x.ok(t, "cat", dir); got != want.String() {
			t.Fatalf("the binary reads %d bytes of %d", len(got), want.Len())
		}
	}
	const rounds = 10
	for round := range rounds {
		index := 7 * round
		expect(ours(table(rows, 3)), fmt.Sprintf("[shard_%05d.cstore]", index))
		rows += 3
		expect(peer.do("append %s %d 2", dir, rows), fmt.Sprintf(`"shard_%05d.cstore"`, index+1))
		rows += 2
		// An appender of theirs, which has the folder until it is closed.
		expect(peer.do("appender %s 4 %d 3 3 1", dir, rows), `"open"`)
		code, _, stderr := x.run(t, "append", dir, table(rows, 1), "--dtype", "s=S6")
		if code != exitLocked || !strings.Contains(stderr, dir) {
			t.Errorf("beside their appender: exit %d, %s", code, stderr)
		}
		expect(peer.do("close"), 2)
		rows += 7
		expect(ours(table(rows, 5), "--shard-size", "2", "--statistics"), fmt.Sprintf("[shard_%05d.cstore shard_%05d.cstore shard_%05d.cstore]", index+4, index+5, index+6))
		rows += 5
		if left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	same()
	// Copies of a file, both ways, in another folder.
	from := filepath.Join(dir, "shard_00000.cstore")
	dir, rows = filepath.Join(root, "copies"), 0
	expect(ours(from), "[shard_00000.cstore]")
	expect(peer.do("copy %s %s", dir, from), `"shard_00001.cstore"`)
	whole, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"shard_00000.cstore", "shard_00001.cstore"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != string(whole) {
			t.Errorf("%s is no copy: %v", name, err)
		}
	}
	// Both refuse what does not fit.
	if answer := peer.do("append %s 0 1", dir); answer == "" || strings.Contains(answer, "error") {
		t.Errorf("the package refuses rows of the same columns: %s", answer)
	}
	code, _, stderr := x.run(t, "append", dir, table(0, 1), "--dtype", "s=S7")
	if code != exitFailed || !strings.Contains(stderr, "shard_00000.cstore") || !strings.Contains(stderr, `"s"`) {
		t.Errorf("a wider text: exit %d, %s", code, stderr)
	}
}
