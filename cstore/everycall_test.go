package cstore_test

import "testing"

// Whatever call fails, each file is as it was or as it is to be, and nothing is left beside it.
func TestEveryCall(t *testing.T) {
	for _, c := range append(createCases(t), appendCases(t)...) {
		c.EveryCall(t)
	}
}
