package kernel

import "encoding/binary"

// Truths makes every byte of bools that is neither 0 nor 1 a 1: files hold such, and another Go bool is undefined.
func Truths(bools []byte) {
	const ones = 0x0101010101010101
	for len(bools) >= 8 {
		if binary.LittleEndian.Uint64(bools)&^ones != 0 {
			truths(bools[:8])
		}
		bools = bools[8:]
	}
	truths(bools)
}

func truths(bools []byte) {
	for i, b := range bools {
		if b > 1 {
			bools[i] = 1
		}
	}
}
