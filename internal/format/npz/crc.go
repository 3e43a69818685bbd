package npz

import "hash/crc32"

// A CRC is linear: that of a whole is the sum, without carries, of those of its pieces, each shifted by the bytes behind it.
// So the pieces of a column can be summed in whatever order they are written. Sums have neither the start value nor the
// final inversion of a CRC; they are polynomials over one bit, x^0 in the highest one.

// pieceSum returns the sum of a piece that has after bytes behind it.
func pieceSum(piece []byte, after int64) uint32 {
	return shiftSum(^crc32.Update(^uint32(0), crc32.IEEETable, piece), after)
}

// finishSum returns the CRC of n bytes with this sum.
func finishSum(sum uint32, n int64) uint32 { return ^(sum ^ shiftSum(^uint32(0), n)) }

// shiftSum returns the sum of the same bytes with n zeros behind them: sum × x^(8n).
func shiftSum(sum uint32, n int64) uint32 {
	for i := 3; n > 0; i, n = i+1, n>>1 {
		if n&1 != 0 {
			sum = multiply(sum, powers[i%len(powers)])
		}
	}
	return sum
}

// powers are x^(2^i) modulo the CRC's polynomial. The order of x divides 2^32 - 1, so they repeat after 32.
var powers = func() (p [32]uint32) {
	p[0] = 1 << 30 // x
	for i := 1; i < len(p); i++ {
		p[i] = multiply(p[i-1], p[i-1])
	}
	return p
}()

// multiply returns a × b modulo the CRC's polynomial.
func multiply(a, b uint32) uint32 {
	var product uint32
	for ; a != 0; a <<= 1 {
		product ^= b & -(a >> 31)
		b = b>>1 ^ crc32.IEEE&-(b&1)
	}
	return product
}
