package source

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/ops"
	"github.com/colstore/colstore-go/source/format"
)

// adapted shows a part of a table with the columns of the whole: columns that are the same in every row of it, missing
// values for those that it lacks, and the others with the dtypes they are to have.
type adapted struct {
	colstore.Source
	path      string
	schema    *colstore.Schema
	constants map[string]colstore.Scalar // hide columns of the source that have these names
	casts     map[string]ops.Kernel      // of columns whose dtype is another in the source
	ranges    map[string]ops.RangeKernel // of their bounds; nil where nothing is known
}

// adapt returns src with the columns of s, or src itself if it has them all.
//
// Errors: colstore.ErrType for a dtype that a column cannot be cast to.
func adapt(src colstore.Source, path string, s *colstore.Schema, constants map[string]colstore.Scalar) (colstore.Source, error) {
	if len(constants) == 0 && src.Schema() == s {
		return src, nil
	}
	a := &adapted{Source: src, path: path, schema: s, constants: constants}
	same := len(constants) == 0
	for _, f := range s.All() {
		from := a.stored(f.Name)
		switch {
		case from == f.Type:
		case !from.Valid():
			same = false
		default:
			same = false
			k, _, err := ops.CastWith(from, f.Type, ops.CastMissing)
			if err != nil {
				return nil, &colstore.Error{Op: "open", Path: path, Column: f.Name, Err: err}
			}
			if a.casts == nil {
				a.casts, a.ranges = map[string]ops.Kernel{}, map[string]ops.RangeKernel{}
			}
			a.casts[f.Name] = k
			a.ranges[f.Name] = ops.CastRange(from, f.Type, ops.CastMissing)
		}
	}
	if same {
		return src, nil
	}
	return a, nil
}

// stored returns the dtype of a column in the source; it is not valid if the source has none that is shown.
func (a *adapted) stored(column string) colstore.DType {
	if _, hidden := a.constants[column]; hidden {
		return colstore.DType{}
	}
	return typeOf(a.Source, column)
}

// own returns which of columns the source has.
func (a *adapted) own(columns []string) []string {
	out := []string{}
	for _, n := range columns {
		if a.stored(n).Valid() {
			out = append(out, n)
		}
	}
	return out
}

func (a *adapted) Schema() *colstore.Schema { return a.schema }

// Splits are the source's.
func (a *adapted) Splits(rows int) []colstore.Range {
	if s, ok := a.Source.(colstore.Splitter); ok {
		return s.Splits(rows)
	}
	return []colstore.Range{{Begin: 0, End: a.Rows()}}
}

// Cost is the source's, and the columns that are cast.
func (a *adapted) Cost(columns []string) colstore.Cost {
	if columns == nil {
		columns = a.schema.Names()
	}
	var c colstore.Cost
	own := a.own(columns)
	if k, ok := a.Source.(colstore.Coster); ok {
		c = k.Cost(own)
	}
	for _, n := range own {
		if a.casts[n] != nil {
			c.Row += typeOf(a, n).Size()
		}
	}
	return c
}

// Warnings are the source's.
func (a *adapted) Warnings() []string {
	if w, ok := a.Source.(colstore.Warner); ok {
		return w.Warnings()
	}
	return nil
}

// Map shows the columns where none has to be cast.
func (a *adapted) Map(columns []string) ([]*colstore.Batch, error) {
	if columns == nil {
		columns = a.schema.Names()
	}
	schema, err := a.schema.Select(columns...)
	if err != nil {
		return nil, err
	}
	own := a.own(columns)
	for _, n := range own {
		if a.casts[n] != nil {
			return nil, &colstore.Error{Column: n, Err: fmt.Errorf("%w: it is %s, stored as %s", colstore.ErrNotViewable, typeOf(a, n), a.stored(n))}
		}
	}
	m, ok := a.Source.(colstore.Mapper)
	if !ok {
		return nil, colstore.ErrNotViewable
	}
	parts, err := m.Map(own)
	if err != nil {
		return nil, err
	}
	defer func() { // the adapted ones hold them
		for _, b := range parts {
			b.Release()
		}
	}()
	out := make([]*colstore.Batch, 0, len(parts))
	for _, b := range parts {
		w, err := a.batch(schema, b, nil)
		if err != nil {
			for _, b := range out {
				b.Release()
			}
			return nil, err
		}
		out = append(out, w)
	}
	return out, nil
}

// Scan yields the source's batches with the columns of the whole. Where the cuts exclude what is the same in every row,
// nothing of the source is read.
func (a *adapted) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		if s.Columns == nil {
			s.Columns = a.schema.Names()
		}
		schema, err := a.schema.Select(s.Columns...)
		if err != nil {
			yield(nil, err)
			return
		}
		inner := s
		inner.Columns = a.own(s.Columns)
		if s.Skip != nil {
			if a.skipped(s) {
				return
			}
			inner.Skip = adaptedSkipper{s.Skip, a}
		}
		for b, err := range a.Source.Scan(ctx, inner) {
			if err == nil {
				err = fault.Guard(func() error {
					b, err = a.batch(schema, b, s.Mem)
					return err
				})
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !b.Lend(yield) {
				return
			}
		}
	}
}

