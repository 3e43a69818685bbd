package frame

import (
	"context"
	"errors"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/kernel"
)

// Check reports what is wrong with the expression as a condition over columns of those names and dtypes. With
// [Expr.Match] it makes an Expr a colstore.Predicate, which views select rows by.
//
// Errors: *QueryError.
func (e Expr) Check(s *colstore.Schema) error { return New().Where(e).Check(s) }

// Match reads the columns of src that the condition needs and returns a bitmap of the rows it is true for, and how many
// rows there are.
func (e Expr) Match(ctx context.Context, src colstore.Source) (words []uint64, rows int64, err error) {
	return New().Where(e).Match(ctx, src)
}

// Check reports what is wrong with the steps over columns of those names and dtypes. With [Frame.Match] it makes a frame
// a colstore.Predicate: that of its cuts, samples and limits.
//
// Errors: as those of [Frame.Bind].
func (f *Frame) Check(s *colstore.Schema) error {
	_, err := f.Unlimited().Bind(s)
	return err
}

// Match reads what the frame's cuts need of src and returns a bitmap of the rows that they, samples and limits leave, and
// how many rows there are.
func (f *Frame) Match(ctx context.Context, src colstore.Source) (words []uint64, rows int64, err error) {
	if src == nil {
		return nil, 0, errUnbound
	}
	g := f.OverPart(src, f.names).Assign(matchName, Row()).Select(matchName)
	if rows = src.Rows(); rows < 0 && g.Limited() {
		if rows, err = From(src).Count(ctx); err != nil {
			return nil, 0, err
		}
	}
	if g, err = g.Resolve(ctx); err != nil {
		return nil, 0, err
	}
	if words, ok, err := g.matchShown(ctx, rows); ok || err != nil {
		return words, rows, err
	}
	p, err := g.program()
	if err != nil {
		return nil, 0, err
	}
	var t *Tally
	if rows < 0 {
		t = p.NewTally(0)
	} else {
		words = make([]uint64, kernel.Words(int(rows)))
	}
	for b, err := range g.evaluated(ctx, p, 0, t) {
		if err != nil {
			return nil, 0, err
		}
		numbers, err := colstore.Values[int64](b.At(0))
		if err != nil {
			return nil, 0, err
		}
		for _, row := range numbers {
			for int64(len(words)) <= row/64 {
				words = append(words, 0)
			}
			words[row/64] |= 1 << (row % 64)
		}
		b.Release()
	}
	if rows < 0 {
		rows = t.rows
	}
	return append(words, make([]uint64, kernel.Words(int(rows))-len(words))...), rows, nil
}

// matchShown is Match of rows that lie in memory, without limits, of which there are so many; ok is false if they do not.
func (f *Frame) matchShown(ctx context.Context, rows int64) (words []uint64, ok bool, err error) {
	if rows < 0 {
		return nil, false, nil
	}
	r, err := f.Select().Prepare(ctx, nil)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if r.shown == nil || !r.p.HasCuts() {
		return nil, false, nil
	}
	run := r.takeRun(ctx)
	defer run.give()
	if err := run.count(); err != nil {
		return nil, false, r.first(ctx, err)
	}
	if err := r.files.Check(); err != nil {
		return nil, false, err
	}
	words = make([]uint64, kernel.Words(int(rows)))
	for _, t := range r.tasks {
		at, from := r.shown[t.part].batch.Begin()+int64(t.begin), run.bits[t.word:]
		for left := t.end - t.begin; left > 0; {
			n := r.split.next(at, left)
			w := kernel.Words(n)
			placeBits(words, at, from[:w])
			at, left, from = at+int64(n), left-n, from[w:]
		}
	}
	return words, true, nil
}

// placeBits sets the bits of a bitmap from row at on that are set in another; bits past its rows are not.
func placeBits(words []uint64, at int64, bits []uint64) {
	words = words[at/64:]
	shift := at % 64
	for i, b := range bits {
		words[i] |= b << shift
		if over := b >> (64 - shift); over != 0 {
			words[i+1] |= over
		}
	}
}

// matchName is the column of row numbers. It is no name that a file can have: names are UTF-8.
const matchName = "\xffrow"

// Chooses reports whether the frame can leave out rows.
func (f *Frame) Chooses() bool { return slices.ContainsFunc(f.steps(), chooses) }

// chooses reports whether a step can leave out rows.
func chooses(s step) bool {
	switch s.(type) {
	case *whereStep, *sampleStep, *limitStep:
		return true
	}
	return false
}

// Uncut returns the frame without its cuts, samples and limits: the columns that it makes of rows that were chosen
// otherwise.
func (f *Frame) Uncut() *Frame {
	g := &Frame{src: f.src, names: f.names, err: f.err}
	for _, s := range slices.DeleteFunc(f.steps(), chooses) {
		g = g.with(s)
	}
	return g
}
