package fsxtest

import (
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx"
)

// Every runs write with a file system that fails at call 0, 1, 2, … until a run makes fewer calls than that, and after
// each failed run demands that the folder is as it was. setup returns the folder, made afresh for each run; published
// tells whether a failed write may have replaced the file already (a failed sync of the folder after the rename).
func Every(t *testing.T, cause error, setup func(t *testing.T) string, write func(fsys fsx.FS, dir string) error, published func(dir string) bool) {
	t.Helper()
	for _, short := range []bool{false, true} {
		for n := 0; ; n++ {
			dir := setup(t)
			before := Snapshot(t, dir)
			f := New(n, cause)
			if short {
				f.Fault = Half
			}
			err := write(f, dir)
			if f.Calls() <= n {
				if err != nil {
					t.Fatalf("no call failed, yet: %v", err)
				}
				if n == 0 {
					t.Fatal("nothing was written")
				}
				break
			}
			if err == nil {
				// A call whose failure does not matter, like the search for leftovers.
				continue
			}
			if after := Snapshot(t, dir); !equal(before, after) && !published(dir) {
				t.Fatalf("call %d failed with %v: the folder was %v, now %v", n, err, keys(before), keys(after))
			}
		}
	}
}

func equal(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			return false
		}
	}
	return true
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, filepath.Base(k))
	}
	return out
}
