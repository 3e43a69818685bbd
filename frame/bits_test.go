package frame_test

import (
	"fmt"
	"hash"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/colstore/colstore-go"
)

// bitDigests are digests of the bits that each function has given: those of testdata/bits.txt on every platform, whatever
// its processor makes of NaNs, of casts that do not fit, and of products and sums in one instruction.
type bitDigests map[string]hash.Hash64

func (d bitDigests) add(fn string, c colstore.Column) {
	if d[fn] == nil {
		d[fn] = fnv.New64a()
	}
	_, _ = fmt.Fprint(d[fn], c.Type(), c.Rows()) // a hash never fails
	_, _ = d[fn].Write(bytesOf(c))
}

func (d bitDigests) check(t *testing.T) {
	t.Helper()
	const path = "testdata/bits.txt"
	var got strings.Builder
	for _, fn := range slices.Sorted(maps.Keys(d)) {
		fmt.Fprintf(&got, "%s %016x\n", fn, d[fn].Sum64())
	}
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(got.String()) {
		if !strings.Contains("\n"+string(data), "\n"+line) {
			t.Errorf("other bits than on other platforms, or before: %s", line)
		}
	}
	if got, want := strings.Count(got.String(), "\n"), strings.Count(string(data), "\n"); got != want {
		t.Errorf("%d functions, want %d", got, want)
	}
}
