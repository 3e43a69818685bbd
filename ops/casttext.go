package ops

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/internal/text"
	"github.com/colstore/colstore-go/kernel"
)

// plain prints a value for a message.
func plain(cell colstore.Column) string {
	s := string(text.AppendPlain(nil, cell, 0))
	if cell.Type().IsString() {
		return strconv.Quote(s)
	}
	return s
}

// sameValue reports whether two cells of a float dtype are both NaN or both zero, or two texts differ in padding only.
func sameValue(t colstore.DType, a, b []byte) bool {
	switch t.Kind() {
	case colstore.KindFloat:
		x, y := text.Float(t, a), text.Float(t, b)
		return x == y || x != x && y != y
	case colstore.KindBool:
		return (a[0] != 0) == (b[0] != 0)
	}
	return false
}

// castText converts from and to bytes and text.
func castText(from, to colstore.DType) (k Kernel, fallible bool) {
	switch {
	case from.IsString() && to.IsString():
		if from.Kind() == to.Kind() {
			return resizeText(from, to), false
		}
		if to.Kind() == colstore.KindText {
			return bytesToText(from, to), true
		}
		return textToBytes(from, to), true
	case to.IsString():
		return printValues(from, to), false
	case to == colstore.Bool:
		return func(dst colstore.Column, args []colstore.Column) error {
			size := from.Size()
			out, in := kernel.Out[uint8](dst), kernel.RawIn(args[0])
			for i := range out {
				out[i] = 0
				if len(kernel.TrimPadding(in[min(i*size, len(in)-size):][:size], 1)) > 0 {
					out[i] = 1
				}
			}
			return nil
		}, false
	}
	return parseValues(from, to), true
}

// resizeText changes the width: wider pads, narrower cuts.
func resizeText(from, to colstore.DType) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		a, b := from.Size(), to.Size()
		out, in := kernel.RawOut(dst), kernel.RawIn(args[0])
		for i := range dst.Rows() {
			at := out[i*b:][:b]
			n := copy(at, in[min(i*a, len(in)-a):][:a])
			clear(at[n:])
		}
		return nil
	}
}

// bytesToText reads ASCII.
func bytesToText(from, to colstore.DType) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		size, width := from.Size(), to.Width()
		in := kernel.RawIn(args[0])
		data, _, _ := dst.Raw()
		out := unsafe.Slice((*uint32)(data), dst.Rows()*width)
		for i := range dst.Rows() {
			v := kernel.TrimPadding(in[min(i*size, len(in)-size):][:size], 1)
			at := out[i*width:][:width]
			clear(at)
			for j, c := range v {
				if c >= utf8.RuneSelf {
					return &RowError{i, fmt.Errorf("%w: the bytes %q are not ASCII", colstore.ErrValue, v)}
				}
				if j < width {
					at[j] = uint32(c)
				}
			}
		}
		return nil
	}
}

// textToBytes writes ASCII.
func textToBytes(from, to colstore.DType) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		width, size := from.Width(), to.Size()
		raw := kernel.RawIn(args[0])
		in := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/4)
		out := kernel.RawOut(dst)
		for i := range dst.Rows() {
			v := in[min(i*width, len(in)-width):][:width]
			at := out[i*size:][:size]
			clear(at)
			for j, c := range v {
				if c >= utf8.RuneSelf {
					return &RowError{i, fmt.Errorf("%w: the text has %q, which is not ASCII", colstore.ErrValue, rune(c))}
				}
				if j < size {
					at[j] = byte(c)
				}
			}
		}
		return nil
	}
}

// printValues writes numbers and times as text, cut to the width.
func printValues(from, to colstore.DType) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		size := to.Size()
		out := kernel.RawOut(dst)
		in := args[0].As(from)
		var buf []byte
		for i := range dst.Rows() {
			buf = text.AppendPlain(buf[:0], in, i)
			at := out[i*size:][:size]
			clear(at)
			if to.Kind() == colstore.KindBytes {
				copy(at, buf)
				continue
			}
			for j, c := range buf[:min(len(buf), to.Width())] {
				at[4*j] = c // digits and names are ASCII
			}
		}
		return nil
	}
}

// parseValues reads numbers and times from text.
func parseValues(from, to colstore.DType) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		size := to.Size()
		out := kernel.RawOut(dst)
		in := args[0].As(from)
		var buf []byte
		for i := range dst.Rows() {
			buf = in.AppendString(buf[:0], i)
			bits, err := parseValue(to, string(buf))
			if err != nil {
				return &RowError{i, err}
			}
			for j := range size {
				out[i*size+j] = byte(bits >> (8 * j))
			}
		}
		return nil
	}
}

// blanks may be around a value.
const blanks = " \t\n\v\f\r"

// parseValue returns the bits of a number or tick.
func parseValue(t colstore.DType, s string) (uint64, error) {
	switch t.Kind() {
	case colstore.KindInt:
		v, err := text.ParseInt(s, 8*t.Size())
		return uint64(v), err
	case colstore.KindUint:
		v, err := text.ParseUint(s, 8*t.Size())
		if err == nil {
			return v, nil
		}
		if digits, ok := strings.CutPrefix(strings.Trim(s, blanks), "-"); ok && digits != "" && strings.Trim(digits, "0") == "" {
			return 0, nil // -0
		}
		return v, err
	case colstore.KindDatetime:
		v, err := calendar.ParseISO(s, t.Unit())
		return uint64(v), err
	case colstore.KindTimedelta:
		if word := strings.Trim(s, blanks); word == "" || strings.EqualFold(word, "nat") {
			return 1 << 63, nil // NaT
		}
		v, err := text.ParseInt(s, 64)
		return uint64(v), err
	default:
		v, err := text.ParseFloat(s)
		return text.FloatBits(t, v), err
	}
}
