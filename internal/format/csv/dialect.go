package csv

import (
	"errors"
	"fmt"
	"strings"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/source/format"
)

// A dialect is how the rows of a file are written.
type dialect struct {
	delimiter byte
	quote     byte
	quoting   bool // there is a quote character
	header    bool
	missing   []string // spellings of a missing cell, beside the empty one
	skip      int64    // lines before the header

	class [256]class // what each byte means outside quotes
}

// class is what a byte means outside quotes. A quote means something only where a cell begins.
type class uint8

const (
	classText class = iota
	classDelimiter
	classLF
	classCR
	classQuote
)

// newDialect returns the dialect that the options of a reader or writer name; o has been checked.
//
// Errors: colstore.ErrOption where two options contradict each other.
func newDialect(o format.Options) (*dialect, error) {
	d := &dialect{header: o.Bool("header")}
	d.delimiter, _ = character(o.Text("delimiter"))
	for _, s := range o.List("missing") {
		if s != "" {
			d.missing = append(d.missing, s)
		}
	}
	d.skip = o.Count("skip")
	if q := o.Text("quote"); q != "" {
		d.quoting = true
		d.quote, _ = character(q)
		if d.quote == d.delimiter {
			return nil, fmt.Errorf("%w: delimiter and quote are both %q", colstore.ErrOption, q)
		}
		d.class[d.quote] = classQuote
	}
	d.class[d.delimiter] = classDelimiter
	d.class['\n'] = classLF
	d.class['\r'] = classCR
	return d, nil
}

// character returns the one byte that an option's text stands for. All that structures a row is ASCII, so that it
// is found without decoding UTF-8.
func character(s string) (byte, bool) {
	if s == `\t` {
		s = "\t"
	}
	if len(s) != 1 || s[0] >= 0x80 || s[0] == '\n' || s[0] == '\r' {
		return 0, false
	}
	return s[0], true
}

func checkDelimiter(v any) error {
	if _, ok := character(v.(string)); !ok {
		return fmt.Errorf("%q is not one ASCII character other than a line break", v)
	}
	return nil
}

func checkQuote(v any) error {
	if v == "" {
		return nil
	}
	return checkDelimiter(v)
}

// checkOutputDelimiter also refuses what would have numbers, dates, true and false quoted.
func checkOutputDelimiter(v any) error {
	if err := checkDelimiter(v); err != nil {
		return err
	}
	c, _ := character(v.(string))
	switch {
	case c == '"':
		return errors.New("the quote cannot be the delimiter")
	case c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte("+-.:", c) >= 0:
		return fmt.Errorf("%q occurs in numbers, dates or words; take another delimiter", c)
	}
	return nil
}
