package mmap_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/colstore/colstore-go/internal/mmap"
)

// Ranges of several mappings stay up to a limit, those that stay already at no cost, and what is unmapped makes room.
func TestKeep(t *testing.T) {
	const cell = 256 << 10
	open := func() *mmap.Mapping {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, make([]byte, 4*cell+100), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := mmap.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	a, b := open(), open()
	for i, test := range []struct {
		m      *mmap.Mapping
		off, n int
		limit  int64
		want   bool
	}{
		{a, 0, 2 * cell, 0, false},                   // nothing may stay
		{a, 0, 100, 3 * cell, false},                 // small
		{a, 0, 2 * cell, 3 * cell, true},             //
		{a, cell / 2, cell, 2 * cell, true},          // stays already
		{b, 100, cell, 3 * cell, false},              // takes two cells
		{b, 0, cell, 3 * cell, true},                 //
		{a, cell, 2 * cell, 3 * cell, false},         // one cell too many
		{a, 4*cell - 1, cell / 2, 4*cell - 1, false}, //
		{a, 4 * cell, 100, 9 * cell, false},          // the end of the file is small
		{b, 0, 4*cell + 100, 7 * cell, true},         //
	} {
		if got := test.m.Keep(test.off, test.n, test.limit); got != test.want {
			t.Errorf("%d: %v", i, got)
		}
	}
	if b.Release(); !a.Keep(2*cell, 2*cell, 4*cell) {
		t.Error("what was unmapped takes room")
	}
	a.Release()
	c := open()
	defer c.Release()
	if !c.Keep(0, 4*cell, 4*cell) {
		t.Error("what was unmapped takes room")
	}
}
