package columnar

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// Options say how a table becomes batches. The zero value takes all columns and refuses nulls.
type Options struct {
	Columns []string
	Types   map[string]colstore.DType
	Nulls   format.Nulls
}

// Words are what messages call things.
type Words struct {
	Op      string // what is being done
	Path    string // the file; empty for what is in memory
	Table   string // what the columns are of: "record", "file"
	Columns string // what leaves a column out: "Options.Columns"
	Types   string // what gives a width: "Options.Types"
	// Null returns the error for a null that the policy refuses.
	Null func(column string, row colstore.Pos) error
}

// Failed returns the error with what was being done and, unless it has them, its column and row. first is the number of
// row 0 of what a BadValue counts in.
func (w *Words) Failed(column string, first int64, err error) error {
	if b, ok := errors.AsType[*BadValue](err); ok {
		row := colstore.At(first + int64(b.At))
		if errors.Is(b.Err, colstore.ErrNull) {
			return w.Null(column, row)
		}
		return &colstore.Error{Op: w.Op, Path: w.Path, Column: column, Row: row, Err: b.Err}
	}
	if e, ok := errors.AsType[*colstore.Error](err); ok {
		if e.Op == "" {
			e.Op = w.Op
		}
		if e.Path == "" {
			e.Path = w.Path
		}
		if e.Column == "" {
			e.Column = column
		}
		return err
	}
	return &colstore.Error{Op: w.Op, Path: w.Path, Column: column, Err: err}
}

// A Plan says how the columns of a table become a schema. It is immutable.
type Plan struct {
	Schema  *colstore.Schema
	Inputs  []Input
	Outputs []Output // a field of Schema each
	Words   Words
}

// An Input is a column as it is read.
type Input struct {
	Column
	// Freedom says which other dtypes the column could have been given.
	Freedom format.Freedom
	fill    colstore.Scalar // the value of a null; invalid where a null is an error
	absent  bool            // no row had a value when the plan was made
}

// DType returns what the column is read as.
func (in *Input) DType() colstore.DType { return in.typ }

// Fill returns what a null becomes; invalid where it is an error.
func (in *Input) Fill() colstore.Scalar { return in.fill }

// An Output is a column of the batches: the values of an input, or which of them are there.
type Output struct {
	Input int
	Mask  bool
}

// Facts are what the rows of a column tell.
type Facts struct {
	Rows, Nulls int64
	Width       int // characters of the longest value
}

// A Look finds out about the rows of a column, with the width of its values if wanted.
type Look func(c *Column, width bool) (Facts, error)

// NewPlan returns the plan for columns of a table. If look is nil, the rows are still to come: text needs a width, from
// o.Types or from its column's code, and with masks every nullable column gets one.
//
// Errors: colstore.ErrDuplicate for a mask whose name is taken; colstore.ErrType for a column without a dtype;
// colstore.ErrMismatch for a dtype in o.Types that the column cannot be read as; those of look. Each names its column.
func NewPlan(columns []Column, o *Options, words Words, look Look) (*Plan, error) {
	p := &Plan{Words: words}
	var fields []colstore.Field
	for _, c := range columns {
		x := choice{o: o, words: &words, in: Input{Column: c}, declared: o.Types[c.Name]}
		if err := x.settle(look); err != nil {
			return nil, words.Failed(c.Name, 0, err)
		}
		p.Inputs = append(p.Inputs, x.in)
		at := len(p.Inputs) - 1
		p.Outputs = append(p.Outputs, Output{at, false})
		fields = append(fields, colstore.Field{Name: c.Name, Type: x.in.typ})
		if x.masked {
			p.Outputs = append(p.Outputs, Output{at, true})
			fields = append(fields, colstore.Field{Name: c.Name + format.MaskSuffix, Type: colstore.Bool})
		}
	}
	var err error
	if p.Schema, err = colstore.NewSchema(fields...); err != nil {
		if e, ok := errors.AsType[*colstore.Error](err); ok && errors.Is(err, colstore.ErrDuplicate) {
			e.Err = fmt.Errorf("%w: the mask of another column's nulls would have this name; rename it or leave it out", colstore.ErrDuplicate)
		}
		return nil, words.Failed("", 0, err)
	}
	return p, nil
}

// Resolve returns the places of the columns that are asked for, in a table of columns of these names.
//
// Errors: colstore.ErrNoColumn for a name in o that the table does not have, colstore.ErrDuplicate for one that it has
// several times.
func Resolve(names []string, o *Options, words Words) ([]int, error) {
	wanted := o.Columns
	if wanted == nil {
		wanted = names
	}
	places := make(map[string]int, len(names))
	twice := map[string]bool{}
	for i, n := range names {
		if _, ok := places[n]; ok {
			twice[n] = true
		}
		places[n] = i
	}
	given := slices.Concat(slices.Sorted(maps.Keys(o.Types)), slices.Sorted(maps.Keys(o.Nulls.Values)))
	for _, n := range slices.Concat(wanted, given) {
		if _, ok := places[n]; !ok {
			return nil, words.Failed("", 0, colstore.NoColumn(n, names))
		}
		if twice[n] {
			return nil, words.Failed(n, 0, fmt.Errorf("%w: the %s has several columns of this name; rename them or leave them out with %s",
				colstore.ErrDuplicate, words.Table, words.Columns))
		}
	}
	out := make([]int, len(wanted))
	for i, n := range wanted {
		out[i] = places[n]
	}
	return out, nil
}
