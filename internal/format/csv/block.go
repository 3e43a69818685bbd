package csv

import (
	"bytes"
	"unicode/utf8"

	"github.com/colstore/colstore-go/internal/decimal"
)

// sizes are those of a block. They are fixed, but tests that want block borders everywhere make them small.
type sizes struct {
	text  int // bytes of text; a longer row grows the buffer
	cells int // cells, and twice as many as there are columns if that is more
	rows  int
	piece int64 // bytes of a piece of the first pass
}

// defaultSizes keep text and places of a block in a core's second-level cache.
var defaultSizes = sizes{text: 256 << 10, cells: 64 << 10, rows: 16 << 10, piece: pieceBytes}

// pad is how many bytes behind the text may be read, whatever they are: loops take eight or 64 bytes at a time.
const pad = 64

// A block is some whole rows whose cells have been found: cell c of row r is
// text[ends[r*columns+c-1]+1 : ends[r*columns+c]], its first cell begins at starts[r]. A cell that a short row lacks
// ends where the one before it does, so that its end is before its beginning.
type block struct {
	columns int
	text    []byte // from the first row on; there are pad more bytes behind it
	starts  []uint32
	ends    []uint32
	rows    int
	next    int   // where the first row behind these begins
	lines   int64 // line breaks in the text before next
	full    bool  // the rows stop for lack of places, not of text
	ragged  bool  // rows may be short of cells
	valid   bool  // the text is known to be UTF-8; it was read before
	ascii   bool  // the rows hold nothing else, as far as that is looked at
	quotes  bool  // there may be quoted cells

	quoted []bool   // by column: there may be quoted cells
	lo, hi []uint32 // the cells of one column
}

// within returns the sizes that a file of size bytes needs, since a table may have thousands of small files: a row has at
// least a byte and a line break.
func (s sizes) within(size int64) sizes {
	s.rows = int(min(int64(s.rows), size/2+1))
	return s
}

// places returns how many places of cells a block holds, and how many rows.
func (s sizes) places(columns int) (cells, rows int) {
	// Places are stored as many at a time as a mask has bits.
	cells = max(min(s.cells, s.rows*columns), 2*columns) + maskBits
	return cells, cells / columns
}

// bytes returns what a block holds beside the text.
func (s sizes) bytes(columns int) int {
	cells, rows := s.places(columns)
	return 4*(cells+3*rows) + columns
}

func newBlock(columns int, s sizes) *block {
	cells, rows := s.places(columns)
	return &block{
		columns: columns,
		ends:    make([]uint32, cells),
		starts:  make([]uint32, rows),
		lo:      make([]uint32, rows),
		hi:      make([]uint32, rows),
		quoted:  make([]bool, columns),
	}
}

// tokenize finds the cells of the whole rows at the beginning of b.text. There may be none: the text may end within the
// first row, or hold only blank lines, which next then leaves behind.
//
// Errors: what is wrong with the first row, if it is; a later one is the next block's.
func (b *block) tokenize(d *dialect) *syntaxError {
	if !b.regular(d) {
		if err := b.plain(d); err != nil {
			return err
		}
		b.lines = lineBreaks(b.text[:b.next])
	}
	if b.valid {
		b.ascii = false
		return nil
	}
	rows := b.text[:b.next]
	b.ascii = isASCII(rows)
	if b.ascii || utf8.Valid(rows) {
		return nil
	}
	bad := invalidAt(rows)
	row := b.rows - 1
	for row > 0 && int(b.starts[row]) > bad {
		row--
	}
	if row <= 0 {
		return &syntaxError{at: bad, what: notUTF8}
	}
	b.rows, b.next = row, int(b.starts[row])
	b.lines = lineBreaks(b.text[:b.next])
	b.full = true
	return nil
}

const notUTF8 = "the text is not UTF-8; convert the file first"

// isASCII reports whether no byte of p has its high bit set.
func isASCII(p []byte) bool {
	for ; len(p) >= 32; p = p[32:] {
		if (load8(p, 0)|load8(p, 8)|load8(p, 16)|load8(p, 24))&highBits != 0 {
			return false
		}
	}
	for _, c := range p {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// invalidAt returns the offset of the first byte of p that is not part of valid UTF-8, which there is.
func invalidAt(p []byte) int {
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return len(p)
}

// cells are the cells of one column in some rows of a block: cell i is text[lo[i]:hi[i]], without its quotes; a missing
// one is empty. Text goes on for a few bytes behind the last cell, so that loops may take eight at a time.
type cells struct {
	text   []byte
	lo, hi []uint32
	ascii  bool
}

// at returns cell i.
func (c *cells) at(i int) []byte { return c.text[c.lo[i]:c.hi[i]] }

// numbers are the cells, for those who take them for numbers.
func (c *cells) numbers() decimal.Numbers { return decimal.Numbers{Text: c.text, Lo: c.lo, Hi: c.hi} }

// column returns the cells of column c in rows from to to. They are gone with the next call, and a cell may be asked for
// only once: doubled quotes are drawn together in the text itself.
func (b *block) column(d *dialect, c, from, to int) cells {
	lo, hi := b.lo[:to-from], b.hi[:to-from]
	hi = hi[:len(lo)]
	if c == 0 {
		copy(lo, b.starts[from:to])
		for i, at := 0, from*b.columns; i < len(lo); i, at = i+1, at+b.columns {
			hi[i] = b.ends[at]
		}
	} else {
		for i, at := 0, from*b.columns+c; i < len(lo); i, at = i+1, at+b.columns {
			pair := b.ends[at-1 : at+1]
			lo[i], hi[i] = pair[0]+1, pair[1]
		}
	}
	if b.ragged {
		for i := range lo {
			// A cell that is not there ends before it begins.
			hi[i] = max(hi[i], lo[i])
		}
	}
	if b.quotes && b.quoted[c] {
		for i := range lo {
			if lo[i] < hi[i] && b.text[lo[i]] == d.quote {
				hi[i] = lo[i] + 1 + uint32(undouble(b.text[lo[i]+1:hi[i]-1], d.quote))
				lo[i]++
			}
		}
	}
	for _, m := range d.missing {
		for i := range lo {
			if int(hi[i]-lo[i]) == len(m) && string(b.text[lo[i]:hi[i]]) == m {
				hi[i] = lo[i]
			}
		}
	}
	return cells{b.text[:len(b.text)+pad], lo, hi, b.ascii}
}

// undouble makes one quote of every two, in place, and returns how many bytes that leaves.
func undouble(p []byte, quote byte) int {
	n := bytes.IndexByte(p, quote)
	if n < 0 {
		return len(p)
	}
	for i := n; i < len(p); i++ {
		p[n] = p[i]
		n++
		if p[i] == quote {
			i++
		}
	}
	return n
}
