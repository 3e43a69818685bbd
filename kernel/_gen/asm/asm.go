// Package asm is what the generators of kernels share.
package asm

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// File begins the file of a family of kernels: for amd64, and not with the build tag purego.
func File() {
	build.ConstraintExpr("amd64,!purego")
}

var labels int

// NewLabel returns a label that no other kernel of the file has.
func NewLabel(name string) string {
	labels++
	return fmt.Sprintf("%s%d", name, labels)
}

// Arg loads an argument of the kernel that is built into a register of its own.
func Arg(name string) reg.GPVirtual {
	return build.Load(build.Param(name), build.GP64()).(reg.GPVirtual)
}

// Jump returns the operand of a jump to a label.
func Jump(label string) operand.LabelRef { return operand.LabelRef(label) }
