//go:build unix

package cstore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/cstore"
	"github.com/colstore/colstore-go/source"
)

// A link to nothing among the shards is a shard that is missing: readers and appenders say so, and nothing is added. One that
// points to a file is a shard.
func TestDanglingShard(t *testing.T) {
	dir := t.TempDir()
	b, err := colstore.BatchOf(colstore.Name("x", colstore.Wrap([]int64{1, 2})))
	if err != nil {
		t.Fatal(err)
	}
	shards, err := cstore.Append(t.Context(), dir, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "shard_00001.cstore")
	if err := os.Symlink(filepath.Base(shards[0].Path), link); err != nil {
		t.Fatal(err)
	}
	if _, err := cstore.Append(t.Context(), dir, b, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(link), os.Symlink("nowhere", link)); err != nil {
		t.Fatal(err)
	}
	for name, use := range map[string]func() error{
		"append": func() error { _, err := cstore.Append(t.Context(), dir, b, nil); return err },
		"check":  func() error { _, err := cstore.CheckAppend(dir, b.Schema(), nil); return err },
		"read":   func() error { _, err := source.OpenPath(t.Context(), dir); return err },
	} {
		if err := use(); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), link+": it is a link") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 4 { // two shards, the link and the lock
		t.Errorf("%v, %v", entries, err)
	}
}
