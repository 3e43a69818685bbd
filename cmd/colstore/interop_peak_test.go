//go:build interop && unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"

	"github.com/colstore/colstore-go"
)

// takeLessMemory converts tables of 64 MiB with budgets about as small as each conversion takes, and prints the peak beside
// that of the Python package, which is given batches of 8 MiB.
func (x interop) takeLessMemory(t *testing.T) {
	dir := t.TempDir()
	x.peer(t, "write_large.py", dir)
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "conversion\tbudget\there\tPython package\t")
	for _, name := range []string{"numbers", "text"} {
		for _, c := range []struct {
			from, to string
			budget   int
		}{
			{".cstore", ".parquet", 64},
			{".cstore", ".feather", 64},
			{".cstore", ".npz", 8},
			{".cstore", ".json", 8},
			{".parquet", ".cstore", 16},
			{".feather", ".cstore", 16},
			{".npz", ".cstore", 8},
			{".json", ".cstore", 8},
			{".parquet", ".npz", 16}, // which the package refuses
			{".json", ".feather", 64},
		} {
			from, to := filepath.Join(dir, name+c.from), filepath.Join(dir, name+".out"+c.to)
			ours := x.peak(t, "convert", from, "-o", to, "--overwrite", "-q", "--batch-size", strconv.Itoa(c.budget)+"MiB")
			if most := colstore.ByteSize(c.budget)*colstore.MiB + 96*colstore.MiB; ours > most {
				t.Errorf("%s to %s took %s, more than %s", from, to, ours, most)
			}
			theirs := "refused"
			if c.from == ".cstore" || c.to == ".cstore" {
				kib, err := strconv.Atoi(string(bytes.TrimSpace(x.peer(t, "peak.py", from, filepath.Join(dir, "package"+c.to)))))
				if err != nil {
					t.Fatal(err)
				}
				theirs = (colstore.ByteSize(kib) * colstore.KiB).String()
			}
			fmt.Fprintf(w, "%s%s to %s\t%d MiB\t%s\t%s\t\n", name, c.from, c.to, c.budget, ours, theirs)
			if c.from == ".cstore" { // what is read after
				if err := os.Rename(to, filepath.Join(dir, name+c.to)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
}

// peak runs the binary, which must succeed, and returns the most memory that it had.
func (x interop) peak(t *testing.T, args ...string) colstore.ByteSize {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), x.binary, args...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("colstore %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return maxResident(cmd.ProcessState.SysUsage().(*syscall.Rusage))
}

// maxResident returns the peak in a process's accounts, which are in bytes on macOS and in KiB elsewhere.
func maxResident(u *syscall.Rusage) colstore.ByteSize {
	if goruntime.GOOS == "darwin" {
		return colstore.ByteSize(u.Maxrss)
	}
	return colstore.ByteSize(u.Maxrss) * colstore.KiB
}
