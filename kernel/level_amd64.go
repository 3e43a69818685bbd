//go:build !purego

package kernel

import "golang.org/x/sys/cpu"

// hasVBMI2 reports whether the processor compresses vectors of bytes and of words, beside [LevelAVX512].
var hasVBMI2 = cpu.X86.HasAVX512VBMI2

func detected() Level {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasF16C || !x.HasBMI1 || !x.HasBMI2 || !x.HasPOPCNT:
		return LevelSSE
	case !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512CD || !x.HasAVX512DQ || !x.HasAVX512VL:
		return LevelAVX2
	default:
		return LevelAVX512
	}
}
