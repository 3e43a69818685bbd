package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"

	"github.com/colstore/colstore-go"
)

// output is what a call returned.
type output struct {
	columns []colstore.Column // dense, in native byte order; packed records are a column of bytes
	batch   *colstore.Batch   // that holds them
	limit   bool              // of a limit of the machine: nothing to compare
}

func (o output) release() {
	if o.batch != nil {
		o.batch.Release()
	}
}

func (o output) bytes() int64 {
	n := 0
	for _, c := range o.columns {
		n += c.Rows() * c.Type().Size()
	}
	return int64(n)
}

// check is what is compared: of exact results the checksum of all bytes, once, and their sum as little-endian words; of the
// others the sum of the values, and, once, up to tolerated of them. Floats are text, so that nothing is lost.
type check struct {
	Words  string   `json:"words,omitempty"`
	CRC    uint32   `json:"crc,omitempty"`
	Sum    string   `json:"sum,omitempty"`
	Values []string `json:"values,omitempty"`
}

const tolerated = 16384

func (o output) quick(exact bool) (check, error) {
	if o.limit {
		return check{}, nil
	}
	words, sum := uint64(0), 0.0
	for _, c := range o.columns {
		if !exact {
			values, err := colstore.Values[float64](c)
			if err != nil {
				return check{}, err
			}
			for _, v := range values {
				sum += v
			}
			continue
		}
		data, ok := c.Bytes()
		if !ok {
			return check{}, errNotDense
		}
		for ; len(data) >= 8; data = data[8:] {
			words += binary.LittleEndian.Uint64(data)
		}
		for i, b := range data {
			words += uint64(b) << (8 * i)
		}
	}
	if exact {
		return check{Words: strconv.FormatUint(words, 10)}, nil
	}
	return check{Sum: hex(sum)}, nil
}

func (o output) full(exact bool) (check, error) {
	a, err := o.quick(exact)
	if err != nil || o.limit {
		return a, err
	}
	for _, c := range o.columns {
		if exact {
			data, _ := c.Bytes()
			a.CRC = crc32.Update(a.CRC, crc32.IEEETable, data)
			continue
		}
		v, err := colstore.Values[float64](c)
		if err != nil {
			return a, err
		}
		for i := 0; i < len(v); i += max(1, (len(v)+tolerated-1)/tolerated) {
			a.Values = append(a.Values, hex(v[i]))
		}
	}
	return a, nil
}

// errNotDense is returned for a result with room between its values.
var errNotDense = errors.New("a result is not dense")

func hex(v float64) string { return strconv.FormatFloat(v, 'x', -1, 64) }

// Tolerances of results that are not the same bytes in every engine: values computed by other functions, relative to the
// larger of 1 and the value; sums and other single numbers, for which engines add in their own order, times the rows.
const (
	nearValue = 4e-15
	nearSum   = 1e-14
)

// differs compares a check with that of another engine; what only one of them has is not compared.
func (c check) differs(want check, rows int) error {
	if c.Words != "" && want.Words != "" && c.Words != want.Words {
		return fmt.Errorf("%w: bytes with the sum %s, not %s", errDifferent, c.Words, want.Words)
	}
	if c.CRC != 0 && want.CRC != 0 && c.CRC != want.CRC {
		return fmt.Errorf("%w: checksum %08x, not %08x", errDifferent, c.CRC, want.CRC)
	}
	added, computed := nearSum*max(10, float64(rows)), nearValue
	if err := near("sum", c.Sum, want.Sum, added); err != nil {
		return err
	}
	if len(c.Values) == 1 {
		computed = added
	}
	if len(c.Values) > 0 && len(want.Values) > 0 {
		if len(c.Values) != len(want.Values) {
			return fmt.Errorf("%w: %d values, not %d", errDifferent, len(c.Values), len(want.Values))
		}
		for i, v := range c.Values {
			if err := near(fmt.Sprintf("value %d", i), v, want.Values[i], computed); err != nil {
				return err
			}
		}
	}
	return nil
}

// near compares two numbers in text.
func near(what, a, b string, tolerance float64) error {
	if a == "" || b == "" {
		return nil
	}
	x, err := strconv.ParseFloat(a, 64)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	y, err := strconv.ParseFloat(b, 64)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if x != y && !(math.IsNaN(x) && math.IsNaN(y)) && !(math.Abs(x-y) <= tolerance*max(1, math.Abs(y))) {
		return fmt.Errorf("%w: %s %v, not %v", errDifferent, what, x, y)
	}
	return nil
}
