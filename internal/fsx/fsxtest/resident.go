package fsxtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Resident returns how many bytes of a mapped file are in the memory of this process. It asks Linux.
func Resident(tb testing.TB, path string) int {
	tb.Helper()
	path, err := filepath.EvalSymlinks(path) // as the kernel names it
	if err != nil {
		tb.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		tb.Fatal(err)
	}
	_, of, ok := strings.Cut(string(maps), path+"\n")
	if !ok {
		tb.Fatalf("%s is not mapped", path)
	}
	_, of, _ = strings.Cut(of, "\nRss:")
	n, err := strconv.Atoi(strings.Fields(of)[0])
	if err != nil {
		tb.Fatal(err)
	}
	return n << 10
}
