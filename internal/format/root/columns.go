package root

import (
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/root/meta"
)

// form is what a row of a column holds.
type form uint8

const (
	formOther  form = iota // nothing that is ever a column
	formSingle             // one value
	formArray              // always as many
	formList               // as many as another leaf says
	formText               // a string
)

// A column is a leaf of a branch at the top of the tree, or a branch whose leaves are none.
type column struct {
	name   string
	form   form
	holds  string // what, in words: a plural
	branch *meta.Branch
	typ    colstore.DType // of a value
	count  int            // values a row, of an array
	offset int            // of the leaf's values in an entry
	stride int            // bytes of an entry; of a list, of a value
	// counter tells how many values a row of a list has; nil if that column was not found.
	counter *column
	refused error // what is wrong with the leaf, for those who ask for it
}

// A leafType is how the values of a class of leaves lie in baskets.
type leafType struct{ signed, unsigned colstore.DType }

// leafTypes are the classes whose values are numbers or bools of a fixed size.
var leafTypes = map[string]leafType{
	"TLeafB": {colstore.Int8, colstore.Uint8},
	"TLeafS": {colstore.Int16, colstore.Uint16},
	"TLeafI": {colstore.Int32, colstore.Uint32},
	"TLeafL": {colstore.Int64, colstore.Uint64},
	"TLeafG": {colstore.Int64, colstore.Uint64},
	"TLeafF": {colstore.Float32, colstore.Float32},
	"TLeafD": {colstore.Float64, colstore.Float64},
	"TLeafO": {colstore.Bool, colstore.Bool},
}

// columnsOf returns the columns of a tree. The leaves of a branch that has several are named BRANCH.LEAF.
func columnsOf(t *meta.Tree) []column {
	var out []column
	for _, b := range t.Branches {
		out = append(out, branchColumns(b)...)
	}
	// A list's counter is a leaf of any branch.
	owners := map[*meta.Leaf]*column{}
	var add func(b *meta.Branch)
	add = func(b *meta.Branch) {
		columns := branchColumns(b)
		for i, l := range b.Leaves {
			if len(columns) == len(b.Leaves) && columns[i].form == formSingle && isInteger(columns[i].typ) {
				owners[l] = &columns[i]
			}
		}
		for _, below := range b.Branches {
			add(below)
		}
	}
	for _, b := range t.Branches {
		add(b)
	}
	for i := range out {
		if c := &out[i]; c.form == formList {
			c.counter = owners[c.branch.Leaves[0].Count]
		}
	}
	return out
}

func isInteger(t colstore.DType) bool {
	return t.Kind() == colstore.KindInt || t.Kind() == colstore.KindUint
}

// branchColumns returns the columns of one branch.
func branchColumns(b *meta.Branch) []column {
	other := func(holds string) []column {
		return []column{{name: b.Name, branch: b, holds: holds}}
	}
	switch {
	case len(b.Branches) > 0:
		return other("branches below it")
	case b.Class != "TBranch":
		return other("objects (" + b.Class + ")")
	case len(b.Leaves) == 0:
		return other("no leaves")
	case len(b.Leaves) == 1:
		return []column{leafColumn(b, b.Leaves[0], b.Name)}
	}
	columns := make([]column, len(b.Leaves))
	stride := 0
	for i, l := range b.Leaves {
		c := leafColumn(b, l, b.Name+"."+l.Name)
		if c.form != formSingle && c.form != formArray {
			return other("leaves of which one has " + c.holds)
		}
		c.offset = stride
		if c.refused == nil {
			stride += c.stride
		}
		columns[i] = c
	}
	for i := range columns {
		columns[i].stride = stride
		for j := range columns {
			if err := columns[j].refused; err != nil && columns[i].refused == nil {
				columns[i].refused = err // where its values are is not known
			}
		}
	}
	return columns
}

// leafColumn returns the column of the only leaf of a branch.
func leafColumn(b *meta.Branch, l *meta.Leaf, name string) column {
	c := column{name: name, branch: b}
	types, ok := leafTypes[l.Class]
	if !ok {
		c.holds = "values of class " + l.Class
		if l.Class == "TLeafC" && !l.IsCounted {
			c.form, c.holds, c.stride = formText, "strings", 1
		}
		return c
	}
	c.typ = types.signed
	if l.IsUnsigned {
		c.typ = types.unsigned
	}
	size := int64(c.typ.Size())
	switch {
	case l.Size != size:
		c.refused = fmt.Errorf("%w: a value of %s has %d bytes, leaf %q declares %d", colstore.ErrFormat, c.typ, size, l.Name, l.Size)
	case l.Len < 1 || l.Len > math.MaxInt32/size:
		c.refused = fmt.Errorf("%w: leaf %q declares %d values an entry", colstore.ErrFormat, l.Name, l.Len)
	}
	c.form, c.holds, c.count, c.stride = formSingle, "single values", 1, int(size)
	switch {
	case c.refused != nil:
	case l.IsCounted && l.Len == 1:
		c.form, c.holds = formList, "lists of "+c.typ.Name()
	case l.IsCounted:
		c.form, c.holds = formOther, "lists of arrays"
	case l.Len > 1:
		c.form, c.holds = formArray, fmt.Sprintf("arrays of %d %s", l.Len, c.typ.Name())
		c.count, c.stride = int(l.Len), int(l.Len*size)
	}
	return c
}
