//go:build interop && unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// interop is the built binary and the Python interpreter that has the other tools: $COLSTORE_PEERS, or the one of .peers.
type interop struct{ binary, python string }

// TestInterop exchanges files with the Python package, pyarrow, polars, duckdb, pandas and uproot.
func TestInterop(t *testing.T) {
	python := os.Getenv("COLSTORE_PEERS")
	if python == "" {
		python = filepath.Join("..", "..", ".peers", "bin", "python")
	}
	if _, err := os.Stat(python); err != nil {
		t.Fatalf("%v; \"make peers\" installs it, or COLSTORE_PEERS names another one", err)
	}
	x := interop{filepath.Join(t.TempDir(), "colstore"), python}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", x.binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	t.Run("read the package's files", x.readPackage)
	t.Run("read foreign files", x.readForeign)
	t.Run("write foreign files", x.writeForeign)
	t.Run("spell every dtype", x.spellEveryDType)
	t.Run("take less memory", x.takeLessMemory)
	t.Run("write ROOT files", x.writeRoot)
	t.Run("find the same rows", x.findRows)
	t.Run("update as the package does", x.updateLikePackage)
	t.Run("wait for no lock", x.lockedByPackage)
	t.Run("lock out the package", x.lockOutPackage)
	t.Run("write at once", x.writeAtOnce)
	t.Run("append both ways", x.appendBothWays)
}

// peer runs a script of testdata/interop and returns what it prints.
func (x interop) peer(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), x.python, append([]string{filepath.Join("testdata", "interop", script)}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=ignore")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, stderr.Bytes())
	}
	return out
}

// run runs the binary and returns its exit code, and standard output and error.
func (x interop) run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), x.binary, args...)
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() >= 0 {
		return exit.ExitCode(), out.String(), problems.String()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, out.String(), problems.String()
}

