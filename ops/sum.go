package ops

import "github.com/colstore/colstore-go/kernel"

// BlockRows is the number of source rows that a sum of floats folds together: rows 0 to 4095, 4096 to 8191, … by global
// row number, whatever the batches, the workers or the files.
const BlockRows = 4096

// A FloatSum is the sum of float64 values that come in the order of their rows. Within a block of [BlockRows] source
// rows it adds the values in eight interleaved lanes; the blocks' sums are added exactly. So the result depends on the
// values and their rows alone. Where a lane would overflow, what it holds is added exactly and the lane begins anew, so that
// only the whole sum can overflow. A sum that begins inside a block keeps that block's values, at most BlockRows of them, to
// fold them when it is merged behind the sum that ends there.
type FloatSum struct {
	begin int64 // global row this sum begins at
	total exact // of closed blocks

	head []float64 // values of the block that begin lies inside

	block   int64 // the open block
	open    bool
	lanes   [kernel.Lanes]float64
	n       int  // values in the open block
	spilled bool // total has some of them
}

// NewFloatSum returns the empty sum of the values from global row begin on.
func NewFloatSum(begin int64) *FloatSum { return &FloatSum{begin: begin} }

// Add adds values of one block: row is the global row of any of them, and no value before it is added later.
func (s *FloatSum) Add(row int64, values []float64) { addValues(s, row, values) }

// addValues is [FloatSum.Add] of floats of either size.
func addValues[T kernel.Float](s *FloatSum, row int64, values []T) {
	if len(values) == 0 {
		return
	}
	block := row / BlockRows
	if s.begin%BlockRows != 0 && block == s.begin/BlockRows {
		for _, v := range values {
			s.head = append(s.head, float64(v))
		}
		return
	}
	if !s.open || block != s.block {
		s.closeBlock()
		s.block, s.open = block, true
	}
	before, n := s.lanes, s.n
	addLanes(s, values)
	if rest := 0.0; !s.total.nan {
		for _, v := range s.lanes {
			rest += v - v
		}
		if rest != 0 {
			// A lane overflowed, or a value is no finite number.
			s.lanes, s.n = before, n
			addCarefully(s, values)
		}
	}
}

// blocksAtOnce is how many blocks addRows has summed at a time.
const blocksAtOnce = 64

// cachedRows is up to how many rows a column lies in a second-level cache, when it is summed again.
const cachedRows = 1 << 17

// addRows adds the values of rows row, row + 1, … of the source, of whatever blocks.
func addRows[T kernel.Float](s *FloatSum, row int64, values []T) {
	// The first rows are all of a small table, or too few of a large one to matter.
	cached := row == 0 && len(values) <= cachedRows
	for len(values) > 0 {
		n := min(len(values), int(BlockRows-row%BlockRows))
		if n < BlockRows {
			addValues(s, row, values[:n])
		} else {
			n = min(len(values)/BlockRows, blocksAtOnce) * BlockRows
			addBlocks(s, row, values[:n], cached)
		}
		row, values = row+int64(n), values[n:]
	}
}

// addBlocks adds at most blocksAtOnce whole blocks, the first of which begins at row.
func addBlocks[T kernel.Float](s *FloatSum, row int64, values []T, cached bool) {
	s.closeBlock()
	var sums [blocksAtOnce]float64
	blocks := sums[:len(values)/BlockRows]
	kernel.SumBlocks(blocks, values, cached)
	for i, sum := range blocks {
		if sum-sum == 0 {
			s.total.add(sum) // no lane overflowed: it would have stayed infinite
			continue
		}
		addValues(s, row+int64(i*BlockRows), values[i*BlockRows:(i+1)*BlockRows])
		s.closeBlock()
	}
}

// addLanes adds values to the lanes: value i of the block always goes to lane i mod 8.
func addLanes[T kernel.Float](s *FloatSum, values []T) {
	// Up to the next lane 0, then all others.
	for len(values) > 0 && s.n%kernel.Lanes != 0 {
		s.lanes[s.n%kernel.Lanes] += float64(values[0])
		values = values[1:]
		s.n++
	}
	kernel.AddLanes(&s.lanes, values)
	s.n += len(values)
}

// addCarefully is addLanes for what may overflow: whether it does is a matter of the lane's values alone.
func addCarefully[T kernel.Float](s *FloatSum, values []T) {
	for _, x := range values {
		v := float64(x)
		l := &s.lanes[s.n%kernel.Lanes]
		s.n++
		sum := *l + v
		if sum-sum != 0 && *l-*l == 0 && v-v == 0 {
			s.total.add(*l)
			s.spilled = true
			sum = v
		}
		*l = sum
	}
}

// addBlock adds the block of the lanes to a total and returns its sum, NaN if it is not that of the lanes.
func (s *FloatSum) addBlock(to *exact) float64 {
	sum := kernel.FoldLanes(&s.lanes)
	if sum-sum == 0 {
		to.add(sum)
	} else {
		for _, l := range s.lanes {
			to.add(l)
		}
	}
	if s.spilled {
		return kernel.NaN()
	}
	return sum
}

func (s *FloatSum) closeBlock() {
	if s.open {
		s.addBlock(&s.total)
		s.lanes, s.n, s.open, s.spilled = [kernel.Lanes]float64{}, 0, false, false
	}
}

// Merge adds the sum of later rows: next begins where s ends, or after.
func (s *FloatSum) Merge(next *FloatSum) {
	s.Add(next.begin, next.head)
	s.total.merge(&next.total)
	if next.open {
		s.closeBlock()
		s.block, s.open, s.lanes, s.n = next.block, true, next.lanes, next.n
		s.spilled = next.spilled
	}
}

// Value returns the sum so far.
func (s *FloatSum) Value() float64 {
	total := s.exact()
	return total.value()
}

// exact returns the sum so far before it is rounded.
func (s *FloatSum) exact() exact {
	all := *s
	all.closeBlock()
	if len(all.head) > 0 {
		var whole FloatSum
		whole.Add(0, all.head)
		whole.closeBlock()
		all.total.merge(&whole.total)
	}
	return all.total
}
