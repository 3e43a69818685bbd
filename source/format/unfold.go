package format

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

// Nested is a file that may have columns whose rows hold several values, and reads them as [OpenRequest.Jagged] says.
// How many columns a list becomes is decided for all files that are read as one table: the longest row of any.
type Nested interface {
	// Skipped returns the columns that the policy leaves out, in stored order. They are not among the file's Names.
	Skipped() []string
	// Longest returns how many values the longest row has of the lists that the named columns may be made of; nil is all
	// lists. It reads how long rows are, and no values. Policies other than JaggedExplode need none, and get none.
	Longest(ctx context.Context, columns []string) (map[string]int64, error)
	// Unfold tells what [Nested.Longest] found in all files. From then on Names has the columns that lists become in their
	// place, and Source reads them. Lists without a length stay what they are: asking for one is an error.
	//
	// Errors: colstore.ErrValue for more columns than a list may become.
	Unfold(longest map[string]int64) error
	// Parts returns the columns that a list, array or structure of that name becomes, in order; nil for any other name.
	Parts(name string) []string
}

// FieldKind says what the rows of a stored column hold.
type FieldKind uint8

// The kinds.
const (
	FieldPlain  FieldKind = iota // one value
	FieldList                    // any number of values
	FieldArray                   // as many values as the type says
	FieldStruct                  // values with names of their own
	FieldOther                   // what no policy makes columns of: maps, unions, lists of lists
)

// A Field is a stored column, as far as [Unfold] asks, or a part of a structure.
type Field struct {
	Name   string
	Kind   FieldKind
	Length int64 // of a FieldArray
	Leaf   int   // the format's number for it, unless it is a FieldStruct
	Parts  []Field
}

// What a column is of the values of a row, unless it is one of them by its place.
const (
	UnfoldedWhole = -1 - iota // all there is
	UnfoldedCount             // how many values there are
)

// An UnfoldedColumn is what one field became, or one of several columns that it became.
type UnfoldedColumn struct {
	Name  string
	Of    string // the field, by its dotted name
	Field *Field
	At    int // the place among the values of a row, or UnfoldedWhole, or UnfoldedCount
	part  bool
}

// Unfolded are the columns that a policy makes of the fields of a file.
type Unfolded struct {
	Columns []UnfoldedColumn
	Skipped []string // fields that are left out
	parts   map[string][]string
	at      map[string][]int
}

// Unfold applies a policy to the fields of a file. longest has the lengths of lists by their names; a list that it does not
// have stays one column, of which nothing can be read.
//
// Errors: colstore.ErrValue for more columns than a list may become, naming it.
func Unfold(fields []Field, j Jagged, longest map[string]int64) (*Unfolded, error) {
	u := &Unfolded{parts: map[string][]string{}, at: map[string][]int{}}
	for i := range fields {
		f := &fields[i]
		if j.Mode == JaggedSkip && f.Kind != FieldPlain {
			u.Skipped = append(u.Skipped, f.Name)
			continue
		}
		if err := u.add(f, f.Name, j, longest); err != nil {
			return nil, err
		}
	}
	for i, c := range u.Columns {
		u.at[c.Name] = append(u.at[c.Name], i)
	}
	return u, nil
}

// maxUnfolded is how many columns a file may have where one more list is unfolded.
const maxUnfolded = 1 << 18

// add adds the columns that a field becomes. name is its dotted name.
func (u *Unfolded) add(f *Field, name string, j Jagged, longest map[string]int64) error {
	before := len(u.Columns)
	one := func(suffix string, at int) {
		u.Columns = append(u.Columns, UnfoldedColumn{name + suffix, name, f, at, name != f.Name})
	}
	many := func(n int) {
		for i := range n {
			one("_"+strconv.Itoa(i), i)
		}
	}
	unfolds := j.Unfolds()
	if unfolds && f.Kind != FieldPlain && before > maxUnfolded {
		return &colstore.Error{Column: name, Err: fmt.Errorf("%w: lists and arrays before this one become %d columns, the limit is %d; keep fewer values with pad=N",
			colstore.ErrValue, before, maxUnfolded)}
	}
	n, known := longest[name]
	switch {
	case unfolds && f.Kind == FieldStruct:
		for i := range f.Parts {
			if err := u.add(&f.Parts[i], name+"."+f.Parts[i].Name, j, longest); err != nil {
				return err
			}
		}
	case unfolds && f.Kind == FieldArray && f.Length <= MaxJagged:
		many(int(f.Length))
	case unfolds && f.Kind == FieldList && (known || j.Mode == JaggedPad):
		columns, err := j.Columns(n)
		if err != nil {
			return &colstore.Error{Column: name, Err: err}
		}
		many(columns)
		one(CountSuffix, UnfoldedCount)
	default:
		one("", UnfoldedWhole)
		return nil
	}
	for _, c := range u.Columns[before:] {
		u.parts[name] = append(u.parts[name], c.Name)
	}
	return nil
}

