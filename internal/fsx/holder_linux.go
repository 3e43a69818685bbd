package fsx

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// holder returns who has the lock of a file, in words, or nothing where the kernel does not tell: it lists the locks of
// processes that this one can see, and some file systems give a file another device there.
func holder(f *os.File) string {
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return ""
	}
	pid := lockHolder(locks, identity(f))
	switch {
	case pid <= 0:
		return ""
	case pid == os.Getpid():
		return "this process"
	}
	name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return fmt.Sprintf("process %d", pid)
	}
	return fmt.Sprintf("process %d (%s)", pid, strings.TrimSpace(string(name)))
}

// identity returns a file's device and number as /proc/locks has them.
func identity(f *os.File) string {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return ""
	}
	return fmt.Sprintf("%02x:%02x:%d", unix.Major(st.Dev), unix.Minor(st.Dev), st.Ino)
}

// lockHolder finds the process that has the flock of a file, given as in /proc/locks, or returns 0.
//
//	2: FLOCK  ADVISORY  WRITE 4242 08:01:131090 0 EOF
func lockHolder(locks []byte, file string) int {
	for lines := bufio.NewScanner(bytes.NewReader(locks)); lines.Scan(); {
		field := strings.Fields(lines.Text())
		// Those that wait for a lock have an arrow in front of its kind.
		if len(field) < 6 || field[1] != "FLOCK" || field[5] != file {
			continue
		}
		if pid, err := strconv.Atoi(field[4]); err == nil {
			return pid
		}
	}
	return 0
}
