package arrow

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/fault"
)

// A Decoder turns rows of one record into batches.
type Decoder struct {
	plan   *Plan
	rec    arrow.Record
	first  int64 // the global number of row 0
	values []*values
}

// Decoder returns the decoder of a record of the plan's Arrow schema, whose row 0 is row first of all. need lists the
// columns of the plan's schema that batches are asked for; nil is all.
//
// Errors: colstore.ErrMismatch for a record of another schema, colstore.ErrFormat for buffers that are too short.
func (p *Plan) Decoder(rec arrow.Record, first int64, need []int) (*Decoder, error) {
	if err := p.fits(rec.Schema()); err != nil {
		return nil, err
	}
	d := &Decoder{plan: p, rec: rec, first: first, values: make([]*values, len(p.inputs))}
	err := fault.Guard(func() (err error) {
		for i := range p.inputs {
			in := &p.inputs[i]
			if need != nil && !p.needs(need, i) {
				continue
			}
			if d.values[i], err = newValues(&in.column, rec.Column(in.field).Data(), int(rec.NumRows())); err != nil {
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
		if p.outputs[o].input == input {
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
func (d *Decoder) failed(in *input, err error) error {
	if b, ok := errors.AsType[*badValue](err); ok {
		b.at += int(d.first)
	}
	return failed(in.name, err)
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
			o := d.plan.outputs[c]
			in, v := &d.plan.inputs[o.input], d.values[o.input]
			if o.mask {
				out[i], err = v.mask(begin, end, taken)
			} else if col, ok := done[o.input]; ok {
				out[i] = col
			} else {
				out[i], err = d.column(in, v, begin, end, taken)
				done[o.input] = out[i]
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
func (d *Decoder) column(in *input, v *values, begin, end int, taken *buffers) (colstore.Column, error) {
	n := end - begin
	nulls := v.nulls(begin, end)
	switch {
	case nulls > 0 && !in.fill.Valid():
		return colstore.Column{}, nullFound(in.name, d.first+int64(v.valid.firstClear(begin, end)))
	case nulls > 0 && nulls == n:
		return in.fill.Column(n), nil
	case n == 0:
		return colstore.RawColumn(in.typ, 0, in.typ.Size(), nil), nil
	}
	size := in.typ.Size()
	if in.form == formCopy && v.where == nil && nulls == 0 {
		return colstore.NewColumn(in.typ, n, v.fixed[begin*size:end*size])
	}
	dst, err := taken.get(n, size)
	if err != nil {
		return colstore.Column{}, err
	}
	if v.where == nil && !in.isLong() {
		v.dense(dst, &in.column, begin, end)
	} else if err := v.chunks(begin, end, func(at int, places []int) error {
		return v.put(dst[(at-begin)*size:(at-begin+len(places))*size], &in.column, places, at)
	}); err != nil {
		return colstore.Column{}, err
	}
	if nulls > 0 {
		fill := in.fill.Cell().At(0)
		for i := range n {
			if !v.valid.has(begin + i) {
				copy(dst[i*size:(i+1)*size], fill)
			}
		}
	}
	return colstore.NewColumn(in.typ, n, dst)
}

// dense writes the values of rows begin to end, of a fixed width and of no dictionary; those of nulls are any.
func (v *values) dense(dst []byte, c *column, begin, end int) {
	switch c.form {
	case formBool:
		v.bools.unpack(dst, begin)
	case formDate:
		out := as[int64](dst)
		for i, day := range as[int32](v.fixed)[begin:end] {
			out[i] = int64(day)
		}
	default:
		size := c.typ.Size()
		copy(dst, v.fixed[begin*size:end*size])
	}
}

// put writes the values of some rows from their places; those of nulls are any.
func (v *values) put(dst []byte, c *column, places []int, begin int) error {
	switch c.form {
	case formBool:
		for i, p := range places {
			dst[i] = 0
			if v.bools.has(p) {
				dst[i] = 1
			}
		}
	case formDate:
		days, out := as[int32](v.fixed), as[int64](dst)
		for i, p := range places {
			out[i] = int64(days[p])
		}
	case formCopy:
		size := c.typ.Size()
		for i, p := range places {
			copy(dst[i*size:(i+1)*size], v.fixed[p*size:(p+1)*size])
		}
	default:
		return v.long.put(dst, c.typ, places, v.valid, begin)
	}
	return nil
}

// mask returns which rows have a value.
func (v *values) mask(begin, end int, taken *buffers) (colstore.Column, error) {
	dst, err := taken.get(end-begin, 1)
	if err != nil {
		return colstore.Column{}, err
	}
	v.valid.unpack(dst, begin)
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
