//go:build !amd64 || purego

package kernel

func compressFast([]byte, []byte, []uint64, int) (words, rows int) { return 0, 0 }

func compressBitsFast([]uint64, []uint64, []uint64) (rows int, done bool) { return 0, false }

func compressRowsFast([]int64, []uint64, int64) (words, rows int) { return 0, 0 }
