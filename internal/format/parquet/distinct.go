package parquet

import (
	"bytes"
	"hash/maphash"
	"math/bits"

	"github.com/colstore/colstore-go"
)

// A distinct finds the distinct values of a column's part of a row group, in the order of their first appearance.
type distinct struct {
	size    int
	entries []byte   // the values, back to back
	indices []uint32 // of every value, its number
	table   []uint32 // the hash table: numbers, 1 added; 0 is free
	seed    maphash.Seed
}

const (
	// A dictionary holds at most so many entries and bytes of them: one that does not fit the caches is slower than what
	// it replaces, in writing and in reading.
	maxEntries    = 1 << 16
	maxEntryBytes = 4 << 20
	// sampleSize is how many values are looked at before a dictionary is tried, and sampleDistinct how many of them may
	// be distinct: more say that the column has more than maxEntries values.
	sampleSize     = 2048
	sampleDistinct = 2016
)

// find looks for at most limit distinct values among values, each of size bytes. It reports false if there are more,
// or so many in a sample that it is not worth looking.
func (d *distinct) find(values []byte, size, limit int) bool {
	n := len(values) / size
	if n > 4*sampleSize {
		// A sample spread evenly over all values.
		sample := make([]byte, 0, sampleSize*size)
		step := n / sampleSize
		for i := range sampleSize {
			sample = append(sample, values[i*step*size:(i*step+1)*size]...)
		}
		if !d.collect(sample, size, min(limit, sampleDistinct)) {
			return false
		}
	}
	return d.collect(values, size, limit)
}

// collect is find without the sample.
func (d *distinct) collect(values []byte, size, limit int) bool {
	d.size = size
	d.entries, d.indices = d.entries[:0], d.indices[:0]
	limit = min(limit, maxEntries, maxEntryBytes/size)
	if d.seed == (maphash.Seed{}) {
		d.seed = maphash.MakeSeed() // it settles where a value lies in the table, not its number
	}
	if n := len(values) / size; cap(d.indices) < n {
		d.indices = make([]uint32, 0, n)
	}
	switch size {
	case 1:
		return collectWords(d, view[uint8](values), limit)
	case 2:
		return collectWords(d, view[uint16](values), limit)
	case 4:
		return collectWords(d, view[uint32](values), limit)
	case 8:
		return collectWords(d, view[uint64](values), limit)
	default:
		return d.collectBytes(values, limit)
	}
}

// firstSlots is the size of the hash table to begin with: columns of few values stay in the nearest cache.
const firstSlots = 1 << 10

// slots returns an empty hash table of n slots.
func (d *distinct) slots(n int) []uint32 {
	if cap(d.table) < n {
		d.table = make([]uint32, n)
	}
	d.table = d.table[:n]
	clear(d.table)
	return d.table
}

func collectWords[T uint8 | uint16 | uint32 | uint64](d *distinct, values []T, limit int) bool {
	slots := d.slots(firstSlots)
	found := make([]T, 0, 64)
	shift := uint(64 - bits.TrailingZeros(uint(len(slots))))
	indices := d.indices[:len(values)]
	for i, v := range values {
		// A run of one value is common and needs no table.
		if i > 0 && v == values[i-1] {
			indices[i] = indices[i-1]
			continue
		}
		h := uint64(v) * 0x9e3779b97f4a7c15 >> shift
		for {
			k := slots[h]
			if k == 0 {
				break
			}
			if found[k-1] == v {
				indices[i] = k - 1
				goto next
			}
			h = (h + 1) & uint64(len(slots)-1)
		}
		if len(found) == limit {
			return false
		}
		indices[i] = uint32(len(found))
		found = append(found, v)
		slots[h] = uint32(len(found))
		if 2*len(found) > len(slots) {
			slots = d.slots(4 * len(slots))
			shift -= 2
			for k, v := range found {
				h := uint64(v) * 0x9e3779b97f4a7c15 >> shift
				for slots[h] != 0 {
					h = (h + 1) & uint64(len(slots)-1)
				}
				slots[h] = uint32(k) + 1
			}
		}
	next:
	}
	d.indices = indices
	raw, _ := colstore.Wrap(found).Bytes()
	d.entries = append(d.entries[:0], raw...)
	return true
}

func (d *distinct) collectBytes(values []byte, limit int) bool {
	size, n := d.size, len(values)/d.size
	slots := d.slots(firstSlots)
	mask := uint64(len(slots) - 1)
	indices := d.indices[:n]
	count := uint32(0)
	for i := range n {
		v := values[i*size : (i+1)*size]
		if i > 0 && bytes.Equal(v, values[(i-1)*size:i*size]) {
			indices[i] = indices[i-1]
			continue
		}
		h := maphash.Bytes(d.seed, v) & mask
		for {
			k := slots[h]
			if k == 0 {
				if int(count) == limit {
					return false
				}
				d.entries = append(d.entries, v...)
				indices[i] = count
				count++
				slots[h] = count
				break
			}
			if bytes.Equal(d.entries[int(k-1)*size:int(k)*size], v) {
				indices[i] = k - 1
				break
			}
			h = (h + 1) & mask
		}
		if 2*int(count) > len(slots) {
			slots = d.slots(4 * len(slots))
			mask = uint64(len(slots) - 1)
			for k := range count {
				h := maphash.Bytes(d.seed, d.entries[int(k)*size:int(k+1)*size]) & mask
				for slots[h] != 0 {
					h = (h + 1) & mask
				}
				slots[h] = k + 1
			}
		}
	}
	d.indices = indices
	return true
}

// len returns the number of distinct values.
func (d *distinct) len() int { return len(d.entries) / d.size }
