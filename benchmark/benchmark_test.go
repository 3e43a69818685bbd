package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pretend, if set, makes this test's program an engine: it writes its arguments to the file of the first one.
const pretend = "COLSTORE_BENCHMARK_PRETEND"

func TestMain(m *testing.M) {
	switch os.Getenv(pretend) {
	case "":
		os.Exit(m.Run())
	case "echo": // or one that prints its first argument
		fmt.Println(strings.Join(os.Args[1:], " "))
		os.Exit(0)
	case "warm": // or a server
		lines := bufio.NewScanner(os.Stdin)
		for _, answer := range []string{`{"about": "an actor"}`, `{"error": "not today"}`, `nonsense`} {
			if !lines.Scan() {
				break
			}
			fmt.Println(answer)
		}
		os.Exit(0)
	case "patterns": // or both servers of the access patterns
		play(os.Stdin, os.Stdout, slices.Contains(os.Args, "-probe"))
		os.Exit(0)
	case "fail":
		fmt.Fprintln(os.Stderr, "Traceback\nTypeError: no")
		os.Exit(1)
	}
	if len(os.Args) > 1 {
		if err := os.WriteFile(os.Args[1], []byte(strings.Join(os.Args[2:], " ")), 0o666); err != nil {
			panic(err)
		}
	}
	fmt.Printf("some text\n{\"n_rows\": 3, \"setup\": 0.5, \"note\": \"by hand\"}\n")
	os.Exit(0)
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExecute(t *testing.T) {
	t.Setenv(pretend, "yes")
	r, err := execute(t.Context(), []string{self(t)})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(account{Rows: 3, Setup: 0.5, Note: "by hand"}, r.accountOf(), cmp.AllowUnexported(account{})); diff != "" {
		t.Error(diff)
	}
	if got, want := r.seconds(), r.elapsed.Seconds()-0.5; got != want {
		t.Errorf("seconds %v, want %v", got, want)
	}
}

// The numbers of a metered process are its own: not those of this test's program, which has far more memory.
func TestMetered(t *testing.T) {
	if goruntime.GOOS == "windows" {
		return
	}
	meter := filepath.Join(t.TempDir(), "meter")
	if _, err := execute(t.Context(), []string{"go", "build", "-o", meter, "./meter"}); err != nil {
		t.Fatal(err)
	}
	large := make([]byte, 64<<20)
	for i := 0; i < len(large); i += 4096 {
		large[i] = 1
	}
	r, err := metered(t.Context(), meter, []string{"echo", "as it is"})
	if err != nil || string(r.stdout) != "as it is\n" || r.elapsed <= 0 {
		t.Errorf("%+v, error %v", r, err)
	}
	if goruntime.GOOS == "linux" && (r.peak < 1<<19 || r.peak > 32<<20) {
		t.Errorf("peak of %d bytes", r.peak)
	}
	goruntime.KeepAlive(large)

	t.Setenv(pretend, "fail")
	if _, err := metered(t.Context(), meter, []string{self(t)}); err == nil || err.Error() != "exit status 1: TypeError: no" {
		t.Errorf("error %v", err)
	}
	if _, err := metered(t.Context(), meter, []string{"no such command"}); err == nil || !strings.Contains(err.Error(), "no such command") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := metered(ctx, meter, []string{self(t)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the end", err)
	}
}

func TestExecuteFails(t *testing.T) {
	t.Setenv(pretend, "fail")
	_, err := execute(t.Context(), []string{self(t)})
	if err == nil || err.Error() != "exit status 1: TypeError: no" {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := execute(ctx, []string{self(t)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after the end", err)
	}
}

func TestAccountOfNothing(t *testing.T) {
	for _, out := range []string{"", "colstore 1.2\n", "3\n", "[]", "{\"n_rows\": \"x\"}"} {
		if a := (run{stdout: []byte(out)}).accountOf(); !cmp.Equal(a, account{}, cmp.AllowUnexported(account{})) {
			t.Errorf("%q: %+v", out, a)
		}
	}
	if a := (run{stdout: []byte(`{"n_rows": null}`)}).accountOf(); a.Rows != 0 {
		t.Errorf("null rows: %+v", a)
	}
}

func TestMeasure(t *testing.T) {
	t.Setenv(pretend, "yes")
	dir, bin := t.TempDir(), self(t)
	in, a, b := filepath.Join(dir, "in"), filepath.Join(dir, "a"), filepath.Join(dir, "b")
	good := content{3, []column{{"x", "f8", "1"}}}
	missing := engine{name: "gone", argv: []string{filepath.Join(dir, "gone")}, peer: true}
	pair := []engine{
		{name: ours, argv: []string{bin, a, "one"}, out: a},
		{name: "peer", argv: []string{bin, b, "eleven"}, out: b, peer: true},
	}
	tests := []struct {
		name    string
		task    task
		outputs map[string]content
		err     string
		engines int
	}{
		{"equal", task{engines: append(pair[:2:2], missing), source: in, rows: 3}, map[string]content{a: good, b: good}, "", 3},
		{"no source", task{engines: pair}, map[string]content{a: good, b: good}, "", 2},
		{
			"our rows",
			task{engines: pair, source: in},
			map[string]content{a: {2, good.Columns}, b: good},
			"colstore: the output is different: 2 rows, not 3", 0,
		},
		{
			"a peer's checksum",
			task{engines: pair, source: in},
			map[string]content{a: good, b: {3, []column{{"x", "f8", "2"}}}},
			"peer: the output is different: column 0 is x of type f8 with checksum 2, not x of type f8 with 1", 0,
		},
		{
			"unlike each other",
			task{engines: pair},
			map[string]content{a: good, b: {3, nil}},
			"peer: the output is different: 0 columns, not 1", 0,
		},
		{
			"reported rows",
			task{engines: pair, rows: 4},
			map[string]content{a: good, b: good},
			"peer: the output is different: 3 rows reported, not 4", 0,
		},
		{
			"ours fails",
			task{engines: []engine{{name: ours, argv: missing.argv}}},
			nil,
			"no such file", 0,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bench := &bench{dir: dir, runs: 2, progress: io.Discard, contents: map[string]content{in: good}}
			maps.Copy(bench.contents, tt.outputs)
			w := workload{"w", func(context.Context) (task, error) { return tt.task, nil }}
			results, err := bench.measure(t.Context(), w)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(results) != tt.engines {
				t.Fatalf("%d results", len(results))
			}
			for i, r := range results {
				rounds, note := 2, "by hand"
				if i == 2 {
					rounds, note = 0, ""
				}
				if len(r.Seconds) != rounds || note != "" && r.Note != note || rounds == 0 && r.Note == "" {
					t.Errorf("result %d: %+v", i, r)
				}
			}
			if results[0].Output != 3 || results[1].Output != 6 || results[0].Ratio != 0 {
				t.Errorf("%+v", results)
			}
			for _, path := range []string{a, b} {
				if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("an output is left: %v", err)
				}
			}
		})
	}
}

func TestSummarize(t *testing.T) {
	results := []result{{Seconds: []float64{3, 1, 2}}, {Seconds: []float64{8, 4}}, {}}
	summarize(results, false)
	want := []result{
		{Seconds: []float64{3, 1, 2}, Min: 1, Median: 2, Basis: 1, Typical: 2},
		{Seconds: []float64{8, 4}, Min: 4, Median: 6, Basis: 4, Typical: 6, Ratio: 0.25, Medians: 1.0 / 3},
		{},
	}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Error(diff)
	}
}

func TestTable(t *testing.T) {
	results := []result{
		{Workload: "w", Engine: ours, Seconds: []float64{1}, Min: 1, Median: 1.5, Basis: 1, Bytes: 2e9, Peak: 64 << 20, Output: 3 << 20},
		{Workload: "w", Engine: "peer", Seconds: []float64{2}, Min: 2, Median: 2, Inner: 0.5, Basis: 0.5, Bytes: 2e9, Ratio: 0.5, Medians: 0.25, Note: "in memory"},
		{Workload: "w", Engine: "other", Note: "exit status 1: no"},
	}
	var b strings.Builder
	if err := writeTable(&b, "somewhere", results); err != nil {
		t.Fatal(err)
	}
	want := `somewhere

workload  engine    min s  median s  inner s  MB/s  peak MiB  out MiB  ours/peer  by medians  note
w         colstore  1.000  1.500     -        2000  64        3        -          -
          peer      2.000  2.000     0.500    4000  -         -        0.50       0.25        in memory
          other     -      -         -        -     -         -        -          -           exit status 1: no
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	results := []result{{Workload: "w", Engine: "e", Seconds: []float64{1}}, {Workload: "w"}}
	if err := errors.Join(l.write(results), l.close()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := `{"workload":"w","engine":"e","seconds":[1],`
	if n := strings.Count(string(got), "\n"); n != 2 || !strings.HasPrefix(string(got), first) {
		t.Errorf("%s", got)
	}
	if l, err = openLog(""); err != nil || errors.Join(l.write(nil), l.close()) != nil {
		t.Error("no log")
	}
}

func TestValidate(t *testing.T) {
	right := config{rows: 1, runs: 1, only: "start*,sum_f8", sizes: "1k"}
	if err := right.validate(); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(c *config){
		"-rows 0 and -runs 1 must be at least 1":                           func(c *config) { c.rows = 0 },
		"-rows 1 and -runs 0 must be at least 1":                           func(c *config) { c.runs = 0 },
		`-only "[": syntax error in pattern`:                               func(c *config) { c.only = "[" },
		`-only: nothing is named "startpu"; did you mean "startup"?`:       func(c *config) { c.only = "startpu" },
		`-only: nothing is named "startup"`:                                func(c *config) { c.only, c.patterns = "startup", true },
		`-sizes "many": "many" is no number of rows; write 1k,100k,10M`:    func(c *config) { c.sizes = "many" },
		"-docs puts a report into documents; name the report with -report": func(c *config) { c.docs = "a.md" },
		"-json none/a.json: there is no folder none":                       func(c *config) { c.json = "none/a.json" },
	} {
		c := right
		change(&c)
		if err := c.validate(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A Python that lacks packages is told apart from one that has them before anything is measured.
func TestComplete(t *testing.T) {
	t.Setenv(pretend, "echo")
	if err := complete(t.Context(), self(t), "list"); err == nil || !strings.Contains(err.Error(), "install the packages of list") {
		t.Error(err)
	}
}

func TestReadRows(t *testing.T) {
	if n, err := readRows([]byte(`{"n_rows": 3, "columns": [{"name": "x"}]}`)); n != 3 || err != nil {
		t.Error(n, err)
	}
	if _, err := readRows([]byte("3 rows")); err == nil {
		t.Error("text is accepted")
	}
}
