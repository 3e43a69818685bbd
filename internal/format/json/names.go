package json

import (
	"fmt"
	"strconv"

	"github.com/colstore/colstore-go"
)

// maxColumns bounds what a file can have allocated for columns.
const maxColumns = 1 << 16

// names are the columns of a file, in the order they appeared.
type names struct {
	list    []string
	spelled []string // as the file has it between quotes; notSpelled as long as that has not been seen
	at      map[string]int
}

func newNames(list ...string) *names {
	n := &names{at: map[string]int{}}
	for _, name := range list {
		n.add(name)
	}
	return n
}

// notSpelled is no text between quotes.
const notSpelled = `"`

// add appends a column, or returns the one that has the name.
func (n *names) add(name string) int {
	if i, ok := n.at[name]; ok {
		return i
	}
	n.at[name] = len(n.list)
	n.list, n.spelled = append(n.list, name), append(n.spelled, notSpelled)
	return len(n.list) - 1
}

// rename gives the columns, which have numbers for names, the names of a list, and adds those that are in no row.
//
// Errors: colstore.ErrDuplicate, colstore.ErrMismatch.
func (n *names) rename(list []string) error {
	if len(n.list) > len(list) {
		return fmt.Errorf("%w: a row has %d values, but there are %d names", colstore.ErrMismatch, len(n.list), len(list))
	}
	renamed := newNames()
	for i, name := range list {
		if renamed.add(name) != i {
			return &colstore.Error{Column: name, Err: fmt.Errorf("%w: columns %d and %d have this name; give them different ones", colstore.ErrDuplicate, renamed.at[name], i)}
		}
	}
	*n = *renamed
	return nil
}

// number is the name of a column that has none.
func number(i int) string { return strconv.Itoa(i) }
