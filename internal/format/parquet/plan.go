package parquet

import (
	"fmt"
	"math"

	"github.com/colstore/colstore-go"
	"github.com/colstore/colstore-go/internal/format/parquet/meta"
)

// A plan is how a column is written.
type plan struct {
	name    string
	typ     colstore.DType // in native byte order
	element meta.Element
	width   int  // bytes of a physical value; 0 for bools and text
	nulls   bool // NaT becomes a null

	// A page ends at so many rows or, before compression, bytes.
	pageRows, pageBytes int
}

const (
	// pageRows and pageBytes are the most of a page by default: few enough that leaving out pages by their bounds is worth
	// it, many enough that their headers and bounds take little.
	pageRows  = 1 << 14
	pageBytes = 1 << 20
)

// setPages sets the size of the pages by the option: a number of rows, a size in bytes, or 0 for the default.
//
// Errors: colstore.ErrValue.
func (p *plan) setPages(option string) error {
	p.pageRows, p.pageBytes = pageRows, pageBytes
	if n, err := colstore.ParseCount(option); err == nil {
		if n > 0 {
			p.pageRows = int(min(n, math.MaxInt32))
		}
		return nil
	}
	size, err := colstore.ParseByteSize(option)
	if err != nil || size > pageBytes {
		return fmt.Errorf("%w: %q is neither a number of rows nor a size of at most %s (examples: 20_000, 64 KiB)",
			colstore.ErrValue, option, colstore.ByteSize(pageBytes))
	}
	p.pageRows, p.pageBytes = math.MaxInt32, int(size)
	return nil
}

// rowsOf returns the rows of the next page, of so many rows that are left. Where values are missing it is a multiple of 64
// unless it is the last.
func (p *plan) rowsOf(left int, missing bool) int {
	n := max(1, min(p.pageRows, p.pageBytes/max(1, p.width)))
	if missing {
		n = max(64, n/64*64)
	}
	return min(n, left)
}

// newPlan returns how a column of a dtype is written.
//
// Errors: colstore.ErrType for a dtype that Parquet has no type for.
func newPlan(f colstore.Field, natValue bool) (plan, error) {
	t := f.Type.Native()
	p := plan{name: f.Name, typ: t, element: meta.Element{Name: f.Name, Repetition: meta.Optional, Converted: meta.NoConverted}}
	e := &p.element
	switch t.Kind() {
	case colstore.KindBool:
		e.Type = meta.Boolean
	case colstore.KindInt, colstore.KindUint:
		p.integer()
	case colstore.KindFloat:
		p.width = t.Size()
		switch t.Size() {
		case 2:
			e.Type, e.Length = meta.FixedLenByteArray, 2
			e.Logical.Kind = meta.KindFloat16
		case 4:
			e.Type = meta.Float
		default:
			e.Type = meta.Double
		}
	case colstore.KindBytes:
		e.Type, e.Length, p.width = meta.FixedLenByteArray, int32(t.Size()), t.Size()
	case colstore.KindText:
		e.Type, e.Converted, e.Logical.Kind = meta.ByteArray, meta.ConvertedUTF8, meta.KindString
	case colstore.KindDatetime:
		p.nulls = !natValue
		return p, p.datetime()
	case colstore.KindTimedelta:
		p.nulls = !natValue
		e.Type, p.width = meta.Int64, 8
		if u := t.Unit(); u < colstore.Second || u > colstore.Nanosecond {
			return p, p.noUnit("timedelta")
		}
	}
	return p, nil
}

// typeName returns what a column of a dtype is in a file, in the words of the format.
//
// Errors: colstore.ErrType.
func typeName(t colstore.DType) (string, error) {
	p, err := newPlan(colstore.Field{Type: t}, false)
	if err != nil {
		return "", err
	}
	e := &p.element
	name := e.Type.String()
	if e.Type == meta.FixedLenByteArray {
		name = fmt.Sprintf("%s(%d)", name, e.Length)
	}
	switch e.Logical.Kind {
	case meta.KindInteger:
		return fmt.Sprintf("%s, INTEGER(%d, %s)", name, e.Logical.Bits, map[bool]string{true: "signed", false: "unsigned"}[e.Logical.Signed]), nil
	case meta.KindFloat16:
		return name + ", FLOAT16", nil
	case meta.KindString:
		return name + ", STRING", nil
	case meta.KindDate:
		return name + ", DATE", nil
	case meta.KindTimestamp:
		return fmt.Sprintf("%s, TIMESTAMP(%s)", name, units[e.Logical.Unit]), nil
	}
	if t.Kind() == colstore.KindTimedelta {
		name += ", whose unit is in the file's metadata"
	}
	return name, nil
}

func (p *plan) integer() {
	e, size := &p.element, p.typ.Size()
	signed := p.typ.Kind() == colstore.KindInt
	e.Type, p.width = meta.Int32, 4
	if size == 8 {
		e.Type, p.width = meta.Int64, 8
	}
	if signed && size >= 4 {
		return // the plain physical type
	}
	e.Logical = meta.Logical{Kind: meta.KindInteger, Bits: int8(8 * size), Signed: signed}
	e.Converted = map[bool]map[int]meta.Converted{
		true:  {1: meta.ConvertedInt8, 2: meta.ConvertedInt16},
		false: {1: meta.ConvertedUint8, 2: meta.ConvertedUint16, 4: meta.ConvertedUint32, 8: meta.ConvertedUint64},
	}[signed][size]
}

func (p *plan) datetime() error {
	e := &p.element
	e.Type, p.width = meta.Int64, 8
	stamp := func(u meta.Unit) { e.Logical = meta.Logical{Kind: meta.KindTimestamp, Unit: u} }
	switch p.typ.Unit() {
	case colstore.Day:
		e.Type, p.width = meta.Int32, 4
		e.Converted, e.Logical.Kind = meta.ConvertedDate, meta.KindDate
	case colstore.Second, colstore.Millisecond:
		stamp(meta.Millis)
	case colstore.Microsecond:
		stamp(meta.Micros)
	case colstore.Nanosecond:
		stamp(meta.Nanos)
	default:
		return p.noUnit("timestamp")
	}
	return nil
}

func (p *plan) noUnit(what string) error {
	return fmt.Errorf("%w: Parquet has no %s of unit %s; cast the column to %s in s, ms, us or ns first",
		colstore.ErrType, what, p.typ.Unit(), p.typ.Kind())
}

// isSame reports whether a physical value has the bytes of the dtype's.
func (p *plan) isSame() bool {
	return p.width == p.typ.Size() && p.typ != colstore.DatetimeOf(colstore.Second)
}
