package json

import (
	"fmt"
	"slices"

	"github.com/colstore/colstore-go"
)

// The orients, as pandas names them, and lines.
const (
	orientAuto    = "auto"
	orientRecords = "records" // a list of objects
	orientLines   = "lines"   // an object a line
	orientValues  = "values"  // a list of lists, or of single values
	orientIndex   = "index"   // an object of objects: the rows by their labels
	orientSplit   = "split"   // an object with the list "columns", and the list of lists "data"
	orientTable   = "table"   // an object with the object "schema", and the list of objects "data"
	orientColumns = "columns" // an object of columns by name, each a list or an object of values by row label
)

// A survey is what one pass over the whole file told.
type survey struct {
	names   *names
	guesses []guess // by column
	form    form
	around  enclosure
	rows    int64
	index   *places
	stretch []stretch                 // by column, of a file that lies by columns; else nil
	hidden  map[string]bool           // columns that are labels of the rows
	typed   map[string]colstore.DType // dtypes that the file itself declares
	longest int                       // bytes that the window had to hold
	inside  []*nested                 // by column: what is in lists and objects; nil if nobody wants to know
}

// A stretch is where the values of one column lie.
type stretch struct {
	around enclosure
	rows   int64
	labels uint64 // a sum over the labels of the rows in their order; 0 if they have none
	index  *places
}

// A document is a file during its first pass.
type document struct {
	rows
	s         survey
	orient    string
	cancelled func() error
	nester    *nester // nil if nobody wants to know what is in lists and objects
	lasts     []int   // by column: the last token of a row
}

// read reads the whole file.
func (d *document) read() error {
	d.in.seek(0)
	d.attach()
	d.s.names = d.names
	if err := d.step(func(i int) int {
		const mark = "\ufeff"
		if string(d.p[i:min(i+len(mark), d.n)]) == mark {
			i += len(mark)
		}
		return d.space(i)
	}); err != nil {
		return err
	}
	c, err := d.peek()
	switch {
	case err != nil:
		return err
	case c == 0 && d.in.eof && d.in.begin == d.n:
		return fmt.Errorf("%w: the file is empty", colstore.ErrFormat)
	case c == '[':
		err = d.list()
	case c == '{':
		err = d.object()
	default:
		return fmt.Errorf("%w: byte %d: there should be a list of rows or an object", colstore.ErrFormat, d.in.offset(d.in.begin))
	}
	if err != nil {
		return err
	}
	for i := range d.s.guesses {
		rows := d.s.rows
		if d.s.stretch != nil {
			rows = d.s.stretch[i].rows
		}
		d.s.guesses[i].finish(rows)
		if i < len(d.s.inside) {
			d.s.inside[i].finish(rows)
		}
	}
	if d.nester != nil {
		d.s.inside = append(d.s.inside, make([]*nested, len(d.s.guesses)-len(d.s.inside))...)
	}
	d.s.longest = len(d.in.buf) - slack
	if len(d.names.list) == 0 {
		return fmt.Errorf("%w: there is no column", colstore.ErrFormat)
	}
	return d.end()
}

// step makes a step that f finds, given where the window begins and what it holds; it reads on as long as that is not
// enough.
func (d *document) step(f func(i int) int) error {
	for {
		i := f(d.in.begin)
		switch {
		case i >= 0 && (i < d.n || d.in.eof):
			d.in.begin = i
			return nil
		case i < 0 && d.what != "":
			return fmt.Errorf("%w: byte %d: %s", colstore.ErrFormat, d.in.offset(d.at), d.what)
		case d.in.eof:
			return fmt.Errorf("%w: the text ends at byte %d, inside a list or an object", colstore.ErrTruncated, d.in.offset(d.n))
		}
		if err := d.in.more(); err != nil {
			return err
		}
		d.attach()
	}
}

// peek returns the next byte that is no blank; 0 at the end.
func (d *document) peek() (byte, error) {
	err := d.step(d.space)
	return d.p[d.in.begin], err
}

// pass passes over a byte, and reports whether it is there.
func (d *document) pass(c byte) bool {
	if d.p[d.in.begin] == c && d.in.begin < d.n {
		d.in.begin++
		return true
	}
	return false
}

// end makes sure that there is nothing behind the document.
func (d *document) end() error {
	if _, err := d.peek(); err != nil {
		return err
	}
	if d.in.begin < d.n {
		return fmt.Errorf("%w: byte %d: there is more behind the end of the document; if it is an object a line, name the format jsonl",
			colstore.ErrFormat, d.in.offset(d.in.begin))
	}
	return nil
}

// list reads a file that is a list.
func (d *document) list() error {
	if !slices.Contains([]string{orientAuto, orientLines, orientRecords, orientValues}, d.orient) {
		return fmt.Errorf("%w: the file is a list, which no table of orient %q is", colstore.ErrFormat, d.orient)
	}
	d.pass('[')
	c, err := d.peek()
	if err != nil {
		return err
	}
	d.form = formScalar
	switch c {
	case '{':
		d.form = formObject
	case '[':
		d.form = formList
	}
	switch {
	case c == ']':
	case d.orient == orientRecords && d.form != formObject, d.orient == orientValues && d.form == formObject:
		return d.wrong(d.in.begin, fmt.Sprintf("the row is %s, which no row of orient %q is", formNames[d.form], d.orient))
	case d.form == formScalar:
		d.addColumn(number(0))
	}
	d.grow, d.numbers = true, true
	return d.data(inList)
}

