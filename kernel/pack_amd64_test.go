//go:build !purego

package kernel

import (
	"testing"
	"unsafe"
)

// A packer that waits for its next use keeps no column alive: not those either that became one with another.
func TestPackerForgets(t *testing.T) {
	var columns [4][interleaveRows]uint16
	var dst [8 * interleaveRows]byte
	fields := make([]field, len(columns))
	for i := range columns {
		fields[i] = field{
			record: lane{unsafe.Pointer(&dst[2*i]), 8}, column: lane{unsafe.Pointer(&columns[i]), 2}, size: 2, word: 1,
		}
	}
	p := new(packer)
	p.plan(fields, unsafe.Pointer(&dst))
	pieces := p.pieces[:cap(p.pieces)]
	if len(p.pieces) != 1 {
		t.Fatalf("%d pieces of four columns", len(p.pieces))
	}
	p.free()
	for i, q := range pieces {
		if q.data != nil {
			t.Errorf("piece %d is kept", i)
		}
	}
}
