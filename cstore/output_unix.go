//go:build unix

package cstore

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/colstore/colstore-go"
)

// writeFault names the cause of EFAULT: the bytes to write lie in a mapping whose file was cut, which the kernel
// reports instead of raising a fault.
func writeFault(err error) error {
	if errors.Is(err, unix.EFAULT) {
		return fmt.Errorf("%w: the input was cut while it was read", colstore.ErrTruncated)
	}
	return err
}
