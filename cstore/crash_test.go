package cstore_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
	"github.com/colstore/colstore-go/internal/soak"
)

// Whatever of what is not durable a crash leaves, each file is that of before or that of after, and what Commit promised
// is there.
func TestCrashSoak(t *testing.T) {
	begin := time.Now()
	total, seen := fsxtest.Counted{}, new(fsxtest.Seen)
	const full, floor = 1_500, 1_000_000 // random images a crash, and how many images then differ at least
	random := soak.Count(t, 10, full)
	for i, c := range scenarios(t) {
		o := fsxtest.Exploring{Random: random, Seed: uint64(i), Workers: 2, Seen: seen, LinkRename: i%2 == 1}
		total.Add(c.Crash(t, o))
	}
	if random >= full && total.Distinct < floor {
		t.Errorf("only %d images differ", total.Distinct)
	}
	t.Logf("%d scenarios, %d crashes, %d images, of which %d differ, in %.1f s: no committed row lost, no file unreadable",
		len(scenarios(t)), total.Crashes, total.Images, total.Distinct, time.Since(begin).Seconds())
}

// Each fsync that a writer left out would lose something, but for the first of a file that appears whole: the second, after
// the counters, comes before the rename too.
func TestCrashNeedsEverySync(t *testing.T) {
	of := func(name string, identify func(string, []byte) (int64, error), steps ...fsxtest.Step) fsxtest.Scenario {
		last := len(steps) - 1
		return fsxtest.Scenario{Name: name, Identify: identify, Setup: steps[:last], Steps: steps[last:]}
	}
	old, plain, blocks := createStep(t, options(cstore.LayoutPerWrite, true), 0, 30), options(cstore.LayoutPerWrite, false), options(cstore.LayoutBlocks, true)
	whole, inPlace := []bool{false, true, true}, []bool{true, true}
	for _, c := range []struct {
		scenario fsxtest.Scenario
		want     []bool
	}{
		{of("create", identifyWhole, createStep(t, plain, 0, 60, 5)), whole},
		{of("replace", identifyWhole, old, createStep(t, replaced(blocks), 0, 60, 5)), whole},
		{of("create, rows kept aside", identifyWhole, createStep(t, options(cstore.LayoutSingle, true), 0, 60, 5)), whole},
		{of("update", identifyCounted, old, updateStep(t, plain, 60, 5)), inPlace},
		{of("update with statistics", identifyCounted, old, updateStep(t, blocks, 60, 5)), inPlace},
		{of("compact", identifyWhole, old, updateStep(t, plain, 60, 5), compactStep(cstore.CompactOptions{})), whole},
	} {
		var found []bool
		for n := 0; ; n++ {
			var l *fsxtest.Lying
			err := c.scenario.Flawed(t, fsxtest.Exploring{Workers: 2}, func(fsys fsx.FS) fsx.FS {
				l = &fsxtest.Lying{FS: fsys, N: n}
				return l
			})
			if n >= l.Syncs {
				break
			}
			found = append(found, err != nil)
		}
		if d := cmp.Diff(c.want, found); d != "" {
			t.Errorf("%s: syncs without which something is lost: %s", c.scenario.Name, d)
		}
	}
}
