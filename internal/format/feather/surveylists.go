package feather

import (
	"context"
	"errors"
	"slices"

	"github.com/colstore/colstore-go/internal/columnar"
)

// hasNulls reports whether any row of some fields is null, as the metadata tell.
func (f *file) hasNulls(fields []place) bool {
	for i := range f.batches {
		for _, p := range fields {
			if f.batches[i].Nodes[p.node].Nulls > 0 {
				return true
			}
		}
	}
	return false
}

// surveyLists finds out about a column that is made of a list or an array. All columns of one have the same width, and and a
// mask if there is any null in the list; that of its number of values only if rows are null.
func (s *source) surveyLists(ctx context.Context, c *columnar.Column, width bool) (columnar.Facts, error) {
	f, l := s.f, s.f.leaves[c.Place]
	at, err := f.columns.Find(c.Name)
	if err != nil {
		return columnar.Facts{}, err
	}
	if at.At >= 0 && l.field.Type.Kind == columnar.Null {
		return columnar.Facts{Rows: f.rows, Nulls: f.rows}, nil
	}
	// Rows that are too short have no null: no column is without values for want of them.
	facts := columnar.Facts{Rows: f.rows + 1}
	around := append(slices.Clip(l.above), l.list.place)
	if f.hasNulls(around) || at.At >= 0 && f.hasNulls(l.around()) {
		facts.Nulls = 1
	}
	if at.At < 0 {
		return facts, nil
	}
	if err := f.checkBuffers(c); err != nil || !width {
		return facts, err
	}
	known, ok := s.widths[c.Place]
	if !ok {
		if known, err = s.widest(ctx, c, l); err != nil {
			return facts, err
		}
		s.widths[c.Place] = known
	}
	facts.Width = known
	return facts, nil
}

// widest returns the characters of the longest value of a list that becomes one of a column.
func (s *source) widest(ctx context.Context, c *columnar.Column, l *leaf) (int, error) {
	k, values := &lists{f: s.f, leaf: l}, s.f.cursor(c, s.dicts, 0)
	behind := trail{f: s.f}
	defer behind.end()
	defer k.close()
	defer values.close()
	most := c.Width()
	known := func(longest int64) bool { return longest <= int64(most) }
	var p pick
	look := func() error {
		if p.wanted == 0 {
			return nil
		}
		if err := values.forward(p.begin); err != nil {
			return err
		}
		return values.rows(p.n, nil, known, func(v *columnar.Values, at, n int) error {
			return p.each(at, at+n, func(from, to, _ int) (err error) {
				most, err = v.WidthIn(c, most, from-at, to-at)
				return err
			})
		})
	}
	for at := int64(0); at < s.f.rows; {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		r, err := k.next(stepRows)
		if err != nil {
			return 0, err
		}
		p.reset()
		for i := range r.n {
			n := int(min(r.count(i), int64(l.kept)))
			if n == 0 || !r.has(i) {
				continue
			}
			if !p.fits(r.begins[i]) {
				if err := look(); err != nil {
					return 0, unplaced(err)
				}
				p.reset()
			}
			p.add(r.begins[i], n)
		}
		if err := look(); err != nil {
			return 0, unplaced(err)
		}
		behind.follow(values)
		at += int64(r.n)
	}
	return most, nil
}

// unplaced takes the place from the error of a value: it numbers values, not rows.
func unplaced(err error) error {
	if b, ok := errors.AsType[*columnar.BadValue](err); ok {
		return b.Err
	}
	return err
}

// holdsLists returns what reading a list takes beside its values.
func (s *source) holdsLists(in *columnar.Input) int64 {
	l := s.f.leaves[in.Place]
	held := int64(stepRows+l.kept)*16 + spreadBytes + int64(in.DType().Size())
	if l.list.isArray() {
		return held
	}
	buffers := []int{1}
	if l.list.isView() {
		buffers = []int{1, 2}
	}
	window := int64(0)
	for i := range s.f.batches {
		b := &s.f.batches[i]
		sum := int64(0)
		for _, which := range buffers {
			if st, err := s.f.stream(&b.body, b.Buffers[b.buffer(l.list.place)+which]); err == nil {
				n, _ := st.holds()
				sum += n
			}
		}
		window = max(window, sum)
	}
	return held + window
}
