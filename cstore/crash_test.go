package cstore_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// Whatever of what is not durable a crash leaves, each file is that of before or that of after, and what Commit promised
// is there.
func TestCrash(t *testing.T) {
	var total fsxtest.Counted
	seen := new(fsxtest.Seen)
	for _, c := range scenarios(t) {
		counted := c.Crash(t, fsxtest.Exploring{Random: 200, Seed: 1, Workers: 2, Seen: seen})
		t.Logf("%s: %+v", c.Name, counted)
		total.Add(counted)
	}
	t.Logf("%+v", total)
}

// Each fsync that a writer left out would lose something, but for the first of a file that appears whole: the second, after
// the counters, comes before the rename too.
func TestCrashNeedsEverySync(t *testing.T) {
	for _, c := range createScenarios(t) {
		var found []bool
		for n := 0; ; n++ {
			var l *fsxtest.Lying
			err := c.Flawed(t, fsxtest.Exploring{Workers: 2}, func(fsys fsx.FS) fsx.FS {
				l = &fsxtest.Lying{FS: fsys, N: n}
				return l
			})
			if n >= l.Syncs {
				break
			}
			found = append(found, err != nil)
		}
		if d := cmp.Diff([]bool{false, true, true}, found); d != "" {
			t.Errorf("%s: syncs without which something is lost: %s", c.Name, d)
		}
	}
}
