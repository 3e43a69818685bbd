package cstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/internal/fsx"
	"github.com/colstore/colstore-go/internal/fsx/fsxtest"
)

// Shards that wait to be published take no descriptors.
func TestStagedShardsTakeNoDescriptors(t *testing.T) {
	ctx := fsx.With(t.Context(), fsxtest.Unsynced)
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	dir := filepath.Join(t.TempDir(), "d")
	a, err := cstore.NewAppenderIn(ctx, dir, countSchema, &cstore.AppendOptions{ShardRows: 2, Split: true})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Abort()
	before := open()
	const rows = 1001
	for i := range rows {
		if err := a.Write(ctx, counted(t, i, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if now := open(); now > before+10 {
		t.Errorf("%d descriptors are open, %d were before", now, before)
	}
	if n := len(visible(t, dir)); n != 0 {
		t.Errorf("%d shards are seen before Commit", n)
	}
	if err := a.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if n, s := len(visible(t, dir)), len(a.Shards()); n != (rows+1)/2 || s != n {
		t.Errorf("%d shards are seen, %d published", n, s)
	}
	if left := hidden(t, dir); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// A pipe with the name of a shard is refused; opening it would wait for its writer.
func TestAppendRefusesAPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "shard_00000.cstore")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := cstore.NewAppender(dir, countSchema, nil)
	if err == nil {
		_ = a.Abort()
	}
	if e, ok := errors.AsType[*colstore.Error](err); !ok || e.Path != pipe || !errors.Is(err, colstore.ErrFormat) {
		t.Errorf("a folder with a pipe in it: %v", err)
	}
}