// Names returns the names of the columns.
func (u *Unfolded) Names() []string {
	out := make([]string, len(u.Columns))
	for i, c := range u.Columns {
		out[i] = c.Name
	}
	return out
}

// Parts returns the columns that a field became if they are several, or have another name.
func (u *Unfolded) Parts(name string) []string { return u.parts[name] }

// Find returns the column of a name.
//
// Errors: colstore.ErrNoColumn; colstore.ErrDuplicate, naming the fields, for a name that several columns have.
func (u *Unfolded) Find(name string) (*UnfoldedColumn, error) {
	switch at := u.at[name]; len(at) {
	case 0:
		return nil, colstore.NoColumn(name, u.Names())
	case 1:
		return &u.Columns[at[0]], nil
	default:
		a, b := &u.Columns[at[0]], &u.Columns[at[1]]
		if a.Of == b.Of && a.part == b.part {
			return nil, &colstore.Error{Column: name, Err: fmt.Errorf("%w: the file has %d columns of this name; rename them where the file is written",
				colstore.ErrDuplicate, len(at))}
		}
		return nil, &colstore.Error{Column: name, Err: fmt.Errorf("%w: %s and %s are both read as a column of this name; rename one where the file is written",
			colstore.ErrDuplicate, a.origin(), b.origin())}
	}
}

var fieldKinds = [...]string{FieldPlain: "column", FieldList: "the list", FieldArray: "the array", FieldStruct: "the structure", FieldOther: "column"}

func (c *UnfoldedColumn) origin() string {
	if c.part && c.Field.Kind == FieldPlain {
		return fmt.Sprintf("the part %q of a structure", c.Of)
	}
	return fmt.Sprintf("%s %q", fieldKinds[c.Field.Kind], c.Of)
}

// Lists returns the lists that columns of these names may be made of, by their dotted names; nil is all lists.
func Lists(fields []Field, columns []string) map[string]*Field {
	out := map[string]*Field{}
	var look func(fields []Field, prefix string)
	look = func(fields []Field, prefix string) {
		for i := range fields {
			f := &fields[i]
			name := prefix + f.Name
			if f.Kind == FieldStruct {
				look(f.Parts, name+".")
			}
			if f.Kind == FieldList && (columns == nil || slices.ContainsFunc(columns, func(c string) bool { return isOf(c, name) })) {
				out[name] = f
			}
		}
	}
	look(fields, "")
	return out
}

// isOf reports whether a column may be made of a list, or stands for it.
func isOf(column, list string) bool {
	return column == list || strings.HasPrefix(column, list+"_") || strings.HasPrefix(list, column+".")
}

// NotNested returns the error for asking for a column whose rows hold several values. what is its type.
func NotNested(what string, kind FieldKind, j Jagged) error {
	remedy := "choose with --jagged skip, explode or pad=N what becomes of it, or leave it out with --columns"
	switch {
	case kind == FieldArray && j.Unfolds():
		remedy = fmt.Sprintf("an array becomes at most %d columns, so leave it out with --columns, or all nested ones with --jagged skip", MaxJagged)
	case kind == FieldOther && j.Unfolds():
		remedy = "no columns are made of it either, so leave it out with --columns, or all nested ones with --jagged skip"
	case kind == FieldOther:
		remedy = "leave it out with --jagged skip or --columns"
	}
	return fmt.Errorf("%w: it holds nested values (%s), and a column has one value a row; %s", colstore.ErrType, what, remedy)
}
