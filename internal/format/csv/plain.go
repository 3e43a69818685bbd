package csv

import "fmt"

// A syntaxError is something wrong with the text of a block.
type syntaxError struct {
	at     int // where in the block's text
	what   string
	opened bool // a quote opened here and did not close before the text ended
}

// plain is [block.tokenize] byte by byte, for every kind of row. It defines what the cells of a text are, and finds what
// is wrong with it.
//
// A row ends with LF, CR LF or CR outside quotes. A cell is quoted if its first byte is the quote; a quote elsewhere
// is text. Inside quotes two quotes are one, and everything else is text. A line of no bytes is no row.
func (b *block) plain(d *dialect) *syntaxError {
	b.rows, b.next, b.full, b.ragged, b.quotes = 0, 0, false, true, d.quoting
	for c := range b.quoted {
		b.quoted[c] = true
	}
	for b.rows < len(b.starts) {
		begin := skipBlank(b.text, b.next)
		b.next = begin
		row := b.ends[b.rows*b.columns : (b.rows+1)*b.columns]
		n, next, err := scanRow(d, b.text, begin, row)
		switch {
		case err != nil && b.rows > 0:
			b.full = !err.opened
			return nil
		case err != nil:
			return err
		case next < 0:
			return nil
		case n > b.columns && b.rows > 0:
			b.full = true
			return nil
		case n > b.columns:
			return &syntaxError{at: begin, what: fmt.Sprintf("the row has %d cells, there are %d columns", n, b.columns)}
		}
		for i := n; i < b.columns; i++ {
			row[i] = row[n-1]
		}
		b.starts[b.rows] = uint32(begin)
		b.rows++
		b.next = next
	}
	b.full = true
	return nil
}

// skipBlank returns the first place from p on where a line is not blank. A CR at the end of the text is left, since an LF
// may follow.
func skipBlank(text []byte, p int) int {
	for p < len(text) && (text[p] == '\n' || text[p] == '\r' && p+1 < len(text)) {
		p++
	}
	return p
}

// scanRow finds the cells of the row that begins at p: it sets the ends of as many as ends has room for, and returns how
// many there are and where the next row begins. next is -1 if the text ends before that is known, or within
// quotes, which err then tells as well as text behind a closing quote.
func scanRow(d *dialect, text []byte, p int, ends []uint32) (n, next int, err *syntaxError) {
	for {
		if d.quoting && p < len(text) && text[p] == d.quote {
			open := p
			if p = closing(text, p+1, d.quote); p < 0 {
				return n, -1, &syntaxError{at: open, what: "the quote that opens here is never closed", opened: true}
			}
			if p++; p < len(text) && (d.class[text[p]] == classText || d.class[text[p]] == classQuote) {
				return n, -1, &syntaxError{at: p, what: fmt.Sprintf("there is text behind the closing quote of %s; a quote inside quotes is written twice", clip(text[open:p]))}
			}
		} else {
			for p < len(text) && (d.class[text[p]] == classText || d.class[text[p]] == classQuote) {
				p++
			}
		}
		if p == len(text) {
			return n, -1, nil
		}
		if n < len(ends) {
			ends[n] = uint32(p)
		}
		n++
		switch d.class[text[p]] {
		case classLF:
			return n, p + 1, nil
		case classCR:
			switch {
			case p+1 == len(text):
				return n, -1, nil
			case text[p+1] == '\n':
				return n, p + 2, nil
			}
			return n, p + 1, nil
		}
		p++
	}
}

// closing returns where the quote is that ends quoted text, from p on, or -1. A quote at the very end of the text may be
// the first of two; it is -1 too.
func closing(text []byte, p int, quote byte) int {
	for ; p < len(text); p++ {
		if text[p] != quote {
			continue
		}
		if p+1 == len(text) {
			return -1
		}
		if text[p+1] != quote {
			return p
		}
		p++
	}
	return -1
}
