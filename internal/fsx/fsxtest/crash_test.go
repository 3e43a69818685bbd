package fsxtest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// A page file is what the tests of the proof write: a sector with the number of pages, then the pages, each full of its
// number.
const page = 1024

func pages(n int) []byte {
	b := make([]byte, 512, 512+n*page)
	binary.LittleEndian.PutUint64(b, uint64(n))
	for i := range n {
		b = append(b, bytes.Repeat([]byte{byte(i + 1)}, page)...)
	}
	return b
}

func readPages(_ string, data []byte) (int64, error) {
	if len(data) < 512 {
		return 0, fmt.Errorf("%d bytes", len(data))
	}
	n := int(binary.LittleEndian.Uint64(data))
	if want := pages(n)[512:]; len(data) < 512+len(want) || !bytes.Equal(data[512:512+len(want)], want) {
		return 0, fmt.Errorf("%d pages are not what they should be", n)
	}
	return int64(n), nil
}

// steps of a writer that is either right or has a defect.
type flaw string

// replace writes a file of n pages beside the old one and renames it.
func replace(n int, f flaw) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		fsys, temp, path := fsx.Of(ctx), filepath.Join(dir, ".f.tmp"), filepath.Join(dir, "f")
		file, err := fsys.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			return err
		}
		raw := pages(n)
		for at := 0; at < len(raw); at += 2 * page {
			if _, err := file.WriteAt(raw[at:min(at+2*page, len(raw))], int64(at)); err != nil {
				return err
			}
		}
		sync := func() error { return file.Sync() }
		rename := func() error { return fsys.Rename(temp, path) }
		folder := func() error { return fsys.SyncDir(dir) }
		order := map[flaw][]func() error{
			"":                                      {sync, rename, folder},
			"no fsync":                              {rename, folder},
			"rename before fsync":                   {rename, sync, folder},
			"no fsync of the folder":                {sync, rename},
			"fsync of the folder before the rename": {sync, folder, rename},
		}[f]
		for _, step := range order {
			if err := step(); err != nil {
				return err
			}
		}
		return file.Close()
	}
}

