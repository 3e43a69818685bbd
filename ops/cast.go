package ops

import (
	"fmt"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/calendar"
	"github.com/colstore/colstore-go/kernel"
)

// CastMode says what a cast does with what the target does not hold.
type CastMode uint8

// The modes.
const (
	CastPlain   CastMode = iota // as NumPy's astype: fractions are cut, integers keep their low bits
	CastMissing                 // like CastPlain, but NaN becomes 0, false or "": the rule for dtypes= of a foreign file
	CastStrict                  // a value that does not come back as it was is an error
)

// CastType returns the dtype a cast to t gives: t, with a width if it is bytes or text without one.
func CastType(from, t colstore.DType) colstore.DType {
	if !t.IsString() || t.Width() > 0 {
		return t.Native()
	}
	width := textWidth(from)
	if t.Kind() == colstore.KindBytes {
		return colstore.BytesOf(width)
	}
	return colstore.TextOf(width)
}

// textWidth is how wide the widest value of a dtype prints, as NumPy has it.
func textWidth(t colstore.DType) int {
	switch t.Kind() {
	case colstore.KindBool:
		return 5
	case colstore.KindInt:
		return map[int]int{1: 4, 2: 6, 4: 11, 8: 21}[t.Size()]
	case colstore.KindUint:
		return map[int]int{1: 3, 2: 5, 4: 10, 8: 20}[t.Size()]
	case colstore.KindFloat:
		return 32
	case colstore.KindDatetime:
		return isoWidth(t.Unit())
	case colstore.KindTimedelta:
		return 21
	default:
		return t.Width()
	}
}

// isoWidth is how wide ISO 8601 is in a unit, with NumPy's room for the year.
func isoWidth(u colstore.Unit) int {
	switch {
	case u == colstore.Year:
		return 22
	case u == colstore.Month:
		return 25
	case u <= colstore.Day:
		return 28
	case u <= colstore.Second:
		return 32 + 3*int(u-colstore.Hour)
	default:
		return 39 + 3*int(u-colstore.Second)
	}
}

// Cast returns the kernel that converts values of one dtype to another as NumPy's astype does; to must have a width
// (see [CastType]). fallible tells that values can make it fail.
//
// Errors: colstore.ErrType if there is no such conversion.
func Cast(from, to colstore.DType) (k Kernel, fallible bool, err error) {
	from, to = from.Native(), to.Native()
	if k, fallible := castKernel(from, to); k != nil {
		return k, fallible, nil
	}
	why := ""
	if from.IsTime() && to.IsTime() {
		why = "; years and months have no fixed length, and a date is no span"
	}
	return nil, false, fmt.Errorf("%w: no cast from %s to %s%s", colstore.ErrType, from.Name(), to.Name(), why)
}

// CastWith is [Cast] in a mode.
func CastWith(from, to colstore.DType, mode CastMode) (k Kernel, fallible bool, err error) {
	k, fallible, err = Cast(from, to)
	if err != nil {
		return k, fallible, err
	}
	switch {
	case mode == CastMissing && from.Kind() == colstore.KindFloat && !to.IsTime() && to.Kind() != colstore.KindFloat:
		return missingToZero(from.Native(), to.Native(), k), fallible, nil
	case mode == CastStrict && from.Native() != to.Native():
		if back, _, err := Cast(to, from); err == nil {
			return strict(from.Native(), to.Native(), k, back), true, nil
		}
	}
	return k, fallible, nil
}

func castKernel(from, to colstore.DType) (k Kernel, fallible bool) {
	switch {
	case from == to && from.Kind() != colstore.KindBool:
		return copyValues, false
	case from.IsTime() && to.IsTime():
		return castTime(from, to), false
	case from.IsString() || to.IsString():
		return castText(from, to)
	}
	// Times are their ticks.
	if from.IsTime() {
		from = colstore.Int64
	}
	if to.IsTime() {
		to = colstore.Int64
	}
	return castNumber(from, to), false
}

// copyValues is the kernel of a function that changes nothing.
func copyValues(dst colstore.Column, args []colstore.Column) error {
	out, in := kernel.RawOut(dst), kernel.RawIn(args[0])
	for n := 0; n < len(out); n += copy(out[n:], in) {
	}
	return nil
}

