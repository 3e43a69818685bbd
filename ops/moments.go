package ops

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"sync"

	"github.com/colstore/colstore-go/kernel"
)

// moments are the first and second moments of float64 values that come in the order of their rows, in such a form that
// neither batches nor merges show. Blocks of [BlockRows] source rows are folded whole: values of the open block wait, at
// most BlockRows of them. A block gives the sums of x − c and (x − c)² about a centre c of its own near its mean; what
// these say of the sums of x and x² is added exactly: see docs/decisions/0008-aggregates.md.
type moments struct {
	begin int64
	head  []float64 // values of the block that begin lies inside

	block   int64 // the open block
	open    bool
	pending []float64 // its values, in one of blockBuffers

	rows  int64 // folded
	plain exact // the sum as a FloatSum has it
	// Σ x in units of 2^-1074, by the sign of what was added. In one number, parts of a block that nearly cancel would turn its
	// sign, and all words above, twice a block.
	first  [2]product
	second product // Σ x², in units of 2^-2148
	nan    bool    // a value was NaN or infinite
	inf    bool    // a square was too large for a float64
}

// momentsBytes is what the values that wait take. Those of the block that begin lies inside come on top, which is rare:
// sources are split between blocks where they can be.
const momentsBytes = 8 * BlockRows

// blockBuffers are what values of open blocks wait in. Most states have one, with which a small column's takes more memory
// than all of its reduction else.
var blockBuffers = sync.Pool{New: func() any { return new([BlockRows]float64) }}

func newMoments(begin int64) *moments { return &moments{begin: begin} }

// room returns where n values of the block of a row are to be written.
func (m *moments) room(row int64, n int) []float64 {
	block := row / BlockRows
	to := &m.pending
	if m.begin%BlockRows != 0 && block == m.begin/BlockRows {
		to = &m.head
	} else if !m.open || block != m.block {
		m.closeBlock()
		m.block, m.open = block, true
	}
	if to == &m.pending && cap(m.pending) == 0 {
		m.pending = blockBuffers.Get().(*[BlockRows]float64)[:0]
	}
	at := len(*to)
	*to = slices.Grow(*to, n)[:at+n]
	return (*to)[at:]
}

// recycle ends the use of the moments.
func (m *moments) recycle() {
	if cap(m.pending) == BlockRows {
		blockBuffers.Put((*[BlockRows]float64)(m.pending[:BlockRows]))
	}
	m.pending = nil
}

func (m *moments) add(row int64, v []float64) { addMoments(m, row, v) }

// addMoments adds values of the block of a row.
func addMoments[T kernel.Float](m *moments, row int64, v []T) {
	if len(v) == BlockRows {
		m.closeBlock()
		foldBlock(m, v) // a whole block, for which nothing can come any more
		return
	}
	if len(v) > 0 {
		kernel.Convert(m.room(row, len(v)), v)
	}
}

// addMomentRows adds the values of rows row, row + 1, … of the source, of whatever blocks.
func addMomentRows[T kernel.Float](m *moments, row int64, v []T) {
	for len(v) > 0 {
		n := min(len(v), int(BlockRows-row%BlockRows))
		if n < BlockRows {
			addMoments(m, row, v[:n])
		} else {
			n = min(len(v)/BlockRows, blocksAtOnce) * BlockRows
			m.closeBlock()
			addMomentBlocks(m, v[:n])
		}
		row, v = row+int64(n), v[n:]
	}
}

// addMomentBlocks adds at most blocksAtOnce whole blocks, for which nothing can come any more.
func addMomentBlocks[T kernel.Float](m *moments, v []T) {
	if m.nan && m.plain.nan { // which no later block changes
		m.rows += int64(len(v))
		return
	}
	var buf [blocksAtOnce]kernel.BlockMoments
	blocks := buf[:len(v)/BlockRows]
	kernel.MomentBlocks(blocks, v)
	for i := range blocks {
		if !m.addBlock(&blocks[i], BlockRows) {
			foldOther(m, v[i*BlockRows:(i+1)*BlockRows])
		}
	}
}

func (m *moments) closeBlock() {
	if m.open {
		foldBlock(m, m.pending)
		m.pending, m.open = m.pending[:0], false
	}
}

func (m *moments) merge(next *moments) {
	m.add(next.begin, next.head)
	m.rows += next.rows
	m.plain.merge(&next.plain)
	for i := range m.first {
		m.first[i].merge(&next.first[i])
	}
	m.second.merge(&next.second)
	m.nan, m.inf = m.nan || next.nan, m.inf || next.inf
	if next.open {
		m.closeBlock()
		m.block, m.open = next.block, true
		m.pending, next.pending = next.pending, m.pending
	}
	next.recycle()
}

// foldBlock adds a block. It is read once if the mean of its first values is a centre that serves.
func foldBlock[T kernel.Float](m *moments, v []T) {
	switch {
	case len(v) == 0:
		return
	case m.nan && m.plain.nan: // which no later block changes
		m.rows += int64(len(v))
		return
	}
	b := kernel.BlockMoments{Centre: nearMean(v)}
	b.Sum, b.First, b.Second = kernel.Moments(v, b.Centre)
	if m.addBlock(&b, len(v)) {
		return
	}
	foldOther(m, v)
}

