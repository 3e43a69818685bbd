//go:build !linux

package numa

import "errors"

// errUnsupported is the answer of a system that has no such calls.
var errUnsupported = errors.New("not on this system")

// system has no such calls.
type system struct{}

func (system) setThread(mode, []int) error        { return errUnsupported }
func (system) thread() (mode, error)              { return 0, errUnsupported }
func (system) setRange([]byte, mode, []int) error { return errUnsupported }
func (system) nodes([]byte) ([]int, error)        { return nil, errUnsupported }
func (system) bound() ([]int, error)              { return nil, errUnsupported }
func (system) bind([]int) error                   { return errUnsupported }

// anonymous returns fresh memory, and what gives it back.
func anonymous(n int) (p []byte, free func(), err error) { return make([]byte, n), func() {}, nil }

// release returns the system's release, which nobody asks for.
func release() string { return "" }
