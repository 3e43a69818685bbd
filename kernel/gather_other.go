//go:build !amd64 || purego

package kernel

import (
	"unsafe"

	"github.com/colstore/colstore-go"
)

func gatherRun(dst unsafe.Pointer, p place, size int, count int64, rows []int64) int {
	return gatherRunGo(dst, p, size, count, rows)
}

func (r *Runs) gatherRuns(dst unsafe.Pointer, column []colstore.Column, size int, rows []int64) int {
	return r.gatherRunsGo(dst, column, size, rows)
}
