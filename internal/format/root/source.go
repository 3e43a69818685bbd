package root

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/meta"
	"github.com/colstore/colstore-go/source/format"
)

// A source is some columns of a tree.
type source struct {
	f        *file
	schema   *colstore.Schema
	outputs  []output // of the schema
	inputs   []input
	warnings []string
}

// An input is a branch as it is read.
type input struct {
	branch *branch
	list   *column // the only column of a branch of lists or of strings
	// counter is the branch of the list's counter, nil if there is none.
	counter *branch
	// readers are kept between scans, with their buffers: scans are often short, one a split.
	readers *sync.Pool
}

// An output is where the values of a field of the schema are in an input.
type output struct {
	input  int
	typ    colstore.DType
	offset int  // in an entry; of a list, which value of a row
	counts bool // how many values the rows of a list have
	isText bool
	// missing is what a row of a list that is shorter has, big-endian as the others.
	missing []byte
}

// Select returns which of columns are read and one warning that names the others, by the policy for lists, arrays and
// objects. nil is all columns.
//
// Errors: colstore.ErrType if none is read, or for one that is not where the policy is to refuse it.
func (f *file) Select(columns []string) (kept, warnings []string, err error) {
	named := columns != nil
	if !named {
		columns = f.Names()
	}
	var left []string
	for _, n := range columns {
		if c := f.column(n); c != nil && !f.isRead(c, named) {
			if f.jagged.Mode == format.JaggedError {
				return nil, nil, f.failed("read", n, f.refusal(c))
			}
			left = append(left, n)
		} else {
			kept = append(kept, n)
		}
	}
	if len(left) == 0 {
		return kept, nil, nil
	}
	if len(kept) == 0 {
		return nil, nil, f.failed("read", "", fmt.Errorf("%w: none of the columns is one number a row: %s%s", colstore.ErrType, list(left), f.advice()))
	}
	return kept, []string{fmt.Sprintf("%s: columns that are not one number a row were left out: %s%s", f.path, strings.Join(left, ", "), f.advice())}, nil
}

// advice ends a message about columns that are not read.
func (f *file) advice() string {
	if f.jagged.Mode == format.JaggedExplode || f.jagged.Mode == format.JaggedPad {
		return ""
	}
	return "; --jagged explode makes columns of lists and arrays, and strings are read if --columns names them"
}

// refusal is the error of a column that is not read.
func (f *file) refusal(c *column) error {
	if c.form == formText {
		return fmt.Errorf("%w: it holds strings, which are read if the column is named with --columns", colstore.ErrType)
	}
	return fmt.Errorf("%w: it holds %s, and a column has one value a row; leave it out with --columns%s", colstore.ErrType, c.holds, f.advice())
}

// isRead reports whether the policy reads a column. Strings are read if they are named.
func (f *file) isRead(c *column, named bool) bool {
	switch {
	case c.form == formSingle, c.refused != nil: // which is said when it is read
		return true
	case c.form == formText:
		return named
	case c.form == formOther:
		return false
	}
	return f.jagged.Mode == format.JaggedExplode || f.jagged.Mode == format.JaggedPad
}

// column returns the first column of a name, nil if there is none.
func (f *file) column(name string) *column {
	if i := slices.IndexFunc(f.columns, func(c column) bool { return c.name == name }); i >= 0 {
		return &f.columns[i]
	}
	return nil
}

// Source returns the columns of p. Of lists that are exploded the counters are read here, to find the longest.
func (f *file) Source(ctx context.Context, p format.Projection) (colstore.Source, error) {
	if f.closed.Load() {
		return nil, f.failed("read", "", colstore.ErrClosed)
	}
	names, warnings, err := f.Select(p.Columns)
	if err != nil {
		return nil, err
	}
	s := &source{f: f, warnings: warnings}
	b := &builder{s: s, named: p.Columns != nil, types: p.Types, at: map[*meta.Branch]int{}}
	for _, n := range names {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := guard(func() error { return b.add(ctx, n) }); err != nil {
			if cause := context.Cause(ctx); cause != nil && errors.Is(err, cause) {
				return nil, err
			}
			return nil, f.failed("read", n, err)
		}
	}
	if s.schema, err = colstore.NewSchema(b.fields...); err != nil {
		if e, ok := errors.AsType[*colstore.Error](err); ok && errors.Is(err, colstore.ErrDuplicate) {
			e.Err = fmt.Errorf("%w: two leaves have this name, it is asked for twice, or a list becomes a column of this name; "+
				"name the columns to read with --columns", colstore.ErrDuplicate)
		}
		return nil, f.failed("read", "", err)
	}
	return s, nil
}

// A builder collects the inputs and outputs of a source.
type builder struct {
	s      *source
	named  bool // the columns are not just all
	types  map[string]colstore.DType
	fields []colstore.Field
	at     map[*meta.Branch]int // of inputs
}

