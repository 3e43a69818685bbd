package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"unsafe"

	"github.com/colstore/colstore-go"
)

// output is what a call returned: the columns of a batch, packed records, or one number.
type output struct {
	columns [][]byte // dense, in native byte order
	batch   *colstore.Batch
	limit   bool // of a limit of the machine: nothing to compare
}

func (o output) release() {
	if o.batch != nil {
		o.batch.Release()
	}
}

func (o output) bytes() int64 {
	n := 0
	for _, c := range o.columns {
		n += len(c)
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

func (o output) quick(exact bool) check {
	if o.limit {
		return check{}
	}
	if !exact {
		sum := 0.0
		for _, c := range o.columns {
			for _, v := range float64s(c) {
				sum += v
			}
		}
		return check{Sum: hex(sum)}
	}
	total := uint64(0)
	for _, c := range o.columns {
		for len(c) >= 8 {
			total += binary.LittleEndian.Uint64(c)
			c = c[8:]
		}
		for i, b := range c {
			total += uint64(b) << (8 * i)
		}
	}
	return check{Words: strconv.FormatUint(total, 10)}
}

func (o output) full(exact bool) check {
	c := o.quick(exact)
	if o.limit {
		return c
	}
	for _, data := range o.columns {
		if exact {
			c.CRC = crc32.Update(c.CRC, crc32.IEEETable, data)
			continue
		}
		v := float64s(data)
		for i := 0; i < len(v); i += max(1, (len(v)+tolerated-1)/tolerated) {
			c.Values = append(c.Values, hex(v[i]))
		}
	}
	return c
}

// float64s views the bytes of a dense column of float64.
func float64s(b []byte) []float64 {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

func hex(v float64) string { return strconv.FormatFloat(v, 'x', -1, 64) }

// Tolerances of results that are not the same bytes in every engine: values computed by other functions, relative to the
// larger of 1 and the value; sums, which engines add in their own order, relative to the number of rows.
const (
	nearValue = 4e-15
	nearSum   = 1e-12
)

// differs compares a check with that of another engine; what only one of them has is not compared.
func (c check) differs(want check, rows int) error {
	if c.Words != "" && want.Words != "" && c.Words != want.Words {
		return fmt.Errorf("%w: bytes with the sum %s, not %s", errDifferent, c.Words, want.Words)
	}
	if c.CRC != 0 && want.CRC != 0 && c.CRC != want.CRC {
		return fmt.Errorf("%w: checksum %08x, not %08x", errDifferent, c.CRC, want.CRC)
	}
	if err := near("sum", c.Sum, want.Sum, nearSum*max(10, float64(rows))); err != nil {
		return err
	}
	if len(c.Values) > 0 && len(want.Values) > 0 {
		if len(c.Values) != len(want.Values) {
			return fmt.Errorf("%w: %d values, not %d", errDifferent, len(c.Values), len(want.Values))
		}
		for i, v := range c.Values {
			if err := near(fmt.Sprintf("value %d", i), v, want.Values[i], nearValue); err != nil {
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
