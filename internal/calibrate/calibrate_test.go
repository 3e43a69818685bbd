package calibrate

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

func TestTargets(t *testing.T) {
	for _, want := range Targets {
		if got, err := ParseTarget(want.String()); got != want || err != nil || want.Summary() == "" {
			t.Errorf("%v: %v, %v", want, got, err)
		}
	}
	if _, err := ParseTarget("cores"); !errors.Is(err, colstore.ErrOption) || !strings.Contains(err.Error(), "mask-density") {
		t.Errorf("%v", err)
	}
}

func TestFingerprint(t *testing.T) {
	const text = "processor\t: 0\nmodel name\t: Some|CPU @ 2 GHz\nsiblings\t: 2\ncpu cores\t: 1\n\nprocessor\t: 1\nmodel name\t: other\n"
	got := fingerprint(fstest.MapFS{"proc/cpuinfo": {Data: []byte(text)}})
	if !strings.HasPrefix(got, "v1|Some/CPU @ 2 GHz|phys=") || strings.Count(got, "|") != 4 {
		t.Error(got)
	}
	for _, root := range []fstest.MapFS{{}, {"proc/cpuinfo": {Data: []byte("siblings: 0\ncpu cores: x\n")}}} {
		if got := fingerprint(root); strings.Count(got, "|") != 4 || strings.Contains(got, "phys=0") {
			t.Error(got)
		}
	}
	if first, again := Fingerprint(), Fingerprint(); first != again {
		t.Errorf("a machine is %s, and %s", first, again)
	}
}

func saved() *Saved {
	return &Saved{
		Version: version, Fingerprint: Fingerprint(), Written: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Threads: &Found{2, 1.5}, Sorted: &Found{8, 3}, Random: &Found{16, 1}, Mask: &Found{4, 9},
	}
}

func TestSavedComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "not", "there", "go.json")
	want := saved()
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil || !got.Here() {
		t.Fatal(got, err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := got.tuning(kernel.DefaultTuning); got != (kernel.Tuning{Threads: 2, PrefetchSorted: 8, PrefetchRandom: 16, Sparse: 4}) {
		t.Errorf("%+v", got)
	}
	if got := (&Saved{Mask: &Found{Value: 1}}).tuning(kernel.DefaultTuning); got.Sparse != 1 || got.PrefetchRandom != kernel.DefaultTuning.PrefetchRandom {
		t.Errorf("what was not measured became %+v", got)
	}
	for i, target := range Targets {
		if got.Of(target) == "" || !got.Drop(target) || got.Of(target) != "" || got.Drop(target) {
			t.Errorf("%v is dropped badly", target)
		}
		if err := got.Save(path); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) != (i == len(Targets)-1) {
			t.Errorf("%d targets dropped: %v", i+1, err)
		}
	}
}

