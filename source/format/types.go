package format

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

// A TypeRow is a row of the table that says which types of a format are which dtypes.
type TypeRow struct {
	Foreign string // types, in the format's words
	DType   string // dtypes, in NumPy's words; of a refused type it begins with [Refused]
}

// Refused is what a dtype or type becomes that is not stored or read.
const Refused = "refused"

// Stores returns what a column of dtype t becomes in a file, in the format's words.
//
// Errors: colstore.ErrType for a dtype that the format has no type for.
func (d *Descriptor) Stores(t colstore.DType) (string, error) {
	if d.Write == nil {
		return "", fmt.Errorf("%w: %s files cannot be written", colstore.ErrOption, d.Name)
	}
	if d.Write.Type == nil {
		return t.String(), nil
	}
	return d.Write.Type(t)
}

// ReadTypes returns the table of what is read as what; nil where every dtype is read as it is.
func (d *Descriptor) ReadTypes() []TypeRow {
	if d.Read == nil {
		return nil
	}
	return d.Read.Types
}

// WriteTypes returns the table of what is written as what, which is [Writing.Type] of all dtypes; nil where every one is
// written as it is. Neighbours of one type share a row; the last one is of those that are refused.
func (d *Descriptor) WriteTypes() []TypeRow {
	if d.Write == nil || d.Write.Type == nil {
		return nil
	}
	var out []TypeRow
	var types [][]colstore.DType // of the rows
	var refused []colstore.DType
	for _, t := range DTypes(sampleWidth) {
		foreign, err := d.Write.Type(t)
		if err != nil {
			refused = append(refused, t)
			continue
		}
		foreign = anyWidth(foreign)
		if last := len(out) - 1; last >= 0 && out[last].Foreign == foreign {
			types[last] = append(types[last], t)
			continue
		}
		out, types = append(out, TypeRow{Foreign: foreign}), append(types, []colstore.DType{t})
	}
	if len(refused) > 0 {
		out, types = append(out, TypeRow{Foreign: Refused + "; cast the column first"}), append(types, refused)
	}
	for i := range out {
		out[i].DType = namesOf(types[i])
	}
	return out
}

// namesOf lists dtypes: a kind in all its units by its name, other runs of units by their first and last.
func namesOf(types []colstore.DType) string {
	var out []string
	for len(types) > 0 {
		n := 1
		for n < len(types) && types[n].Kind() == types[0].Kind() && types[n].Unit() == types[n-1].Unit()+1 && types[0].IsTime() {
			n++
		}
		for n < len(types) && isInteger(types[0]) && isInteger(types[n]) {
			n++
		}
		first, last := anyWidth(types[0].Name()), anyWidth(types[n-1].Name())
		switch {
		case types[0].IsTime() && n == int(colstore.Attosecond):
			first, _, _ = strings.Cut(first, "[")
			out = append(out, first)
		case n > 2:
			out = append(out, first+" … "+last)
		case n == 2:
			out = append(out, first, last)
		default:
			out = append(out, first)
		}
		types = types[n:]
	}
	return strings.Join(out, ", ")
}

func isInteger(t colstore.DType) bool {
	return t.Kind() == colstore.KindInt || t.Kind() == colstore.KindUint
}

// sampleWidth stands for any width of text and bytes.
const sampleWidth = 4711

func anyWidth(s string) string { return strings.ReplaceAll(s, strconv.Itoa(sampleWidth), "n") }

// DTypes returns every dtype in native byte order, text and bytes in one width.
func DTypes(width int) []colstore.DType {
	out := []colstore.DType{
		colstore.Bool, colstore.Int8, colstore.Int16, colstore.Int32, colstore.Int64, colstore.Uint8, colstore.Uint16, colstore.Uint32, colstore.Uint64,
		colstore.Float16, colstore.Float32, colstore.Float64, colstore.BytesOf(width), colstore.TextOf(width),
	}
	for u := colstore.Year; u <= colstore.Attosecond; u++ {
		out = append(out, colstore.DatetimeOf(u))
	}
	for u := colstore.Year; u <= colstore.Attosecond; u++ {
		out = append(out, colstore.TimedeltaOf(u))
	}
	return out
}

// CheckColumns finds the first column of a schema that the format does not store.
//
// Errors: colstore.ErrType, naming the column.
func (d *Descriptor) CheckColumns(s *colstore.Schema) error {
	for _, f := range s.All() {
		if _, err := d.Stores(f.Type); err != nil {
			return &colstore.Error{Column: f.Name, Err: err}
		}
	}
	return nil
}

func (d *Descriptor) checkMapping() error {
	if i := slices.IndexFunc(d.ReadTypes(), func(r TypeRow) bool { return r.Foreign == "" || r.DType == "" }); i >= 0 {
		return fmt.Errorf("%w: format %q: row %d of its table of types is not complete", colstore.ErrOption, d.Name, i)
	}
	return nil
}
