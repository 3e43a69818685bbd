package diff

import (
	"math/bits"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/kernel"
)

// times compares datetimes or timedeltas; nil for timedeltas of which only one is in months or years, which have no length.
func times(kind colstore.Kind, a, b colstore.Unit) chunk {
	switch {
	case a == b:
		return func(differ []uint64, x, y colstore.Column) float64 {
			return compareTicks(differ, kernel.In[int64](x), kernel.In[int64](y))
		}
	case a > b: // units are from the coarsest to the finest
		c := times(kind, b, a)
		if c == nil {
			return nil
		}
		return func(differ []uint64, x, y colstore.Column) float64 { return c(differ, y, x) }
	case calendar.IsCalendar(b):
		return multiples(12, false)
	case !calendar.IsCalendar(a):
		return multiples(calendar.Ratio(a, b))
	case kind == colstore.KindTimedelta:
		return nil
	}
	return instants(a, b)
}

// multiples compares ticks with ticks of which n make one of those. With huge, n is beyond an int64.
func multiples(n uint64, huge bool) chunk {
	equal := multiple(n, huge)
	return func(differ []uint64, x, y colstore.Column) float64 {
		b := kernel.In[int64](y)
		for i, v := range kernel.In[int64](x) {
			differ[i/64] |= bit(!equal(v, b[i])) << (i % 64)
		}
		return 0
	}
}

// multiple returns whether a, n times, is b. With huge, n is beyond an int64.
func multiple(n uint64, huge bool) func(a, b int64) bool {
	return func(a, b int64) bool {
		if a == colstore.NaT || b == colstore.NaT {
			return a == b
		}
		if a == 0 || b == 0 || huge {
			return a == b && a == 0
		}
		hi, lo := bits.Mul64(magnitude(a), n)
		return hi == 0 && lo == magnitude(b) && (a < 0) == (b < 0)
	}
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// instants compares datetimes of which one is in months or years.
func instants(a, b colstore.Unit) chunk {
	var p, q [chunkRows]calendar.Instant
	return func(differ []uint64, x, y colstore.Column) float64 {
		v, w := kernel.In[int64](x), kernel.In[int64](y)
		calendar.Instants(p[:len(v)], v, a)
		calendar.Instants(q[:len(w)], w, b)
		for i := range v {
			same := p[i] == q[i] && !beyondSecond(v[i], a) && !beyondSecond(w[i], b)
			if v[i] == colstore.NaT || w[i] == colstore.NaT {
				same = v[i] == w[i]
			}
			differ[i/64] |= bit(!same) << (i % 64)
		}
		return 0
	}
}

// beyondSecond reports whether a tick of a unit is no whole second.
func beyondSecond(tick int64, u colstore.Unit) bool {
	if u <= colstore.Second {
		return false
	}
	n, _ := calendar.Ratio(colstore.Second, u)
	return tick%int64(n) != 0
}

// compareTicks compares ticks of one unit. NaT has no difference from other ticks.
func compareTicks(differ []uint64, a, b []int64) (most float64) {
	largest := uint64(0)
	for i, x := range a {
		y := b[i]
		if x == y {
			continue
		}
		differ[i/64] |= 1 << (i % 64)
		if x != colstore.NaT && y != colstore.NaT {
			largest = max(largest, distance(x, y))
		}
	}
	return float64(largest)
}
