package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// What every command that writes says of a lock that another has, and of a file system without any.
func TestLockFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	const recipe = "recipe: 1\nfrom: in.csv\nto: {path: out.csv, mode: replace%s}\n"
	for name, text := range map[string]string{
		"in.csv": "a\n1\n2\n", "out.csv": "old\n", "out.json": "old\n",
		"add.yaml":  "recipe: 1\nfrom: in.csv\nto: {path: grown.cstore, mode: append}\n",
		"auto.yaml": strings.Replace(recipe, "%s", "", 1), "off.yaml": strings.Replace(recipe, "%s", ", lock: off", 1),
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	do := func(ctx context.Context, line string) (code int, stderr string) {
		var out, err bytes.Buffer
		code = run(ctx, fields(line), &out, &err)
		return code, err.String()
	}
	for _, line := range []string{"convert in.csv -o in.cstore", "convert in.csv -o grown.cstore", "concat in.cstore in.cstore -o all.cstore", "append shards in.csv"} {
		if code, stderr := do(t.Context(), line); code != exitDone {
			t.Fatalf("%s: %d %s", line, code, stderr)
		}
	}
	lockless := fsx.With(t.Context(), fsxtest.Lockless(fsx.OS))
	for line, target := range map[string]string{
		"convert in.csv -o out.csv --overwrite":                 "out.csv",
		"query in.csv a>0 -o out.csv --overwrite":               "out.csv",
		"cat in.csv -o out.csv --overwrite":                     "out.csv",
		"run auto.yaml":                                         "out.csv",
		"run off.yaml --lock auto":                              "out.csv",
		"run add.yaml":                                          "grown.cstore",
		"compact grown.cstore":                                  "grown.cstore",
		"concat in.cstore in.cstore -o all.cstore --overwrite":  "all.cstore",
		"append shards in.csv":                                  "shards",
		"convert in.cstore in.cstore -o all.cstore --overwrite": "all.cstore",
	} {
		file := target
		if target == "shards" {
			file = filepath.Join(target, fsx.LockName)
		}
		l, err := fsx.OpenLocked(fsx.OS, file, os.O_RDWR, colstore.LockAuto)
		if err != nil {
			t.Fatal(err)
		}
		code, stderr := do(t.Context(), line)
		if code != exitLocked || !strings.Contains(stderr, target+": locked by another writer") || !strings.Contains(stderr, "try again when it is done") {
			t.Errorf("%s, while another has the lock: %d %s", line, code, stderr)
		}
		if code, stderr := do(t.Context(), line+" --lock off"); code != exitDone {
			t.Errorf("%s, without a lock: %d %s", line, code, stderr)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if code, stderr := do(lockless, line); code != exitDone || strings.Count(stderr, "has no locks") != 1 {
			t.Errorf("%s, where there are none: %d %s", line, code, stderr)
		}
		if code, stderr := do(lockless, line+" --lock required"); code != exitFailed || !strings.Contains(stderr, target+": unsupported operation: the file system has no locks") {
			t.Errorf("%s, where there are none but are required: %d %s", line, code, stderr)
		}
	}
	if code, stderr := do(t.Context(), "hist in.csv a -o out.json --overwrite --lock required"); code != exitDone {
		t.Errorf("hist: %d %s", code, stderr)
	}
	if code, stderr := do(lockless, "convert in.csv in.csv in.csv -o {index}.csv"); code != exitDone || strings.Count(stderr, "has no locks") != 1 {
		t.Errorf("several outputs: %d %s", code, stderr)
	}
}
