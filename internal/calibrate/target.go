package calibrate

import (
	"fmt"
	"strings"

	"github.com/colstore/colstore-go"
)

// A Target is one thing that is measured.
type Target uint8

// The targets, in the order in which they are measured.
const (
	Threads     Target = iota // goroutines of a read of rows
	Prefetch                  // how far ahead a read of rows asks for memory
	MaskDensity               // how many rows of a mask are taken one by one
)

// Targets are all of them.
var Targets = []Target{Threads, Prefetch, MaskDensity}

// targetNames are the names of the targets on the command line, and what they are.
var targetNames = [][2]string{
	{"threads", "gather thread cap"},
	{"prefetch", "prefetch distances"},
	{"mask-density", "boolean-mask density gate"},
}

func (t Target) String() string { return targetNames[t][0] }

// Summary says in a few words what a target is.
func (t Target) Summary() string { return targetNames[t][1] }

// ParseTarget returns the target of a name.
//
// Errors: colstore.ErrOption, with the names there are.
func ParseTarget(name string) (Target, error) {
	var names []string
	for i, n := range targetNames {
		if n[0] == name {
			return Target(i), nil
		}
		names = append(names, n[0])
	}
	return 0, fmt.Errorf("%w: calibration target %q; there are %s", colstore.ErrOption, name, strings.Join(names, ", "))
}