// foldOther adds a block that its first values' mean is no centre for.
func foldOther[T kernel.Float](m *moments, v []T) {
	if f8, ok := any(v).([]float64); ok {
		m.foldCarefully(f8)
		return
	}
	buf := blockBuffers.Get().(*[BlockRows]float64)
	defer blockBuffers.Put(buf)
	f8 := buf[:len(v)]
	kernel.Convert(f8, v)
	m.foldCarefully(f8)
}

// addBlock adds a block of so many rows by its moments, if their centre serves: the square of its distance from the mean is
// at most seven times the variance, and no more than three bits cancel.
func (m *moments) addBlock(b *kernel.BlockMoments, rows int) bool {
	if b.Sum-b.Sum != 0 || b.Second-b.Second != 0 || b.First*b.First > 0.875*float64(rows)*b.Second {
		return false
	}
	m.plain.add(b.Sum)
	m.rows += int64(rows)
	m.addAround(b.Centre, b.First, b.Second, rows)
	return true
}

// nearMean returns the mean of the first eight values: of equal ones that value, unless their sum overflows.
func nearMean[T kernel.Float](v []T) float64 {
	if len(v) < kernel.Lanes {
		return float64(v[0])
	}
	var lanes [kernel.Lanes]float64
	kernel.AddLanes(&lanes, v[:kernel.Lanes])
	return kernel.FoldLanes(&lanes) / kernel.Lanes
}

// foldCarefully adds a block that has outliers in front, sums beyond the range of a float64, or values that are no
// numbers.
func (m *moments) foldCarefully(v []float64) {
	var block FloatSum
	block.total.nan = m.plain.nan
	block.Add(0, v)
	if block.spilled {
		m.plain.merge(&block.total)
	}
	sum := block.addBlock(&m.plain)
	m.rows += int64(len(v))
	c := centre(v, sum)
	_, s1, s2 := kernel.Moments(v, c)
	if s2-s2 != 0 { // NaN or infinite
		nan := false
		for _, x := range v {
			nan = nan || x-x != 0
		}
		m.nan, m.inf = m.nan || nan, m.inf || !nan
		return
	}
	m.addAround(c, s1, s2, len(v))
}

// addAround adds rows values of which the sums of x − c and (x − c)² are s1 and s2.
func (m *moments) addAround(c, s1, s2 float64, rows int) {
	n := uint64(rows)
	centre, dev, sq := split(c), split(s1), split(s2)
	// Σx = n·c + Σ(x−c)
	hi, lo := bits.Mul64(centre.frac, n)
	m.first[centre.sign()].add(false, hi, lo, centre.shift)
	m.first[dev.sign()].add(false, 0, dev.frac, dev.shift)
	// Σx² = n·c² + 2c·Σ(x−c) + Σ(x−c)²
	hi, lo = bits.Mul64(centre.frac, centre.frac)
	carry, lo := bits.Mul64(lo, n)
	m.second.add(false, hi*n+carry, lo, 2*centre.shift)
	hi, lo = bits.Mul64(centre.frac, dev.frac)
	m.second.add(centre.neg != dev.neg, hi, lo, centre.shift+dev.shift+1)
	m.second.add(false, 0, sq.frac, sq.shift-exactUnit)
}

// centre returns a value near the mean of a block. It is the first value where the mean is that value but for the
// rounding of the sum, so that the deviations of equal values are 0.
func centre(v []float64, sum float64) float64 {
	c := sum / float64(len(v))
	if math.Abs(v[0]-c) <= math.Abs(c)*BlockRows*0x1p-52 || c-c != 0 {
		return v[0]
	}
	return c
}

// closed returns a copy in which no value waits.
func (m *moments) closed() moments {
	all := *m
	if all.open {
		foldBlock(&all, all.pending)
	}
	foldBlock(&all, all.head)
	return all
}

// total returns the sum before it is rounded.
func (m *moments) total() exact {
	all := m.closed()
	return all.plain
}

// variance returns the sum of the squared deviations from the mean, divided by n − ddof.
func (m *moments) variance(ddof int) float64 {
	all := m.closed()
	switch {
	case all.rows == 0 || all.rows <= int64(ddof) || all.nan:
		return kernel.NaN()
	case all.inf:
		return math.Inf(1)
	}
	// Σ(x−mean)² = (n·Σx² − (Σx)²) / n
	n := big.NewInt(all.rows)
	all.first[0].subtract(&all.first[1])
	first, low := signedInt(all.first[0][:])
	square, exp := first.Mul(first, first), 128*low
	second, low := signedInt(all.second[:])
	num, common := new(big.Int).Mul(n, second), min(exp, 64*low)
	num.Sub(num.Lsh(num, uint(64*low-common)), square.Lsh(square, uint(exp-common)))
	if num.Sign() <= 0 {
		return 0 // less than 0 is the rounding of the blocks' sums
	}
	return quotient(num, n.Mul(n, big.NewInt(all.rows-int64(ddof))), common+2*exactUnit)
}

// quotient returns num ÷ den × 2^exp of positive numbers, rounded once.
func quotient(num, den *big.Int, exp int) float64 {
	// Two bits more than a float64 has, and one that tells whether anything is left.
	shift := max(0, 56-(num.BitLen()-den.BitLen()))
	q, rest := num.Lsh(num, uint(shift)).QuoRem(num, den, new(big.Int))
	q.Lsh(q, 1)
	if rest.Sign() != 0 {
		q.SetBit(q, 0, 1)
	}
	// big.Float rounds once, also to subnormals.
	f := new(big.Float).SetInt(q)
	v, _ := f.SetMantExp(f, exp-shift-1).Float64()
	return v
}
