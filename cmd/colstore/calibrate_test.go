//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// elsewhere runs a command line in a process of its own, and returns what it printed and how it ended. What is measured takes
// memory, which would count as that of the processes that the tests of memory start.
func elsewhere(t *testing.T, line string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], fields(line)...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return string(out)
}

// The commands of calibration after one another, as they print without what depends on the machine.
func TestCalibration(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	path := filepath.Join(cache, "colstore", "go.json")
	machine := regexp.MustCompile(`(?m)^Hardware fingerprint: v1\|[^|]+\|phys=\d+\|log=\d+\|\w+$`)
	values := regexp.MustCompile(`(?m)^(  cap= *\d+: +\d+\.\d\d GB/s\n)+  -> \d+$`)
	applied := regexp.MustCompile(`applied value: \d+`)
	do := func(line, want string) {
		t.Helper()
		got := elsewhere(t, "-q "+line)
		got = machine.ReplaceAllString(values.ReplaceAllString(strings.ReplaceAll(strings.ReplaceAll(got, path, "PATH"), filepath.Dir(path), "DIR"), "VALUES"), "MACHINE")
		if got = applied.ReplaceAllString(got, "applied value: N"); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", line, got, want)
		}
	}
	const nothing = "MACHINE\n  threads cache: PATH\n    (absent)\n  prefetch cache: PATH\n    (absent)\n  mask-density cache: PATH\n    (absent)\n"
	const reset = "In-process state reset to uncalibrated defaults.\n"
	do("calibration show", nothing)
	do("calibration clear", "  threads: no cache present\n  prefetch: no cache present\n  mask-density: no cache present\n"+reset)
	do("calibrate threads --rounds 1 --no-persist", "Calibrating gather thread cap (rounds=1)...\nVALUES\n\nApplied in-process only (--no-persist); nothing was cached.\n")
	do("calibration show threads", "MACHINE\n  threads cache: PATH\n    (absent)\n")
	do("calibration run threads threads --threads-rounds 1 --rounds 9", "Calibrating gather thread cap (rounds=1)...\nVALUES\n\nCalibration cached under: DIR\n")
	do("calibration show prefetch threads", "MACHINE\n  threads cache: PATH\n    fingerprint: MATCHES this machine\n    applied value: N\n  prefetch cache: PATH\n    (absent)\n")
	do("calibration clear", "  threads: removed\n  prefetch: no cache present\n  mask-density: no cache present\n"+reset)
	do("calibration show", nothing)

	if err := os.WriteFile(path, []byte("{}}"), 0o666); err != nil {
		t.Fatal(err)
	}
	do("calibration show threads", "MACHINE\n  threads cache: PATH\n    (unreadable: invalid character '}' after top-level value)\n")
	do("calibration clear threads", "  threads: removed\n"+reset)
	do("calibration show", nothing)
	if err := os.WriteFile(path, []byte(`{"calibration_version":1,"fingerprint":"v1|other","threads":{"value":3}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	do("calibration show threads", "MACHINE\n  threads cache: PATH\n    fingerprint: DIFFERENT machine -- ignored here\n    applied value: none\n")

	for _, line := range []string{"calibrate cores", "calibration clear cores", "calibration", "calibrate --rounds 0", "calibrate --prefetch-rounds -1", "calibration forget"} {
		if got := printed(t, line); !strings.HasSuffix(got, "(exit 2)\n") {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// A folder that cannot be written to is a warning.
func TestCalibrationThatIsNotKept(t *testing.T) {
	notAFolder := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(notAFolder, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", notAFolder)
	if got := elsewhere(t, "calibrate threads --rounds 1"); !strings.Contains(got, "nothing was cached") || strings.Contains(got, "exit") {
		t.Error(got)
	}
	if got := printed(t, "calibration clear threads"); !strings.Contains(got, "no cache present") || strings.Contains(got, "exit") {
		t.Error(got)
	}
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	if err := os.MkdirAll(filepath.Join(folder, "colstore", "go.json", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := printed(t, "calibration clear"); strings.Contains(got, "removed") || !strings.Contains(got, "exit 1") {
		t.Error(got)
	}
	if got := printed(t, "calibration show x"); !strings.Contains(got, "see colstore calibration show --help") {
		t.Error(got)
	}
}

// A calibration that is interrupted keeps the targets that were done, and ends as other commands do.
func TestCalibrationInterrupted(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-q", "calibrate", "threads", "prefetch", "--rounds", "1", "--prefetch-rounds", "1000000")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Calibrating prefetch") {
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	last := ""
	for lines.Scan() {
		last = lines.Text()
	}
	_ = cmd.Wait() // its exit code is looked at
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || said.String() != "colstore calibrate: interrupted\n" || !strings.HasPrefix(last, "Calibration cached under") {
		t.Errorf("exit %d, %q, at last %q", code, said.String(), last)
	}
	if got := printed(t, "calibration show threads prefetch"); strings.Count(got, "MATCHES") != 1 || strings.Count(got, "(absent)") != 1 {
		t.Error(got)
	}
}
