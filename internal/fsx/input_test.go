package fsx_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
)

// Many inputs are read from at the same time, as if each had its file open all the time.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	var inputs []*fsx.Input
	for i := range 200 {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, fmt.Appendf(nil, "%04d", i), 0o666); err != nil {
			t.Fatal(err)
		}
		in, err := fsx.OpenInput(path)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, in)
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for k := range 2000 {
				i := (k*7 + worker*13) % len(inputs)
				buf := make([]byte, 4)
				if _, err := inputs[i].ReadAt(buf, 0); err != nil || string(buf) != fmt.Sprintf("%04d", i) {
					t.Errorf("input %d: %q, %v", i, buf, err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, in := range inputs {
		if st, err := in.Stat(); err != nil || st.Size() != 4 {
			t.Errorf("%v", err)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		if _, err := in.ReadAt(make([]byte, 1), 0); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("read after close: %v", err)
		}
		if err := in.Close(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("closed twice: %v", err)
		}
	}
}

// A file that was replaced while its descriptor was given back is not read as if it were the first one.
func TestInputReplaced(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(path, "old")
	in, err := fsx.OpenInput(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var others []*fsx.Input
	for i := range 100 { // more than keep their descriptors
		other := filepath.Join(dir, fmt.Sprint("b", i))
		write(other, "")
		o, err := fsx.OpenInput(other)
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, o)
	}
	write(filepath.Join(dir, "new"), "new")
	if err := os.Rename(filepath.Join(dir, "new"), path); err != nil {
		t.Fatal(err)
	}
	if _, err := in.ReadAt(make([]byte, 3), 0); !errors.Is(err, colstore.ErrFormat) {
		t.Errorf("%v", err)
	}
	for _, o := range others {
		if _, err := o.ReadAt(make([]byte, 1), 0); !errors.Is(err, io.EOF) {
			t.Errorf("%v", err)
		}
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A file that was written anew while its descriptor was given back is not read with what is known of the first one.
func TestInputRewritten(t *testing.T) {
	for name, rewrite := range map[string]func(path string) error{
		"in place": func(path string) error { return os.WriteFile(path, []byte("longer"), 0o666) },
		"of the same size": func(path string) error {
			if err := os.WriteFile(path, []byte("new"), 0o666); err != nil {
				return err
			}
			return os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)) // clocks of file systems may be coarse
		},
		"with a number used again": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.WriteFile(path, []byte("longer"), 0o666)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a")
			if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
			in, err := fsx.OpenInput(path)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			fsx.GiveBack()
			if err := rewrite(path); err != nil {
				t.Fatal(err)
			}
			if _, err := in.ReadAt(make([]byte, 3), 0); !errors.Is(err, colstore.ErrFormat) {
				t.Errorf("%v", err)
			}
		})
	}
}

// The open file is lent for a call, and stays open while it is.
func TestInputUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("abc"), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := fsx.OpenInput(path)
	if err != nil {
		t.Fatal(err)
	}
	err = in.Use(func(f *os.File) error {
		if err := in.Close(); err != nil {
			return err
		}
		buf := make([]byte, 3)
		_, err := f.ReadAt(buf, 0)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if err := in.Use(func(*os.File) error { return nil }); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("%v", err)
	}
	if _, err := fsx.OpenInput(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
