package json

import (
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// A form is what a row is.
type form uint8

const (
	formObject form = iota // values by name
	formList               // values by place
	formScalar             // one value
	formAny                // whatever it is, it is passed over
)

var formNames = [...]string{"an object", "a list", "a single value", "a value"}

// An enclosure is what rows lie in.
type enclosure struct {
	closer byte // of the list or object; 0: the rows follow each other, a line each
	keyed  bool // every row has a name
}

var (
	inList   = enclosure{closer: ']'}
	inObject = enclosure{closer: '}', keyed: true}
	inLines  = enclosure{}
)

// A token is a value of a row.
type token struct {
	cell
	column int32
}

// rows finds the values of rows, one row after the other.
type rows struct {
	scanner
	in      *input
	form    form
	around  enclosure
	names   *names
	grow    bool   // names that are new become columns; else they are an error
	numbers bool   // so do values in places that no row had before
	skip    []bool // by column: its values are not wanted; nil wants all

	first  bool // nothing but the opening bracket is before the next row
	row    int64
	label  cell // the name of the row
	tokens []token
	buf    []byte
}

// state is how an attempt at a row went.
type state uint8

const (
	rowFound  state = iota
	rowsEnded       // the enclosure was closed
	textEnded       // in the middle of a row, or before it
)

// start makes the row at an offset of the file the next one.
func (r *rows) start(p place) {
	r.in.seek(p.offset)
	r.first, r.row = p.row == 0, p.row
	r.attach()
}

// attach looks at what the window of the input has now.
func (r *rows) attach() { r.p, r.n = r.in.buf[:r.in.end+slack], r.in.end }

// next finds the next row, reading on if need be.
func (r *rows) next() (state, error) {
	for {
		st, err := r.try()
		if st != textEnded || err != nil {
			return st, err
		}
		if r.in.eof {
			if r.around.closer == 0 && r.space(r.in.begin) == r.n {
				return rowsEnded, nil
			}
			return st, r.ended()
		}
		if err := r.in.more(); err != nil {
			return st, err
		}
		r.attach()
	}
}

// try finds the next row in the window. Its tokens are where the window has them, until more is read.
//
// Errors: what is wrong with the text of the row.
func (r *rows) try() (state, error) {
	i := r.space(r.in.begin)
	if r.p[i] == r.around.closer && i < r.n && r.around.closer != 0 {
		r.in.begin = i + 1
		return rowsEnded, nil
	}
	if i = r.enter(i); i >= 0 {
		r.tokens = r.tokens[:0]
		i = r.find(i)
	}
	switch {
	case i >= 0:
		r.in.begin = i
		r.first = false
		r.row++
		return rowFound, nil
	case r.what == "":
		return textEnded, nil
	}
	return textEnded, r.wrong(r.at, r.what)
}

// enter passes over what separates the row from the one before, and its name.
func (r *rows) enter(i int) int {
	switch {
	case r.first:
	case r.around.closer == 0:
		// What is before begin is gone, but there was a row: a blank must follow it.
		if i == r.in.begin {
			return r.fail(i, "there should be a line break behind the record")
		}
	case r.p[i] != ',':
		return r.fail(i, noComma)
	default:
		if i = r.space(i + 1); r.p[i] == r.around.closer {
			return r.fail(i, "there is a comma behind the last row")
		}
	}
	if r.around.keyed {
		if r.p[i] != '"' {
			return r.fail(i, noName)
		}
		r.label = cell{lo: uint32(i + 1), kind: kindText}
		if i = r.text(i+1, &r.label.kind); i < 0 {
			return i
		}
		r.label.hi = uint32(i - 1)
		return r.colon(i)
	}
	return i
}

// find finds the values of the row at i.
func (r *rows) find(i int) int {
	switch r.form {
	case formObject:
		if r.p[i] != '{' {
			return r.fail(i, "the row is not "+formNames[r.form])
		}
		return r.object(i + 1)
	case formList:
		if r.p[i] != '[' {
			return r.fail(i, "the row is not "+formNames[r.form])
		}
		return r.list(i + 1)
	case formScalar:
		t := token{}
		if i = r.value(i, &t.cell); i >= 0 {
			r.tokens = append(r.tokens, t)
		}
		return i
	}
	var c cell
	return r.value(i, &c)
}

func (r *rows) object(i int) int {
	if i = r.space(i); r.p[i] == '}' {
		return i + 1
	}
	// In most files all rows have the same names in the same order.
	for column := 0; ; column++ {
		if r.p[i] != '"' {
			return r.fail(i, noName)
		}
		i++
		if end, ok := r.isNext(i, column); ok {
			i = end + 1
		} else if column, i = r.lookUp(i); i < 0 {
			return i
		}
		if r.p[i] == ':' && r.p[i+1] > ' ' {
			i++
		} else if i = r.colon(i); i < 0 {
			return i
		}
		t := token{column: int32(column)}
		if i = r.value(i, &t.cell); i < 0 {
			return i
		}
		if r.skip == nil || !r.skip[column] {
			r.tokens = append(r.tokens, t)
		}
		switch i = r.space(i); r.p[i] {
		case ',':
			i = r.space(i + 1)
		case '}':
			return i + 1
		default:
			return r.fail(i, noComma)
		}
	}
}

// isNext reports whether the text that begins at i is the name of a column, as it was spelled before, and where it ends.
func (r *rows) isNext(i, column int) (end int, ok bool) {
	if column >= len(r.names.list) {
		return 0, false
	}
	name := r.names.spelled[column]
	end = i + len(name)
	return end, end < r.n && r.p[end] == '"' && string(r.p[i:end]) == name
}

// lookUp returns the column whose name begins at i, and the place behind its closing quote. A new one is added if that is
// allowed.
func (r *rows) lookUp(i int) (column, next int) {
	k := kindText
	if next = r.text(i, &k); next < 0 {
		return 0, next
	}
	spelled := r.p[i : next-1]
	name := spelled
	if k == kindEscaped {
		var ok bool
		if r.buf, ok = unescape(r.buf[:0], name); !ok {
			return 0, r.fail(i, "a name has half of a surrogate pair")
		}
		name = r.buf
	}
	column, ok := r.names.at[string(name)]
	switch {
	case ok:
		if r.grow && r.names.spelled[column] == notSpelled {
			r.names.spelled[column] = string(spelled)
		}
		return column, next
	case !r.grow:
		return 0, r.fail(i, fmt.Sprintf("there was no column %q before", text.Clip(name)))
	case len(r.names.list) == maxColumns:
		return 0, r.fail(i, fmt.Sprintf("there are more than %d columns; is this the right orient?", maxColumns))
	}
	column = r.names.add(string(name))
	r.names.spelled[column] = string(spelled)
	return column, next
}

func (r *rows) list(i int) int {
	if i = r.space(i); r.p[i] == ']' {
		return i + 1
	}
	for column := 0; ; column++ {
		if column == len(r.names.list) {
			switch {
			case !r.numbers:
				return r.fail(i, fmt.Sprintf("the row has more than %d values", column))
			case column == maxColumns:
				return r.fail(i, fmt.Sprintf("there are more than %d columns; is this the right orient?", maxColumns))
			}
			r.names.add(number(column))
		}
		t := token{column: int32(column)}
		if i = r.value(i, &t.cell); i < 0 {
			return i
		}
		if r.skip == nil || !r.skip[column] {
			r.tokens = append(r.tokens, t)
		}
		switch i = r.space(i); r.p[i] {
		case ',':
			i = r.space(i + 1)
		case ']':
			return i + 1
		default:
			return r.fail(i, noComma)
		}
	}
}

// wrong returns the error for what is at a place of the window, in the row that begins there.
func (r *rows) wrong(at int, what string) error {
	e := &colstore.Error{Op: "read", Path: r.in.path, Err: fmt.Errorf("%w: byte %d: %s", colstore.ErrFormat, r.in.offset(at), what)}
	if r.form != formAny {
		e.Row = colstore.At(r.row)
	}
	return e
}

// ended is the error for a file that ends in the middle of a row.
func (r *rows) ended() error {
	return &colstore.Error{
		Op: "read", Path: r.in.path, Row: colstore.At(r.row),
		Err: fmt.Errorf("%w: the text ends at byte %d, inside a list or an object", colstore.ErrTruncated, r.in.offset(r.n)),
	}
}
