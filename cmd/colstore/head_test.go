package main

import (
	"math"
	"strings"
	"testing"
)

// A preview whose values take more than 256 MiB is warned of, whatever the file has.
func TestLargePreview(t *testing.T) {
	for _, c := range []struct {
		n        int
		rows     int64
		rowBytes int
		warns    bool
	}{
		{10, 1 << 40, 1 << 10, false},
		{1 << 18, 1 << 40, 1 << 10, false}, // the limit itself
		{1<<18 + 1, 1 << 40, 1 << 10, true},
		{1<<18 + 1, -1, 1 << 10, true}, // a stream
		{math.MaxInt, 100, 1 << 10, false},
		{math.MaxInt, math.MaxInt64, math.MaxInt32, true},
		{math.MaxInt, math.MaxInt64, 0, false},
		{0, 100, 1 << 40, false},
	} {
		got := largePreview(c.n, c.rows, c.rowBytes)
		if warns := len(got) == 1 && strings.Contains(got[0], "256 MiB"); warns != c.warns || !warns && len(got) > 0 {
			t.Errorf("%d of %d rows of %d bytes: %q", c.n, c.rows, c.rowBytes, got)
		}
	}
}
