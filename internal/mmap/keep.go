package mmap

import (
	"math/bits"
	"sync"
)

// kept are the bytes of all mappings that stay mapped behind scans, though their readers would give them back.
var kept struct {
	sync.Mutex
	bytes int64
}

// keptCell is how many bytes of a mapping are kept together: scans may cut the same bytes into different ranges.
const keptCell = 256 << 10

// Keep reports whether a range may stay mapped: all that stays, of every mapping, takes at most limit bytes with it. What was
// kept before stays. Small ranges do not: touching them maps more than they are.
//
// What is kept goes when the file is unmapped.
func (m *Mapping) Keep(off, n int, limit int64) bool {
	if n < faultAround || limit <= 0 {
		return false
	}
	kept.Lock()
	defer kept.Unlock()
	if m.kept == nil {
		m.kept = make([]uint64, len(m.data)/(64*keptCell)+1)
	}
	first, last := off/keptCell, (off+n-1)/keptCell
	more := int64(0)
	for c := first; c <= last; c++ {
		if m.kept[c/64]>>(c%64)&1 == 0 {
			more += keptCell
		}
	}
	if kept.bytes+more > limit {
		return false
	}
	for c := first; c <= last; c++ {
		m.kept[c/64] |= 1 << (c % 64)
	}
	kept.bytes += more
	return true
}

// forgetKept ends the keeping of a mapping's ranges.
func (m *Mapping) forgetKept() {
	kept.Lock()
	defer kept.Unlock()
	for _, w := range m.kept {
		kept.bytes -= int64(bits.OnesCount64(w)) * keptCell
	}
	m.kept = nil
}
