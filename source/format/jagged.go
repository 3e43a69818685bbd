package format

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

// JaggedMode says what becomes of columns whose rows hold several values: lists, arrays, structures, jagged branches.
type JaggedMode uint8

// The modes.
const (
	JaggedDefault JaggedMode = iota // the format's own: JaggedSkip for ROOT, JaggedError elsewhere
	JaggedError                     // asking for one is an error
	JaggedSkip                      // they are left out, with one warning that names them
	JaggedExplode                   // an array of N is N columns NAME_0 … NAME_{N-1}, a list as many as its longest row has
	JaggedPad                       // the same, but a list is [Jagged.Width] columns, whatever its rows have
)

// Jagged is the policy for columns whose rows hold several values. Rows that are shorter than the columns of a list are
// filled with the missing value of the dtype, and a column NAME_n tells how many values each row has; so none are needed
// for arrays, whose length is their type's.
type Jagged struct {
	Mode  JaggedMode
	Width int // of JaggedPad, at least 1
}

// Unfolds reports whether lists, arrays and structures become columns.
func (j Jagged) Unfolds() bool { return j.Mode == JaggedExplode || j.Mode == JaggedPad }

// CountSuffix ends the name of the column that tells how many values a row of a list has.
const CountSuffix = "_n"

// MaxJagged bounds the columns that one list becomes: beyond it, a table of columns is not what is wanted.
const MaxJagged = 4096

// ParseJagged reads a policy: "error", "skip", "explode" or "pad=N".
//
// Errors: colstore.ErrOption.
func ParseJagged(s string) (Jagged, error) {
	switch s {
	case "error":
		return Jagged{Mode: JaggedError}, nil
	case "skip":
		return Jagged{Mode: JaggedSkip}, nil
	case "explode":
		return Jagged{Mode: JaggedExplode}, nil
	}
	if width, ok := strings.CutPrefix(s, "pad="); ok {
		if n, err := strconv.Atoi(width); err == nil && n >= 1 && n <= MaxJagged {
			return Jagged{Mode: JaggedPad, Width: n}, nil
		}
		return Jagged{}, fmt.Errorf("%w: jagged: pad takes a number of columns from 1 to %d, not %q", colstore.ErrOption, MaxJagged, width)
	}
	return Jagged{}, fmt.Errorf("%w: jagged is error, skip, explode or pad=N, not %q", colstore.ErrOption, s)
}

// Columns returns how many columns a list becomes whose longest row has that many values.
//
// Errors: colstore.ErrValue for more than a table should have.
func (j Jagged) Columns(longest int64) (int, error) {
	if j.Mode == JaggedPad {
		return j.Width, nil
	}
	if longest > MaxJagged {
		return 0, fmt.Errorf("%w: the longest list has %d values, explode makes at most %d columns; keep the first N with pad=N",
			colstore.ErrValue, longest, MaxJagged)
	}
	return int(longest), nil
}
