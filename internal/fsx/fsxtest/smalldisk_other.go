//go:build !linux

package fsxtest

import "testing"

// onMounted mounts nothing: only Linux lets a test do that.
func onMounted(*testing.T, func(t *testing.T, d *SmallDisk)) (mounted bool, why string) {
	return false, "this is not Linux"
}

// fillBytes is for real disks.
func fillBytes(t *testing.T, _ string, _ int64) { t.Fatal("there is no real disk to fill") }
