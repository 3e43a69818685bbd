//go:build !amd64 || purego

package kernel

func fusedFast[T Float](pair, []T, []T, []T, []T) int { return 0 }

func squaresFast[T Float]([]T, []T, []T, bool) int { return 0 }
