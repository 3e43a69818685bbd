package colstore

import (
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"
)

// sentinel is an error that may be a special case of a wider one.
type sentinel struct {
	text string
	of   error
}

func (s *sentinel) Error() string { return s.text }
func (s *sentinel) Unwrap() error { return s.of }

// What can go wrong. Compare with errors.Is; the wider errors match the narrower ones (a checksum mismatch is a format
// error too).
var (
	// ErrFormat: the bytes of a file are not what its format demands, or it is no file of that format.
	ErrFormat error = &sentinel{text: "format error"}
	// ErrChecksum: a stored checksum does not match the bytes it covers. Is ErrFormat.
	ErrChecksum error = &sentinel{"checksum mismatch", ErrFormat}
	// ErrTruncated: a file ends before the bytes its headers promise, or it was cut while it was read. Is ErrFormat.
	ErrTruncated error = &sentinel{"file is truncated", ErrFormat}
	// ErrType: a dtype that is unknown or cannot be stored, or an operation that its operand types do not have.
	ErrType error = &sentinel{text: "type error"}
	// ErrNoColumn: a name that the schema does not have.
	ErrNoColumn error = &sentinel{text: "no such column"}
	// ErrDuplicate: a name that is there twice.
	ErrDuplicate error = &sentinel{text: "duplicate column"}
	// ErrMismatch: schemas or lengths that must agree do not.
	ErrMismatch error = &sentinel{text: "mismatch"}
	// ErrNull: a missing value where the policy allows none.
	ErrNull error = &sentinel{text: "null value"}
	// ErrValue: a value that cannot be read, converted or represented.
	ErrValue error = &sentinel{text: "bad value"}
	// ErrRange: a row that the data does not have.
	ErrRange error = &sentinel{text: "out of range"}
	// ErrNotViewable: a view without a copy was asked for where the layout permits none.
	ErrNotViewable error = &sentinel{text: "not viewable"}
	// ErrExists: an output is already there and the mode does not replace it. Is fs.ErrExist.
	ErrExists error = &sentinel{"already exists", fs.ErrExist}
	// ErrLocked: another writer holds the file or directory.
	ErrLocked error = &sentinel{text: "locked by another writer"}
	// ErrBudget: the memory budget cannot hold what must be in memory at once.
	ErrBudget error = &sentinel{text: "memory budget too small"}
	// ErrClosed: a reader or writer is used after Close, Commit or Abort.
	ErrClosed error = &sentinel{text: "already closed"}
	// ErrOption: an option, mode or format name that does not exist, or a value that it does not take.
	ErrOption error = &sentinel{text: "bad option"}
)

// Pos is a record or row number in an [Error]; the zero Pos is none, which keeps row 0 apart from no row.
type Pos int64

// At returns the position i.
func At(i int64) Pos { return Pos(i + 1) }

// Get returns the number, and whether there is one.
func (p Pos) Get() (i int64, ok bool) { return int64(p) - 1, p != 0 }

// An Error says where something went wrong. Fields that do not apply are zero and are not printed.
type Error struct {
	Op     string // what was being done: "open", "scan", "write"
	Path   string // the file
	Column string // the column
	Record Pos    // the record of the file
	Row    Pos    // the row: global in a scan, of the file in a writer
	Err    error
}

// Error prints the coordinates that are set, then the cause:
// `scan events.cstore: record 3: column "pt": row 81920: checksum mismatch`. Of a long name only the beginning is printed.
func (e *Error) Error() string {
	var b strings.Builder
	part := func(s string) {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(s)
	}
	switch {
	case e.Op != "" && e.Path != "":
		part(e.Op + " " + e.Path)
	case e.Path != "":
		part(e.Path)
	case e.Op != "":
		part(e.Op)
	}
	if i, ok := e.Record.Get(); ok {
		part("record " + strconv.FormatInt(i, 10))
	}
	if e.Column != "" {
		part("column " + strconv.Quote(clip(e.Column)))
	}
	if i, ok := e.Row.Get(); ok {
		part("row " + strconv.FormatInt(i, 10))
	}
	if e.Err != nil {
		part(e.Err.Error())
	}
	return b.String()
}

// clip returns the beginning of a name, which a file may have made longer than a message should be.
func clip(name string) string {
	const most = 60 // bytes
	if len(name) <= most {
		return name
	}
	n := most
	for n > most-utf8.UTFMax && !utf8.RuneStart(name[n]) {
		n--
	}
	return name[:n] + "…"
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