// skipped reports whether no row of the scan is wanted, by the constants alone.
func (a *adapted) skipped(s colstore.Scan) bool {
	rows := s.Rows
	if rows.End == 0 {
		rows.End = a.Rows()
	}
	if len(a.constants) == 0 || rows.End <= rows.Begin || !s.Skip.Skip(rows, a.constant) { // or they are not counted
		return false
	}
	s.Skipped.Group(rows, 0, true)
	return true
}

// constant returns the bounds of a column that is the same in every row.
func (a *adapted) constant(column string) (colstore.Bounds, bool) {
	v, ok := a.constants[column]
	if !ok {
		return colstore.Bounds{}, false
	}
	return colstore.Bounds{Lo: v.Cell(), Hi: v.Cell()}, true
}

// adaptedSkipper is a skipper for the source of an adapted part.
type adaptedSkipper struct {
	colstore.Skipper
	a *adapted
}

func (s adaptedSkipper) Skip(rows colstore.Range, bounds func(string) (colstore.Bounds, bool)) bool {
	return s.Skipper.Skip(rows, func(column string) (colstore.Bounds, bool) {
		if b, ok := s.a.constant(column); ok {
			return b, true
		}
		b, ok := bounds(column)
		if !ok || s.a.casts[column] == nil {
			return b, ok
		}
		r, from := s.a.ranges[column], s.a.stored(column)
		if r == nil || b.Lo.Type() != from || b.Hi.Type() != from {
			return b, false
		}
		b.Lo, b.Hi = b.Lo.Copy(), b.Hi.Copy() // in native byte order
		if !ops.ValidBounds(b) {
			return b, false
		}
		return r([]colstore.Bounds{b})
	})
}

// batch returns the rows of a batch with the columns of a schema. The result holds the batch.
func (a *adapted) batch(s *colstore.Schema, b *colstore.Batch, mem colstore.Allocator) (*colstore.Batch, error) {
	var taken [][]byte
	b.Retain()
	release := func() {
		for _, buf := range taken {
			mem.Put(buf)
		}
		b.Release()
	}
	cols := make([]colstore.Column, s.Len())
	for i, f := range s.All() {
		stored := a.stored(f.Name)
		if !stored.Valid() {
			cols[i] = a.repeated(f, b.Rows())
			continue
		}
		c, err := b.Column(f.Name)
		if err != nil {
			release()
			return nil, err
		}
		if cols[i] = c; a.casts[f.Name] == nil {
			continue
		}
		need := b.Rows() * f.Type.Size()
		var dst []byte
		if mem == nil {
			dst = make([]byte, need)
		} else if dst = mem.Get(need); dst == nil && need > 0 {
			release()
			return nil, &colstore.Error{Column: f.Name, Err: fmt.Errorf("%w: %d rows of %s", colstore.ErrBudget, b.Rows(), f.Type.Name())}
		} else if dst != nil {
			taken = append(taken, dst)
		}
		cols[i] = colstore.RawColumn(f.Type, b.Rows(), f.Type.Size(), unsafe.Pointer(unsafe.SliceData(dst)))
		if err := a.cast(f, cols[i], c, b.Begin()); err != nil {
			release()
			return nil, err
		}
	}
	out, err := colstore.NewOwnedBatch(s, colstore.Range{Begin: b.Begin(), End: b.Begin() + int64(b.Rows())}, release, cols...)
	if err != nil {
		release()
	}
	return out, err
}

// castRows is how many rows are cast at once.
const castRows = 512

// cast fills dst with the values of a column, whose first row is row begin of the part.
func (a *adapted) cast(f colstore.Field, dst, src colstore.Column, begin int64) error {
	k, from := a.casts[f.Name], src.Type()
	scratch := make([]byte, castRows*from.Size())
	for at := 0; at < src.Rows(); at += castRows {
		end := min(at+castRows, src.Rows())
		raw := scratch[:(end-at)*from.Size()]
		kernel.Load(raw, src.Slice(at, end, 1))
		native := colstore.RawColumn(from.Native(), end-at, from.Size(), unsafe.Pointer(unsafe.SliceData(raw)))
		if err := k(dst.Slice(at, end, 1), []colstore.Column{native}); err != nil {
			e := &colstore.Error{Op: "read", Path: a.path, Column: f.Name, Err: err}
			if r, ok := errors.AsType[*ops.RowError](err); ok {
				e.Row, e.Err = colstore.At(begin+int64(at+r.Row)), r.Err
			}
			return e
		}
	}
	return nil
}

// repeated returns what all rows of the source have in a column that it lacks.
func (a *adapted) repeated(f colstore.Field, rows int) colstore.Column {
	v, ok := a.constants[f.Name]
	if !ok {
		v = format.Missing(f.Type.Native())
	}
	c := v.Column(rows)
	if f.Type.BigEndian() {
		return swappedCell(f.Type, c)
	}
	return c
}

// swappedCell returns a repeated value in foreign byte order.
func swappedCell(t colstore.DType, c colstore.Column) colstore.Column {
	cell := append([]byte(nil), kernel.RawIn(c)...)
	word := len(cell)
	if t.Kind() == colstore.KindText {
		word = 4
	}
	kernel.Swap(cell, word)
	return colstore.RawColumn(t, c.Rows(), 0, unsafe.Pointer(unsafe.SliceData(cell)))
}