// ok runs the binary, which must succeed, and returns its standard output.
func (x interop) ok(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := x.run(t, args...)
	if code != exitDone {
		t.Fatalf("colstore %s: exit code %d\n%s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

func save(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// readPackage shows, sums up and copies files of the Python package.
func (x interop) readPackage(t *testing.T) {
	dir := t.TempDir()
	x.peer(t, "write_cstore.py", dir)
	for _, name := range []string{"one", "multi", "stats", "zero", "big"} {
		base := filepath.Join(dir, name)
		save(t, base+".ndjson", x.ok(t, "cat", base+".cstore", "--format", "ndjson"))
		save(t, base+".json", x.ok(t, "stats", base+".cstore", "--json"))
		x.ok(t, "convert", base+".cstore", "-o", base+".copy.cstore", "-q")
	}
	x.peer(t, "check_cstore.py", dir)
}

// readForeign turns Parquet, Feather, NPZ, CSV and JSON into .cstore, which the Python package opens.
func (x interop) readForeign(t *testing.T) {
	dir := t.TempDir()
	x.peer(t, "write_foreign.py", dir)
	files, err := filepath.Glob(filepath.Join(dir, "*.*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 35 {
		t.Fatalf("only %d files were written", len(files))
	}
	nulls := filepath.Join(dir, "nulls.parquet")
	for _, f := range files {
		if f != nulls {
			// Others' NaT, and with pandas NaN too, is a null.
			x.ok(t, "convert", f, "-o", f+".cstore", "--nulls=fill", "-q")
		}
	}
	refused := filepath.Join(dir, "nulls.error.cstore")
	code, _, stderr := x.run(t, "convert", nulls, "-o", refused, "-q")
	if code != exitFailed || !strings.Contains(stderr, nulls) || !strings.Contains(stderr, `column "b": row 0`) {
		t.Errorf("nulls are refused by default, the first row's is told: exit code %d, %s", code, stderr)
	}
	if _, err := os.Stat(refused); err == nil {
		t.Error("a refused conversion left an output")
	}
	for policy, flags := range map[string][]string{
		"fill":  {"--nulls=fill"},
		"mask":  {"--nulls=mask"},
		"named": {"--nulls=fill", "--nulls=i=-1", "--nulls=t=none", "--nulls=x=-2.5"},
	} {
		x.ok(t, append([]string{"convert", nulls, "-o", filepath.Join(dir, "nulls."+policy+".cstore"), "-q"}, flags...)...)
	}
	x.peer(t, "check_foreign.py", dir)
}

// writeForeign writes Parquet, Feather, NPZ, CSV and JSON for the readers there are.
func (x interop) writeForeign(t *testing.T) {
	dir := t.TempDir()
	x.peer(t, "write_exportable.py", dir)
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, codec := range []string{"none", "snappy", "gzip", "zstd", "brotli", "lz4_raw"} {
		x.ok(t, "convert", at("typed.cstore"), "-o", at("typed."+codec+".parquet"), "--compression", codec, "--row-group", "1024", "-q")
	}
	for _, codec := range []string{"none", "deflate", "deflate:1"} {
		x.ok(t, "convert", at("typed.cstore"), "-o", at("typed."+strings.ReplaceAll(codec, ":", "_")+".npz"), "--compression", codec, "-q")
	}
	for _, codec := range []string{"none", "lz4", "zstd", "lz4:9"} {
		x.ok(t, "convert", at("typed.cstore"), "-o", at("typed."+strings.ReplaceAll(codec, ":", "_")+".feather"), "--compression", codec, "-q")
	}
	x.ok(t, "convert", at("empty.cstore"), "-o", at("empty.feather"), "-q")
	x.ok(t, "convert", at("empty.cstore"), "-o", at("empty.npz"), "-q")
	x.ok(t, "convert", at("empty.cstore"), "-o", at("empty.parquet"), "-q")
	x.ok(t, "convert", at("cells.cstore"), "-o", at("cells.csv"), "-q")
	x.ok(t, "convert", at("cells.cstore"), "-o", at("cells.tsv"), "-q")
	x.ok(t, "convert", at("cells.cstore"), "-o", at("cells.jsonl"), "-q")
	for _, orient := range []string{"records", "columns", "split", "index", "values", "table"} {
		x.ok(t, "convert", at("cells.cstore"), "-o", at("cells."+orient+".json"), "--orient", orient, "-q")
	}
	written, err := os.ReadFile(at("cells.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), x.ok(t, "cat", at("cells.cstore"))); diff != "" {
		t.Errorf("cat and convert write different CSV (-convert +cat):\n%s", diff)
	}
	x.peer(t, "check_exported.py", dir)
}

// findRows asks for the rows of predicates and for a cutflow.
func (x interop) findRows(t *testing.T) {
	dir := t.TempDir()
	x.peer(t, "write_cstore.py", dir)
	for _, name := range []string{"events", "events_multi"} {
		file := filepath.Join(dir, name+".cstore")
		var want struct {
			Rows    map[string][]int64
			Flags   []string
			Cutflow []map[string]any
		}
		if err := json.Unmarshal(x.peer(t, "queries.py", file), &want); err != nil {
			t.Fatal(err)
		}
		if len(want.Rows) < 20 || len(want.Cutflow) < 5 {
			t.Fatalf("only %d predicates and %d cuts", len(want.Rows), len(want.Cutflow))
		}
		for predicate, rows := range want.Rows {
			var got struct {
				Rows  int
				Index []int64
			}
			if err := json.Unmarshal([]byte(x.ok(t, "query", "--rows-only", "--json", "--", file, predicate)), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(rows, got.Index, cmpopts.EquateEmpty()); diff != "" || got.Rows != len(rows) {
				t.Errorf("%s: %s: %d rows, want %d", name, predicate, got.Rows, len(rows))
			}
		}
		var cutflow []map[string]any
		if err := json.Unmarshal([]byte(x.ok(t, append([]string{"report", file, "--json"}, want.Flags...)...)), &cutflow); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Cutflow, cutflow); diff != "" {
			t.Errorf("%s: cutflow (-package +here):\n%s", name, diff)
		}
	}
}

// lockedByPackage writes to a file that a writer of the Python package has locked.
func (x interop) lockedByPackage(t *testing.T) {
	dir := t.TempDir()
	x.peer(t, "write_cstore.py", dir)
	from, to := filepath.Join(dir, "one.cstore"), filepath.Join(dir, "multi.cstore")
	before, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	holder := exec.CommandContext(t.Context(), x.python, filepath.Join("testdata", "interop", "lock.py"), "hold", to)
	hold, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if held, err := io.ReadAll(io.LimitReader(said, int64(len("held\n")))); string(held) != "held\n" {
		t.Fatalf("lock.py says %q, %v", held, err)
	}
	code, _, stderr := x.run(t, "convert", from, "-o", to, "--overwrite", "-q")
	if code != exitLocked || !strings.Contains(stderr, to) {
		t.Errorf("exit code %d, want %d; %s", code, exitLocked, stderr)
	}
	t.Logf("process %d has the lock: %s", holder.Process.Pid, stderr)
	after, err := os.ReadFile(to)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the locked file was changed, %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := errors.Join(hold.Close(), holder.Wait()); err != nil {
		t.Fatal(err)
	}
	x.ok(t, "convert", from, "-o", to, "--overwrite", "-q")
}

// lockOutPackage stops the binary in the middle of replacing a file and lets a writer of the Python package try.
func (x interop) lockOutPackage(t *testing.T) {
	dir := t.TempDir()
	x.peer(t, "write_cstore.py", dir)
	from, to := filepath.Join(dir, "events.cstore"), filepath.Join(dir, "one.cstore")
	said, caught := "", false
	for attempt := 0; attempt < 20 && !caught; attempt++ { // a busy machine may not let this process see it in time
		said, caught = x.whileReplacing(t, from, to)
	}
	if !caught {
		t.Fatal("every conversion was over before it was stopped")
	}
	if said != "locked" {
		t.Errorf("the Python package's writer finds the file %q", said)
	}
	if said := strings.TrimSpace(string(x.peer(t, "lock.py", "try", to))); said != "free" {
		t.Errorf("after the conversion, the Python package's writer finds the file %q", said)
	}
}

// whileReplacing stops the binary when it has begun to replace a file, and returns what a writer of the Python package then
// says of it; false if the binary was over before it was stopped.
func (x interop) whileReplacing(t *testing.T, from, to string) (said string, caught bool) {
	t.Helper()
	slow := "row * 1.0" + strings.Repeat(" + sin(x)", 400) // work for long enough to be caught at it
	cmd := exec.CommandContext(t.Context(), x.binary, "convert", from, "-o", to, "--overwrite", "-q", "--max-workers", "1",
		"--assign", "a="+slow, "--assign", "b="+strings.ReplaceAll(slow, "x", "y"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	ended := func() {
		if err := <-done; err != nil {
			t.Fatalf("the conversion failed: %v\n%s", err, stderr.String())
		}
	}
	// The temporary file appears when the lock is taken, and goes when it has the name of the other.
	replacing := func() bool {
		temporary, err := filepath.Glob(filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".*.tmp"))
		return err == nil && len(temporary) > 0
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !replacing() {
		select {
		case err := <-done:
			done <- err
			ended()
			return "", false
		case <-tick.C:
		}
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		ended()
		return "", false
	}
	said = strings.TrimSpace(string(x.peer(t, "lock.py", "try", to)))
	caught = replacing()
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	ended()
	return said, caught
}
