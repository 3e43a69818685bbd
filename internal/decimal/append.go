package decimal

import "math/bits"

// pairs are the two digits of every number below 100.
const pairs = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

// AppendInt appends a number in decimal.
//
//	return strconv.AppendInt(dst, v, 10)
func AppendInt(dst []byte, v int64) []byte {
	if v < 0 {
		return AppendUint(append(dst, '-'), -uint64(v))
	}
	return AppendUint(dst, uint64(v))
}

// AppendUint is [AppendInt] for unsigned numbers. The number of digits is found first, so that they are written where they
// belong.
func AppendUint(dst []byte, v uint64) []byte {
	if v < 10 {
		return append(dst, '0'+byte(v))
	}
	n := Digits(v)
	const most = "00000000000000000000"
	dst = append(dst, most[:n]...)
	putDigits(dst[len(dst)-n:], v)
	return dst
}

// Digits returns how many digits a number has.
func Digits(v uint64) int {
	n := (bits.Len64(v|1)*1233)>>12 + 1 // log10(2) = 1233/4096, so that it is one too many at most
	if n <= MaxDigits+1 && v < powersOfTen[n-1] {
		n--
	}
	return max(n, 1)
}

// putDigits fills p with the last digits of a number.
func putDigits(p []byte, v uint64) {
	i := len(p)
	for ; i >= 2; i -= 2 {
		q := v / 100
		r := 2 * (v - 100*q)
		p[i-2], p[i-1] = pairs[r], pairs[r+1]
		v = q
	}
	if i == 1 {
		p[0] = '0' + byte(v%10)
	}
}

// AppendPadded appends a number with zeros before it, so that it has at least width digits; width is at most 20.
func AppendPadded(dst []byte, v uint64, width int) []byte {
	const most = "00000000000000000000"
	n := max(width, Digits(v))
	dst = append(dst, most[:n]...)
	putDigits(dst[len(dst)-n:], v)
	return dst
}
