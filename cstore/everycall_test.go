package cstore_test

import (
	"testing"

	"github.com/colstore/colstore-go/internal/soak"
)

// Whatever call fails, each file is as it was or as it is to be, and nothing is left beside it. Only some of the
// scenarios are tried: every second in a soak, fewer without.
func TestEveryCallSoak(t *testing.T) {
	all := scenarios(t)
	step := max(1, len(all)/soak.Count(t, 24, len(all)/2))
	for i := 0; i < len(all); i += step {
		all[i].EveryCall(t)
	}
}
