package arrow

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/fault"
)

// A Decoder turns rows of one record into batches.
type Decoder struct {
	plan   *Plan
	rec    arrow.Record
	first  int64 // the global number of row 0
	values []*columnar.Values
}

// Decoder returns the decoder of a record of the plan's Arrow schema, whose row 0 is row first of all. need lists the
// columns of the plan's schema that batches are asked for; nil is all.
//
// Errors: colstore.ErrMismatch for a record of another schema, colstore.ErrFormat for buffers that are too short.
func (p *Plan) Decoder(rec arrow.Record, first int64, need []int) (*Decoder, error) {
	if err := p.fits(rec.Schema()); err != nil {
		return nil, err
	}
	d := &Decoder{plan: p, rec: rec, first: first, values: make([]*columnar.Values, len(p.plan.Inputs))}
	err := fault.Guard(func() (err error) {
		for i := range p.plan.Inputs {
			in := &p.plan.Inputs[i]
			if need != nil && !p.needs(need, i) {
				continue
			}
			if d.values[i], err = columnar.NewValues(&in.Column, arrayOf(rec.Column(in.Place).Data()), int(rec.NumRows())); err != nil {
				return d.failed(in, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (p *Plan) needs(outputs []int, input int) bool {
	for _, o := range outputs {
		if p.plan.Outputs[o].Input == input {
			return true
		}
	}
	return false
}

// fits checks that a record has the fields of the plan's schema; metadata do not count.
func (p *Plan) fits(s *arrow.Schema) error {
	if s == p.arrow {
		return nil
	}
	if s.NumFields() != p.arrow.NumFields() {
		return failed("", fmt.Errorf("%w: a record of %d columns, the first has %d", colstore.ErrMismatch, s.NumFields(), p.arrow.NumFields()))
	}
	for i, f := range s.Fields() {
		if want := p.arrow.Field(i); f.Name != want.Name || !arrow.TypeEqual(f.Type, want.Type) {
			return failed(f.Name, fmt.Errorf("%w: column %d of a record is %s, the schema has %q %s", colstore.ErrMismatch, i, f.Type, want.Name, want.Type))
		}
	}
	return nil
}

// Rows returns the number of rows of the record.
func (d *Decoder) Rows() int { return int(d.rec.NumRows()) }

// failed returns the error with its column, and its global row if it has one.
func (d *Decoder) failed(in *columnar.Input, err error) error {
	return words.Failed(in.Name, d.first, err)
}

// Batch returns columns of the plan's schema for rows begin to end. s is the schema of those columns.
//
// Memory: values of the same bytes are views of the record, which the batch holds; copies come from mem, or from the Go
// heap if that is nil.
// Errors: colstore.ErrNull for a null that the policy refuses; colstore.ErrValue for a value that the dtype cannot hold;
// colstore.ErrFormat for one that lies outside its buffer, each naming column and row; colstore.ErrBudget when mem has no
// room.
func (d *Decoder) Batch(s *colstore.Schema, columns []int, begin, end int, mem colstore.Allocator) (*colstore.Batch, error) {
	taken := &buffers{mem: mem}
	out := make([]colstore.Column, len(columns))
	done := map[int]colstore.Column{} // of inputs
	err := fault.Guard(func() (err error) {
		for i, c := range columns {
			o := d.plan.plan.Outputs[c]
			in, v := &d.plan.plan.Inputs[o.Input], d.values[o.Input]
			if o.Mask {
				out[i], err = mask(v, begin, end, taken)
			} else if col, ok := done[o.Input]; ok {
				out[i] = col
			} else {
				out[i], err = column(in, v, begin, end, taken)
				done[o.Input] = out[i]
			}
			if err != nil {
				return d.failed(in, err)
			}
		}
		return nil
	})
	if err != nil {
		taken.release()
		return nil, err
	}
	d.rec.Retain()
	release := func() {
		taken.release()
		d.rec.Release()
	}
	b, err := colstore.NewOwnedBatch(s, colstore.Range{Begin: d.first + int64(begin), End: d.first + int64(end)}, release, out...)
	if err != nil {
		release()
	}
	return b, err
}

// column returns the values of an input.
func column(in *columnar.Input, v *columnar.Values, begin, end int, taken *buffers) (colstore.Column, error) {
	if c, ok := v.View(in, begin, end); ok {
		return c, nil
	}
	n, t := end-begin, in.DType()
	switch nulls := v.Nulls(begin, end); {
	case n == 0:
		return colstore.RawColumn(t, 0, t.Size(), nil), nil
	case nulls == n && in.Fill().Valid():
		return in.Fill().Column(n), nil
	}
	dst, err := taken.get(n, t.Size())
	if err != nil {
		return colstore.Column{}, err
	}
	if err := v.Put(dst, in, begin, end); err != nil {
		return colstore.Column{}, err
	}
	return colstore.NewColumn(t, n, dst)
}

// mask returns which rows have a value.
func mask(v *columnar.Values, begin, end int, taken *buffers) (colstore.Column, error) {
	dst, err := taken.get(end-begin, 1)
	if err != nil {
		return colstore.Column{}, err
	}
	v.Mask(dst, begin)
	return colstore.NewColumn(colstore.Bool, end-begin, dst)
}

// buffers are the memory of a batch's copies.
type buffers struct {
	mem colstore.Allocator
	all [][]byte
}

// most is the largest copy of a column, larger than any memory: text of one long value has its width in every row.
const most = 1 << 40

// get returns room for n values.
func (b *buffers) get(n, size int) ([]byte, error) {
	if n > most/size {
		return nil, fmt.Errorf("%w: %d rows of %d bytes", colstore.ErrBudget, n, size)
	}
	if b.mem == nil || n == 0 {
		return make([]byte, n*size), nil
	}
	data := b.mem.Get(n * size)
	if data == nil {
		return nil, fmt.Errorf("%w: a batch of %d rows", colstore.ErrBudget, n)
	}
	b.all = append(b.all, data)
	return data, nil
}

func (b *buffers) release() {
	for _, data := range b.all {
		b.mem.Put(data)
	}
	b.all = nil
}