// Runs of different targets at the same time lose nothing of each other; a file of another machine goes.
func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "go.json")
	if err := os.WriteFile(path, []byte(`{"calibration_version":1,"fingerprint":"v1|other","prefetch_sorted":{"value":3},"prefetch_random":{"value":3}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	one, other := saved(), saved() // both have begun before either ends
	one.Threads, other.Mask = &Found{Value: 5}, &Found{Value: 6}
	for s, target := range map[*Saved]Target{one: Threads, other: MaskDensity} {
		if err := s.Keep(path, []Target{target}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Load(path)
	if err != nil || !got.Here() || got.Of(Threads) != "5" || got.Of(MaskDensity) != "6" || got.Of(Prefetch) != "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestForeignAndDamagedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "go.json")
	for _, text := range []string{"", "{", `{"threads":{"value":-1}}`, `{"mask_density":{"value":1e9}}`, `{"threads":2}`, "[" + strings.Repeat(" ", mostBytes) + "]"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if s, err := Load(path); err == nil {
			t.Errorf("%.40q is read as %+v", text, s)
		}
	}
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("a folder is read")
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	s := saved()
	if s.Version++; s.Here() {
		t.Error("a file of another version is of this one")
	}
	s = saved()
	if s.Fingerprint += "x"; s.Here() {
		t.Error("a file of another machine is of this one")
	}
}

func TestPath(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	for given, want := range map[string]string{"": filepath.Join(home, ".cache"), "relative": filepath.Join(home, ".cache"), home: home} {
		t.Setenv("XDG_CACHE_HOME", given)
		if got, err := Path(); err != nil || got != filepath.Join(want, "colstore", "go.json") {
			t.Errorf("%q: %q, %v", given, got, err)
		}
	}
}

func TestJudge(t *testing.T) {
	s := &sweep{values: []int{1, 2, 4}, bytes: 1e9}
	ms := func(n ...int) (out []time.Duration) {
		for _, v := range n {
			out = append(out, time.Duration(v)*time.Millisecond)
		}
		return out
	}
	for _, test := range []struct {
		times  [][]time.Duration
		chosen int
		halves [2]float64
	}{
		{[][]time.Duration{ms(100, 100, 900, 100), ms(60, 60, 60, 60), ms(58, 58, 58, 58)}, 1, [2]float64{58. / 60, 58. / 60}}, // as good as the best, and smaller
		{[][]time.Duration{ms(100, 100, 100, 100), ms(99, 50, 50, 50), ms(30, 30, 30, 30)}, 2, [2]float64{1, 1}},
		{[][]time.Duration{ms(10, 10, 50, 50), ms(20, 20, 20, 20), ms(90, 90, 90, 90)}, 1, [2]float64{0.5, 1}},
		{[][]time.Duration{ms(0), ms(0), ms(0)}, 0, [2]float64{1, 1}},
	} {
		o := s.judge(test.times)
		if d := cmp.Diff(test.halves, o.halves, cmpopts.EquateApprox(0, 1e-9)); o.chosen != test.chosen || d != "" {
			t.Errorf("%v: chosen %d, halves %v", test.times, o.chosen, o.halves)
		}
	}
}

func TestRounds(t *testing.T) {
	counts := map[int]int{}
	s := &sweep{values: []int{1, 2}, bytes: 1, time: func(v int) time.Duration { counts[v]++; return 1 }}
	if _, err := s.run(t.Context(), 3); err != nil || counts[1] != 5 || counts[2] != 5 {
		t.Errorf("%v, %v", counts, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.run(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Numbers of a target are kept together, and not if the rounds of one disagree or the program is to end.
func TestMeasure(t *testing.T) {
	quiet := &sweep{values: []int{1, 2}, bytes: 1, time: func(v int) time.Duration { return time.Duration(3-v) * time.Millisecond }}
	rounds := 0 // of the busy one
	busy := &sweep{values: []int{1, 2}, bytes: 1, time: func(v int) time.Duration {
		if rounds++; rounds > 2*(warmups+2) {
			v = 3 - v
		}
		return time.Duration(v) * time.Millisecond
	}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := &sweep{values: []int{1}, bytes: 1, time: func(int) time.Duration { cancel(); return 1 }}
	old := &Found{Value: 7}
	for _, test := range []struct {
		second   *sweep
		kept     bool
		unstable string
		err      error
	}{
		{quiet, true, "", nil},
		{busy, false, "second: in half of the rounds 1 is 50 % slower than the best", nil},
		{ended, false, "", context.Canceled},
	} {
		a, b := old, old
		unstable, err := measure(ctx, []setting{{"first", &a, quiet}, {"second", &b, test.second}}, 4, io.Discard)
		if unstable != test.unstable || !errors.Is(err, test.err) || (a != old) != test.kept || (b != old) != test.kept {
			t.Errorf("%q, %v: %v and %v", unstable, err, a, b)
		}
	}
}

// Whatever is measured, what is found is a value that was tried, and what was set before is set again where nothing was.
func TestRun(t *testing.T) {
	defer kernel.Tune(kernel.Tuned())
	s, before := &Saved{}, kernel.Tuned()
	for _, target := range Targets {
		if _, err := Run(t.Context(), target, 1, s, io.Discard); err != nil {
			t.Fatal(err)
		}
		if (s.Of(target) != "") != (kernel.Active() >= needs[target]) {
			t.Errorf("%v: %+v", target, s)
		}
	}
	if got := kernel.Tuned(); got != s.tuning(before) || !s.Here() {
		t.Errorf("%+v is set, %+v was found", got, s)
	}
	defer kernel.SetLevel(kernel.SetLevel(kernel.LevelGo))
	var out strings.Builder
	if _, err := Run(t.Context(), MaskDensity, 1, &Saved{}, &out); err != nil || out.String() != "  not used by kernels of level go\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// BenchmarkFile is what a program pays that has a calibration.
func BenchmarkFile(b *testing.B) {
	path := filepath.Join(b.TempDir(), "go.json")
	if err := saved().Save(path); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if s, err := Load(path); err != nil || !s.Here() {
			b.Fatal(s, err)
		}
	}
}
