package fsx

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
)

func TestLockHolder(t *testing.T) {
	const locks = `1: POSIX  ADVISORY  WRITE 11 08:01:7 0 EOF
2: -> FLOCK  ADVISORY  WRITE 12 08:01:7 0 EOF
3: FLOCK  ADVISORY  WRITE 13 08:01:77 0 EOF
4: FLOCK  ADVISORY  WRITE x 08:01:7 0 EOF
5: FLOCK  ADVISORY
6: FLOCK  ADVISORY  WRITE 14 08:01:7 0 EOF
`
	for file, want := range map[string]int{"08:01:7": 14, "08:01:77": 13, "08:02:7": 0, "": 0} {
		if got := lockHolder([]byte(locks), file); got != want {
			t.Errorf("%q: process %d, want %d", file, got, want)
		}
	}
}

// The error of a busy lock names this process, unless the file system gives its files another device in the kernel's list.
func TestBusyLockNamesItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	l, err := OpenLocked(OS, path, os.O_RDWR|os.O_CREATE, colstore.LockRequired)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Logf("the kernel has no list: %v", err)
		return
	}
	listed := bytes.Contains(locks, []byte(" "+identity(l.File.(osFile).File)+" "))
	_, err = OpenLocked(OS, path, os.O_RDWR, colstore.LockAuto)
	if !errors.Is(err, colstore.ErrLocked) || strings.Contains(err.Error(), "this process has it") != listed {
		t.Errorf("listed %t: %v", listed, err)
	}
}
