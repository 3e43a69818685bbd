package main

import (
	"math"
	"runtime/debug"
	"testing"

	"github.com/colstore/colstore-go"
)

// The collector keeps to the budget that a run has, and to none where a batch has a number of rows.
func TestFitHeap(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	tests := []struct {
		name    string
		limited bool
		budget  colstore.ByteSize
		rows    int
		env     string
		want    int64
	}{
		{"the default", true, 0, 0, "", 112 << 20},
		{"a budget", true, 4 * colstore.MiB, 0, "", 52 << 20},
		{"a budget beyond memory", true, math.MaxInt64, 0, "", math.MaxInt64},
		{"rows", true, 4 * colstore.MiB, 1000, "", math.MaxInt64},
		{"a program that does not limit its heap", false, 4 * colstore.MiB, 0, "", math.MaxInt64},
		{"what the user says", true, 4 * colstore.MiB, 0, "1GiB", 1 << 20},
	}
	for _, c := range tests {
		t.Setenv("GOMEMLIMIT", c.env)
		limit := int64(math.MaxInt64)
		if c.limited {
			limit = 1 << 20
		}
		debug.SetMemoryLimit(limit)
		fitHeap(c.budget, c.rows)
		if got := debug.SetMemoryLimit(-1); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
