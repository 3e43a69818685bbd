package arrow

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/columnar"
	"github.com/colstore/colstore-go/internal/fault"
)

// Options say how records become batches. The zero value takes all columns and refuses nulls.
type Options = columnar.Options

// A Plan says how the columns of records of one Arrow schema become columns. It is immutable.
type Plan struct {
	arrow *arrow.Schema
	plan  *columnar.Plan
}

var words = columnar.Words{
	Op: opRead, Table: "record", Columns: "Options.Columns", Types: "Options.Types",
	Null: func(column string, row colstore.Pos) error {
		return &colstore.Error{Op: opRead, Column: column, Row: row, Err: fmt.Errorf(
			"%w: a batch has none; choose what it becomes with Options.Nulls: fill, mask, or a value in Values[%s]",
			colstore.ErrNull, strconv.Quote(column))}
	},
}

// PlanRecord returns the plan for one record, whose values settle what its schema leaves open: the width of text, and
// which columns have nulls or nothing else.
//
// Errors: colstore.ErrNoColumn, colstore.ErrDuplicate; colstore.ErrType for a column without a dtype;
// colstore.ErrMismatch for a dtype in o.Types that the column cannot be read as; colstore.ErrFormat for buffers that are
// too short.
func PlanRecord(rec arrow.Record, o *Options) (*Plan, error) {
	return newPlan(rec.Schema(), o, func(c *columnar.Column, width bool) (f columnar.Facts, err error) {
		err = fault.Guard(func() error {
			rows := int(rec.NumRows())
			v, err := columnar.NewValues(c, arrayOf(rec.Column(c.Place).Data()), rows)
			if err != nil {
				return err
			}
			nulls := v.Nulls(0, rows)
			f = columnar.Facts{Rows: int64(rows), Nulls: int64(nulls)}
			if width && nulls < rows {
				f.Width, err = v.Width(c, 0)
			}
			return err
		})
		return f, err
	})
}

// PlanSchema returns the plan for records of a schema that are still to come. Text needs a width, from o.Types or from the
// schema's metadata. With masks every nullable column gets one.
//
// Errors: those of [PlanRecord], colstore.ErrType for text without a width.
func PlanSchema(s *arrow.Schema, o *Options) (*Plan, error) { return newPlan(s, o, nil) }

func newPlan(s *arrow.Schema, o *Options, look columnar.Look) (*Plan, error) {
	if o == nil {
		o = &Options{}
	}
	if !s.IsNativeEndian() {
		return nil, failed("", fmt.Errorf("%w: the record is of the other byte order; swap it first, as the IPC readers do", colstore.ErrType))
	}
	names := make([]string, s.NumFields())
	for i, f := range s.Fields() {
		names[i] = f.Name
	}
	places, err := columnar.Resolve(names, o, words)
	if err != nil {
		return nil, err
	}
	meta := s.Metadata()
	columns := make([]columnar.Column, len(places))
	for i, p := range places {
		f := s.Field(p)
		code, _ := meta.GetValue(columnar.DTypeKey + f.Name)
		columns[i] = columnar.NewColumn(p, f.Name, describe(f.Type), f.Nullable, code)
	}
	p, err := columnar.NewPlan(columns, o, words, look)
	if err != nil {
		return nil, err
	}
	return &Plan{arrow: s, plan: p}, nil
}

// Schema returns the schema of the batches.
func (p *Plan) Schema() *colstore.Schema { return p.plan.Schema }

func failed(column string, err error) error { return words.Failed(column, 0, err) }

// arrayOf shows the buffers of an array. It looks at the array's data alone: the arrays of a record that several goroutines
// share make their parts when they are asked for them.
func arrayOf(d arrow.ArrayData) *columnar.Array {
	a := &columnar.Array{Rows: d.Len(), Offset: d.Offset()}
	for _, b := range d.Buffers() {
		var data []byte
		if b != nil {
			data = b.Bytes()
		}
		a.Buffers = append(a.Buffers, data)
	}
	if _, ok := storage(d.DataType()).(*arrow.DictionaryType); ok {
		a.Dictionary = arrayOf(d.Dictionary())
	}
	return a
}

// storage returns what an extension type is stored as, and every other type.
func storage(t arrow.DataType) arrow.DataType {
	for {
		x, ok := t.(arrow.ExtensionType)
		if !ok {
			return t
		}
		t = x.StorageType()
	}
}
