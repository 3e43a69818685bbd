package main

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/pipeline"
)

// besideBudget is what the heap may take beside the budget of a run before garbage is collected early: what is no part of
// it, such as footers and the program's own values. Left to itself, the collector lets the heap grow to twice what is in use.
const besideBudget = 48 * colstore.MiB

// limitHeap makes the collector keep the program's memory near a budget, unless its user has told it what to keep to. It is
// a goal and no limit: a run that needs more has it, and is slower.
func limitHeap(budget colstore.ByteSize) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(min(budget, math.MaxInt64-besideBudget) + besideBudget))
	}
}

// fitHeap is limitHeap for the budget that flags or a recipe give in place of the default; rows of a batch have none. It
// leaves programs alone that do not limit their heap.
func fitHeap(budget colstore.ByteSize, rows int) {
	switch {
	case debug.SetMemoryLimit(-1) == math.MaxInt64:
	case rows > 0:
		limitHeap(math.MaxInt64)
	case budget > 0:
		limitHeap(budget)
	default:
		limitHeap(pipeline.DefaultMemory)
	}
}
