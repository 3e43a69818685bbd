//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFewDescriptors merges 500 files of each format in a process that may have 32 open, and takes shards together and apart. One
// that may have no more says so, and what to do.
func TestFewDescriptors(t *testing.T) {
	const limit, files = 32, 500
	if os.Getenv("COLSTORE_TEST_DESCRIPTORS") != "" {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			t.Fatal(err)
		}
		for ext := range strings.SplitSeq(os.Getenv("COLSTORE_TEST_DESCRIPTORS"), ",") {
			var out, errs bytes.Buffer
			code := run(context.Background(), []string{"convert", "*" + ext, "-o", "out/merged.cstore", "--overwrite", "--max-workers", "2", "--source-column", "from"}, &out, &errs)
			if code == 0 {
				out.Reset()
				code = run(context.Background(), []string{"query", "out/merged.cstore", "x > 0", "--count"}, &out, &errs)
			}
			if code != 0 || strings.TrimSpace(out.String()) != fmt.Sprint(2*files) {
				t.Errorf("%s: exit %d\n%s%s", ext, code, out.String(), errs.String())
			}
		}
		for _, line := range []string{"concat *.cstore -o out/concat.cstore", "diff *.cstore out/merged.cstore --columns x,s", "append shards *.cstore"} {
			var out, errs bytes.Buffer
			if code := run(context.Background(), strings.Fields(line), &out, &errs); code != 0 {
				t.Errorf("%s: exit %d\n%s%s", line, code, out.String(), errs.String())
			}
		}
		var all []*os.File
		for {
			f, err := os.Open("first.csv")
			if err != nil {
				break
			}
			all = append(all, f)
		}
		var out, errs bytes.Buffer
		if code := run(context.Background(), []string{"info", "first.cstore"}, &out, &errs); code != 1 || !strings.Contains(errs.String(), "may have 32 open; raise that (ulimit -n)") {
			t.Errorf("without a descriptor: exit %d\n%s%s", code, out.String(), errs.String())
		}
		for _, f := range all {
			_ = f.Close()
		}
		return
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("out", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("first.csv", []byte("x,s\n1,a\n2,bc\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	formats := []string{".csv", ".cstore", ".parquet", ".feather", ".npz", ".json", ".jsonl"}
	for _, ext := range formats {
		first := "first" + ext
		if ext != ".csv" {
			if text := printed(t, "convert first.csv -o "+first); !strings.HasPrefix(text, "Converted") {
				t.Fatal(text)
			}
		}
		for i := range files - 1 {
			if err := os.Link(first, fmt.Sprintf("more%d%s", i, ext)); err != nil {
				t.Fatal(err)
			}
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestFewDescriptors$")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "COLSTORE_TEST_DESCRIPTORS="+strings.Join(formats, ","), "GOCOVERDIR="+filepath.Join(dir, "cover"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
