package csv

import (
	"fmt"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/decimal"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/source/format"
)

// A guess is what has been seen of a column whose dtype is to be found. There is nothing tentative about it once all
// cells have been seen.
type guess struct {
	column int
	text   bool // the column is text, or bytes, of a width to be found
	bytes  bool

	kind    kind
	whole   span
	inexact int64 // row of the first whole number beyond ±2^53, -1 if there is none
	longest int   // characters of the longest cell; bytes where that is asked for
	missing int64 // row of the first missing cell, -1 if there is none
}

func newGuess(column int, declared colstore.DType) guess {
	g := guess{column: column, inexact: -1, missing: -1}
	g.text, g.bytes = declared.IsString(), declared.Kind() == colstore.KindBytes
	if g.text {
		g.kind = kindText
	}
	return g
}

// add takes the cells of some rows, from row on, into account.
func (g *guess) add(c *cells, row int64) {
	g.measure(c, row)
	for i := 0; i < len(c.lo); {
		switch g.kind {
		case kindInt:
			i = g.ints(c, i, row)
		case kindFloat:
			i = g.floats(c, i)
		case kindBool:
			i = g.bools(c, i)
		case kindText:
			return
		}
		if i < len(c.lo) {
			g.join(c.at(i), row+int64(i))
			i++
		}
	}
}

// measure finds the widest cell and the first missing one.
func (g *guess) measure(c *cells, row int64) {
	least, most := ^uint32(0), uint32(0)
	for i, lo := range c.lo {
		n := c.hi[i] - lo
		least, most = min(least, n), max(most, n)
	}
	if least == 0 && g.missing < 0 {
		for i, lo := range c.lo {
			if c.hi[i] == lo {
				g.missing = row + int64(i)
				break
			}
		}
	}
	switch {
	case int(most) <= g.longest:
	case c.ascii || g.bytes:
		g.longest = int(most)
	default:
		for i, lo := range c.lo {
			// No cell has more characters than bytes.
			if int(c.hi[i]-lo) > g.longest {
				g.longest = max(g.longest, utf8.RuneCount(c.at(i)))
			}
		}
	}
}

// ints goes on from cell i as long as the cells are plainly spelled int64 or missing, and returns where it stopped.
func (g *guess) ints(c *cells, i int, row int64) int {
	const short = 15 // digits that a float64 holds
	var negative uint64
	for ; ; i++ {
		var n uint64
		i, n = decimal.SkipInts(c.numbers(), i, short)
		if negative |= n; i == len(c.lo) {
			break
		}
		s, e := int(c.lo[i]), int(c.hi[i])
		v, ok := decimal.ParseInt(c.text, s, e)
		if !ok {
			break
		}
		negative |= isByte(c.text[s], '-')
		if (v > exactInFloat || v < -exactInFloat) && g.inexact < 0 {
			g.inexact = row + int64(i)
			g.whole.inexact = true
		}
	}
	g.whole.negative = g.whole.negative || negative != 0
	return i
}

// floats goes on from cell i as long as the cells are plainly spelled numbers, with or without blanks, or missing.
func (g *guess) floats(c *cells, i int) int {
	for ; ; i++ {
		if i = decimal.SkipNumbers(c.numbers(), i); i == len(c.lo) {
			break
		}
		s, e := int(c.lo[i]), int(c.hi[i])
		if !decimal.IsNumber(c.text, s, e) {
			if p := trim(c.at(i)); len(p) == e-s || len(p) == 0 || !decimal.IsNumber(p, 0, len(p)) {
				break
			}
		}
	}
	return i
}

// bools goes on from cell i as long as the cells are true or false.
func (g *guess) bools(c *cells, i int) int {
	for ; i < len(c.lo); i++ {
		if yes, no := c.isBool(i); yes|no == 0 {
			break
		}
	}
	return i
}

// join takes one cell into account, whatever it is.
func (g *guess) join(cell []byte, row int64) {
	k := classify(cell)
	if k == kindInt && g.kind <= kindInt {
		g.whole.add(cell)
		if g.whole.inexact && g.inexact < 0 {
			g.inexact = row
		}
	}
	g.kind = join(g.kind, k)
}

