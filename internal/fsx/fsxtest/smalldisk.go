package fsxtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/colstore/colstore-go/internal/fsx"
)

// A SmallDisk is a folder on a disk of few bytes: a file system of its own, or where none can be mounted one whose writes
// fail when they are too many.
type SmallDisk struct {
	dir   string // what tests may use; what fills the disk lies beside it
	quota *quota // nil for a real disk
}

// smallDiskBytes is how large the disk is, smallDiskFiles how many files it holds.
const (
	smallDiskBytes = 16 << 20
	smallDiskFiles = 64
)

// pageBytes is what a disk has at least left when it is not full.
const pageBytes = 4 << 10

// levels are how many pages are left for a scenario, from none on; beyond the list each is twice the one before. The last
// is one with which the scenario succeeds.
func (d *SmallDisk) levels(yield func(free int64) bool) {
	for free := int64(0); free < smallDiskBytes/2; free += pageBytes * max(1, free/pageBytes/16) {
		if !yield(free) {
			return
		}
	}
}

// fsys returns the file system to write to.
func (d *SmallDisk) fsys() fsx.FS {
	if d.quota != nil {
		return d.quota
	}
	return fsx.OS
}

// EveryFill runs the scenario on a disk that has no byte left, then one more page, and so on until there is room for all of
// it. Each run that fails says that the disk is full, names the file, and leaves everything as it was; when there is room
// again the scenario succeeds.
func (s *Scenario) EveryFill(t *testing.T, d *SmallDisk) {
	t.Helper()
	r := s.newRunsIn(t, filepath.Join(d.dir, "d"), nil)
	full := 0
	try := func(what string) (done bool) {
		step, err := r.play(d.fsys())
		d.release(t)
		switch {
		case err == nil:
			done = true
		case !errors.Is(err, syscall.ENOSPC):
			t.Errorf("%s: with %s: %v", s.Name, what, err)
		default:
			full++
		}
		if err := r.judge(syscall.ENOSPC, true, step, err); err != nil {
			t.Errorf("%s: with %s: %v", s.Name, what, err)
		} else if err := r.goOn(step); err != nil {
			t.Errorf("%s: with room after %s: going on: %v", s.Name, what, err)
		}
		return done
	}
	fits := false
	for free := range d.levels {
		r.reset(t)
		d.fill(t, free)
		if fits = try(fmt.Sprintf("%d bytes free", free)); fits {
			break
		}
	}
	if !fits || full == 0 {
		t.Errorf("%s: the disk was full %d times, and room for it was found: %t", s.Name, full, fits)
	}
	r.reset(t)
	if d.fillFiles(t) {
		try("no room for a file")
	}
	t.Logf("%s: full %d times", s.Name, full)
}

// OnSmallDisk calls f with a small disk. It mounts one in a process of its own, which runs the test of that name again with
// a name space of its own; where that is not allowed it says so, loudly, and a disk is simulated.
func OnSmallDisk(t *testing.T, f func(t *testing.T, d *SmallDisk)) {
	t.Helper()
	mounted, why := onMounted(t, f)
	if mounted {
		return
	}
	warning := fmt.Sprintf("%s: NO REAL DISK IS FULL HERE: a small file system cannot be mounted (%s); its full disk is simulated", t.Name(), why)
	t.Log(warning)
	fmt.Fprintln(os.Stderr, warning)
	f(t, SimulatedDisk(t))
}

// SimulatedDisk returns a small disk of which only the writes are limited.
func SimulatedDisk(t *testing.T) *SmallDisk {
	return &SmallDisk{dir: Folder(t), quota: &quota{FS: fsx.OS, free: smallDiskBytes}}
}

// fill leaves that many bytes free.
func (d *SmallDisk) fill(t *testing.T, free int64) {
	t.Helper()
	if d.quota != nil {
		d.quota.free = free
		return
	}
	fillBytes(t, d.dir, free)
}

// fillFiles leaves no room for a file, and reports whether that can be done.
func (d *SmallDisk) fillFiles(t *testing.T) bool {
	t.Helper()
	if d.quota != nil {
		return false
	}
	for i := range smallDiskFiles {
		f, err := os.Create(filepath.Join(d.dir, fmt.Sprintf("%s-%d", ballast, i)))
		if errors.Is(err, syscall.ENOSPC) {
			return true
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("%d files fit on a disk for as many", smallDiskFiles)
	return false
}

// ballast begins the names of the files that fill the disk.
const ballast = "ballast"

// release makes room again.
func (d *SmallDisk) release(t *testing.T) {
	t.Helper()
	if d.quota != nil {
		d.quota.free = smallDiskBytes
		return
	}
	names, err := filepath.Glob(filepath.Join(d.dir, ballast+"*"))
	for _, n := range names {
		err = errors.Join(err, os.Remove(n))
	}
	if err != nil {
		t.Fatal(err)
	}
}