// add adds the columns that are read for a name: that of a column, or of a part that one is exploded to.
func (b *builder) add(ctx context.Context, name string) error {
	f := b.s.f
	if i := slices.IndexFunc(f.columns, func(c column) bool { return c.name == name }); i >= 0 {
		// Of two columns of a name both are added, and the schema refuses them.
		for j := range f.columns[i:] {
			if c := &f.columns[i+j]; c.name == name {
				if err := b.column(ctx, c, ""); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if cut := strings.LastIndexByte(name, '_'); cut >= 0 {
		if c := f.column(name[:cut]); c != nil && c.form != formSingle && f.isRead(c, false) {
			return b.column(ctx, c, name)
		}
	}
	return colstore.NoColumn(name, f.Names())
}

// column adds what one column becomes, or of that only the part of a name.
func (b *builder) column(ctx context.Context, c *column, part string) error {
	f := b.s.f
	switch {
	case c.refused != nil:
		return c.refused
	case !f.isRead(c, b.named):
		return f.refusal(c)
	}
	input, err := b.input(c)
	if err != nil {
		return err
	}
	before := len(b.fields)
	field := func(name string, o output) {
		if part == "" || part == name {
			b.fields = append(b.fields, colstore.Field{Name: name, Type: o.typ})
			b.s.outputs = append(b.s.outputs, o)
		}
	}
	switch c.form {
	case formSingle:
		field(c.name, output{input: input, typ: c.typ, offset: c.offset})
	case formArray:
		n, err := format.Jagged{Mode: format.JaggedExplode}.Columns(int64(c.count))
		if err != nil {
			return err
		}
		for i := range n {
			field(partName(c, i), output{input: input, typ: c.typ, offset: c.offset + i*c.typ.Size()})
		}
	case formText:
		t, err := b.text(ctx, c, &b.s.inputs[input])
		if err != nil {
			return err
		}
		field(c.name, output{input: input, typ: t, isText: true})
	default:
		n, err := f.width(ctx, &b.s.inputs[input])
		if err != nil {
			return err
		}
		missing := slices.Clone(format.Missing(c.typ).Cell().At(0))
		swap(missing, slices.Clone(missing), c.typ)
		for i := range n {
			field(partName(c, i), output{input: input, typ: c.typ, offset: i, missing: missing})
		}
		field(c.name+format.CountSuffix, output{input: input, typ: colstore.Int32, counts: true})
	}
	if len(b.fields) == before {
		return colstore.NoColumn(part, f.Names())
	}
	return nil
}

func partName(c *column, i int) string { return c.name + "_" + strconv.Itoa(i) }

// input returns the number of the input of a column's branch.
func (b *builder) input(c *column) (int, error) {
	if i, ok := b.at[c.branch]; ok {
		return i, nil
	}
	in := input{readers: new(sync.Pool)}
	stride := c.stride
	if c.form == formList || c.form == formText {
		stride = 0
		in.list = c
	}
	var err error
	if in.branch, err = b.s.f.newBranch(c.branch, stride); err != nil {
		return 0, err
	}
	if c.form == formList && c.counter != nil {
		if in.counter, err = b.s.f.newBranch(c.counter.branch, c.counter.stride); err != nil {
			return 0, fmt.Errorf("its counter %q: %w", c.counter.name, err)
		}
	}
	b.at[c.branch] = len(b.s.inputs)
	b.s.inputs = append(b.s.inputs, in)
	return b.at[c.branch], nil
}

// width returns how many columns the values of a list become.
func (f *file) width(ctx context.Context, in *input) (int, error) {
	if f.jagged.Mode == format.JaggedPad {
		return f.jagged.Columns(0)
	}
	w := workspaces.Get().(*workspace)
	defer w.giveBack()
	longest := int64(0)
	if in.counter == nil {
		c := in.newList(f)
		for row := int64(0); row < f.rows; {
			if err := context.Cause(ctx); err != nil {
				return 0, err
			}
			_, begin, ends, err := c.next(1<<16, w)
			if err != nil {
				return 0, err
			}
			for _, end := range ends {
				longest, begin = max(longest, (end-begin)/int64(c.size)), end
			}
			row += int64(len(ends))
		}
		return f.jagged.Columns(longest)
	}
	c := counter{cursor: cursor{f: f, b: in.counter}, column: in.list.counter}
	const step = 1 << 13
	for row := int64(0); row < f.rows; row += step {
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		counts, err := c.read(int(min(step, f.rows-row)), w)
		if err != nil {
			return 0, fmt.Errorf("its counter %q: %w", in.list.counter.name, err)
		}
		longest = max(longest, slices.Max(counts))
	}
	return f.jagged.Columns(longest)
}

// newList returns a cursor at the first row of a list's branch.
func (in *input) newList(f *file) *listCursor {
	c := &listCursor{f: f, b: in.branch, size: in.list.typ.Size(), isText: in.list.form == formText}
	if in.counter != nil {
		c.counter = &counter{cursor: cursor{f: f, b: in.counter}, column: in.list.counter}
	}
	return c
}

// Freedom tells that text could have been wider: its width was found in its values.
func (s *source) Freedom(column string) format.Freedom {
	if i, ok := s.schema.Index(column); ok && s.outputs[i].isText {
		return format.Wider
	}
	return format.Fixed
}

// Schema returns the columns as they are read.
func (s *source) Schema() *colstore.Schema { return s.schema }

// Rows returns the number of rows.
func (s *source) Rows() int64 { return s.f.rows }

// Warnings names the columns that were asked for and left out.
func (s *source) Warnings() []string { return s.warnings }

// Close does nothing; the file is closed by its own Close.
func (s *source) Close() error { return nil }
