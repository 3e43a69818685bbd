package fault_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/internal/mmap"
)

func TestTruncatedWhileMapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := mmap.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Release()
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	data := m.Data()
	var wg sync.WaitGroup
	for w := range 3 {
		wg.Go(func() {
			// A load, a runtime memmove: both fault, each in a goroutine of its own.
			err := fault.Guard(func() error {
				n := 0
				if w == 0 {
					n = int(data[1<<19])
				} else {
					n = copy(make([]byte, 1<<19), data[1<<18:])
				}
				t.Errorf("worker %d read %d", w, n)
				return nil
			})
			if !errors.Is(err, colstore.ErrTruncated) || !strings.Contains(err.Error(), path) {
				t.Errorf("worker %d: %v", w, err)
			}
		})
	}
	wg.Wait()
}

// A file that is cut after its rows were read, and before it is asked what lies last, is an error of that question.
func TestCutBeforeTheCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := mmap.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Release()
	c, err := colstore.NewColumn(colstore.Uint8, len(m.Data()), m.Data())
	if err != nil {
		t.Fatal(err)
	}
	var files fault.Files
	files.Add(c)
	if err := files.Check(); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	if err := files.Check(); !errors.Is(err, colstore.ErrTruncated) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}

func TestOtherPanicsPass(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the panic was swallowed")
		}
	}()
	_ = fault.Guard(func() error { panic("bug") })
}
