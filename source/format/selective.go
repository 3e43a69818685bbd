package format

// Selective is a file that leaves out columns which are no columns of ours, instead of refusing to be read.
type Selective interface {
	// Select returns which of columns are read, and warnings that name the others. nil stands for all columns, when
	// nobody has named any.
	//
	// Errors: none is left.
	Select(columns []string) (kept, warnings []string, err error)
}
