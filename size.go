package colstore

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// ByteSize is a number of bytes.
type ByteSize int64

// The binary units.
const (
	KiB ByteSize = 1 << 10
	MiB ByteSize = 1 << 20
	GiB ByteSize = 1 << 30
	TiB ByteSize = 1 << 40
	PiB ByteSize = 1 << 50
)

// ParseByteSize reads "4096", "1 MB", "2.5 GiB", "64mib". Units are B; K M G T P with an optional B, powers of 1000;
// Ki Mi Gi Ti Pi with an optional B, powers of 1024; upper or lower case. A fraction of a byte is cut off.
//
// Errors: [ErrValue] for anything else and for less than one byte.
func ParseByteSize(s string) (ByteSize, error) {
	bad := func() (ByteSize, error) {
		return 0, fmt.Errorf("%w: %q is not a size (examples: 4096, 64 MiB, 1.5 GB)", ErrValue, s)
	}
	text := strings.TrimSpace(s)
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.') {
		end++
	}
	number, unit := text[:end], strings.TrimSpace(text[end:])
	if number == "" || number == "." || strings.Count(number, ".") > 1 || len(number) > 40 {
		return bad()
	}
	factor, ok := sizeUnits[strings.ToUpper(unit)]
	if !ok {
		return bad()
	}
	v, ok := new(big.Rat).SetString(number)
	if !ok {
		return bad()
	}
	v.Mul(v, new(big.Rat).SetInt64(factor))
	n := new(big.Int).Quo(v.Num(), v.Denom())
	if !n.IsInt64() || n.Int64() < 1 {
		return bad()
	}
	return ByteSize(n.Int64()), nil
}

var sizeUnits = func() map[string]int64 {
	units := map[string]int64{"": 1, "B": 1}
	dec, bin := int64(1), int64(1)
	for _, p := range []string{"K", "M", "G", "T", "P"} {
		dec, bin = dec*1000, bin*1024
		units[p], units[p+"B"] = dec, dec
		units[p+"I"], units[p+"IB"] = bin, bin
	}
	return units
}()

// String prints the size in the largest binary unit that leaves no fraction, or with one decimal.
func (n ByteSize) String() string {
	units := []struct {
		name string
		size ByteSize
	}{{"PiB", PiB}, {"TiB", TiB}, {"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}}
	for _, u := range units {
		if n >= u.size {
			if n%u.size == 0 {
				return strconv.FormatInt(int64(n/u.size), 10) + " " + u.name
			}
			return strconv.FormatFloat(float64(n)/float64(u.size), 'f', 1, 64) + " " + u.name
		}
	}
	return strconv.FormatInt(int64(n), 10) + " B"
}

// MarshalText prints the size so that reading it back gives the same number of bytes.
func (n ByteSize) MarshalText() ([]byte, error) {
	text := n.String()
	if v, err := ParseByteSize(text); err != nil || v != n {
		text = strconv.FormatInt(int64(n), 10)
	}
	return []byte(text), nil
}

// UnmarshalText reads what [ParseByteSize] reads.
func (n *ByteSize) UnmarshalText(text []byte) error {
	v, err := ParseByteSize(string(text))
	if err == nil {
		*n = v
	}
	return err
}

// ParseCount reads a number of rows: digits, with "_" between them if wanted.
//
// Errors: [ErrValue].
func ParseCount(s string) (int64, error) {
	text := strings.TrimSpace(s)
	v, err := strconv.ParseUint(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil || v > math.MaxInt64 || strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") ||
		strings.Contains(text, "__") {
		return 0, fmt.Errorf("%w: %q is not a number of rows (examples: 500, 1_000_000)", ErrValue, s)
	}
	return int64(v), nil
}

// GroupRows returns how many rows go into one group of a written file (a Parquet row group, an Arrow record batch, a
// .cstore record of the block layout): at most 1,048,576 rows and 32 MiB of rowBytes each, in whole multiples of 1,024
// rows where that fits, and at least one. It depends on the schema alone, so that output bytes do not depend on the
// memory budget or the number of workers.
func GroupRows(rowBytes int) int {
	const rows, size, multiple = 1 << 20, 32 << 20, 1 << 10
	n := min(rows, size/max(1, rowBytes))
	if n >= multiple {
		n = n / multiple * multiple
	}
	return max(1, n)
}