func castNumber(from, to colstore.DType) Kernel {
	switch from {
	case colstore.Bool:
		return boolTo(to)
	case colstore.Int8:
		return intTo[int8](to)
	case colstore.Int16:
		return intTo[int16](to)
	case colstore.Int32:
		return intTo[int32](to)
	case colstore.Int64:
		return intTo[int64](to)
	case colstore.Uint8:
		return intTo[uint8](to)
	case colstore.Uint16:
		return intTo[uint16](to)
	case colstore.Uint32:
		return intTo[uint32](to)
	case colstore.Uint64:
		return intTo[uint64](to)
	case colstore.Float16:
		return halfTo(to)
	case colstore.Float32:
		return floatTo[float32](to)
	default:
		return floatTo[float64](to)
	}
}

func intTo[S kernel.Integer](to colstore.DType) Kernel {
	if to == colstore.Bool {
		return toBool[S]
	}
	if to == colstore.Float16 {
		return intToHalf[S]
	}
	f := family{
		unary(kernel.Convert[int8, S]), unary(kernel.Convert[int16, S]), unary(kernel.Convert[int32, S]), unary(kernel.Convert[int64, S]),
		unary(kernel.Convert[uint8, S]), unary(kernel.Convert[uint16, S]), unary(kernel.Convert[uint32, S]), unary(kernel.Convert[uint64, S]),
		nil, unary(kernel.Convert[float32, S]), unary(kernel.Convert[float64, S]),
	}
	return f.of(to)
}

func floatTo[S kernel.Float](to colstore.DType) Kernel {
	if to == colstore.Bool {
		return toBool[S]
	}
	f := family{
		unary(kernel.Truncate[int8, S]), unary(kernel.Truncate[int16, S]), unary(kernel.Truncate[int32, S]), unary(kernel.Truncate[int64, S]),
		unary(kernel.Truncate[uint8, S]), unary(kernel.Truncate[uint16, S]), unary(kernel.Truncate[uint32, S]), unary(kernel.Truncate[uint64, S]),
		unary(kernel.ToHalf[S]), unary(kernel.Convert[float32, S]), unary(kernel.Convert[float64, S]),
	}
	return f.of(to)
}

func halfTo(to colstore.DType) Kernel {
	switch to {
	case colstore.Float32:
		return unary(kernel.FromHalf[float32])
	case colstore.Float64:
		return unary(kernel.FromHalf[float64])
	}
	next := floatTo[float32](to)
	return through(colstore.Float32, unary(kernel.FromHalf[float32]), next)
}

// through runs two kernels one after the other over an intermediate dtype.
func through(t colstore.DType, first, second Kernel) Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		mid, err := scratch(t, dst.Rows())
		if err != nil {
			return err
		}
		if err := first(mid, args); err != nil {
			return err
		}
		return second(dst, []colstore.Column{mid})
	}
}

// scratch returns a column of a chunk's size for a rare conversion that needs one.
func scratch(t colstore.DType, rows int) (colstore.Column, error) {
	return colstore.NewColumn(t, rows, make([]byte, rows*t.Size()))
}

func intToHalf[S kernel.Integer](dst colstore.Column, args []colstore.Column) error {
	in := whole[S](args[0])
	out := kernel.Out[uint16](dst)
	var buf [halfRows]float64
	for at := 0; at < len(out); at += halfRows {
		n := min(halfRows, len(out)-at)
		kernel.Convert(buf[:n], in[at:at+n])
		kernel.ToHalf(out[at:at+n], buf[:n])
	}
	return nil
}

// toBool stores 1 for every value but 0, NaN included.
func toBool[S kernel.Number](dst colstore.Column, args []colstore.Column) error {
	truths(kernel.Out[uint8](dst), kernel.In[S](args[0]))
	return nil
}

