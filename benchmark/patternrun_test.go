package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSizes(t *testing.T) {
	got, err := parseSizes("1k, 250,10M")
	if diff := cmp.Diff([]int{1000, 250, 10_000_000}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for _, text := range []string{"", "k", "1k,,2k", "0", "-3", "1.5M", "2000M", "1 0"} {
		if got, err := parseSizes(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
	for rows, want := range map[int]string{1000: "1 k", 100_000: "100 k", 10_000_000: "10 M", 1500: "1500", 12: "12"} {
		if got := sizeName(rows); got != want {
			t.Errorf("%d is %q, want %q", rows, got, want)
		}
	}
}

func TestPatternsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range patterns() {
		if seen[p.Name] {
			t.Errorf("two patterns are called %s", p.Name)
		}
		seen[p.Name] = true
	}
	for _, target := range targets() {
		for _, name := range append([]string{target.than}, target.patterns...) {
			found := name == ""
			for p := range seen {
				ok, err := filepath.Match(name, p)
				if err != nil {
					t.Fatal(err)
				}
				found = found || ok
			}
			if !found {
				t.Errorf("no pattern is called %s", name)
			}
		}
	}
}

// actor is a server that answers by heart.
type actor struct {
	engines []string
	checks  map[string]check // of an engine's first answer
	later   map[string]check // of its rounds
	fails   map[string]bool
	seconds float64 // that a call takes at least
	asked   []string
}

func (a *actor) ask(q request) (reply, error) {
	a.asked = append(a.asked, q.Do+" "+q.Engine)
	switch q.Do {
	case "prepare":
		return reply{Engines: a.engines}, nil
	case "first":
		if a.fails[q.Engine] {
			return reply{}, fmt.Errorf("%w: no", errRefused)
		}
		c := a.checks[q.Engine]
		return reply{Bytes: 80, Check: &c}, nil
	case "run":
		c := a.later[q.Engine]
		return reply{Seconds: max(a.seconds, 0.001*float64(len(q.Engine))), Check: &c}, nil
	}
	return reply{}, nil
}

func TestMeasurePattern(t *testing.T) {
	good, bad := check{Words: "1", CRC: 5}, check{Words: "1", CRC: 6}
	quick, wrong := check{Words: "1"}, check{Words: "2"}
	both := func(a, b check) map[string]check { return map[string]check{"numpy": a, "colstore": b} }
	tests := []struct {
		name  string
		ours  *actor
		peers *actor
		err   string
	}{
		{
			"equal",
			&actor{checks: map[string]check{"fresh": good}, later: map[string]check{"fresh": quick}},
			&actor{checks: both(good, good), later: both(quick, quick)},
			"",
		},
		{
			"a peer fails",
			&actor{checks: map[string]check{"fresh": good}},
			&actor{checks: both(good, good), fails: map[string]bool{"colstore": true}},
			"",
		},
		{
			"ours fails",
			&actor{fails: map[string]bool{"fresh": true}},
			&actor{checks: both(good, good)},
			"fresh: the engine failed: no",
		},
		{
			"ours is different",
			&actor{checks: map[string]check{"fresh": bad}},
			&actor{checks: both(good, good)},
			"fresh: the output is different: checksum 00000006, not 00000005",
		},
		{
			"a peer is different",
			&actor{checks: map[string]check{"fresh": good}},
			&actor{checks: both(good, bad)},
			"colstore: the output is different",
		},
		{
			"a later round is different",
			&actor{checks: map[string]check{"fresh": good}, later: map[string]check{"fresh": wrong}},
			&actor{checks: both(good, good)},
			"fresh: the output is different: bytes with the sum 2, not 1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.ours.engines, tt.peers.engines = []string{"fresh"}, []string{"colstore", "numpy"}
			b := &bench{runs: 3, progress: io.Discard}
			got, err := b.measurePattern(tt.ours, tt.peers, pattern{Name: "p"}, 10)
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
					t.Errorf("error %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := []timing{
				{Pattern: "p", Rows: 10, Engine: "fresh", Ours: true, Min: 0.005, Median: 0.005, Rounds: 3, Loops: 1, Bytes: 80},
				{Pattern: "p", Rows: 10, Engine: "colstore", Min: 0.008, Median: 0.008, Rounds: 3, Loops: 1, Bytes: 80},
				{Pattern: "p", Rows: 10, Engine: "numpy", Min: 0.005, Median: 0.005, Rounds: 3, Loops: 1, Bytes: 80},
			}
			if tt.peers.fails != nil {
				want[1] = timing{Pattern: "p", Rows: 10, Engine: "colstore", Note: "the engine failed: no"}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if last := tt.peers.asked[len(tt.peers.asked)-1]; last != "done " {
				t.Errorf("the last request is %q", last)
			}
		})
	}
}

// A peer that takes seconds is called less often than the Python package.
func TestMeasureSlowly(t *testing.T) {
	ours := &actor{engines: []string{"fresh"}, checks: map[string]check{"fresh": {Words: "1"}}}
	peers := &actor{engines: []string{"colstore", "duckdb"}, checks: map[string]check{"colstore": {}, "duckdb": {}}, seconds: 2}
	b := &bench{runs: 5, progress: io.Discard}
	got, err := b.measurePattern(ours, peers, pattern{Name: "p"}, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{5, 5, slowRounds} {
		if got[i].Rounds != want {
			t.Errorf("%s has %d rounds, want %d", got[i].Engine, got[i].Rounds, want)
		}
	}
}

func TestCheckDiffers(t *testing.T) {
	tests := []struct {
		name string
		a, b check
		same bool
	}{
		{"nothing to compare", check{}, check{Words: "1"}, true},
		{"sums within the tolerance", check{Sum: hex(1)}, check{Sum: hex(1 + 1e-12)}, true},
		{"sums beyond it", check{Sum: hex(1)}, check{Sum: hex(1 + 1e-10)}, false},
		{"values within it", check{Values: []string{hex(1e300), hex(1)}}, check{Values: []string{hex(1e300 * (1 + 1e-15)), hex(1)}}, true},
		{"values beyond it", check{Values: []string{hex(1), hex(1)}}, check{Values: []string{hex(1), hex(1 + 1e-14)}}, false},
		{"one value within that of sums", check{Values: []string{hex(1)}}, check{Values: []string{hex(1 + 1e-12)}}, true},
		{"nan", check{Values: []string{"nan"}}, check{Values: []string{hex(1)}}, false},
		{"both nan", check{Values: []string{"nan"}}, check{Values: []string{"nan"}}, true},
		{"fewer values", check{Values: []string{hex(1)}}, check{Values: []string{hex(1), hex(1)}}, false},
		{"no number", check{Sum: "x"}, check{Sum: hex(1)}, false},
	}
	for _, tt := range tests {
		if err := tt.a.differs(tt.b, 1000); (err == nil) != tt.same {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestWarm(t *testing.T) {
	t.Setenv(pretend, "warm")
	w, err := start(t.Context(), []string{self(t)})
	if err != nil {
		t.Fatal(err)
	}
	if a, err := w.ask(request{Do: "about"}); err != nil || a.About != "an actor" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := w.ask(request{Do: "run"}); !errors.Is(err, errRefused) || !strings.Contains(err.Error(), "not today") {
		t.Errorf("error %v", err)
	}
	if _, err := w.ask(request{Do: "done"}); err == nil || !strings.Contains(err.Error(), "an answer to done") {
		t.Errorf("error %v", err)
	}
	if err := w.close(); err != nil {
		t.Error(err)
	}
	if _, err := w.ask(request{Do: "about"}); err == nil {
		t.Error("a closed server answers")
	}
}

// play answers as a server does whose engines all give the same.
func play(in io.Reader, out io.Writer, ours bool) {
	engines := []string{"colstore", "numpy"}
	if ours {
		engines = []string{"fresh", "into"}
	}
	lines, w := bufio.NewScanner(in), json.NewEncoder(out)
	for lines.Scan() {
		var q request
		a := reply{About: "actors"}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			a.Error = err.Error()
		}
		switch q.Do {
		case "prepare":
			a.Engines = engines
		case "first", "run":
			a.Check, a.Seconds = &check{Words: fmt.Sprint(q.Rows)}, 0.01
		}
		if w.Encode(a) != nil {
			return
		}
	}
}

func TestMeasurePatterns(t *testing.T) {
	t.Setenv(pretend, "patterns")
	path := filepath.Join(t.TempDir(), "log")
	log, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{python: self(t), dir: t.TempDir(), runs: 2, progress: io.Discard}
	c := &config{only: "ma*_f4,mean_f4,min_f4", sizes: "10,200M"}
	timed, err := b.measurePatterns(t.Context(), c, log)
	if err = errors.Join(err, log.close()); err != nil {
		t.Fatal(err)
	}
	r, err := readReport(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timed, r.timed); diff != "" || r.Peers != "actors" {
		t.Error(r.Peers, diff)
	}
	if verdicts := judge(timed); len(timed) != 7*2*4 || len(verdicts) != 7*2*2 {
		t.Errorf("%d timings, %d verdicts", len(timed), len(verdicts))
	}
	if timed, err := b.measurePatterns(t.Context(), &config{only: "startup", sizes: "10"}, nil); timed != nil || err != nil {
		t.Error(timed, err)
	}
}

func TestDiscardFiles(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "50")
	for _, name := range []string{"expr.files/0000.cstore", "expr.arrow", "wide.cstore", "wide.arrow"} {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	left := func() []string {
		names, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	for _, file := range []string{"expr", "wide"} {
		if err := discardFiles(folder, pattern{File: file}, false); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{filepath.Join(folder, "wide.cstore")}, left()); diff != "" {
		t.Error(diff)
	}
	if err := discardFiles(folder, pattern{File: "wide"}, true); err != nil || left() != nil {
		t.Errorf("%v, left %v", err, left())
	}
}
