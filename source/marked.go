package source

import (
	"math/bits"
	"sort"
	"unsafe"

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

const rankWords = 8

// newMarked returns the rows from base on whose bit is set.
func newMarked(words []uint64, base int64) *marked {
	m := &marked{words: words, base: base, ranks: make([]int64, (len(words)+rankWords-1)/rankWords)}
	for i := range m.ranks {
		m.ranks[i] = m.n
		m.n += int64(kernel.Count(words[:min(rankWords, len(words))]))
		words = words[min(rankWords, len(words)):]
	}
	return m
}

// maskRows is how many rows of a mask one task packs.
const maskRows = 1 << 18

// maskWords returns a mask as bits.
func maskWords(keep []bool) []uint64 {
	words := make([]uint64, kernel.Words(len(keep)))
	bytes := unsafe.Slice((*uint8)(unsafe.Pointer(unsafe.SliceData(keep))), len(keep))
	_ = parallel.Each((len(keep)+maskRows-1)/maskRows, cores(), func(task int) error {
		from := task * maskRows
		to := min(from+maskRows, len(keep))
		kernel.BitsFromBytes(words[from/64:kernel.Words(to)], bytes[from:to], to-from)
		return nil
	})
	return words
}

func (m *marked) len() int64 { return m.n }

// seek returns the bit of a row of the view.
func (m *marked) seek(row int64) int64 {
	row += m.skip
	// The last group of words that begins at or before the wanted row.
	group := sort.Search(len(m.ranks), func(i int) bool { return m.ranks[i] > row }) - 1
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
	bit := m.seek(begin)
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
	for row, bit := int64(0), m.seek(0); row < m.n; bit = (bit/64 + 1) * 64 {
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

// bits returns the bits from one on, at most room of them and at most as many as fit buf, of which at most the first left
// that are set stay; how many bits they are; and how many are set. All but the first call for neighbouring rows begin
// with a word.
func (m *marked) bits(buf *[chunkRows / 64]uint64, bit, room, left int64) (keep []uint64, n int64, set int) {
	w, off := bit/64, bit%64
	if off > 0 {
		n = min(64-off, room)
		buf[0] = m.words[w] >> off
		keep = buf[:1]
	} else {
		n = min(chunkRows, room, (int64(len(m.words))-w)*64)
		keep = buf[:kernel.Words(int(n))]
		copy(keep, m.words[w:])
	}
	if rest := n % 64; rest > 0 {
		keep[len(keep)-1] &= 1<<rest - 1
	}
	set = kernel.Count(keep)
	if int64(set) > left {
		cut := kernel.NthSet(keep, int(left))
		keep[cut/64] &= 1<<(cut%64) - 1
		clear(keep[cut/64+1:])
		set = int(left)
	}
	return keep, n, set
}
