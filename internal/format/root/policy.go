package root

import (
	"fmt"
	"slices"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// Select returns which of columns are read and one warning that names the others, by the policy for lists, arrays and
// objects. nil is what there is to choose from.
//
// Errors: colstore.ErrType if none is read, or for one that is not where the policy is to refuse it.
func (f *file) Select(columns []string) (kept, warnings []string, err error) {
	named := columns != nil
	if !named {
		columns = f.Names()
	}
	if !named && f.jagged.Mode == format.JaggedError {
		return columns, nil, nil // which of them are read is not said yet: Source refuses those that are asked for
	}
	var left []string
	var forms []form
	for _, n := range columns {
		if c := f.column(n); c != nil && !f.isRead(c, named) {
			if f.jagged.Mode == format.JaggedError {
				return nil, nil, f.failed("read", n, f.refusal(c))
			}
			left, forms = append(left, n), append(forms, c.form)
		} else {
			kept = append(kept, n)
		}
	}
	if len(left) == 0 {
		return kept, nil, nil
	}
	if len(kept) == 0 {
		return nil, nil, f.failed("read", "", fmt.Errorf("%w: none of the columns is one number a row: %s%s", colstore.ErrType, list(left), f.advice(forms...)))
	}
	return kept, []string{fmt.Sprintf("%s: columns that are not one number a row were left out: %s%s", f.path, strings.Join(left, ", "), f.advice(forms...))}, nil
}

// advice ends a message about columns that are not read: what would read some of them.
func (f *file) advice(forms ...form) string {
	isExploded := f.jagged.Mode == format.JaggedExplode || f.jagged.Mode == format.JaggedPad
	text := ""
	if !isExploded && (slices.Contains(forms, formArray) || slices.Contains(forms, formList)) {
		text += "; --jagged explode makes columns of lists and arrays"
	}
	if slices.Contains(forms, formText) {
		text += "; strings are read if convert --columns or from.columns names them"
	}
	return text
}

// refusal is the error of a column that is not read.
func (f *file) refusal(c *column) error {
	return fmt.Errorf("%w: it holds %s, which are not one number a row; leave it out with --columns%s", colstore.ErrType, c.holds, f.advice(c.form))
}

// isRead reports whether the policy reads a column. Strings are read if they are named, unless the policy is to refuse what
// is not one number a row.
func (f *file) isRead(c *column, named bool) bool {
	switch {
	case c.form == formSingle, c.refused != nil: // which is said when it is read
		return true
	case c.form == formText:
		return named && f.jagged.Mode != format.JaggedError
	case c.form == formOther:
		return false
	}
	return f.jagged.Mode == format.JaggedExplode || f.jagged.Mode == format.JaggedPad
}

// column returns the first column of a name, nil if there is none.
func (f *file) column(name string) *column {
	if at := f.byName[name]; at != nil {
		return &f.columns[at[0]]
	}
	return nil
}
