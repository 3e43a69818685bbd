package cstore_test

import (
	"os"
	"path/filepath"
	"testing"

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
