package fsx

import (
	"cmp"
	"strings"
)

// CompareNatural orders names as people do: runs of digits by their value, everything else as text, so that run_2 comes
// before run_10. Names that differ only in leading zeros are ordered as text.
func CompareNatural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		if dx, dy := digits(x), digits(y); dx > 0 && dy > 0 {
			nx, ny := strings.TrimLeft(x[:dx], "0"), strings.TrimLeft(y[:dy], "0")
			if c := cmp.Or(cmp.Compare(len(nx), len(ny)), cmp.Compare(nx, ny)); c != 0 {
				return c
			}
			x, y = x[dx:], y[dy:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// digits returns the length of the run of digits at the start of s.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
