package text

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/colstore/colstore-go"
)

// PutUTF8 writes s as the code points of one text value, padded with NULs.
//
// Shapes: len(points) is the width of the dtype.
// Errors: colstore.ErrValue for text that is too long or is no UTF-8.
func PutUTF8(points []uint32, s []byte) error {
	n := 0
	if len(s) <= len(points) {
		for n < len(s) && s[n] < utf8.RuneSelf {
			points[n] = uint32(s[n])
			n++
		}
		if n == len(s) {
			clear(points[n:])
			return nil
		}
	}
	for rest := s[n:]; len(rest) > 0; n++ {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size <= 1 {
			return fmt.Errorf("%w: text that is no UTF-8 (byte %#02x)", colstore.ErrValue, rest[0])
		}
		if n == len(points) {
			return fmt.Errorf("%w: text of %d characters does not fit %s", colstore.ErrValue, utf8.RuneCount(s), colstore.TextOf(len(points)).Name())
		}
		points[n] = uint32(r)
		rest = rest[size:]
	}
	clear(points[n:])
	return nil
}

// AppendUTF8 appends the code points of one text value without the NULs that pad it; NULs inside are kept.
//
// Errors: colstore.ErrValue for a number that is no character.
func AppendUTF8(dst []byte, points []uint32) ([]byte, error) {
	n := len(points)
	for n > 0 && points[n-1] == 0 {
		n--
	}
	points = points[:n]
	at := len(dst)
	dst = slices.Grow(dst, utf8.UTFMax*n)
	to := dst[at : at+utf8.UTFMax*n]
	k := 0
	for _, r := range points {
		switch {
		case r < utf8.RuneSelf:
			to[k] = byte(r)
			k++
		case r < 0x800:
			to[k], to[k+1] = 0xc0|byte(r>>6), 0x80|byte(r)&0x3f
			k += 2
		case r <= utf8.MaxRune && utf8.ValidRune(rune(r)):
			k += utf8.EncodeRune(to[k:], rune(r))
		default:
			return dst[:at+k], fmt.Errorf("%w: text with the number %#x, which is no character", colstore.ErrValue, r)
		}
	}
	return dst[:at+k], nil
}
