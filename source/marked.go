package source

import (
	"math/bits"
	"sort"
	"unsafe"

	results "github.com/colstore/colstore-go/internal/memory"
	"github.com/colstore/colstore-go/internal/parallel"
	"github.com/colstore/colstore-go/kernel"
)

// marked is the rows whose bit is set: of a mask, or of a predicate. It takes a bit a row of the source, where a list
// would take 64 for every row it shows.
type marked struct {
	words []uint64
	ranks []int64 // set bits before every rankWords-th word
	base  int64   // the source's row of bit 0
	skip  int64   // set bits that are left out before the first row
	n     int64
}

const rankWords = kernel.RankWords

// newMarked returns the rows from base on whose bit is set.
func newMarked(words []uint64, base int64) *marked {
	m := &marked{words: words, base: base, ranks: results.Make[int64]((len(words) + rankWords - 1) / rankWords)}
	m.n = kernel.Ranks(m.ranks, words)
	return m
}

// maskRows is how many rows of a mask one task packs.
const maskRows = 1 << 18

// maskWords returns a mask as bits.
func maskWords(keep []bool) []uint64 {
	words := results.Make[uint64](kernel.Words(len(keep)))
	bytes := unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(keep))), len(keep))
	_ = parallel.Each((len(keep)+maskRows-1)/maskRows, cores(), func(task int) error {
		from := task * maskRows
		to := min(from+maskRows, len(keep))
		kernel.Nonzero(words[from/64:kernel.Words(to)], bytes[from:to], to-from)
		return nil
	})
	return words
}

func (m *marked) len() int64 { return m.n }

// seek returns the bit of a row of the view; near is a bit at or before it, 0 if none is known.
func (m *marked) seek(row, near int64) int64 {
	row += m.skip
	// The last group of words that begins at or before the wanted row, by steps that grow.
	group, step := int(near/64/rankWords), 1
	for group+step < len(m.ranks) && m.ranks[group+step] <= row {
		group += step
		step *= 2
	}
	group += sort.Search(min(step, len(m.ranks)-group), func(i int) bool { return m.ranks[group+i] > row }) - 1
	left := int(row - m.ranks[group])
	for w := group * rankWords; ; w++ {
		if c := bits.OnesCount64(m.words[w]); left >= c {
			left -= c
			continue
		}
		return int64(w)*64 + int64(kernel.NthSet(m.words[w:w+1], left))
	}
}

func (m *marked) fill(dst []int64, begin int64) {
	if len(dst) == 0 {
		return
	}
	bit := m.seek(begin, 0)
	w, n := bit/64, 0
	word := m.words[w] >> (bit % 64) << (bit % 64)
	for {
		for ; word != 0; word &= word - 1 {
			dst[n] = m.base + w*64 + int64(bits.TrailingZeros64(word))
			if n++; n == len(dst) {
				return
			}
		}
		w++
		word = m.words[w]
	}
}

// among returns m's bits of which a mask of m's rows has the bit set.
func (m *marked) among(mask []uint64) []uint64 {
	out := make([]uint64, len(m.words))
	if m.n == 0 {
		return out
	}
	for row, bit := int64(0), m.seek(0, 0); row < m.n; bit = (bit/64 + 1) * 64 {
		word := m.words[bit/64] >> (bit % 64) << (bit % 64)
		for ; word != 0 && row < m.n; word &= word - 1 {
			if mask[row/64]>>(row%64)&1 != 0 {
				out[bit/64] |= word & -word
			}
			row++
		}
	}
	return out
}

// bits returns some of the n bits from one on, and how many: whole words as they are, in word those of a part of one.
func (m *marked) bits(word *[1]uint64, bit, n int64) ([]uint64, int64) {
	w, off := bit/64, bit%64
	if off > 0 || n < 64 {
		n = min(64-off, n)
		word[0] = m.words[w] >> off & (1<<n - 1)
		return word[:], n
	}
	whole := min(n/64, chunkWords)
	return m.words[w : w+whole], 64 * whole
}
