package feather

// A pick is values of a leaf that lie behind each other, of which some are wanted. What is between them is read with them:
// a gap costs less than to start again behind it.
type pick struct {
	begin  int64 // of the leaf's values, the first
	n      int   // values up to the last one that is wanted
	wanted int
	spans  []span
	last   int // the span that each was at
}

// A span is wanted values in a row: of the pick's values those from at on, of the wanted ones those from first on.
type span struct{ at, n, first int }

// mostGap is how many values that nobody wants are read to get to the next ones.
const mostGap = 1024

func (p *pick) reset() { *p = pick{spans: p.spans[:0]} }

// fits reports whether values from begin on can be added.
func (p *pick) fits(begin int64) bool {
	gap := begin - p.begin - int64(p.n)
	return p.n == 0 || gap >= 0 && gap <= mostGap && p.wanted < stepRows
}

// add wants the n values from begin on.
func (p *pick) add(begin int64, n int) {
	if p.n == 0 {
		p.begin = begin
	}
	at := int(begin - p.begin)
	if k := len(p.spans); k > 0 && at == p.n {
		p.spans[k-1].n += n
	} else {
		p.spans = append(p.spans, span{at, n, p.wanted})
	}
	p.n, p.wanted = at+n, p.wanted+n
}

// each calls f for the wanted ones of the pick's values from begin to end, which do not come down: from and to number
// them among all, first the one at from among the wanted.
func (p *pick) each(begin, end int, f func(from, to, first int) error) error {
	for p.last < len(p.spans) && p.spans[p.last].at+p.spans[p.last].n <= begin {
		p.last++
	}
	for _, s := range p.spans[p.last:] {
		if s.at >= end {
			break
		}
		from, to := max(begin, s.at), min(end, s.at+s.n)
		if err := f(from, to, s.first+from-s.at); err != nil {
			return err
		}
	}
	return nil
}

// wantedAt returns which of the wanted values is value i of all.
func (p *pick) wantedAt(i int) int {
	for _, s := range p.spans {
		if i < s.at+s.n {
			return s.first + max(0, i-s.at)
		}
	}
	return max(0, p.wanted-1)
}
