package source

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
	"github.com/colstore/colstore-go/kernel"
	"github.com/colstore/colstore-go/source/format"
)

// unionOf returns every column of any part, in the order they first appear; text and bytes are as wide as the widest.
func unionOf(parts []Part) (*colstore.Schema, error) {
	var fields []colstore.Field
	index := map[string]int{}
	from := map[string]string{}
	for _, p := range parts {
		for _, f := range p.Source.Schema().All() {
			i, there := index[f.Name]
			if !there {
				index[f.Name], from[f.Name] = len(fields), p.Name
				fields = append(fields, f)
				continue
			}
			t, ok := widest(fields[i].Type, f.Type)
			if !ok {
				return nil, &colstore.Error{Op: "open", Path: p.Name, Column: f.Name, Err: fmt.Errorf(
					"%w: it is %s, in %s it is %s; cast it in one of them first", colstore.ErrMismatch, f.Type, from[f.Name], fields[i].Type)}
			}
			fields[i].Type = t
		}
	}
	return colstore.NewSchema(fields...)
}

// widest returns the dtype that holds the values of both: the same, or the wider text.
func widest(a, b colstore.DType) (colstore.DType, bool) {
	switch {
	case a == b:
		return a, true
	case a.IsString() && a.Kind() == b.Kind() && a.Size() >= b.Size():
		return a.Native(), true
	case a.IsString() && a.Kind() == b.Kind():
		return b.Native(), true
	}
	return a, false
}

// united shows a source with the columns of a union: those it has not are missing in every row, text is padded.
type united struct {
	colstore.Source
	schema *colstore.Schema
	masks  bool // a file without a null has no mask of the column, and all of its values are there
}

// unite returns src with the columns of a union, which has all of its own.
func unite(src colstore.Source, s *colstore.Schema, masks bool) colstore.Source {
	if src.Schema().Equal(s) {
		return src
	}
	return &united{src, s, masks}
}

func (u *united) Schema() *colstore.Schema { return u.schema }

// own returns which of columns the source has.
func (u *united) own(columns []string) []string {
	out := []string{}
	for _, n := range columns {
		if _, ok := u.Source.Schema().Index(n); ok {
			out = append(out, n)
		}
	}
	return out
}

// Splits are the source's.
func (u *united) Splits(rows int) []colstore.Range {
	if s, ok := u.Source.(colstore.Splitter); ok {
		return s.Splits(rows)
	}
	return []colstore.Range{{Begin: 0, End: u.Rows()}}
}

// Cost is the source's, and the text that is padded.
func (u *united) Cost(columns []string) colstore.Cost {
	if columns == nil {
		columns = u.schema.Names()
	}
	var c colstore.Cost
	if k, ok := u.Source.(colstore.Coster); ok {
		c = k.Cost(u.own(columns))
	}
	for _, n := range u.own(columns) {
		if t := typeOf(u, n); t != typeOf(u.Source, n) {
			c.Row += t.Size()
		}
	}
	return c
}

// Warnings are the source's.
func (u *united) Warnings() []string {
	if w, ok := u.Source.(colstore.Warner); ok {
		return w.Warnings()
	}
	return nil
}

// Map shows the columns where none has to be padded.
func (u *united) Map(columns []string) ([]*colstore.Batch, error) {
	if columns == nil {
		columns = u.schema.Names()
	}
	schema, err := u.schema.Select(columns...)
	if err != nil {
		return nil, err
	}
	own := u.own(columns)
	for _, n := range own {
		if typeOf(u, n) != typeOf(u.Source, n) {
			return nil, &colstore.Error{Column: n, Err: fmt.Errorf("%w: the text is padded", colstore.ErrNotViewable)}
		}
	}
	m, ok := u.Source.(colstore.Mapper)
	if !ok {
		return nil, colstore.ErrNotViewable
	}
	parts, err := m.Map(own)
	if err != nil {
		return nil, err
	}
	defer func() { // the widened ones hold them
		for _, b := range parts {
			b.Release()
		}
	}()
	out := make([]*colstore.Batch, 0, len(parts))
	for _, b := range parts {
		w, err := u.widen(schema, b, nil)
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

// Scan yields the source's batches with the columns of the union.
func (u *united) Scan(ctx context.Context, s colstore.Scan) iter.Seq2[*colstore.Batch, error] {
	return func(yield func(*colstore.Batch, error) bool) {
		if s.Columns == nil {
			s.Columns = u.schema.Names()
		}
		schema, err := u.schema.Select(s.Columns...)
		if err != nil {
			yield(nil, err)
			return
		}
		inner := s
		inner.Columns = u.own(s.Columns)
		for b, err := range u.Source.Scan(ctx, inner) {
			if err == nil {
				err = fault.Guard(func() error {
					b, err = u.widen(schema, b, s.Mem)
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

// widen returns the rows of a batch with the columns of a schema. The result holds the batch.
func (u *united) widen(s *colstore.Schema, b *colstore.Batch, mem colstore.Allocator) (*colstore.Batch, error) {
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
		c, err := b.Column(f.Name)
		switch {
		case err != nil:
			cols[i] = u.absent(f).Column(b.Rows())
			if f.Type.BigEndian() {
				cols[i] = swappedCell(f.Type, cols[i])
			}
		case c.Type() == f.Type:
			cols[i] = c
		default:
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
			pad(dst, f.Type.Size(), c)
			cols[i] = colstore.RawColumn(f.Type, b.Rows(), f.Type.Size(), unsafe.Pointer(unsafe.SliceData(dst)))
		}
	}
	out, err := colstore.NewOwnedBatch(s, colstore.Range{Begin: b.Begin(), End: b.Begin() + int64(b.Rows())}, release, cols...)
	if err != nil {
		release()
	}
	return out, err
}

// absent returns what the rows of the source have in a column that it lacks: the missing value, or true in the mask of a
// column that it has.
func (u *united) absent(f colstore.Field) colstore.Scalar {
	if of, ok := strings.CutSuffix(f.Name, format.MaskSuffix); ok && u.masks && f.Type == colstore.Bool {
		if _, ok := u.Source.Schema().Index(of); ok {
			return colstore.ScalarOf(true)
		}
	}
	return format.Missing(f.Type.Native())
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

// pad copies text into wider cells, in native byte order.
func pad(dst []byte, size int, c colstore.Column) {
	from := c.Type().Size()
	cell := make([]byte, from)
	clear(dst)
	for i := range c.Rows() {
		kernel.Load(cell, c.Slice(i, i+1, 1))
		copy(dst[i*size:], cell)
	}
}