// appendPages makes the file n pages longer, in place.
func appendPages(n int, f flaw) fsxtest.Step {
	return func(ctx context.Context, dir string) error {
		file, err := fsx.Of(ctx).OpenFile(filepath.Join(dir, "f"), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		var head [512]byte
		if _, err := file.ReadAt(head[:], 0); err != nil {
			return err
		}
		have := int(binary.LittleEndian.Uint64(head[:]))
		raw := pages(have + n)
		body := func() error { _, err := file.WriteAt(raw[512+have*page:], int64(512+have*page)); return err }
		counter := func() error { _, err := file.WriteAt(raw[:8], 0); return err }
		cut := func() error { return file.Truncate(0) }
		whole := func() error { _, err := file.WriteAt(raw, 0); return err }
		order := map[flaw][]func() error{
			"":                                  {body, file.Sync, counter, file.Sync},
			"counters before bodies":            {counter, file.Sync, body, file.Sync},
			"one fsync for bodies and counters": {body, counter, file.Sync},
			"counters without fsync":            {body, file.Sync, counter},
			"written anew in place":             {cut, whole, file.Sync},
		}[f]
		for _, step := range order {
			if err := step(); err != nil {
				return err
			}
		}
		return file.Close()
	}
}

// The proof passes writers that are right and finds the defect of each that is not.
func TestCrashFindsDefects(t *testing.T) {
	explore := fsxtest.Exploring{Random: 50, Seed: 3, Workers: 1}
	right := fsxtest.Scenario{Name: "right", Identify: readPages, Setup: []fsxtest.Step{replace(2, "")},
		Steps: []fsxtest.Step{appendPages(3, ""), replace(1, ""), appendPages(1, ""), appendPages(4, "")}, Next: replace(5, "")}
	counted := right.Crash(t, explore)
	if counted.Distinct < 100 || counted.Images < counted.Distinct || counted.Crashes < 10 {
		t.Errorf("explored %+v", counted)
	}
	again := right.Crash(t, explore)
	if again != counted {
		t.Errorf("the same exploration gives %+v, then %+v", counted, again)
	}
	for f, c := range map[flaw]struct {
		step fsxtest.Step
		want string
	}{
		"no fsync":                              {replace(3, "no fsync"), "0 bytes"},
		"rename before fsync":                   {replace(3, "rename before fsync"), "0 bytes"},
		"no fsync of the folder":                {replace(3, "no fsync of the folder"), "is in state 2, neither in 3"},
		"fsync of the folder before the rename": {replace(3, "fsync of the folder before the rename"), "is in state 2, neither in 3"},
		"counters before bodies":                {appendPages(3, "counters before bodies"), "pages are not what they should be"},
		"one fsync for bodies and counters":     {appendPages(3, "one fsync for bodies and counters"), "pages are not what they should be"},
		"counters without fsync":                {appendPages(3, "counters without fsync"), "is in state 2, neither in 5"},
		"written anew in place":                 {appendPages(3, "written anew in place"), "0 bytes"},
	} {
		s := fsxtest.Scenario{Name: string(f), Identify: readPages, Setup: []fsxtest.Step{replace(2, "")}, Steps: []fsxtest.Step{c.step}}
		if err := s.Flawed(t, explore, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, want %q", f, err, c.want)
		}
	}
}

// A crash leaves what was synced, and of the rest what the classes say.
func TestDiskIsAFileSystem(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	d := fsxtest.NewDisk()
	d.AddFolder(dir)
	path := filepath.Join(dir, "f")
	f, err := d.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); !errors.Is(err, os.ErrExist) {
		t.Errorf("made twice: %v", err)
	}
	if _, err := d.OpenFile(filepath.Join(dir, "no", "f"), os.O_RDWR|os.O_CREATE, 0o666); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("in no folder: %v", err)
	}
	for _, text := range []string{"one ", "two"} {
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(9); err != nil {
		t.Fatal(err)
	}
	if got, _ := d.Bytes(path); string(got) != "one two\x00\x00" {
		t.Errorf("%q", got)
	}
	if err := f.TryLock(); err != nil {
		t.Fatal(err)
	}
	other, err := d.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.TryLock(); err == nil {
		t.Error("locked twice")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := other.TryLock(); err != nil {
		t.Errorf("after the holder's end: %v", err)
	}
	if err := d.RenameNew(path, path); !errors.Is(err, os.ErrExist) {
		t.Errorf("over itself: %v", err)
	}
	if err := d.Remove(dir); err == nil {
		t.Error("a folder with a file was removed")
	}
	images := map[string]bool{}
	if _, err := d.Explore(fsxtest.Exploring{}, func(i *fsxtest.Image) error {
		if data, ok := i.Bytes(path); ok {
			images[string(data)] = true
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"", "one ", "one two", "one two\x00\x00"} {
		if !images[want] {
			t.Errorf("no crash leaves %q: %q", want, slices.Sorted(maps.Keys(images)))
		}
	}
}

// Where no file system can be mounted, a full disk is one whose writes fail.
func TestSimulatedDisk(t *testing.T) {
	s := fsxtest.Scenario{Name: "simulated", Identify: readPages, Setup: []fsxtest.Step{replace(2, "")}, Steps: []fsxtest.Step{func(ctx context.Context, dir string) error {
		s, err := fsx.Stage(fsx.Of(ctx), filepath.Join(dir, "f"), fsx.StageOptions{Replace: true})
		if err != nil {
			return err
		}
		if _, err := s.Write(pages(30)); err != nil {
			return errors.Join(&colstore.Error{Op: "write", Path: s.Path(), Err: fsx.Bare(err)}, s.Abort())
		}
		return errors.Join(s.Commit(), s.Abort())
	}}}
	s.EveryFill(t, fsxtest.SimulatedDisk(t))
}
