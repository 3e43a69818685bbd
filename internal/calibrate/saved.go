package calibrate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/kernel"
)

// version is that of the file and of what is measured: a file of another one is measured anew.
const version = 1

// Saved is the file: what was found on one machine. Targets that were not measured are nil.
type Saved struct {
	Version     int       `json:"calibration_version"`
	Fingerprint string    `json:"fingerprint"`
	Threads     *Found    `json:"threads,omitempty"`
	Sorted      *Found    `json:"prefetch_sorted,omitempty"`
	Random      *Found    `json:"prefetch_random,omitempty"`
	Mask        *Found    `json:"mask_density,omitempty"`
	Written     time.Time `json:"timestamp"`
}

// Found is what was chosen, and how fast it was.
type Found struct {
	Value int     `json:"value"`
	Speed float64 `json:"throughput_gbps"` // of the best value that was tried, in GB a second
}

// mostBytes is beyond any file of ours.
const mostBytes = 1 << 16

// mostThreads is beyond what is ever found; a larger number is damage.
const mostThreads = 1 << 10

// Path returns where the file is: in $XDG_CACHE_HOME/colstore, or ~/.cache/colstore.
//
// Errors: that there is neither.
func Path() (string, error) {
	dir := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no place for a calibration: %w", err)
		}
		dir = filepath.Join(home, ".cache")
	}
	return filepath.Join(dir, "colstore", "go.json"), nil
}

// Load reads the file at path, of whatever machine it is.
//
// Errors: those of the file system, so fs.ErrNotExist; what is no calibration.
func Load(path string) (*Saved, error) {
	st, err := os.Stat(path) // first: opening a pipe waits for who writes to it
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes))
	if err != nil {
		return nil, err
	}
	s := &Saved{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	for name, found := range map[string]*Found{"threads": s.Threads, "prefetch_sorted": s.Sorted, "prefetch_random": s.Random, "mask_density": s.Mask} {
		if found != nil && (found.Value < 0 || found.Value > mostThreads) {
			return nil, fmt.Errorf("%s is %d, which is no value of it", name, found.Value)
		}
	}
	return s, nil
}

// Absent reports whether an error of Load or Save is that there is no file, or no folder that it could be in.
func Absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// Here reports whether s is of this machine and this version.
func (s *Saved) Here() bool { return s.Version == version && s.Fingerprint == Fingerprint() }

// found returns where the values of a target are.
func (s *Saved) found(t Target) []**Found {
	switch t {
	case Threads:
		return []**Found{&s.Threads}
	case Prefetch:
		return []**Found{&s.Sorted, &s.Random}
	default:
		return []**Found{&s.Mask}
	}
}

// knows reports whether a target was measured.
func (s *Saved) knows(t Target) bool {
	return !slices.ContainsFunc(s.found(t), func(f **Found) bool { return *f == nil })
}

// Of returns the values of a target as text, "" if it was not measured.
func (s *Saved) Of(t Target) string {
	switch {
	case !s.knows(t):
		return ""
	case t == Threads:
		return fmt.Sprint(s.Threads.Value)
	case t == Prefetch:
		return fmt.Sprintf("sorted %d, random %d", s.Sorted.Value, s.Random.Value)
	default:
		return fmt.Sprint(s.Mask.Value)
	}
}

// Drop forgets a target and reports whether it was known.
func (s *Saved) Drop(t Target) bool {
	known := s.knows(t)
	for _, f := range s.found(t) {
		*f = nil
	}
	return known
}

// empty reports whether nothing was measured.
func (s *Saved) empty() bool {
	return s.Threads == nil && s.Sorted == nil && s.Random == nil && s.Mask == nil
}

// Keep writes targets of s to the file at path, beside what it has of this machine by now: another run may have measured other
// targets meanwhile.
//
// Errors: those of Save.
func (s *Saved) Keep(path string, targets []Target) error {
	kept, err := Load(path)
	if err != nil || !kept.Here() {
		kept = &Saved{}
	}
	kept.Version, kept.Fingerprint, kept.Written = s.Version, s.Fingerprint, s.Written
	for _, t := range targets {
		for i, f := range s.found(t) {
			*kept.found(t)[i] = *f
		}
	}
	return kept.Save(path)
}

// Save writes the file, or removes it if no target is known.
//
// Errors: those of the file system. A folder that cannot be written to is no reason to fail: the next program measures again
// or does without.
func (s *Saved) Save(path string) (err error) {
	if s.empty() {
		return os.Remove(path)
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	f, err := fsx.Stage(fsx.OS, path, fsx.StageOptions{Replace: true, Mkdirs: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Abort()) }()
	if _, err := f.Write(append(text, '\n')); err != nil {
		return err
	}
	return f.Commit()
}

// tuning returns t with what was found.
func (s *Saved) tuning(t kernel.Tuning) kernel.Tuning {
	for _, v := range []struct {
		found *Found
		at    *int
	}{{s.Threads, &t.Threads}, {s.Sorted, &t.PrefetchSorted}, {s.Random, &t.PrefetchRandom}, {s.Mask, &t.Sparse}} {
		if v.found != nil {
			*v.at = v.found.Value
		}
	}
	return t
}

// Apply makes kernels run with what the file has, if there is one of this machine. It does so once in a program, and not if
// the program has set values of its own. It takes some microseconds without a file, some tens with one.
var Apply = sync.OnceFunc(func() {
	path, err := Path()
	if err != nil {
		return
	}
	if s, err := Load(path); err == nil && s.Here() && kernel.Tuned() == kernel.DefaultTuning {
		kernel.Tune(s.tuning(kernel.DefaultTuning))
	}
})
