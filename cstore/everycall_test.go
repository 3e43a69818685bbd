package cstore_test

import (
	"testing"

	"github.com/colstore/colstore-go/internal/soak"
)

// Whatever call fails, each file is as it was or as it is to be, and nothing is left beside it. Only a soak tries all
// scenarios.
func TestEveryCallSoak(t *testing.T) {
	all := scenarios(t)
	step := max(1, len(all)/soak.Count(t, 24, len(all)))
	for i := 0; i < len(all); i += step {
		all[i].EveryCall(t)
	}
}
