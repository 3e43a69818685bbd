//go:build !amd64 || purego

package kernel

func binaryFast[T Number](operation, []T, []T, []T) int { return 0 }

func unaryFast[T Number](operation, []T, []T) int { return 0 }

func bitwiseFast[T Integer](operation, []T, []T, []T) int { return 0 }
