package npz

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/colstore/colstore-go"
)

const (
	arrayMagic = "\x93NUMPY"
	// maxHeader is the longest header that is read; one of an array that can be a column has some hundred bytes.
	maxHeader = 1 << 20
	// headerAlign is what a header's length is padded to.
	headerAlign = 64
	// growthDigits is the room that NumPy leaves in a header for the number of rows to grow.
	growthDigits = 21
)

// An array is what the header of a .npy member says.
type array struct {
	typ    colstore.DType
	rows   int64
	dataAt int64 // bytes of the member before the first value
	// refused is why it cannot be a column: an error of colstore.ErrType.
	refused error
}

// readHeader reads the header of an array from the beginning of a member of size bytes.
//
// Errors: colstore.ErrFormat, also for a size that is not the header's.
func readHeader(r io.Reader, size int64) (array, error) {
	var fixed [12]byte
	short := func(err error) (array, error) {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = fmt.Errorf("%w: the member ends inside the array's header", colstore.ErrTruncated)
		}
		return array{}, err
	}
	if _, err := io.ReadFull(r, fixed[:8]); err != nil {
		return short(err)
	}
	if string(fixed[:6]) != arrayMagic {
		return array{}, fmt.Errorf("%w: the member is no array, although it ends in %s", colstore.ErrFormat, suffix)
	}
	var length, at int64
	switch version := fixed[6]; version {
	case 1:
		if _, err := io.ReadFull(r, fixed[8:10]); err != nil {
			return short(err)
		}
		length, at = int64(binary.LittleEndian.Uint16(fixed[8:])), 10
	case 2, 3:
		if _, err := io.ReadFull(r, fixed[8:12]); err != nil {
			return short(err)
		}
		length, at = int64(binary.LittleEndian.Uint32(fixed[8:])), 12
	default:
		return array{}, fmt.Errorf("%w: the array has version %d of its format; there are 1, 2 and 3", colstore.ErrFormat, version)
	}
	if length > maxHeader {
		return array{}, fmt.Errorf("%w: an array's header of %d bytes is beyond reason", colstore.ErrFormat, length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return short(err)
	}
	a, err := parseHeader(string(text))
	if err != nil || a.refused != nil {
		return a, err
	}
	a.dataAt = at + length
	if want, ok := total(a.rows, a.typ.Size(), a.dataAt); !ok || want != size {
		return a, fmt.Errorf("%w: the member has %d bytes, which %d rows of %s and their header do not take", colstore.ErrFormat, size, a.rows, a.typ.Name())
	}
	return a, nil
}

// total returns rows × size + more, or false if that is no int64.
func total(rows int64, size int, more int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(rows), uint64(size))
	if hi != 0 || lo > math.MaxInt64-uint64(more) {
		return 0, false
	}
	return int64(lo) + more, true
}

// parseHeader reads the dict of a header.
func parseHeader(text string) (array, error) {
	v, err := parseLiteral(text)
	if err != nil {
		return array{}, err
	}
	dict, _ := v.(map[string]any)
	shape, hasShape := dict["shape"].(tuple)
	_, hasOrder := dict["fortran_order"].(bool)
	descr, hasDescr := dict["descr"]
	if len(dict) != 3 || !hasShape || !hasOrder || !hasDescr {
		return array{}, fmt.Errorf("%w: the array's header is no dict of descr, fortran_order and shape", colstore.ErrFormat)
	}
	a := array{rows: 1}
	for _, n := range shape {
		rows, ok := n.(int64)
		if !ok || rows < 0 {
			return a, fmt.Errorf("%w: the array's shape is not made of whole numbers", colstore.ErrFormat)
		}
		a.rows = rows
	}
	if len(shape) > 1 {
		a.refused = fmt.Errorf("%w: the array has %d dimensions; a column has one, so store its columns as arrays of their own", colstore.ErrType, len(shape))
		return a, nil
	}
	code, ok := descr.(string)
	if !ok {
		a.refused = fmt.Errorf("%w: structured arrays cannot be stored; store one array a field", colstore.ErrType)
		return a, nil
	}
	a.typ, a.refused = parseDescr(code)
	return a, nil
}

// parseDescr reads a dtype as NumPy writes it.
func parseDescr(code string) (colstore.DType, error) {
	if strings.HasSuffix(code, "O") {
		return colstore.DType{}, fmt.Errorf("%w: object arrays are pickles, which are never read; store text or numbers", colstore.ErrType)
	}
	t, err := colstore.ParseDType(code)
	if err == nil && !t.Valid() {
		err = fmt.Errorf("%w: %q has no width", colstore.ErrType, code)
	}
	return t, err
}

// appendHeader appends the header of a column of rows rows, as numpy.save writes it.
func appendHeader(dst []byte, t colstore.DType, rows int64) []byte {
	n := strconv.FormatInt(rows, 10)
	text := "{'descr': '" + t.String() + "', 'fortran_order': False, 'shape': (" + n + ",), }" + strings.Repeat(" ", growthDigits-len(n))
	const fixed = len(arrayMagic) + 4
	length := len(text) + 1
	length += headerAlign - (fixed+length)%headerAlign
	dst = append(dst, arrayMagic+"\x01\x00"...)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(length))
	dst = append(dst, text...)
	for range length - 1 - len(text) {
		dst = append(dst, ' ')
	}
	return append(dst, '\n')
}
