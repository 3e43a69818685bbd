//go:build !amd64 || purego

package kernel

func bytesFromBitsFast([]uint8, []uint64) int { return 0 }

func ranksFast([]int64, []uint64) (groups int, n int64) { return 0, 0 }