// merge takes the cells that another guess has seen into account, which follow those of this one from row on.
func (g *guess) merge(o *guess, row int64) {
	g.kind = join(g.kind, o.kind)
	g.whole.negative = g.whole.negative || o.whole.negative
	g.whole.high = g.whole.high || o.whole.high
	g.whole.beyond = g.whole.beyond || o.whole.beyond
	g.whole.inexact = g.whole.inexact || o.whole.inexact
	if g.inexact < 0 && o.inexact >= 0 {
		g.inexact = row + o.inexact
	}
	if g.missing < 0 && o.missing >= 0 {
		g.missing = row + o.missing
	}
	g.longest = max(g.longest, o.longest)
}

// A finding is what becomes of a column.
type finding struct {
	typ  colstore.DType
	mode format.NullMode // of cells that are missing although typ has no value for that
	fill colstore.Scalar // the value of missing cells; not valid if they are refused
	// empty tells that there is no cell that is not missing: any dtype would do.
	empty bool
	// negative tells that there is a whole number below 0.
	negative bool
}

// finish returns the dtype that all cells have, and what missing ones become.
//
// Errors: colstore.ErrNull for whole numbers that a float64 would not hold beside a missing cell.
func (g *guess) finish(name string, rows int64, nulls format.Nulls) (finding, error) {
	incomplete := g.missing >= 0
	missing := incomplete
	if value := nulls.Values[name]; incomplete && value != "" {
		// It is as if the file had the value there.
		missing = false
		g.join([]byte(value), g.missing)
		g.longest = max(g.longest, characters(value, g.bytes))
	}
	if missing && g.kind == kindInt && g.whole.inexact && nulls.Mode == format.NullError {
		shown := text.Clip(name)
		return finding{}, &colstore.Error{Column: name, Row: colstore.At(g.missing), Err: fmt.Errorf(
			"%w: a missing cell makes the column float64, which may not hold the whole number of row %d exactly; declare a dtype (--dtype %s=float64 or %s=U20), or give a value for nulls (--nulls %s=VALUE)",
			colstore.ErrNull, g.inexact, shown, shown, shown)}
	}
	t := g.dtype(rows, missing)
	switch {
	case !t.Valid():
		return finding{}, &colstore.Error{Column: name, Err: fmt.Errorf("%w: a cell of %d characters is too wide for a column", colstore.ErrValue, g.longest)}
	case !incomplete && t.IsString():
		// Should a cell be empty in the second pass, it is text all the same.
		return finding{typ: t, mode: format.NullFill, fill: format.Missing(t), empty: rows == 0}, nil
	case !incomplete:
		return finding{typ: t, empty: rows == 0, negative: g.kind == kindInt && g.whole.negative}, nil
	}
	mode, fill, err := fillFor(name, t, nulls)
	return finding{t, mode, fill, missing && g.kind == kindNone, g.kind == kindInt && g.whole.negative}, err
}

// dtype returns the dtype of all cells. If some are missing, it may still be one that has no value for that.
func (g *guess) dtype(rows int64, missing bool) colstore.DType {
	width := max(1, g.longest)
	whole := g.kind == kindInt
	switch {
	case g.bytes:
		return colstore.BytesOf(width)
	case g.text, rows == 0:
		return colstore.TextOf(width)
	case g.kind == kindNone, g.kind == kindFloat, whole && missing && !g.whole.inexact:
		return colstore.Float64
	case whole && !g.whole.beyond && !g.whole.high:
		return colstore.Int64
	case whole && !g.whole.beyond && !g.whole.negative:
		return colstore.Uint64
	case g.kind == kindBool && !missing:
		return colstore.Bool
	default:
		return colstore.TextOf(width)
	}
}

func characters(s string, bytes bool) int {
	if bytes {
		return len(s)
	}
	return utf8.RuneCountInString(s)
}

// fillFor returns what the missing cells of a column of dtype t become. Floats, times and strings have a value for that;
// for others it is the policy's, and there is none if that refuses them.
func fillFor(name string, t colstore.DType, nulls format.Nulls) (format.NullMode, colstore.Scalar, error) {
	if nulls.Values[name] == "" && (t.Kind() == colstore.KindFloat || t.IsTime() || t.IsString()) {
		return format.NullFill, format.Missing(t), nil
	}
	return nulls.For(name, t)
}

// isByte returns 1 if c is b, else 0. Signs are as good as random, so that the processor would often guess a branch wrong.
func isByte(c, b byte) uint64 {
	var one uint64
	if c == b {
		one = 1
	}
	return one
}
