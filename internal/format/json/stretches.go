package json

import (
	"fmt"
	"hash/fnv"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/text"
)

// column reads the values of a column, where a file lies by columns. A column that is there twice counts as the later one.
func (d *document) column(name string) error {
	around, err := d.open(fmt.Sprintf("column %q", text.Clip(name)))
	if err != nil {
		return err
	}
	i := d.addColumn(name)
	switch {
	case i == maxColumns:
		return fmt.Errorf("%w: there are more than %d columns; is this the right orient?", colstore.ErrFormat, maxColumns)
	case i == len(d.s.stretch):
		d.s.stretch = append(d.s.stretch, stretch{})
	}
	g := &d.s.guesses[i]
	*g = newGuess()
	d.form, d.around, d.first, d.row = formScalar, around, true, 0
	index := newPlaces(d.in.offset(d.in.begin), mostOfColumn)
	labels := fnv.New64a()
	if d.nester != nil && i < len(d.s.inside) {
		d.s.inside[i] = nil
	}
	err = d.each(func(row int64) error {
		t := &d.tokens[0]
		g.add(row, &t.cell, d.p[t.lo:t.hi], d.in.offset(int(t.lo)))
		if around.keyed {
			label := d.p[d.label.lo:d.label.hi]
			if d.label.kind == kindEscaped {
				d.buf, _ = unescape(d.buf[:0], label) // half of a pair is as good as any label
				label = d.buf
			}
			_, _ = labels.Write(label) // never fails
			_, _ = labels.Write([]byte{0xff})
		}
		if d.nester != nil && t.kind >= kindList {
			return d.lookInto(i, row, t.cell)
		}
		return nil
	}, index)
	d.s.stretch[i] = stretch{around: around, rows: d.row, index: index}
	if around.keyed {
		d.s.stretch[i].labels = labels.Sum64()
	}
	return err
}

// open passes over the bracket that opens the list or object that is there.
func (d *document) open(what string) (enclosure, error) {
	switch c, err := d.peek(); {
	case err != nil:
		return enclosure{}, err
	case c == '[' && d.pass('['):
		return inList, nil
	case c == '{' && d.pass('{'):
		return inObject, nil
	}
	return enclosure{}, fmt.Errorf("%w: byte %d: %s is neither a list nor an object of values", colstore.ErrFormat, d.in.offset(d.in.begin), what)
}

// passOver passes over the value that begins here, however long it is.
func (d *document) passOver() error {
	c, err := d.peek()
	if err != nil {
		return err
	}
	if c != '[' && c != '{' {
		var v cell
		return d.step(func(i int) int { return d.value(i, &v) })
	}
	form, row := d.form, d.row
	defer func() { d.form, d.row = form, row }()
	d.form, d.first, d.row = formAny, true, 0
	if d.around, err = d.open("the value"); err != nil {
		return err
	}
	return d.each(func(int64) error { return nil }, nil)
}
