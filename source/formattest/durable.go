package formattest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// replacements are programs that replace a file of the format, and one that makes a new one.
func (s *suite) replacements(rows int) []fsxtest.Scenario {
	b := s.narrow(8, rows)
	step := func(rows int, how creating) fsxtest.Step {
		return func(ctx context.Context, dir string) error {
			return s.write(ctx, filepath.Join(dir, "f"+s.f.Extensions[0]), b.Slice(0, rows), how)
		}
	}
	before := []fsxtest.Step{step(7, creating{})}
	return []fsxtest.Scenario{
		{Name: "two threads", Setup: before, Steps: []fsxtest.Step{step(b.Rows(), creating{threads: 2})}},
		{Name: "several writes", Setup: before, Steps: []fsxtest.Step{step(b.Rows(), creating{rows: rows/2 - 7})}},
		{Name: "rows from the last to the first", Setup: before, Steps: []fsxtest.Step{step(b.Rows(), creating{rows: rows/2 - 7, offsets: true})}},
		{Name: "a new file", Steps: []fsxtest.Step{step(b.Rows(), creating{fresh: true})}},
	}
}

// failingCalls fails every call to the file system: the file is the old or the new one, and nothing is left beside it.
func (s *suite) failingCalls(t *testing.T) {
	for _, c := range s.replacements(3_000) { // more than buffers hold
		c.EveryCall(t)
	}
}

// crashes lets the power go after every call to the file system: the file is the old one, or the new one once Commit has
// returned.
func (s *suite) crashes(t *testing.T) {
	for _, c := range s.replacements(150) { // some dozens of sectors
		c.Crash(t, fsxtest.Exploring{Random: 20, Seed: 1, Workers: 2})
	}
}

// fullDisk writes to a disk that is full, at whatever stage of a file.
func (s *suite) fullDisk(t *testing.T) {
	fsxtest.OnSmallDisk(t, func(t *testing.T, d *fsxtest.SmallDisk) {
		for _, c := range s.replacements(3_000) {
			c.EveryFill(t, d)
		}
	})
}
