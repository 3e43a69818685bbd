package colstore

import (
	"context"
	"errors"
	"io"
	"iter"
)

// A Scan says what to read of a source. Its zero value is everything, in batches of the source's choice.
type Scan struct {
	Columns   []string  // the columns, in this order; nil is all of them, in the source's order
	Rows      Range     // the rows; an End of 0 is "to the end"
	BatchRows int       // the most rows a batch; 0 is the source's choice
	Skip      Skipper   // may drop groups of rows that cannot match; never required for correctness
	Skipped   *Skipped  // counts what Skip drops; nil for nobody who asks
	Dry       bool      // only ask Skip, and yield nothing; a source that drops nothing need not heed it
	Mem       Allocator // where buffers come from; nil is the Go heap
	Threads   int       // goroutines that decode one batch; 0 is 1
	Once      bool      // the rows are read once, in order: mapped pages behind a released batch may be given back
	Keep      int64     // they may stay for the next scan, too, as long as all that stay in the process are at most so many bytes
}

// A Source is a table that can be read, in order, any number of times.
//
// A yielded batch is valid until the loop body ends. The sequence ends after its first error; an error carries the file
// and, where known, column and row. Scan may be called from several goroutines at once.
type Source interface {
	Schema() *Schema
	// Rows returns the number of rows, or -1 if only reading tells.
	Rows() int64
	Scan(ctx context.Context, s Scan) iter.Seq2[*Batch, error]
	io.Closer
}

// A Splitter is a source that can start decoding inside: a Scan of one of its ranges costs about what its rows cost. A
// source without it is read from the beginning.
type Splitter interface {
	// Splits returns ranges that cover all rows in order. They begin where decoding can start (any row of a mapped
	// file, a row group, a cluster) and hold at most rows rows, or what cannot be divided.
	Splits(rows int) []Range
}

// A Cost is what an endpoint holds in memory while it works.
type Cost struct {
	Fixed  int64 // bytes that a scan, or the sink, holds whatever the batch: row groups, pages, dictionaries
	Row    int   // bytes a row of a batch takes, the scanned columns included; 0 for a mapped file, whose rows take none
	Rescan bool  // a second scan of some columns costs little: a mapped file
}

// A Coster is a source or sink that holds memory of its own, by which a batch is sized.
type Coster interface {
	// Cost returns what a scan of columns holds (nil: all; a sink ignores it).
	Cost(columns []string) Cost
}

// A Mapper is a source whose rows lie in memory that can be shown as it is: a mapped file, batches in memory.
type Mapper interface {
	// Map returns columns (nil: all, in the source's order) as they lie: a batch for every run of rows, a record of a
	// file, in order, that together are all rows. No byte is copied. The caller releases each of them; they stay valid
	// after the source is closed, until then.
	// Errors: ErrNotViewable where the rows do not lie in memory after all, ErrNoColumn, ErrClosed.
	Map(columns []string) ([]*Batch, error)
}

// A Predicate chooses rows by their values: package frame makes them of expressions.
type Predicate interface {
	// Check reports what is wrong with the predicate over columns of those names and dtypes. Nothing is read.
	Check(s *Schema) error
	// Match reads the rows of src, of which there are rows, and returns a bitmap: row i matches if bit i mod 64 of word
	// i/64 is set. The bits past the last row are 0.
	Match(ctx context.Context, src Source) (words []uint64, rows int64, err error)
}

// A Locator is a source that knows which file a row lies in.
type Locator interface {
	// Locate returns the path of the file, empty if there is none, and the row's number in it.
	Locate(row int64) (path string, at int64)
}

// A Composite is a source whose rows are those of others, one below the other, with the same values under the same names: files
// read as one table, some columns of a table.
type Composite interface {
	// Parts returns them, in order. They are the composite's.
	Parts() []Source
}

// Locate gives an error about a row of src the file that the row lies in, if src knows it.
func Locate(src Source, err error) error {
	l, ok := src.(Locator)
	e, about := errors.AsType[*Error](err)
	if !ok || !about || e.Path != "" {
		return err
	}
	row, known := e.Row.Get()
	if !known {
		return err
	}
	path, at := l.Locate(row)
	if path == "" {
		return err
	}
	located := *e
	located.Path, located.Row = path, At(at)
	return &located
}

// A Warner is an endpoint with something to tell that is no error: dropped columns, a lock that is not there.
type Warner interface{ Warnings() []string }

// A Sink takes batches in row order and publishes them all at once or not at all.
type Sink interface {
	// Write takes the rows of b, which is the caller's again on return. After an error only Abort is useful.
	Write(ctx context.Context, b *Batch) error
	// Commit publishes. When it returns nil the output is complete and durable; on an error there is none, and what
	// was there before is untouched.
	Commit(ctx context.Context) error
	// Abort drops everything. After Commit it does nothing; it may be called any number of times.
	Abort() error
}

// An OffsetSink is a sink that takes rows in any order, from several goroutines, once their number is known.
type OffsetSink interface {
	Sink
	// Reserve announces the number of rows. It comes before any write, and WriteAt then replaces Write.
	Reserve(rows int64) error
	// WriteAt takes the rows of b, which are rows row, row+1, … of the output.
	WriteAt(ctx context.Context, row int64, b *Batch) error
}

// A Preparer is a sink whose Commit can be split: Prepare does all that is likely to fail (flushing, syncing), so that
// several sinks can be brought to that point before the first is published.
type Preparer interface {
	Prepare(ctx context.Context) error
}

// Bounds enclose the values of a column in a group of rows: no value is below Lo or above Hi, each a column of one row of
// the column's dtype. They need not occur, and a zero stands for both zeros.
type Bounds struct {
	Lo, Hi Column
	NaN    bool // NaN or NaT, which have no order, may be there beside
}

// A Skipper decides from bounds whether a group of rows can be left out.
type Skipper interface {
	// Skip reports whether no row of a group is wanted. A source then leaves the group out, and must. Of a group that is
	// wanted it may ask again in parts (pages); otherwise it asks at most once a scan and group. rows are those of the
	// group that the scan is about, by their numbers in the source; bounds returns what is known of a column in the group.
	// Concurrency: called from the goroutine of each scan.
	Skip(rows Range, bounds func(column string) (b Bounds, ok bool)) bool
}

// An Allocator hands out counted buffers. It is not safe for concurrent use.
type Allocator interface {
	// Get returns n bytes that are aligned to 64, of any content, or nil when its share of the budget is spent.
	Get(n int) []byte
	// Put takes a buffer back.
	Put(b []byte)
}

// An Endpoint names where rows come from or go to. It is data: package source or sink opens it.
type Endpoint struct {
	URI     string         // a path, a pattern, or a path with a part of the file: "f.root:events"
	Format  string         // a format's name; empty: by extension, then by the file's first bytes
	Options map[string]any // format options, checked against the format's list
}