// object reads a file that is an object, or several.
func (d *document) object() error {
	orient := d.orient
	if orient == orientAuto || orient == orientRecords {
		var err error
		if orient, err = d.guessOrient(); err != nil {
			return err
		}
	}
	if d.orient == orientRecords && orient != orientLines {
		return fmt.Errorf("%w: the file is an object, and no list of records; leave the option orient out", colstore.ErrFormat)
	}
	d.grow = true
	switch orient {
	case orientLines:
		d.form = formObject
		return d.data(inLines)
	case orientIndex:
		d.form = formObject
		d.pass('{')
		return d.data(inObject)
	case orientSplit:
		d.form = formList
		return d.split()
	case orientTable:
		d.form = formObject
		return d.table()
	case orientColumns:
		d.form = formScalar
		d.s.stretch = []stretch{}
		return d.members(d.column)
	}
	return fmt.Errorf("%w: the file is an object, which no table of orient %q is", colstore.ErrFormat, orient)
}

// guessOrient tells what the object that begins here is, and goes back to its beginning.
func (d *document) guessOrient() (string, error) {
	begin := d.in.offset(d.in.begin)
	o := &outline{}
	for {
		o.add(d.in.buf[d.in.begin:d.in.end])
		d.in.begin = d.in.end
		if d.in.eof || o.told(d.in.most) {
			break
		}
		if err := d.cancelled(); err != nil {
			return "", err
		}
		if err := d.in.more(); err != nil {
			return "", err
		}
	}
	d.in.seek(begin)
	d.attach()
	_, err := d.peek()
	return o.orient(), err
}

// data reads the rows that begin here.
func (d *document) data(around enclosure) error {
	d.around, d.s.around, d.s.form = around, around, d.form
	d.first, d.row = true, 0
	d.s.index = newPlaces(d.in.offset(d.in.begin), mostOfRows)
	err := d.each(func(row int64) error {
		for len(d.s.guesses) < len(d.names.list) {
			d.s.guesses = append(d.s.guesses, newGuess())
		}
		for i := range d.tokens {
			t := &d.tokens[i]
			d.s.guesses[t.column].add(row, &t.cell, d.p[t.lo:t.hi], d.in.offset(int(t.lo)))
		}
		return d.nest(row)
	}, d.s.index)
	d.s.rows = d.row
	return err
}

// nest looks into the lists and objects of a row. Of a key that is there twice the later value counts.
func (d *document) nest(row int64) error {
	if d.nester == nil {
		return nil
	}
	some := false
	for i := range d.tokens {
		some = some || d.tokens[i].kind >= kindList
	}
	if !some {
		return nil
	}
	d.lasts = append(d.lasts, make([]int, max(0, len(d.names.list)-len(d.lasts)))...)
	for i := range d.tokens {
		d.lasts[d.tokens[i].column] = i
	}
	for i := range d.tokens {
		if t := &d.tokens[i]; t.kind >= kindList && d.lasts[t.column] == i {
			if err := d.lookInto(int(t.column), row, t.cell); err != nil {
				return err
			}
		}
	}
	return nil
}

// lookInto looks into a list or an object of a column.
func (d *document) lookInto(column int, row int64, c cell) error {
	for len(d.s.inside) <= column {
		d.s.inside = append(d.s.inside, nil)
	}
	return d.nester.add(&d.s.inside[column], row, c, 1)
}

// each finds all rows of an enclosure.
func (d *document) each(f func(row int64) error, index *places) error {
	const often = 4096 // rows between looks at the context
	for {
		if d.row%often == 0 {
			if err := d.cancelled(); err != nil {
				return err
			}
		}
		if index != nil {
			index.add(d.row, d.in.offset(d.in.begin))
		}
		switch st, err := d.next(); {
		case err != nil:
			return err
		case st == rowsEnded:
			return nil
		}
		if err := f(d.row - 1); err != nil {
			return err
		}
	}
}

func (d *document) addColumn(name string) int {
	i := d.names.add(name)
	if i == len(d.s.guesses) {
		d.s.guesses = append(d.s.guesses, newGuess())
	}
	return i
}

// members goes through the members of the object that begins here. f reads the value.
func (d *document) members(f func(name string) error) error {
	d.pass('{')
	if c, err := d.peek(); err != nil || c == '}' {
		d.pass('}')
		return err
	}
	for {
		name, err := d.text1()
		if err != nil {
			return err
		}
		if err := d.step(d.colon); err != nil {
			return err
		}
		if err := f(name); err != nil {
			return err
		}
		if _, err := d.peek(); err != nil {
			return err
		}
		if d.pass('}') {
			return nil
		}
		if err := d.step(func(i int) int {
			if i = d.space(i); d.p[i] != ',' {
				return d.fail(i, noComma)
			}
			return d.space(i + 1)
		}); err != nil {
			return err
		}
	}
}

// text1 reads one text.
func (d *document) text1() (string, error) {
	var c cell
	if err := d.step(func(i int) int {
		if d.p[i] != '"' {
			return d.fail(i, noName)
		}
		return d.value(i, &c)
	}); err != nil {
		return "", err
	}
	s, ok := unescape(nil, d.p[c.lo:c.hi])
	if !ok {
		return "", fmt.Errorf("%w: byte %d: a name has half of a surrogate pair", colstore.ErrFormat, d.in.offset(int(c.lo)))
	}
	return string(s), nil
}
