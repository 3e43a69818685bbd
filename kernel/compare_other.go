//go:build !amd64 || purego

package kernel

func compareFast[T Number](relation, relation, []uint64, []T, []T, int) int { return 0 }
