package parquet

import (
	"context"
	"errors"
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/encoding"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// A survey is what a first pass over the pages of one column finds, as far as it is asked.
type survey struct {
	// What is asked.
	wantSome  bool // whether there is any value
	wantNulls bool // whether there is any null
	wantWidth bool // the width of strings
	wantUnit  bool // whether INT96 timestamps fit nanoseconds

	some, nulls bool
	width       int  // of the widest string, at least 1
	coarse      bool // some timestamp needs a unit coarser than nanoseconds
}

// known answers from the footer what it can, and reports whether that is everything.
func (s *survey) known(f *file, c *column) bool {
	s.width = 1
	counted := true
	for _, g := range f.groups {
		n := g.Columns[c.leaf].Statistics.Nulls
		switch {
		case c.maxDef == 0 || n == 0:
			s.some = true
		case n < 0 || n > g.Rows:
			counted = false
		default:
			s.nulls = true
			s.some = s.some || n < g.Rows
		}
	}
	// That there is no value at all is not believed without looking: if it were wrong, values would vanish.
	return (!s.wantSome || s.some || len(f.groups) == 0) && (!s.wantNulls || s.nulls || counted) && !s.wantWidth && !s.wantUnit
}

// run finds what is asked.
func (s *survey) run(ctx context.Context, f *file, c *column, w *workspace) error {
	if s.known(f, c) {
		return nil
	}
	r := &columnReader{f: f, col: c}
	for g := range f.groups {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := s.group(r, g, w); err != nil {
			return err
		}
		if s.done() {
			return nil
		}
	}
	return nil
}

// done reports whether nothing that is still to come can change the answers.
func (s *survey) done() bool {
	return (!s.wantSome || s.some) && (!s.wantNulls || s.nulls) && !s.wantWidth && !(s.wantUnit && !s.coarse)
}

// levels reports whether nulls have still to be looked for.
func (s *survey) levels() bool { return s.wantSome && !s.some || s.wantNulls && !s.nulls }

// group looks at the pages of one chunk.
func (s *survey) group(r *columnReader, g int, w *workspace) error {
	if err := r.openGroup(g); err != nil {
		return err
	}
	p := &r.pager
	widest := -1 // the widest entry of the dictionary, -1 without one
	for p.left > 0 && !s.done() {
		if err := p.advance(w); err != nil {
			return err
		}
		if p.page.Type == meta.DictionaryPage {
			if err := r.loadDictionary(w); err != nil {
				return p.wrap(err)
			}
			if s.wantWidth {
				widest = s.entries(r)
			}
			continue
		}
		isIndexed := p.page.Encoding.IsDictionary()
		if isIndexed && widest >= 0 && widest <= s.width && !s.levels() {
			// No entry can widen the column. If all pages are like this one the chunk is done.
			if p.chunk.KnownPages && onlyIndexed(p.chunk.Pages) {
				return nil
			}
			continue
		}
		if err := s.page(r, w); err != nil {
			return p.wrap(err)
		}
	}
	return nil
}

func onlyIndexed(pages meta.Encodings) bool {
	var indexed meta.Encodings
	return pages&^indexed.With(meta.PlainDictionary).With(meta.RLEDictionary) == 0
}

// entries returns the width of the widest entry of the dictionary.
func (s *survey) entries(r *columnReader) int {
	widest := 0
	for _, e := range r.dict.spans {
		widest = max(widest, r.col.length(r.dict.data[e.Begin:e.End], widest))
	}
	return widest
}

// page looks at one data page.
func (s *survey) page(r *columnReader, w *workspace) error {
	p := &r.pager
	if err := p.loadInto(&p.buf, w); err != nil {
		return err
	}
	var err error
	if r.all, err = p.present(&r.present); err != nil {
		return err
	}
	n := int(p.page.Values)
	m := n
	if !r.all {
		if m, err = r.present.Count(n, uint32(r.col.maxDef)); err != nil {
			return err
		}
	}
	s.some = s.some || m > 0
	s.nulls = s.nulls || m < n
	switch {
	case m == 0:
		return nil
	case s.wantWidth:
		if err := r.reset(); err != nil {
			return err
		}
		if r.how.IsDictionary() {
			return s.indexed(r, m)
		}
		return s.strings(r, m)
	case s.wantUnit:
		if err := r.reset(); err != nil {
			return err
		}
		return s.timestamps(r, m)
	}
	return nil
}

// strings measures the values of a page.
func (s *survey) strings(r *columnReader, n int) error {
	var spans [256]encoding.Span
	for n > 0 {
		data, k, err := r.strings.Next(spans[:min(len(spans), n)])
		if err != nil {
			return err
		}
		for _, x := range spans[:k] {
			if v := data[x.Begin:x.End]; len(v) > s.width {
				s.width = max(s.width, r.col.length(v, s.width))
			}
		}
		n -= k
	}
	return nil
}

// indexed measures the entries that a page refers to: a dictionary may hold others.
func (s *survey) indexed(r *columnReader, n int) error {
	d := &r.dict
	var few [1024]uint32
	for n > 0 {
		repeats, err := r.indices.Repeats()
		if err != nil {
			return err
		}
		var k int
		used := few[:1]
		if repeats {
			few[0], k = r.indices.Repeated(n)
		} else {
			k = r.indices.Packed(few[:min(len(few), n)])
			used = few[:k]
		}
		for _, i := range used {
			if int(i) >= d.n {
				return fmt.Errorf("%w: a page refers to a dictionary entry that is not among the %d there are", colstore.ErrFormat, d.n)
			}
			if x := d.spans[i]; int(x.End-x.Begin) > s.width {
				s.width = max(s.width, r.col.length(d.data[x.Begin:x.End], s.width))
			}
		}
		n -= k
	}
	return nil
}

// timestamps finds out whether INT96 values fit nanoseconds.
func (s *survey) timestamps(r *columnReader, n int) error {
	var few [256 * 8]byte
	for n > 0 && !s.coarse {
		k := min(256, n)
		if err := r.values(few[:8*k], k); err != nil {
			if _, ok := errors.AsType[*badValue](err); !ok {
				return err
			}
			s.coarse = true
		}
		n -= k
	}
	return nil
}
