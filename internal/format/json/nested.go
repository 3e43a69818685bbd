package json

import (
	"fmt"

	"github.com/colstore/colstore-go"
)

// maxNest is how deep objects in objects become columns.
const maxNest = 16

// A nested is what has been seen in the lists and objects that are the values of a column, or of a part of one.
type nested struct {
	longest int64 // values of the longest list
	values  guess // of the lists
	parts   []*part
	at      map[string]int // of parts by name
}

// A part is what objects have under one name. It is a column of its own.
type part struct {
	name  string
	guess guess
	in    *nested // in its own lists and objects; nil if it has none
	last  cell    // of the row under way
}

// A nester looks into lists and objects during the first pass.
type nester struct {
	*scanner
	in    *input
	kept  int64 // values of a list that matter; the others are only counted
	parts int   // of all objects
}

// add takes a list or an object of a row into account. Rows do not come down.
func (x *nester) add(n **nested, row int64, c cell, depth int) error {
	if *n == nil {
		*n = &nested{values: newGuess(), at: map[string]int{}}
	}
	if c.kind == kindList {
		x.list(*n, row, int(c.lo))
		return nil
	}
	return x.object(*n, row, int(c.lo), depth)
}

// list counts the values of a list, whose bracket is at i. Its text is known to be JSON.
func (x *nester) list(n *nested, row int64, i int) {
	count := int64(0)
	for i = x.space(i + 1); x.p[i] != ']'; count++ {
		var c cell
		i = x.value(i, &c)
		if count < x.kept {
			n.values.addValue(row, &c, x.p[c.lo:c.hi], x.in.offset(int(c.lo)))
		}
		i = x.behindComma(i)
	}
	n.longest = max(n.longest, count)
}

// behindComma returns the place of the next value of a list or object, or of the bracket that closes it.
func (s *scanner) behindComma(i int) int {
	if i = s.space(i); s.p[i] == ',' {
		return s.space(i + 1)
	}
	return i
}

// object takes the members of an object into account. Of a name that is there twice the later value counts.
func (x *nester) object(n *nested, row int64, i, depth int) error {
	var inside []*part
	var room [64]byte
	for i = x.space(i + 1); x.p[i] != '}'; {
		name, next := x.member(i, room[:])
		p, err := x.part(n, name)
		if err != nil {
			return &colstore.Error{Row: colstore.At(row), Err: err}
		}
		i = x.value(next, &p.last)
		p.guess.add(row, &p.last, x.p[p.last.lo:p.last.hi], x.in.offset(int(p.last.lo)))
		if p.last.kind >= kindList {
			inside = append(inside, p)
		}
		i = x.behindComma(i)
	}
	for _, p := range inside {
		if p.last.kind >= kindList && depth < maxNest {
			if err := x.add(&p.in, row, p.last, depth+1); err != nil {
				return err
			}
			p.last.kind = kindMissing
		}
	}
	return nil
}

// member returns the name at i without its escapes, and the place of its value. buf has room for a name.
func (s *scanner) member(i int, buf []byte) (name []byte, next int) {
	var c cell
	next = s.colon(s.value(i, &c))
	if c.kind == kindText {
		return s.p[c.lo:c.hi], next
	}
	name, _ = unescape(buf[:0], s.p[c.lo:c.hi]) // half of a pair ends the name, as good as anything else
	return name, next
}

// part returns the part of a name.
func (x *nester) part(n *nested, name []byte) (*part, error) {
	if i, ok := n.at[string(name)]; ok {
		return n.parts[i], nil
	}
	if x.parts++; x.parts > maxColumns {
		return nil, fmt.Errorf("%w: the objects of the file have more than %d parts", colstore.ErrFormat, maxColumns)
	}
	p := &part{name: string(name), guess: newGuess()}
	n.at[p.name] = len(n.parts)
	n.parts = append(n.parts, p)
	return p, nil
}

// finish ends what was seen at the number of rows.
func (n *nested) finish(rows int64) {
	if n == nil {
		return
	}
	n.values.finishValues()
	for _, p := range n.parts {
		p.guess.finish(rows)
		p.in.finish(rows)
	}
}

// addValue takes one of any number of values of a row into account.
func (g *guess) addValue(row int64, c *cell, text []byte, offset int64) {
	g.settle()
	g.row = row
	g.note(c, text, offset)
}

// finishValues ends the values of lists, of which no row need have any.
func (g *guess) finishValues() {
	g.settle()
	g.last = seen{}
	if g.has(hasNull) {
		g.absent = g.first[hasNull].row
	}
}
