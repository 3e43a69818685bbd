package root

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/meta"
	"github.com/colstore/colstore-go/source/format"
)

// A builder collects the inputs and outputs of a source.
type builder struct {
	s      *source
	named  bool // the columns are not just all
	types  map[string]colstore.DType
	fields []colstore.Field
	at     map[*meta.Branch]int // of inputs
}

// add adds the columns that are read for a name: that of a column, or of a part that one becomes.
func (b *builder) add(ctx context.Context, name string) error {
	f := b.s.f
	at := f.byName[name]
	c, part, isPart := f.partOf(name)
	switch {
	case at == nil && !isPart:
		return colstore.NoColumn(name, f.Names())
	case at == nil:
		return b.column(ctx, c, part)
	case isPart:
		n, err := f.width(ctx, c)
		if err != nil {
			return err
		}
		if part < n {
			return fmt.Errorf("%w: %s and %s are both read as a column of this name; rename one where the file is written, or leave lists and arrays out with --jagged skip",
				colstore.ErrDuplicate, f.columns[at[0]].origin(), c.origin())
		}
	}
	for _, i := range at { // of two columns of a name both are added, and the schema refuses them
		if err := b.column(ctx, &f.columns[i], allParts); err != nil {
			return err
		}
	}
	return nil
}

// origin names a column by what it holds, for messages.
func (c *column) origin() string {
	switch c.form {
	case formList:
		return fmt.Sprintf("the list %q", c.name)
	case formArray:
		return fmt.Sprintf("the array %q", c.name)
	}
	return fmt.Sprintf("column %q", c.name)
}

// alike returns the error for several fields of one name.
func (b *builder) alike(name string) error {
	if len(b.s.f.byName[name]) > 1 {
		return fmt.Errorf("%w: two leaves have this name; read others with --columns", colstore.ErrDuplicate)
	}
	return fmt.Errorf("%w: it is asked for twice", colstore.ErrDuplicate)
}

// What is asked for of a column that becomes several, unless it is one of its values by number.
const (
	allParts  = -1
	countPart = -2
)

// partOf returns the column that a name is a part of: x_0 and x_n of x.
func (f *file) partOf(name string) (c *column, part int, ok bool) {
	cut := strings.LastIndexByte(name, '_')
	if cut < 0 {
		return nil, 0, false
	}
	c = f.column(name[:cut])
	if c == nil || c.form != formArray && c.form != formList || !f.isRead(c, false) {
		return nil, 0, false
	}
	if name[cut:] == format.CountSuffix {
		return c, countPart, c.form == formList
	}
	part, err := strconv.Atoi(name[cut+1:])
	return c, part, err == nil && part >= 0 && strconv.Itoa(part) == name[cut+1:]
}

// column adds what one column becomes, or of that only a part.
func (b *builder) column(ctx context.Context, c *column, part int) error {
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
	field := func(name string, o output) {
		o.input = input
		b.fields = append(b.fields, colstore.Field{Name: name, Type: o.typ})
		b.s.outputs = append(b.s.outputs, o)
	}
	switch c.form {
	case formSingle:
		field(c.name, output{typ: c.typ, offset: c.offset})
		return nil
	case formText:
		t, err := b.text(ctx, c, &b.s.inputs[input])
		if err == nil {
			field(c.name, output{typ: t, isText: true})
		}
		return err
	}
	n, err := f.width(ctx, c)
	if err != nil {
		return err
	}
	if part >= n {
		return colstore.NoColumn(partName(c, part), f.Names())
	}
	var missing []byte
	if c.form == formList {
		missing = make([]byte, c.typ.Size())
		swap(missing, format.Missing(c.typ).Cell().At(0), c.typ)
	}
	for i := range n {
		switch {
		case part != allParts && part != i:
		case c.form == formList:
			field(partName(c, i), output{typ: c.typ, offset: i, missing: missing})
		default:
			field(partName(c, i), output{typ: c.typ, offset: c.offset + i*c.typ.Size()})
		}
	}
	if c.form == formList && (part == allParts || part == countPart) {
		field(c.name+format.CountSuffix, output{typ: colstore.Int64, counts: true})
	}
	return nil
}

func partName(c *column, i int) string { return c.name + "_" + strconv.Itoa(i) }

// input returns the number of the input of a column's branch.
func (b *builder) input(c *column) (int, error) {
	if i, ok := b.at[c.branch]; ok {
		return i, nil
	}
	in, err := b.s.f.newInput(c)
	if err != nil {
		return 0, err
	}
	b.at[c.branch] = len(b.s.inputs)
	b.s.inputs = append(b.s.inputs, in)
	return b.at[c.branch], nil
}
