package runtime

import (
	"time"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/frame"
)

// A Report says what a run did.
type Report struct {
	Name     string
	Inputs   []string
	Rows     int64               // of the input
	Skipped  int64               // of these, rows that were not read since statistics exclude them
	Skips    colstore.SkipCounts // the groups of rows and pages that these lay in; zero if nothing could be left out
	Copied   bool                // the outputs are copies of the input's bytes: nothing was decoded
	Outputs  []OutputReport
	Cutflow  *frame.Cutflow // of the shared steps
	Warnings []string
	Elapsed  time.Duration
}

// OutputReport is one output of a report.
type OutputReport struct {
	Path    string
	Rows    int64
	Bytes   int64    // of the file, or of the shards
	Skipped bool     // it was there and newer than the input
	Shards  []string // the files that a folder got, in order
}

// Phase is what a run is doing.
type Phase uint8

// The phases, in order; counting is left out where the number of rows is known.
const (
	PhaseCount Phase = iota
	PhaseWrite
	PhaseCommit
)

// An Event tells how far a run has come.
type Event struct {
	Name  string // of the pipeline
	Phase Phase
	Rows  int64 // of the input, done so far in this phase
	Total int64 // rows of the input, -1 if only reading tells
}
