package cstore

import "github.com/colstore/colstore-go"

// A layout turns rows into records behind those that a file has already.
type layout interface {
	// write appends the rows of b. One that fails, or panics, leaves everything as if it had not been.
	write(b *colstore.Batch) error
	// finish writes what is still in memory and returns where the records end. Nothing is written after it.
	finish() (end int64, err error)
	// records returns the number of records and of rows, those that were there before included. Before finish a layout
	// that collects rows counts the record that they are going to be.
	count() (records, rows int64)
	// discard gives up what the layout keeps outside of the file.
	discard() error
}

// A form is what every layout needs of the file it writes to.
type form struct {
	out    target
	schema *colstore.Schema
	prefix []int // bytes of a row before each column
	stats  *collector

	at      int64 // where the first new record goes
	records int64 // before it
	rows    int64
}
