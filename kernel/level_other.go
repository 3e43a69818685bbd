//go:build !amd64 || purego

package kernel

func detected() Level { return LevelGo }
