package calibrate

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Fingerprint tells this machine from others: processor, physical and logical cores, system.
func Fingerprint() string { return fingerprint(os.DirFS("/")) }

// fingerprint returns the fingerprint of the machine that the kernel describes below root. It reads two small pieces of
// text, whatever the number of cores.
func fingerprint(root fs.FS) string {
	cpu, siblings, cores := runtime.GOARCH, 1, 1
	for line := range strings.Lines(firstProcessor(root)) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch n, _ := strconv.Atoi(value); strings.TrimSpace(key) {
		case "model name":
			cpu = strings.ReplaceAll(value, "|", "/")
		case "siblings":
			siblings = max(1, n)
		case "cpu cores":
			cores = max(1, n)
		}
	}
	logical := runtime.NumCPU()
	physical := max(1, logical*cores/max(siblings, cores))
	system := strings.ToUpper(runtime.GOOS[:1]) + runtime.GOOS[1:]
	return fmt.Sprintf("v1|%s|phys=%d|log=%d|%s", cpu, physical, logical, system)
}

// firstProcessor returns what Linux tells of the first logical core, "" elsewhere.
func firstProcessor(root fs.FS) string {
	f, err := root.Open("proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 2048)
	n, _ := f.Read(head)
	text, _, _ := strings.Cut(string(head[:n]), "\n\n")
	return text
}
