package source

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

// selectionKind is what a selection is made of.
type selectionKind uint8

const (
	selectSlice selectionKind = iota // all rows is a slice too
	selectRow
	selectRows
	selectMask
	selectWhere
)

// A Selection says which rows of a table, in which order. It is a value and knows no table; numbers below 0 count from
// the table's end. The zero Selection is all rows.
type Selection struct {
	kind       selectionKind
	begin, end int64
	open       [2]bool // the slice has a begin, an end
	step       int64   // 0 is 1
	zeroStep   bool
	rows       []int64
	mask       []bool
	where      colstore.Predicate
}

// All is every row.
func All() Selection { return Selection{} }

// Row is one row.
func Row(i int64) Selection { return Selection{kind: selectRow, begin: i} }

// Rows is the rows of those numbers, in that order, any of them more than once.
//
// Memory: a slice that is passed as numbers... is not copied; it must not change while the selection, or a view of it, is
// used.
func Rows(numbers ...int64) Selection { return Selection{kind: selectRows, rows: numbers} }

// Slice is the rows from begin to end, without end: Python's [begin:end]. Bounds that the table does not have are clipped.
func Slice(begin, end int64) Selection {
	return Selection{begin: begin, end: end, open: [2]bool{true, true}}
}

// From is the rows from begin on: Python's [begin:].
func From(begin int64) Selection { return Selection{begin: begin, open: [2]bool{true, false}} }

// To is the rows before end: Python's [:end].
func To(end int64) Selection { return Selection{end: end, open: [2]bool{false, true}} }

// By takes every step-th row of a slice, from its begin on; with a negative step backwards, as Python's [begin:end:step]
// does. It has a meaning for [All], [Slice], [From] and [To] only.
func (s Selection) By(step int64) Selection {
	s.step, s.zeroStep = step, step == 0 || s.kind != selectSlice
	return s
}

// Mask is the rows whose element is true; there must be one for every row.
//
// Memory: keep is not copied; it must not change before the selection is picked and, of a lazy view, read.
func Mask(keep []bool) Selection { return Selection{kind: selectMask, mask: keep} }

// Where is the rows that a predicate is true for, found out when rows are read: an expression of package frame.
func Where(p colstore.Predicate) Selection { return Selection{kind: selectWhere, where: p} }

// ParseSelection reads a selection as the command line writes it: a row "10" or "-1"; a slice "2:9:3" or "::-1"; a list
// "[5,0,5]"; a mask "[true,false]".
//
// Errors: colstore.ErrValue.
func ParseSelection(text string) (Selection, error) {
	t := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(t, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if !ok {
			return Selection{}, badSelection(text, "the list has no closing bracket")
		}
		return parseList(text, inner)
	}
	if !strings.Contains(t, ":") {
		i, err := parseRow(text, t)
		return Row(i), err
	}
	parts := strings.Split(t, ":")
	if len(parts) > 3 {
		return Selection{}, badSelection(text, "a slice has at most three parts")
	}
	s := Selection{}
	for i, part := range parts {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := parseRow(text, part)
		if err != nil {
			return Selection{}, err
		}
		switch i {
		case 0:
			s.begin, s.open[0] = n, true
		case 1:
			s.end, s.open[1] = n, true
		default:
			s = s.By(n)
		}
	}
	return s, nil
}

// parseList reads the elements of a list of rows, or of a mask.
func parseList(text, inner string) (Selection, error) {
	if strings.TrimSpace(inner) == "" {
		return Rows(), nil
	}
	var rows []int64
	var mask []bool
	for part := range strings.SplitSeq(inner, ",") {
		part = strings.TrimSpace(part)
		if b := strings.ToLower(part); b == "true" || b == "false" {
			mask = append(mask, b == "true")
			continue
		}
		n, err := parseRow(text, part)
		if err != nil {
			return Selection{}, err
		}
		rows = append(rows, n)
	}
	if rows != nil && mask != nil {
		return Selection{}, badSelection(text, "rows and truth values are mixed")
	}
	if mask != nil {
		return Selection{kind: selectMask, mask: mask}, nil
	}
	return Selection{kind: selectRows, rows: rows}, nil
}

func parseRow(text, part string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(strings.ReplaceAll(part, "_", ""), "+"), 10, 64)
	if err != nil {
		return 0, badSelection(text, fmt.Sprintf("%q is no row number", part))
	}
	return n, nil
}

func badSelection(text, why string) error {
	return fmt.Errorf("%w: rows %q: %s; write 10, 2:9, ::-1, [5,0,5] or [true,false]", colstore.ErrValue, text, why)
}

// Err returns what is wrong with the selection whatever the table: a step of 0, or of what is no slice.
func (s Selection) Err() error {
	switch {
	case s.zeroStep && s.kind == selectSlice:
		return fmt.Errorf("%w: a slice with a step of 0", colstore.ErrValue)
	case s.zeroStep:
		return fmt.Errorf("%w: only a slice has a step", colstore.ErrValue)
	}
	return nil
}

// isLazy reports whether only reading tells the rows.
func (s Selection) isLazy() bool { return s.kind == selectWhere }

// String prints the selection as [ParseSelection] reads it, long lists shortened.
func (s Selection) String() string {
	switch s.kind {
	case selectRow:
		return strconv.FormatInt(s.begin, 10)
	case selectRows:
		return shortList(s.rows)
	case selectMask:
		return shortList(s.mask)
	case selectWhere:
		return fmt.Sprintf("where %v", s.where)
	}
	var b strings.Builder
	if s.open[0] {
		fmt.Fprint(&b, s.begin)
	}
	b.WriteByte(':')
	if s.open[1] {
		fmt.Fprint(&b, s.end)
	}
	if s.step != 0 {
		fmt.Fprintf(&b, ":%d", s.step)
	}
	return b.String()
}

func shortList[T any](v []T) string {
	const shown = 8
	var b strings.Builder
	for i, x := range v {
		if i == shown {
			fmt.Fprintf(&b, ",… (%d)", len(v))
			break
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, x)
	}
	return "[" + b.String() + "]"
}