// truths stores 1 for every value but 0.
func truths[S kernel.Number](out []uint8, in []S) {
	var buf [maxChunkWords]uint64
	for at := 0; at < len(out); at += MaxChunkRows {
		n := min(MaxChunkRows, len(out)-at)
		bits, v := buf[:kernel.Words(n)], in
		if len(in) != 1 {
			v = in[at : at+n]
		}
		kernel.Nonzero(bits, v, n)
		kernel.BytesFromBits(out[at:at+n], bits)
	}
}

// boolTo makes 0 and 1 of the bytes, of which any but 0 is true, and goes on from there.
func boolTo(to colstore.DType) Kernel {
	if to == colstore.Bool || to.Size() == 1 {
		return toBool[uint8]
	}
	f := family{
		i2: boolsTo[int16](), i4: boolsTo[int32](), i8: boolsTo[int64](),
		u2: boolsTo[uint16](), u4: boolsTo[uint32](), u8: boolsTo[uint64](),
		f2: through(colstore.Uint8, toBool[uint8], castNumber(colstore.Uint8, colstore.Float16)), f4: boolsTo[float32](), f8: boolsTo[float64](),
	}
	return f.of(to)
}

func boolsTo[D kernel.Number]() Kernel {
	return func(dst colstore.Column, args []colstore.Column) error {
		var buf [MaxChunkRows]uint8
		out, in := kernel.Out[D](dst), whole[uint8](args[0])
		for at := 0; at < len(out); at += len(buf) {
			ones := buf[:min(len(buf), len(out)-at)]
			truths(ones, in[at:at+len(ones)])
			kernel.Convert(out[at:at+len(ones)], ones)
		}
		return nil
	}
}

// castTime converts between units; nil where one is a date and the other a span, or a span changes between months and
// days by a mean that NumPy computes too.
func castTime(from, to colstore.DType) Kernel {
	if from.Kind() != to.Kind() {
		return nil
	}
	a, b := from.Unit(), to.Unit()
	if !calendar.IsCalendar(a) && !calendar.IsCalendar(b) {
		if a <= b {
			n, _ := calendar.Ratio(a, b)
			return unary(func(dst, src []int64) { kernel.RefineTicks(dst, src, n) })
		}
		if n, huge := calendar.Ratio(b, a); !huge {
			return unary(func(dst, src []int64) { kernel.CoarsenTicks(dst, src, int64(n)) })
		}
	}
	// Through the calendar, or beyond any ratio: value by value.
	convert := calendar.Converter(from.Kind(), a, b)
	return unary(func(dst, src []int64) {
		for i, v := range src[:len(dst)] {
			dst[i] = convert(v)
		}
	})
}

// missingToZero clears the values that come from a NaN.
func missingToZero(from, to colstore.DType, k Kernel) Kernel {
	wide, _, _ := Cast(from, colstore.Float64)
	size := to.Size()
	return func(dst colstore.Column, args []colstore.Column) error {
		if err := k(dst, args); err != nil {
			return err
		}
		src, err := scratch(colstore.Float64, dst.Rows())
		if err != nil {
			return err
		}
		if err := wide(src, args); err != nil {
			return err
		}
		out := kernel.RawOut(dst)
		for i, v := range kernel.In[float64](src) {
			if v != v {
				clear(out[i*size : (i+1)*size])
			}
		}
		return nil
	}
}

// strict converts back and compares; a NaN need only come back as a NaN.
func strict(from, to colstore.DType, k, back Kernel) Kernel {
	size := from.Size()
	return func(dst colstore.Column, args []colstore.Column) error {
		if err := k(dst, args); err != nil {
			return err
		}
		again, err := scratch(from, dst.Rows())
		if err != nil {
			return err
		}
		if err := back(again, []colstore.Column{dst}); err != nil {
			return err
		}
		in, out := kernel.RawIn(args[0]), kernel.RawOut(again)
		for i := range dst.Rows() {
			a := in[min(i*size, len(in)-size):][:size]
			b := out[i*size:][:size]
			if string(a) != string(b) && !sameValue(from, a, b) {
				cell, err := colstore.NewColumn(from, 1, a)
				if err != nil {
					return err
				}
				return &RowError{i, fmt.Errorf("%w: %s does not fit %s exactly", colstore.ErrValue, plain(cell), to.Name())}
			}
		}
		return nil
	}
}
